/// Time series, both ways.
extension ReportJSON {
    static func series(_ node: ReportNode) throws(ReportReadError) -> [Report.SeriesPoint] {
        let known = SeriesColumns.all
        let names = try node.required("columns").strings()
        let columns = names.map { name in known.first { $0.name == name }?.access }
        let haveExtremes = SeriesColumns.haveExtremes(names)
        var series: [Report.SeriesPoint] = []
        for row in try node.required("rows").elements() {
            let cells = try row.elements()
            guard cells.count == columns.count else {
                throw ReportReadError(
                    key: row.key, message: "expected \(columns.count) values, found \(cells.count)")
            }
            var point = Report.SeriesPoint()
            for (access, cell) in zip(columns, cells) {
                if let access { try SeriesColumns.set(access, of: &point, to: cell) }
            }
            if !haveExtremes { point.spreadEvenly() }
            series.append(point)
        }
        return series
    }

    static func closeUp(_ closeUp: Report.CloseUp) -> JSONValue {
        .members([
            "mark": .integer(Int64(closeUp.mark)), "series": SeriesColumns.value(of: closeUp.points),
        ])
    }

    static func closeUp(_ node: ReportNode, marks: Int) throws(ReportReadError) -> Report.CloseUp {
        let number = try node.required("mark")
        let mark = try number.integer()
        guard (0..<marks).contains(mark) else {
            throw ReportReadError(key: number.key, message: "expected the index of one of \(marks) marks")
        }
        return Report.CloseUp(mark: mark, points: try series(node.required("series")))
    }
}
