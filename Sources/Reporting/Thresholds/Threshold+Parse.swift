import Measurement
import Wire

/// Why a threshold cannot be used.
package struct ThresholdError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part that is wrong, as written.
    package var found: String
    /// What may stand there.
    package var allowed: String
    /// Names that may have been meant, nearest first.
    package var nearest: [String] = []

    package var description: String {
        let hint = nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: " or "))?"
        return "found '\(found)', allowed: \(allowed)\(hint)"
    }

    /// A name that no metric has.
    ///
    /// - Parameters:
    ///   - names: What may stand there besides metrics.
    ///   - patterns: What names may be made of besides, which are near to none.
    static func unknownMetric(
        _ name: String, besides names: [String] = [], patterns: [String] = []
    ) -> ThresholdError {
        let plain = MetricCatalogue.all.map(\.name) + names
        let ofEntries = MetricCatalogue.ofEntriesAlone.map(\.name)
        let shown = plain + patterns + ofEntries.map { "\($0){entry:NAME}" }
        return ThresholdError(
            found: name, allowed: "the name of a metric: \(shown.joined(separator: ", "))",
            nearest: NearestNames.of(name, in: plain + ofEntries))
    }
}

extension Threshold {
    /// Reads a metric with its optional tag, and an expression, in k6's grammar.
    ///
    /// - Parameters:
    ///   - metric: `name`, `name{population:NAME}` or `name{entry:NAME}`.
    ///   - expression: an aggregation, an operator and a number; spaces around the operator are fine,
    ///     and `===` is `==`.
    ///   - populations: the names that the tag may have; `nil` leaves that to the caller.
    /// - Throws: ``ThresholdError`` for a metric, tag or aggregation that does not exist, an aggregation that the
    ///   metric's kind does not have, and a number that is none.
    package static func parse(
        metric: String, expression: String, populations: [String]? = nil
    ) throws(ThresholdError) -> Threshold {
        let (name, tag) = try split(metric)
        let population = tag?.key == .population ? tag?.value : nil
        guard let entry = MetricCatalogue.entry(name) else { throw ThresholdError.unknownMetric(name) }
        if population != nil, MetricCatalogue.ofFleetAlone.contains(name) {
            throw ThresholdError(
                found: metric, allowed: "\(name) of the whole fleet: copies are not told apart by population")
        }
        if let population, let populations, !populations.contains(population) {
            throw ThresholdError(
                found: population,
                allowed: "the name of a population: \(populations.joined(separator: ", "))",
                nearest: NearestNames.of(population, in: populations))
        }
        try checkEntry(tag?.key == .entry, of: entry)
        let parts = try Parts(expression, of: entry)
        let aggregation = try aggregation(parts.aggregation, of: entry)
        return Threshold(
            metric: name, population: population, entry: tag?.key == .entry ? tag?.value : nil,
            expression: expression, aggregation: aggregation, comparison: parts.comparison, bound: parts.bound
        )
    }

    /// Some metrics are told of entries of the timeline, some of nothing else.
    private static func checkEntry(
        _ isTagged: Bool, of entry: MetricCatalogue.Entry
    ) throws(ThresholdError) {
        let isAlone = MetricCatalogue.ofEntriesAlone.contains(entry)
        if isAlone && !isTagged {
            throw ThresholdError(
                found: entry.name, allowed: "\(entry.name){entry:NAME}, of an entry of the timeline")
        }
        if isTagged && !MetricCatalogue.ofEntries.contains(entry) {
            let names = MetricCatalogue.ofEntries.map(\.name)
            throw ThresholdError(
                found: entry.name, allowed: "a metric of entries: \(names.joined(separator: ", "))",
                nearest: NearestNames.of(entry.name, in: names))
        }
    }

    /// What a tag may name.
    private enum TagKey: String, CaseIterable { case population, entry }

    /// Divides `name{population:ios}`.
    private static func split(
        _ metric: String
    ) throws(ThresholdError) -> (name: String, tag: (key: TagKey, value: String)?) {
        let text = trimmed(metric[...])
        guard let brace = text.firstIndex(of: "{") else { return (String(text), nil) }
        let allowed = "a metric, or a metric with {population:NAME} or {entry:NAME}"
        guard text.last == "}" else { throw ThresholdError(found: metric, allowed: allowed) }
        let tag = text[text.index(after: brace)...].dropLast()
        guard let colon = tag.firstIndex(of: ":") else {
            throw ThresholdError(found: metric, allowed: allowed)
        }
        let key = String(trimmed(tag[..<colon]))
        guard let known = TagKey(rawValue: key) else {
            let names = TagKey.allCases.map(\.rawValue)
            throw ThresholdError(
                found: key, allowed: "the tag \(names.joined(separator: " or "))",
                nearest: NearestNames.of(key, in: names))
        }
        var value = trimmed(tag[tag.index(after: colon)...])
        if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
        guard !value.isEmpty else { throw ThresholdError(found: metric, allowed: allowed) }
        return (String(trimmed(text[..<brace])), (known, String(value)))
    }

