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

/// Text in columns of a terminal.
enum Columns {
    /// How many columns a text takes: wide letters, such as Chinese ones, take two, and marks that combine none.
    static func count(_ text: some StringProtocol) -> Int {
        // Nearly all that a summary has.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + count(of: $1) }
    }

    private static func count(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        let sum = scalars.reduce(0) { $0 + WideLetters.columns(of: $1) }
        // What asks for the picture of a sign that is a letter otherwise.
        return scalars.contains("\u{FE0F}") ? max(2, sum) : sum
    }

    /// `name.....: `, as k6 draws it.
    static func leader(_ name: String, _ width: Int) -> String {
        let name = clipped(name, width - 1)
        return name + String(repeating: ".", count: max(1, width - count(name))) + ": "
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count(text))) + text
    }

    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - count(text)))
    }

    /// At most `width` columns, the last an ellipsis where something is missing.
    static func clipped(_ text: String, _ width: Int) -> String {
        count(text) <= width ? text : start(of: text, width - 1) + "…"
    }

    /// At most `width` columns, an ellipsis for what is missing in the middle: the ends of figures' names tell them
    /// apart.
    static func shortened(_ text: String, _ width: Int) -> String {
        guard count(text) > width, width > 2 else { return clipped(text, width) }
        let tail = width / 2
        let end = String(start(of: String(text.reversed()), tail).reversed())
        return start(of: text, width - 1 - tail) + "…" + end
    }

    /// As much of a text's start as there is room for.
    private static func start(of text: String, _ width: Int) -> String {
        var used = 0
        return String(
            text.prefix { character in
                used += count(of: character)
                return used <= width
            })
    }

    /// A text in pieces of at most `width` columns: for what nothing may be missing of.
    static func cut(_ text: String, _ width: Int) -> [String] {
        guard count(text) > width, width > 0 else { return [text] }
        var pieces: [String] = []
        var piece = ""
        var used = 0
        for character in text {
            let own = count(of: character)
            if !piece.isEmpty, used + own > width {
                pieces.append(piece)
                (piece, used) = ("", 0)
            }
            piece.append(character)
            used += own
        }
        return pieces + [piece]
    }

    /// Words over lines of at most `width` columns.
    static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ") {
            let own = count(word)
            if !line.isEmpty, used + 1 + own > width {
                lines.append(line)
                (line, used) = ("", 0)
            }
            used += own + (line.isEmpty ? 0 : 1)
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
        guard Columns.count(text) > width, !hasColumns(text) else { return text }
        return Columns.wrapped(text, max(20, width - 2)).joined(separator: "\n  ")
    }

    /// Whether a line is a row of a table: no sentence has two blanks in a row.
    static func hasColumns(_ line: String) -> Bool { line.contains("  ") }
}
