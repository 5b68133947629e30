extension Report {
    /// What the target told of itself while it was loaded: its own metrics, asked for again and again (`--scrape`).
    package struct TargetMetrics: Hashable, Sendable {
        /// Which part of a run asked, such as `0/4`; `nil` for a run of one process.
        package var part: String?
        /// Without a query, which may hold a key.
        package var url = ""
        /// Seconds between two questions, at the end.
        package var everySeconds = 0.0
        /// How often was asked, and how often nothing came of it.
        package var scrapes: UInt64 = 0
        package var failures: UInt64 = 0
        /// Why, the last time.
        package var problem: String?
        /// Series that were left out, beyond ``TargetRecorder/seriesLimit``.
        package var omitted = 0
        /// Values of wanted series that were left out, for they are no numbers (`NaN`) or have no end.
        package var unnumbered: UInt64 = 0
        /// Names that were asked for and that nothing had, once the target has told something. For a warning alone:
        /// no file has them.
        package var unmatched: [String] = []
        /// What was done to the target meanwhile, where that is not in the report's own marks: a search's steps.
        package var marks: [Mark] = []
        /// Seconds since the run's start, by its clock.
        package var seconds: [Double] = []
        package var series: [TargetSeries] = []
        package init() {}
    }

    /// One of the target's own series.
    package struct TargetSeries: Hashable, Sendable {
        package var name = ""
        /// `name="value"`, separated by commas.
        package var labels = ""
        /// Whether it only grows: what it grew by tells more than what it is.
        package var isCounter = false
        /// For each of ``TargetMetrics/seconds``; `nil` where it was not told.
        package var values: [Double?] = []
        package init() {}

        /// As charts call it.
        package var title: String { labels.isEmpty ? name : "\(name){\(labels)}" }
    }
}

/// Takes a target's metrics as they come, with a bound on how many are kept.
package struct TargetRecorder: Sendable {
    /// Series that are kept: those of the process first, then in the order in which the target tells them.
    package static let seriesLimit = 64
    /// Moments that are kept: with more, every second one goes.
    package static let momentLimit = 360

    /// Names that are wanted, each whole or with `*` at its end; all counters and gauges where there is none.
    private let wanted: [String]
    /// Those of them that something had.
    private var matched: Set<String> = []
    package private(set) var metrics = Report.TargetMetrics()
    private var indices: [[UInt8]: Int] = [:]
    private var left: Set<[UInt8]> = []
    /// One in so many moments is kept.
    private var stride = 1
    private var seen = 0

    package init(wanted: [String]) { self.wanted = wanted }

    private func isWanted(_ sample: ExpositionReader.Sample) -> Bool {
        guard !wanted.isEmpty else { return [.counter, .gauge, .untyped].contains(sample.kind) }
        return wanted.contains { TargetRecorder.matches($0, sample) }
    }

    private static func matches(_ pattern: String, _ sample: ExpositionReader.Sample) -> Bool {
        if pattern.hasSuffix("*") { return sample.name.hasPrefix(pattern.dropLast()) }
        return sample.name == pattern || sample.family == pattern[...]
    }

    /// Notes which of the wanted names are there.
    private mutating func match(_ samples: [ExpositionReader.Sample]) {
        for pattern in wanted where !matched.contains(pattern) {
            if samples.contains(where: { TargetRecorder.matches(pattern, $0) }) { matched.insert(pattern) }
        }
    }

    /// Takes what the target told at a moment.
    package mutating func note(_ samples: [ExpositionReader.Sample], at second: Double) {
        seen += 1
        match(samples)
        guard (seen - 1) % stride == 0 else { return }
        let chosen = samples.filter(isWanted)
        let own = chosen.filter { $0.name.hasPrefix("process_") }
        let moment = metrics.seconds.count
        metrics.seconds.append(second)
        for sample in own + chosen.filter({ !$0.name.hasPrefix("process_") }) {
            guard let index = index(of: sample) else { continue }
            while metrics.series[index].values.count < moment { metrics.series[index].values.append(nil) }
            // Of a series that is told twice the first counts.
            if metrics.series[index].values.count == moment {
                metrics.series[index].values.append(sample.value)
            }
        }
        if metrics.seconds.count > TargetRecorder.momentLimit { halve() }
    }

    private mutating func index(of sample: ExpositionReader.Sample) -> Int? {
        // Bytes, for two labels are two even if they look alike.
        let key = Array("\(sample.name){\(sample.labels)}".utf8)
        if let index = indices[key] { return index }
        guard metrics.series.count < TargetRecorder.seriesLimit else {
            if left.count < ExpositionReader.sampleLimit { left.insert(key) }
            metrics.omitted = left.count
            return nil
        }
        var series = Report.TargetSeries()
        series.name = sample.name
        series.labels = sample.labels
        series.isCounter = sample.onlyGrows
        metrics.series.append(series)
        indices[key] = metrics.series.count - 1
        return metrics.series.count - 1
    }

    private mutating func halve() {
        stride *= 2
        func thinned<Value>(_ values: [Value]) -> [Value] {
            values.indices.filter { $0 % 2 == 0 }.map { values[$0] }
        }
        metrics.seconds = thinned(metrics.seconds)
        for index in metrics.series.indices {
            metrics.series[index].values = thinned(metrics.series[index].values)
        }
    }

    /// Counts a question.
    ///
    /// - Parameter problem: Why nothing came of it; `nil` if something did.
    package mutating func count(problem: String?) {
        metrics.scrapes += 1
        guard let problem else { return }
        metrics.failures += 1
        metrics.problem = problem
    }

    /// Counts what an answer has in the place of numbers, of the series that are wanted.
    ///
    /// - Returns: how many values these are.
    package mutating func count(unnumbered samples: [ExpositionReader.Sample]) -> Int {
        match(samples)
        let count = samples.filter(isWanted).count
        metrics.unnumbered += UInt64(count)
        return count
    }

    /// What is known at the end: every series has a value for every moment, if only none.
    ///
    /// - Parameters:
    ///   - url: Where was asked.
    ///   - period: Seconds between two questions.
    package func finished(url: String, period: Double) -> Report.TargetMetrics {
        var metrics = metrics
        metrics.url = url
        metrics.everySeconds = period * Double(stride)
        metrics.unmatched = seen == 0 ? [] : wanted.filter { !matched.contains($0) }
        for index in metrics.series.indices {
            while metrics.series[index].values.count < metrics.seconds.count {
                metrics.series[index].values.append(nil)
            }
        }
        return metrics
    }
}

extension ExpositionReader.Sample {
    /// The histogram or summary to which it belongs.
    fileprivate var family: Substring? {
        guard kind == .histogram || kind == .summary else { return nil }
        let ending = ["_bucket", "_sum", "_count"].first(where: name.hasSuffix)
        return ending.map { name.dropLast($0.count) }
    }
}
