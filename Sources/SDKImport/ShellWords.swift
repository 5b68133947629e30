/// The words of commands in a shell's language, as far as copied curl commands use it: quotes of each kind, backslashes,
/// lines that go on.
struct ShellWords {
    struct Word: Hashable {
        var text: [UInt8]
        /// From 1.
        var line: Int
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The words of each command.
    ///
    /// - Throws: ``CaptureProblem`` for a quote without its end.
    static func commands(_ bytes: [UInt8]) throws(CaptureProblem) -> [[Word]] {
        var reader = ShellWords(bytes)
        var commands: [[Word]] = []
        while let command = try reader.command() {
            if !command.isEmpty { commands.append(command) }
        }
        return commands
    }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take() -> UInt8? {
        guard let byte else { return nil }
        index += 1
        if byte == 0x0A { line += 1 }
        return byte
    }

    private mutating func command() throws(CaptureProblem) -> [Word]? {
        guard byte != nil else { return nil }
        var words: [Word] = []
        while let next = byte {
            switch next {
            case 0x0A, UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"):
                _ = take()
                return words
            case 0x20, 0x09, 0x0D: _ = take()
            case UInt8(ascii: "#"): while let other = byte, other != 0x0A { index += 1 }
            case UInt8(ascii: "\\") where isLineEnd(after: index):
                while take() != 0x0A, byte != nil {}
            default: words.append(try word())
            }
        }
        return words
    }

    /// Whether a backslash ends its line, whatever its line break.
    private func isLineEnd(after index: Int) -> Bool {
        let rest = bytes[(index + 1)...].prefix(2)
        return rest.isEmpty || rest.first == 0x0A || Array(rest) == [0x0D, 0x0A]
    }

    private mutating func word() throws(CaptureProblem) -> Word {
        var word = Word(text: [], line: line)
        while let next = byte {
            switch next {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"): return word
            case UInt8(ascii: "'"): try appendQuoted(to: &word.text, end: next, escapes: .none)
            case UInt8(ascii: "\""): try appendQuoted(to: &word.text, end: next, escapes: .double)
            case UInt8(ascii: "$") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "'"):
                _ = take()
                try appendQuoted(to: &word.text, end: UInt8(ascii: "'"), escapes: .ansi)
            case UInt8(ascii: "\\"):
                _ = take()
                if let escaped = take(), escaped != 0x0A { word.text.append(escaped) }
            default:
                _ = take()
                word.text.append(next)
            }
        }
        return word
    }

    private enum Escapes { case none, double, ansi }

    private mutating func appendQuoted(
        to text: inout [UInt8], end: UInt8, escapes: Escapes
    ) throws(CaptureProblem) {
        let begin = line
        _ = take()
        while let next = take() {
            if next == end { return }
            switch escapes {
            case .double where next == UInt8(ascii: "\\"): appendEscaped(to: &text)
            case .ansi where next == UInt8(ascii: "\\"): appendANSI(to: &text)
            default: text.append(next)
            }
        }
        throw CaptureProblem("line \(begin)", found: "a quote without its end", allowed: "quotes in pairs")
    }

    /// What stands behind a backslash between double quotes, where few characters need one.
    private mutating func appendEscaped(to text: inout [UInt8]) {
        guard let escaped = take() else { return text.append(UInt8(ascii: "\\")) }
        switch escaped {
        case 0x0A: break
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`"):
            text.append(escaped)
        default: text += [UInt8(ascii: "\\"), escaped]
        }
    }

    /// What stands behind a backslash within `$'…'`.
    private mutating func appendANSI(to text: inout [UInt8]) {
        var rest = bytes[index...]
        text += ANSIEscape.read(&rest)
        line += bytes[index..<rest.startIndex].count { $0 == 0x0A }
        index = rest.startIndex
    }
}
