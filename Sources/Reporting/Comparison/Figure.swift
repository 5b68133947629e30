import Accounting
package import Measurement

/// One number of a run that can be compared: a metric with what is asked of it (`event_freshness.p(95)`, `events_lost`),
/// a measure, or a cause of loss (`events_lost.evicted.storage_limit`).
package struct Figure: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        /// Only metric, population and aggregation count.
        case metric(Threshold)
        case measure(String)
        /// Of all captured events.
        case loss(fate: String, cause: String)
    }

    /// Which way is worse.
    package enum Direction: Hashable, Sendable { case higherIsWorse, lowerIsWorse, neutral }

    /// As a user writes it.
    package var name: String
    var source: Source
    package var unit: MetricCatalogue.Unit?
    package var direction: Direction

    /// Whether it is a share of samples, whose differences are told in points.
    package var isShare: Bool { unit == .share }
    /// Whether it is the rate of a counter, in its unit by the second.
    var isPerSecond: Bool {
        guard case .metric(let threshold) = source, threshold.aggregation == .rate else { return false }
        return !isShare
    }
    /// Whether it counts bytes, which runs without bodies have from a model.
    package var isBytes: Bool { unit == .bytes }

    /// The figure's value in a run; `nil` without samples.
    package func value(in cell: LabReport.Cell) -> Double? {
        switch source {
        case .metric(let threshold):
            return Figure.metrics(of: threshold, in: cell).flatMap(threshold.value(in:))
        case .measure(let name): return cell.measures.first { $0.name == name }?.value ?? nil
        case .loss(let fate, let cause):
            guard cell.events.captured > 0 else { return nil }
            let causes =
                switch fate {
                case "evicted": cell.events.evicted
                case "rejected": cell.events.rejected
                default: cell.events.lost
                }
            let count = causes.reduce(0) { $1.name == cause ? $0 + $1.count : $0 }
            return Double(count) / Double(cell.events.captured)
        }
    }
}

extension Figure {
    /// Reads a figure: `name`, `name{population:ios}`, `name{entry:outage}`, with `.avg`, `.p(95)` and so on for distributions.
    ///
    /// - Throws: ``ThresholdError`` for what is no figure, or one that no report keeps.
    package static func parse(_ text: String) throws(ThresholdError) -> Figure {
        if let entry = CostMeasures.entry(text) { return measure(entry) }
        if let cause = try LossCause(text) { return loss(cause.fate.rawValue, cause.name) }
        // The tag may hold no dot, and p(99.9) does: the first dot divides.
        let end = text.firstIndex(of: "}").map { text.index(after: $0) }
        let dot = text[(end ?? text.startIndex)...].firstIndex(of: ".")
        let metric = String(text[..<(dot ?? text.endIndex)])
        let asked = dot.map { String(text[text.index(after: $0)...]) }
        let name = String(metric.prefix { $0 != "{" })
        guard let entry = MetricCatalogue.entry(name) else {
            guard let measure = CostMeasures.entry(name), metric != name else { throw unknown(name) }
            throw ThresholdError(
                found: text, allowed: "\(measure.name) without a tag: it is a figure of the whole fleet")
        }
        guard let aggregation = asked ?? plain(entry.kind) else {
            throw ThresholdError(
                found: text, allowed: "\(name) with what is asked of it: \(name).avg, .med, .max, .p(95), …")
        }
        let threshold = try Threshold.parse(metric: metric, expression: "\(aggregation)<0")
        try checkIsKept(threshold, asked: aggregation)
        return Figure(
            name: text, source: .metric(threshold), unit: unit(of: entry, threshold.aggregation),
            direction: direction(of: entry, threshold.aggregation))
    }

    private static func unknown(_ name: String) -> ThresholdError {
        ThresholdError.unknownMetric(
            name, besides: CostMeasures.all.map(\.name), patterns: [LossCause.pattern])
    }

