/// Reads what a program tells of itself in Prometheus' text format (0.0.4; OpenMetrics as far as it is the same).
///
/// The text is somebody else's: lines that cannot be read are counted and passed over, and how much is read has a bound.
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
    private var kinds: [Substring: Kind] = [:]

    /// Reads a text. O(bytes).
    package init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            guard samples.count + unnumbered.count < ExpositionReader.sampleLimit else { return }
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.isEmpty { continue }
            if line.first == "#" {
                readComment(line)
            } else if let sample = readSample(line) {
                if sample.value.isFinite { samples.append(sample) } else { unnumbered.append(sample) }
            } else {
                brokenLines += 1
            }
        }
    }

    /// `# TYPE name kind`.
    private mutating func readComment(_ line: Substring) {
        let words = line.split { $0 == " " || $0 == "\t" }
        guard words.count >= 4, words[0] == "#", words[1] == "TYPE" else { return }
        kinds[words[2]] = Kind(rawValue: String(words[3])) ?? .untyped
    }

    /// `name{label="value"} value time`.
    private func readSample(_ line: Substring) -> Sample? {
        let name = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
        guard let first = name.first, !first.isNumber else { return nil }
        var rest = line.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
        var labels = ""
        if rest.first == "{" {
            guard let (text, after) = ExpositionReader.labels(rest.dropFirst()) else { return nil }
            labels = text
            rest = after
        }
        let words = rest.split { $0 == " " || $0 == "\t" }
        guard let word = words.first, let value = Double(word) else { return nil }
        return Sample(name: String(name), labels: labels, kind: kind(of: name), value: value)
    }

    /// Samples of histograms and summaries have endings of their own, those of OpenMetrics' counters `_total`. When
    /// something was created is a moment, whatever it is.
    private func kind(of name: Substring) -> Kind {
        if let kind = kinds[name] { return kind }
        for ending in ["_total", "_created", "_bucket", "_sum", "_count"] where name.hasSuffix(ending) {
            guard let kind = kinds[name.dropLast(ending.count)] else { continue }
            return ending == "_created" ? .gauge : kind
        }
        return .untyped
    }

    /// Reads labels up to their closing brace.
    private static func labels(_ text: Substring) -> (text: String, rest: Substring)? {
        var pairs: [(name: String, value: String)] = []
        var rest = text
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            if rest.first == "}" { break }
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            rest = rest.dropFirst(name.count).drop { $0 == " " }
            guard !name.isEmpty, rest.first == "=" else { return nil }
            rest = rest.dropFirst().drop { $0 == " " }
            guard rest.first == "\"", let (value, after) = quoted(rest.dropFirst()) else { return nil }
            pairs.append((String(name), value))
            rest = after
        }
        pairs.sort { $0.name < $1.name }
        let labels = pairs.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        return (labels, rest.dropFirst())
    }

    /// A value up to its closing quote, with its escapes as they stand.
    private static func quoted(_ text: Substring) -> (value: String, rest: Substring)? {
        var isEscaped = false
        for position in text.indices {
            if isEscaped {
                isEscaped = false
            } else if text[position] == "\\" {
                isEscaped = true
            } else if text[position] == "\"" {
                return (String(text[..<position]), text[text.index(after: position)...])
            }
        }
        return nil
    }
}
