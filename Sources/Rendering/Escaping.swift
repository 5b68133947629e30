/// What makes text from outside (names, answers of servers) harmless in each kind of output.
package enum Escaping {
    /// Whether a character has no business in a report: control characters, the marks that turn the direction of the text
    /// after them, and the tags that nobody sees. Line feed and tab are left to each output.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE,
            0xFFFF, 0xE0000...0xE007F:
            true
        default: scalar.properties.isNoncharacterCodePoint
        }
    }

    private static func mapped(_ text: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if isHidden(scalar) {
                result.unicodeScalars.append("\u{FFFD}")
            } else if let other = replacement(scalar) {
                result += other
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// For HTML and XML, as text and in attributes with either quote.
    package static func markup(_ text: String) -> String {
        // Nearly all that a page has, such as coordinates.
        if text.utf8.allSatisfy(isPlainInMarkup) { return text }
        return mapped(text) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: nil
            }
        }
    }

    private static func isPlainInMarkup(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            false
        default: (0x20..<0x7F).contains(byte)
        }
    }

    /// For a line of a terminal or of a log.
    package static func line(_ text: String) -> String {
        mapped(text) { $0 == "\n" || $0 == "\t" ? " " : nil }
    }

    /// For lines of a terminal or of a log.
    package static func lines(_ text: String) -> String { mapped(text) { _ in nil } }

    /// For running text and tables in Markdown.
    package static func markdown(_ text: String) -> String {
        mapped(text) { scalar in
            switch scalar {
            case "\n", "\t": " "
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "+", "!", "|", "~", "@":
                "\\" + String(Character(scalar))
            default: nil
            }
        }
    }

    /// A cell of CSV (RFC 4180); what a spreadsheet would take for a formula gets an apostrophe.
    ///
    /// By scalars, as those who read it do: a mark that combines with a quote makes another character of it, but hides it
    /// from no reader.
    package static func csv(_ text: String) -> String {
        var clean = mapped(text) { $0 == "\n" || $0 == "\t" ? " " : nil }
        if let first = clean.unicodeScalars.first, "=+-@".unicodeScalars.contains(first) {
            clean = "'" + clean
        }
        let needsQuotes = clean.utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ";")
        }
        guard needsQuotes else { return clean }
        return "\"" + String(clean.unicodeScalars.replacing("\"".unicodeScalars, with: "\"\"".unicodeScalars))
            + "\""
    }

    /// The value of a Prometheus label.
    package static func prometheus(_ text: String) -> String {
        mapped(text) { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: nil
            }
        }
    }

    /// One argument of a command, quoted where a POSIX shell needs it.
    package static func shell(_ argument: String) -> String {
        let plain = argument.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-_./:=,@%+".utf8.contains(byte)
            }
        }
        return plain && !argument.isEmpty ? argument : quotedForShell(argument)
    }

    /// One argument of a command in the quotes of a POSIX shell. By scalars, as a shell reads it: a mark that combines with
    /// a quote does not hide it.
    package static func quotedForShell(_ argument: String) -> String {
        "'" + String(argument.unicodeScalars.replacing("'".unicodeScalars, with: "'\\''".unicodeScalars))
            + "'"
    }
}
