/// Reads what a program tells of itself in Prometheus' text format (0.0.4; OpenMetrics as far as it is the same).
///
/// The text is somebody else's: lines that cannot be read are told as such. It is read byte by byte, for only ASCII
/// has a meaning in it. A label's value is any text: there a line separator ends no line, and a quote is one whatever
/// mark stands behind it.
package struct ExpositionReader: Sequence, IteratorProtocol {
    package enum Kind: String, Sendable { case counter, gauge, histogram, summary, untyped }

    /// One sample.
    package struct Sample: Hashable, Sendable {
        package var name: String
        /// `name="value"`, separated by commas, in the order of the names; empty for none.
        package var labels: String
        package var kind: Kind
        package var value: Double

        package init(name: String, labels: String = "", kind: Kind, value: Double) {
            self.name = name
            self.labels = labels
            self.kind = kind
            self.value = value
        }

        /// Whether it never goes down while a process lives. A summary's quantiles do.
        var onlyGrows: Bool {
            switch kind {
            case .counter, .histogram: return true
            case .summary: return !",\(labels)".contains(",quantile=\"")
            case .gauge: return false
            case .untyped: return name.hasSuffix("_total")
            }
        }
    }

    /// What a line tells.
    package enum Line: Hashable, Sendable {
        case sample(Sample)
        /// Neither a sample nor a comment; with what its name says, which is empty if not even that can be read.
        case broken(name: String, kind: Kind)
    }

    /// What is not read yet.
    private var rest: ArraySlice<UInt8>
    private var kinds: [String: Kind] = [:]

    /// - Parameter bytes: The whole text; it is read line by line as the lines are asked for.
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next line that is neither empty nor a comment; `nil` at the end. O(bytes that are read).
    package mutating func next() -> Line? {
        while !rest.isEmpty {
            let bytes = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[bytes.endIndex...].dropFirst()
            let line = (bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes).withoutBlanks
            guard let first = line.first else { continue }
            guard first == UInt8(ascii: "#") else { return read(line) }
            readComment(line)
        }
        return nil
    }

    /// `# TYPE name kind`.
    private mutating func readComment(_ line: ArraySlice<UInt8>) {
        let words = line.split(whereSeparator: \.isBlank)
        guard words.count >= 4, words[0].text == "#", words[1].text == "TYPE" else { return }
        kinds[words[2].text] = Kind(rawValue: words[3].text) ?? .untyped
    }

    /// `name{label="value"} value time`.
    private func read(_ line: ArraySlice<UInt8>) -> Line {
        let letters = line.prefix { $0.isOfName || $0 == UInt8(ascii: ":") }
        let rest = line[letters.endIndex...]
        let isName = rest.first.map { $0.isBlank || $0 == UInt8(ascii: "{") } ?? true
        guard isName, let first = letters.first, !first.isDigit else {
            return .broken(name: "", kind: .untyped)
        }
        let name = letters.text
        let kind = kind(of: name)
        guard let (labels, value) = ExpositionReader.content(rest.withoutBlanks) else {
            return .broken(name: name, kind: kind)
        }
        return .sample(Sample(name: name, labels: labels, kind: kind, value: value))
    }

    /// What stands behind a name.
    private static func content(_ bytes: ArraySlice<UInt8>) -> (labels: String, value: Double)? {
        var (labels, rest) = ("", bytes)
        if rest.first == UInt8(ascii: "{") {
            guard let (text, after) = self.labels(rest.dropFirst()) else { return nil }
            (labels, rest) = (text, after)
        }
        guard let word = rest.split(whereSeparator: \.isBlank).first, let value = Double(word.text) else {
            return nil
        }
        return (labels, value)
    }

    /// Samples of histograms and summaries have endings of their own, those of OpenMetrics' counters `_total`. When
    /// something was created is a moment, whatever it is.
    private func kind(of name: String) -> Kind {
        if let kind = kinds[name] { return kind }
        for ending in ["_total", "_created", "_bucket", "_sum", "_count"] where name.hasSuffix(ending) {
            guard let kind = kinds[String(name.dropLast(ending.count))] else { continue }
            return ending == "_created" ? .gauge : kind
        }
        return .untyped
    }

    /// Reads labels up to their closing brace.
    private static func labels(_ bytes: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>)? {
        var pairs: [(name: String, value: String)] = []
        var rest = bytes
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            if rest.first == UInt8(ascii: "}") { break }
            let name = rest.prefix(while: \.isOfName)
            rest = rest[name.endIndex...].withoutBlanks
            guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return nil }
            rest = rest.dropFirst().withoutBlanks
            guard rest.first == UInt8(ascii: "\""), let (value, after) = quoted(rest.dropFirst()) else {
                return nil
            }
            pairs.append((name.text, value))
            rest = after
        }
        pairs.sort { $0.name < $1.name }
        let labels = pairs.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        return (labels, rest.dropFirst())
    }

    /// A value up to its closing quote, with its escapes as they stand.
    private static func quoted(_ bytes: ArraySlice<UInt8>) -> (value: String, rest: ArraySlice<UInt8>)? {
        var isEscaped = false
        for position in bytes.indices {
            if isEscaped {
                isEscaped = false
            } else if bytes[position] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if bytes[position] == UInt8(ascii: "\"") {
                return (bytes[..<position].text, bytes[(position + 1)...])
            }
        }
        return nil
    }
}

extension UInt8 {
    /// A space or a tab.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// What names of labels are made of.
    fileprivate var isOfName: Bool {
        // The bit in which the letters of the one case differ from those of the other.
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return isDigit || letters.contains(self | 0x20) || self == UInt8(ascii: "_")
    }
}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    /// From the first byte on that is no blank.
    fileprivate var withoutBlanks: ArraySlice<UInt8> { drop(while: \.isBlank) }
}