    /// Percentiles that a report has.
    private static let kept: [Double] = [0, 50, 90, 95, 99, 99.9, 100]

    private static func checkIsKept(_ threshold: Threshold, asked: String) throws(ThresholdError) {
        guard case .percentile(let percentile) = threshold.aggregation, !kept.contains(percentile) else {
            return
        }
        throw ThresholdError(
            found: asked,
            allowed: "a percentile that reports keep: p(0), p(50), p(90), p(95), p(99), p(99.9), p(100)")
    }

    /// What is meant by a metric's name alone.
    private static func plain(_ kind: MetricCatalogue.Kind) -> String? {
        switch kind {
        case .rate: "rate"
        case .counter: "count"
        case .gauge: "value"
        case .trend: nil
        }
    }

    private static func unit(
        of entry: MetricCatalogue.Entry, _ aggregation: Threshold.Aggregation
    ) -> MetricCatalogue.Unit {
        entry.kind == .trend && aggregation == .count ? entry.sampleUnit : entry.unit
    }

    private static func direction(
        of entry: MetricCatalogue.Entry, _ aggregation: Threshold.Aggregation
    ) -> Direction {
        // More of what is slow is worse; more samples are no slower.
        if entry.kind == .trend, aggregation == .count { return .neutral }
        return switch entry.more {
        case .worse: .higherIsWorse
        case .better: .lowerIsWorse
        case .neither: .neutral
        }
    }

    private static func measure(_ entry: CostMeasures.Entry) -> Figure {
        Figure(name: entry.name, source: .measure(entry.name), unit: entry.unit, direction: .higherIsWorse)
    }

    private static func loss(_ fate: String, _ cause: String) -> Figure {
        Figure(
            name: "events_lost.\(fate).\(cause)", source: .loss(fate: fate, cause: cause), unit: .share,
            direction: .higherIsWorse)
    }

    /// Every figure of these runs, in the order in which reports show their metrics; of distributions the mean, the
    /// median and three percentiles. Then those of the timeline's entries; of their distributions the median and the 95th.
    package static func all(in cells: [LabReport.Cell]) -> [Figure] {
        var figures: [Figure] = []
        for entry in MetricCatalogue.all
        where cells.contains(where: { $0.metrics.contains { $0.name == entry.name } }) {
            let asked = entry.kind == .trend ? [".avg", ".med", ".p(95)", ".p(99)", ".max"] : [""]
            figures += asked.compactMap { try? parse(entry.name + $0) }
            // What was lost at the end of the way stands beside what was lost on it.
            if entry.name == "events_lost" { figures += losses(in: cells) + [measure(CostMeasures.notKept)] }
        }
        let others = CostMeasures.all.filter { entry in !figures.contains { $0.name == entry.name } }
        return figures + others.map(measure) + ofEntries(in: cells)
    }

    private static func ofEntries(in cells: [LabReport.Cell]) -> [Figure] {
        var names: [String] = []
        for entry in cells.flatMap(\.entries) where !names.contains(entry.name) { names.append(entry.name) }
        return names.flatMap { name in
            MetricCatalogue.ofEntries.flatMap { metric in
                let asked = metric.kind == .trend ? [".med", ".p(95)"] : [""]
                return asked.compactMap { try? parse("\(metric.name){entry:\(name)}\($0)") }
            }
        }
    }

    private static func losses(in cells: [LabReport.Cell]) -> [Figure] {
        var figures: [Figure] = []
        for cell in cells {
            let fates = [
                ("evicted", cell.events.evicted), ("rejected", cell.events.rejected),
                ("lost", cell.events.lost),
            ]
            for (fate, causes) in fates {
                for cause in causes where cause.count > 0 {
                    let figure = loss(fate, cause.name)
                    if !figures.contains(figure) { figures.append(figure) }
                }
            }
        }
        return figures.sorted { $0.name < $1.name }
    }
}
