/// The figures of a comparison in columns, as wide as what stands in them.
struct ComparisonTable {
    private let rows: [Comparison.Row]
    private let cells: [[String]]
    private let paint: Paint
    private let width: Int
    /// The name's, base, candidate, difference and interval; 0 where there is no room for intervals.
    private let widths: [Int]

    /// The longest verdict, and two blanks before it.
    private static let wordWidth = 13
    /// What names have at least beside their figures; intervals are left out rather than more names set apart.
    private static let leastName = 24

    init(_ rows: [Comparison.Row], paint: Paint, width: Int) {
        self.rows = rows
        self.paint = paint
        self.width = width
        cells = rows.map(ComparisonTable.texts(of:))
        let cells = cells
        func column(_ index: Int, atLeast least: Int) -> Int {
            max(least, (cells.map { $0[index].count }.max() ?? 0) + 1)
        }
        let numbers = [column(1, atLeast: 10), column(2, atLeast: 10), column(3, atLeast: 12)]
        let rest = width - ComparisonTable.wordWidth - numbers.reduce(0, +)
        let interval = column(4, atLeast: 24)
        let hasIntervals = width >= 100 && rest - interval >= ComparisonTable.leastName
        widths = [hasIntervals ? rest - interval : rest] + numbers + [hasIntervals ? interval : 0]
    }

    /// A head, and each figure with its verdict. A name that has no room stands whole on a line of its own: cut in the
    /// middle, it could be that of another figure, and nobody could type it.
    var lines: [String] {
        var lines = [paint(line(["", "base", "candidate", "difference", "95 %"]) + "verdict", .dim)]
        for (index, row) in rows.enumerated() {
            let hasRoom = row.figure.name.count < widths[0]
            if !hasRoom { lines.append(Columns.shortened(row.figure.name, width)) }
            let own: [String] = [hasRoom ? row.figure.name : ""] + Array(cells[index].dropFirst())
            lines.append(line(own) + word(row.word))
            if let shortfall = row.shortfall { lines.append("  " + paint(shortfall, .dim)) }
        }
        return lines
    }

    private static func texts(of row: Comparison.Row) -> [String] {
        let relative = ComparisonText.relative(row)
        let difference = row.difference.map { ComparisonText.signed($0.mean, row.figure) } ?? ""
        return [
            row.figure.name, ComparisonText.value(row.base, row.figure),
            ComparisonText.value(row.candidate, row.figure), relative.isEmpty ? difference : relative,
            ComparisonText.interval(row),
        ]
    }

    private func line(_ cells: [String]) -> String {
        let numbers = zip(cells, widths).dropFirst().filter { $0.1 > 0 }.map { Columns.right($0.0, $0.1) }
        return Columns.left(cells[0], widths[0]) + numbers.joined() + "  "
    }

    private func word(_ word: Comparison.Word) -> String {
        switch word {
        case .worse: paint(word.rawValue, .bad)
        case .better: paint(word.rawValue, .good)
        case .same, .higher, .lower: word.rawValue
        case .cannotTell, .refused: paint(word.rawValue, .warn)
        }
    }
}
