import Rendering

/// A page for the terminal as it grows.
protocol TextPage {
    var paint: Paint { get }
    /// Columns.
    var width: Int { get }
    var lines: [String] { get set }
}

extension TextPage {
    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func heading(_ text: String) { lines += ["", "  " + paint("█ " + text, .bold), ""] }

    /// Over as many lines as it needs, those after the first set in.
    mutating func paragraph(_ text: String, _ mark: String, _ tone: Paint.Tone? = nil) {
        let indent = String(repeating: " ", count: mark.count)
        for (index, line) in Columns.wrapped(Escaping.line(text), width - mark.count).enumerated() {
            lines.append((index == 0 ? mark : indent) + (tone.map { paint(line, $0) } ?? line))
        }
    }

    mutating func command(_ command: ShellCommand) {
        lines += command.lines(width: width - 4).map { "    " + paint($0, .dim) }
    }

    mutating func list(_ title: String, _ items: [String]) {
        guard !items.isEmpty else { return }
        heading(title)
        for item in items { paragraph(item, "    - ") }
    }
}
