/// Reads what a program tells of itself in Prometheus' text format (0.0.4; OpenMetrics as far as it is the same).
///
/// The text is somebody else's: lines that cannot be read are counted and passed over, and how much is read has a bound.
/// It is read byte by byte, for only ASCII has a meaning in it. A label's value is any text: there a line separator ends no
/// line, and a quote is one whatever mark stands behind it.
package struct ExpositionReader {
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

    /// Samples that are read of one text.
    package static let sampleLimit = 20_000

    /// In the order of the text.
    package private(set) var samples: [Sample] = []
    /// Those whose value is no number (`NaN`) or has no end: no chart and no file has a place for it.
    package private(set) var unnumbered: [Sample] = []
    /// Lines that are neither samples nor comments.
    package private(set) var brokenLines = 0
    private var kinds: [String: Kind] = [:]

    /// Reads a text. O(bytes).
    package init(_ bytes: [UInt8]) {
        for bytes in bytes.split(separator: UInt8(ascii: "\n")) {
            guard samples.count + unnumbered.count < ExpositionReader.sampleLimit else { return }
            let line = (bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes).withoutBlanks
            if line.isEmpty { continue }
            if line.first == UInt8(ascii: "#") {
                readComment(line)
            } else if let sample = readSample(line) {
                if sample.value.isFinite { samples.append(sample) } else { unnumbered.append(sample) }
            } else {
                brokenLines += 1
            }
        }
    }

    /// `# TYPE name kind`.
    private mutating func readComment(_ line: ArraySlice<UInt8>) {
        let words = line.split(whereSeparator: \.isBlank)
        guard words.count >= 4, words[0].text == "#", words[1].text == "TYPE" else { return }
        kinds[words[2].text] = Kind(rawValue: words[3].text) ?? .untyped
    }

    /// `name{label="value"} value time`.
    private func readSample(_ line: ArraySlice<UInt8>) -> Sample? {
        let letters = line.prefix { $0.isOfName || $0 == UInt8(ascii: ":") }
        guard let first = letters.first, !first.isDigit else { return nil }
        let name = letters.text
        var rest = line[letters.endIndex...].withoutBlanks
        var labels = ""
        if rest.first == UInt8(ascii: "{") {
            guard let (text, after) = ExpositionReader.labels(rest.dropFirst()) else { return nil }
            labels = text
            rest = after
        }
        guard let word = rest.split(whereSeparator: \.isBlank).first, let value = Double(word.text) else {
            return nil
        }
        return Sample(name: name, labels: labels, kind: kind(of: name), value: value)
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
