extension Report {
    /// What the target told of itself while it was loaded: its own metrics, asked for again and again (`--scrape`).
    package struct TargetMetrics: Hashable, Sendable {
        /// Which part of a run asked, such as `0/4`; `nil` for a run of one process.
        package var part: String?
        /// Without a query, which may hold a key.
        package var url = ""
        /// Seconds between two questions, at the end.
        package var everySeconds = 0.0
        /// How often was asked, and how often nothing came of it: no answer, or one without anything to read.
        package var scrapes: UInt64 = 0
        package var failures: UInt64 = 0
        /// Why, the last time.
        package var problem: String?
        /// Series that were left out, beyond ``TargetRecorder/seriesLimit``.
        package var omitted = 0
        /// Values of wanted series that were left out, for they are no numbers (`NaN`) or have no end.
        package var unnumbered: UInt64 = 0
        /// Lines of all answers that were left out, for they cannot be read; without those of series that nobody
        /// wants.
        package var unreadable: UInt64 = 0
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
    /// Series that are counted as left out: more than an answer has room for.
    private static let leftLimit = 1 << 20
    /// Moments that are kept: with more, every second one goes.
    package static let momentLimit = 360

    /// Names that are wanted, each whole or with `*` at its end; all counters and gauges where there is none.
    private let wanted: [String]
    /// Those of them that something had.
    private var matched: Set<String> = []
    package private(set) var metrics = Report.TargetMetrics()
    private var indices: [[UInt8]: Int] = [:]
    /// Hashes of those that are left out, which are enough to count them.
    private var left: Set<Int> = []
    /// One in so many moments is kept.
    private var stride = 1
    private var seen = 0

    package init(wanted: [String]) { self.wanted = wanted }

    /// Whether a metric is wanted; which of the wanted names are there is noted on the way.
    private mutating func wants(_ name: String, _ kind: ExpositionReader.Kind) -> Bool {
        guard !wanted.isEmpty else { return [.counter, .gauge, .untyped].contains(kind) }
        let matching = wanted.filter { TargetRecorder.matches($0, name, kind) }
        matched.formUnion(matching)
        return !matching.isEmpty
    }

    private static func matches(_ pattern: String, _ name: String, _ kind: ExpositionReader.Kind) -> Bool {
        if pattern.hasSuffix("*") { return name.hasPrefix(pattern.dropLast()) }
        return name == pattern || family(of: name, kind) == pattern[...]
    }

    /// The histogram or summary to which a series belongs.
    private static func family(of name: String, _ kind: ExpositionReader.Kind) -> Substring? {
        guard kind == .histogram || kind == .summary else { return nil }
        let ending = ["_bucket", "_sum", "_count"].first(where: name.hasSuffix)
        return ending.map { name.dropLast($0.count) }
    }

    /// Takes what the target tells at a moment, line by line: an answer may tell of many more series than are kept.
    ///
    /// - Returns: what the answer came to. One without a sample is none, and nothing is noted of it.
    @discardableResult
    package mutating func note(_ lines: some Sequence<ExpositionReader.Line>, at second: Double) -> Answer {
        let isKept = seen % stride == 0
        var (answer, newcomers) = (Answer(), Newcomers())
        for line in lines {
            switch line {
            case .sample(let sample):
                answer.samples += 1
                guard wants(sample.name, sample.kind) else { continue }
                if !sample.value.isFinite {
                    answer.unnumbered += 1
                } else if isKept {
                    take(sample, &newcomers)
                }
            case .broken(let name, let kind):
                answer.brokenLines += 1
                // One of whose name nothing is known may be of any series.
                if name.isEmpty || wants(name, kind) { answer.unreadable += 1 }
            }
        }
        guard answer.samples > 0 else { return answer }
        seen += 1
        metrics.unnumbered += UInt64(answer.unnumbered)
        metrics.unreadable += UInt64(answer.unreadable)
        guard isKept else { return answer }
        for newcomer in newcomers.own + newcomers.others { admit(newcomer) }
        metrics.omitted = left.count
        metrics.seconds.append(second)
        if metrics.seconds.count > TargetRecorder.momentLimit { halve() }
        return answer
    }

    private mutating func take(_ sample: ExpositionReader.Sample, _ newcomers: inout Newcomers) {
        // Bytes, for two labels are two even if they look alike.
        let key = Array("\(sample.name){\(sample.labels)}".utf8)
        if let index = indices[key] {
            put(sample.value, of: index)
        } else if metrics.series.count == TargetRecorder.seriesLimit || !newcomers.take(key, sample) {
            leave(key)
        }
    }

    private mutating func admit(_ newcomer: Newcomers.Series) {
        guard metrics.series.count < TargetRecorder.seriesLimit else { return leave(newcomer.key) }
        var series = Report.TargetSeries()
        series.name = newcomer.sample.name
        series.labels = newcomer.sample.labels
        series.isCounter = newcomer.sample.onlyGrows
        indices[newcomer.key] = metrics.series.count
        metrics.series.append(series)
        put(newcomer.sample.value, of: metrics.series.count - 1)
    }

    private mutating func put(_ value: Double, of index: Int) {
        let moment = metrics.seconds.count
        while metrics.series[index].values.count < moment { metrics.series[index].values.append(nil) }
        // Of a series that is told twice the first counts.
        if metrics.series[index].values.count == moment { metrics.series[index].values.append(value) }
    }

    private mutating func leave(_ key: [UInt8]) {
        if left.count < TargetRecorder.leftLimit { left.insert(key.hashValue) }
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

extension TargetRecorder {
    /// What an answer came to.
    package struct Answer: Hashable, Sendable {
        /// Those that are not wanted too.
        package var samples = 0
        /// Lines that are neither samples nor comments.
        package var brokenLines = 0
        /// Values of wanted series that are no numbers (`NaN`) or have no end: no chart and no file has a place for
        /// them.
        package var unnumbered = 0
        /// Those of the broken lines that may be of wanted series.
        package var unreadable = 0
    }

    /// Series that an answer tells for the first time, for as long as it is not known which of them have room: those of
    /// the process may come last.
    private struct Newcomers {
        typealias Series = (key: [UInt8], sample: ExpositionReader.Sample)

        private(set) var own: [Series] = []
        private(set) var others: [Series] = []
        private var keys: Set<[UInt8]> = []

        /// - Returns: `false` for one that has no room, whatever else comes.
        mutating func take(_ key: [UInt8], _ sample: ExpositionReader.Sample) -> Bool {
            guard !keys.contains(key) else { return true }
            let group = sample.name.hasPrefix("process_") ? \Newcomers.own : \.others
            guard self[keyPath: group].count < TargetRecorder.seriesLimit else { return false }
            self[keyPath: group].append((key, sample))
            keys.insert(key)
            return true
        }
    }
}