    private static func aggregation(
        _ text: String, of entry: MetricCatalogue.Entry
    ) throws(ThresholdError) -> Aggregation {
        let percentile = try percentile(text)
        guard let aggregation = plainAggregation(text) ?? percentile else {
            throw ThresholdError(
                found: text,
                allowed: "\(entry.kind.aggregations) (\(entry.name) is a \(entry.kind.rawValue))",
                nearest: nearestAggregation(text, of: entry.kind))
        }
        let fits: Bool
        switch (entry.kind, aggregation) {
        case (.trend, .rate), (.trend, .value): fits = false
        case (.trend, _), (.counter, .count), (.counter, .rate), (.rate, .rate), (.gauge, .value): fits = true
        default: fits = false
        }
        guard fits else {
            throw ThresholdError(
                found: text, allowed: "\(entry.kind.aggregations) (\(entry.name) is a \(entry.kind.rawValue))"
            )
        }
        return aggregation
    }

    private static func plainAggregation(_ text: String) -> Aggregation? {
        switch text {
        case "avg": .average
        case "min": .minimum
        case "med": .median
        case "max": .maximum
        case "count": .count
        case "rate": .rate
        case "value": .value
        default: nil
        }
    }

    private static func percentile(_ text: String) throws(ThresholdError) -> Aggregation? {
        guard text.hasPrefix("p("), text.hasSuffix(")") else { return nil }
        let inner = trimmed(text.dropFirst(2).dropLast())
        guard let number = decimal(inner, signed: false), (0...100).contains(number) else {
            throw ThresholdError(found: text, allowed: "a percentile from p(0) to p(100)")
        }
        return .percentile(number)
    }

    /// `p95` means `p(95)`; `mean` and `median` have k6's names; anything else by likeness.
    private static func nearestAggregation(_ text: String, of kind: MetricCatalogue.Kind) -> [String] {
        if kind == .trend {
            if text.hasPrefix("p"), let number = decimal(text.dropFirst()) {
                return ["p(\(JSONNode.digits(of: number)))"]
            }
            if text == "mean" || text == "average" { return ["avg"] }
            if text == "median" || text == "p50" { return ["med"] }
        }
        let names = kind.aggregations.split(separator: ",").map { String(trimmed($0)) }
        return NearestNames.of(text, in: names)
    }
}

/// An expression, divided but not yet understood as a whole.
private struct Parts {
    var aggregation: String
    var comparison: Threshold.Comparison
    var bound: Double

    /// Longest first, so that `<=` is not taken for `<`.
    private static let operators: [(String, Threshold.Comparison)] = [
        ("===", .equal), ("==", .equal), ("!=", .unequal), ("<=", .atMost), (">=", .atLeast), ("<", .less),
        (">", .greater),
    ]

    /// What a bound on a metric may be.
    private static func bounds(of entry: MetricCatalogue.Entry) -> String {
        switch (entry.kind, entry.unit) {
        case (.rate, _): "a share of 1, such as 0.05"
        case (_, .milliseconds): "a number without a unit; times are milliseconds"
        case (_, .seconds): "a number of seconds without a unit"
        default: "a number"
        }
    }

    init(_ expression: String, of entry: MetricCatalogue.Entry) throws(ThresholdError) {
        let text = trimmed(expression[...])
        guard let start = text.firstIndex(where: { "<>=!".contains($0) }) else {
            throw ThresholdError(
                found: expression,
                allowed: "an aggregation, an operator (< <= > >= == !=) and a number: p(95)<250")
        }
        let rest = text[start...]
        guard let (symbol, comparison) = Parts.operators.first(where: { rest.hasPrefix($0.0) }) else {
            let found = rest.prefix { "<>=!".contains($0) }
            throw ThresholdError(found: String(found), allowed: "one of < <= > >= == !=")
        }
        let number = trimmed(rest.dropFirst(symbol.count))
        guard let bound = decimal(number) else {
            throw ThresholdError(found: String(number), allowed: Parts.bounds(of: entry))
        }
        self.aggregation = String(trimmed(text[..<start]))
        self.comparison = comparison
        self.bound = bound
    }
}

/// Without the blanks (spaces and tabs) around it.
private func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
}

/// A decimal number: a sign, up to 15 digits on either side of the point, and an exponent of up to two digits, as the
/// schema's ``ThresholdGrammar`` has it. None of the other spellings (`inf`, `nan`, `0x1p3`) that `Double` reads.
private func decimal(_ text: Substring, signed: Bool = true) -> Double? {
    var rest = text.utf8[...]
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    func takeDigits(_ limit: Int) -> Int {
        let digits = rest.prefix(while: isDigit).count
        rest = rest.dropFirst(digits)
        return digits <= limit ? digits : .min
    }
    func take(_ bytes: [UInt8]) -> Bool {
        guard let first = rest.first, bytes.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }
    if signed { _ = take([0x2B, 0x2D]) }
    let whole = takeDigits(15)
    let hasPoint = take([0x2E])
    let fraction = hasPoint ? takeDigits(15) : 0
    guard whole >= 0, fraction >= 0, whole + fraction > 0 else { return nil }
    if signed, take([0x45, 0x65]) {
        _ = take([0x2B, 0x2D])
        guard takeDigits(2) > 0 else { return nil }
    }
    return rest.isEmpty ? Double(text) : nil
}
