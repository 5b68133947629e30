import Accounting

/// Colours of a terminal: the sixteen that every theme defines, or none.
struct Paint {
    enum Tone: String {
        case bold = "1"
        case dim = "2"
        case good = "32"
        case bad = "31"
        case warn = "33"
        case info = "36"
        case blue = "34"
        case magenta = "35"
        case grey = "90"
    }

    let isOn: Bool

    func callAsFunction(_ text: String, _ tones: Tone...) -> String {
        guard isOn, !text.isEmpty else { return text }
        return "\u{1B}[\(tones.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
    }

    /// The colour of a fate.
    static func tone(_ fate: Fate) -> Tone {
        switch fate {
        case .delivered: .blue
        case .pending, .suppressed: .grey
        case .evicted: .warn
        case .rejected: .bad
        case .lost: .magenta
        }
    }
}

/// Text in columns of characters; every character of the summary is one column wide.
enum Columns {
    /// `name.....: `, as k6 draws it.
    static func leader(_ name: String, _ width: Int) -> String {
        let name = clipped(name, width - 1)
        return name + String(repeating: ".", count: max(1, width - name.count)) + ": "
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// At most `width` characters, the last an ellipsis where some are missing.
    static func clipped(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
    }

    /// At most `width` characters, an ellipsis for what is missing in the middle: the ends of figures' names tell them
    /// apart.
    static func shortened(_ text: String, _ width: Int) -> String {
        guard text.count > width, width > 2 else { return clipped(text, width) }
        let tail = width / 2
        return String(text.prefix(width - 1 - tail)) + "…" + String(text.suffix(tail))
    }

    /// A text in pieces of at most `width` characters: for what nothing may be missing of.
    static func cut(_ text: String, _ width: Int) -> [String] {
        guard text.count > width, width > 0 else { return [text] }
        let characters = Array(text)
        return stride(from: 0, to: characters.count, by: width).map {
            String(characters[$0..<min($0 + width, characters.count)])
        }
    }

    /// Words over lines of at most `width` characters.
    static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

/// Sentences on a terminal.
package enum TerminalText {
    /// A text over lines that break between words, those after the first set in; a word longer than the line,
    /// such as a path, stays whole, and so does a row of a table, whose columns would be no columns any more.
    package static func wrapped(_ text: String, width: Int) -> String {
        guard text.count > width, !hasColumns(text) else { return text }
        return Columns.wrapped(text, max(20, width - 2)).joined(separator: "\n  ")
    }

    /// Whether a line is a row of a table: no sentence has two blanks in a row.
    static func hasColumns(_ line: String) -> Bool { line.contains("  ") }
}
