import Measurement
import Timebase

@testable import Reporting

/// Names that a careless writer would let loose.
enum Hostile {
    static let population = "android <script>alert(\"x\")</script>"
    static let mark = "outage </title><b onmouseover='alert(1)'>, \"quoted\""
    static let answer = "<img src=x onerror=alert(1)>"
    static let warning = "unexpected answer: <iframe src=\"//evil\"> & \u{1B}[31mred\u{202E}txt | `x`"
    static let all = [population, mark, answer, warning]
}

/// A live run through an outage: the books balance, one threshold breaks.
enum Fixtures {
    static func outage() -> Report { measured }

    /// Made once: filling the histograms is the slow part.
    private static let measured = measure()

    private static func measure() -> Report {
        var report = Report(
            toolVersion: "0.1.0",
            scenario: Report.ScenarioReference(
                name: "evening-peak", description: "4000 Sensors clients through a 30 s outage",
                sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                overrides: ["populations.0.sdk.storage.limit=500"]),
            mode: .live, seed: 18_446_744_073_709_551_557, fingerprint: "c0ffee0123456789",
            startedAt: Instant(milliseconds: 1_772_451_000_000), wallSeconds: 664.2, simulatedSeconds: 660,
            devices: 4000, devicesStarted: 4000,
            run: Report.RunContext(
                command: ["beaconswarm", "run", "scenarios/evening peak.json", "--out", "reports/it's"],
                host: "lab-7",
                operatingSystem: "Debian GNU/Linux 13", cores: 2, memoryBytes: 8_327_000_000,
                target: "embedded collector"),
            events: events(), audit: audit())
        report.series = series()
        report.metrics = metrics(seed: 1)
        report.addDistributions(of: distributions())
        report.unexpectedAnswers = answers
        report.marks = marks
        report.answers = [
            Report.NamedCount("200", 41_862), Report.NamedCount("503", 2_104),
            Report.NamedCount("timeout", 311),
            Report.NamedCount("connection_reset", 42), Report.NamedCount("413", 3),
            Report.NamedCount(Hostile.answer, 1),
        ]
        report.populations = populations(report.metrics)
        report.thresholds = thresholds(report)
        report.generator.eventLoops = 1
        report.generator.cpuUtilization = 0.61
        report.generator.scheduleLag = lag()
        report.generator.connectionsOpened = 4_212
        report.generator.connectionsPeak = 3_988
        report.warnings = [Hostile.warning]
        report.judge()
        return report
    }

    /// Every second's uploads and events, slower after the outage.
    static func distributions() -> TimeSeries {
        let start = Instant(milliseconds: 1_772_451_000_000)
        var series = TimeSeries(start: start)
        var state: UInt64 = 99
        for second in 0..<660 {
            let slow: Int64 = (210..<240).contains(second) ? 20 : 1
            series.update(at: start + .seconds(Int64(second)), nil) { bucket in
                for _ in 0..<((180..<210).contains(second) ? 0 : 12) {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let time = Int64(state >> 40) % 60_000 + 4_000
                    bucket.duration.record(.microseconds(time * slow))
                    bucket.service.record(.microseconds(time * slow - 900))
                    bucket.freshness.record(.microseconds(time * 200 * slow))
                }
            }
        }
        return series
    }

    static var answers: [Report.UnexpectedAnswer] {
        let at = Instant(nanoseconds: 1_772_451_181_000_250_000)
        return [
            Report.UnexpectedAnswer(
                at: at, population: "ios", status: 503, failure: nil,
                headers: "Content-Type: text/html\r\nRetry-After: 3\r\n",
                body: "<h1>\(Hostile.answer)</h1>"),
            Report.UnexpectedAnswer(
                at: at + .seconds(1), population: Hostile.population, status: 0, failure: "malformed",
                headers: "", body: "\u{0}\u{1B}[31m"),
        ]
    }

    private static func thresholds(_ report: Report) -> [Report.ThresholdResult] {
        let written = [
            ("events_lost", "rate<0.001"), ("event_freshness", "p(95)<60000"),
            ("http_req_duration{population:\(Hostile.population)}", "p(99)<2500"),
        ]
        let populations = report.populations.map { (name: $0.name, metrics: $0.metrics) }
        return written.compactMap { metric, expression in
            let threshold = try? Threshold.parse(metric: metric, expression: expression)
            return threshold?.evaluate(overall: report.metrics, populations: populations)
        }
    }

    static var marks: [Report.Mark] {
        [
            Report.Mark(from: 180, until: 210, text: "collector outage"),
            Report.Mark(from: 300, until: nil, text: "remote config: disableSDK"),
            Report.Mark(from: 360, until: 380, text: Hostile.mark),
        ]
    }

    static func events() -> Report.EventCounts {
        var events = Report.EventCounts()
        events.captured = 731_204
        events.delivered = 694_318
        events.suppressed = [
            Report.NamedCount("sdk_disabled", 18_230), Report.NamedCount("sampled_out", 1_912),
        ]
        events.evicted = [Report.NamedCount("storage_limit", 12_840), Report.NamedCount("expired", 0)]
        events.rejected = [Report.NamedCount("413", 150)]
        events.lost = [Report.NamedCount("killed", 1_377), Report.NamedCount("cleared_unsent", 9)]
        events.pending = [Report.NamedCount("stored", 2_322), Report.NamedCount("in_flight", 46)]
        return events
    }

    static func audit() -> Report.AuditCounts {
        var audit = Report.AuditCounts()
        audit.received = 697_102
        audit.unique = 692_846
        audit.duplicates = 4_256
        audit.confirmed = 692_818
        audit.swallowed = 1_500
        audit.recovered = 28
        var missing = Report.MissingEvents()
        missing.neverAccepted = [
            Report.FateCounts(fate: "evicted", causes: [Report.NamedCount("storage_limit", 12_812)]),
            Report.FateCounts(fate: "lost", causes: []),
        ]
        audit.missing = missing
        return audit
    }

    static func lag() -> TrendSummary {
        var histogram = LatencyHistogram()
        for value in 1...1000 { histogram.record(.microseconds(Int64(value * value / 400 + 20))) }
        return TrendSummary(histogram)
    }

    /// A skewed spread of times around `middle` milliseconds, the same each time.
    private static func times(_ middle: Double, tail: Double, seed: UInt64) -> LatencyHistogram {
        var histogram = LatencyHistogram()
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<4000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let u = Double(state >> 11) / 9_007_199_254_740_992
            let value = middle * (0.4 + u) + (u > 0.93 ? tail * (u - 0.93) / 0.07 : 0)
            histogram.record(.fractional(seconds: value / 1000))
        }
        return histogram
    }

    static func metrics(seed: UInt64) -> [Metric] {
        var sizes = SizeHistogram()
        for value in 1...50 { sizes.record(UInt64(value), times: UInt64(value)) }
        let known = [
            Metric("event_freshness", .trend(.time(times(8_200, tail: 66_000, seed: seed)))),
            Metric("freshness_within_1m", .rate(passes: 690_122, fails: 20_940)),
            Metric("freshness_within_1h", .rate(passes: 694_318, fails: 16_744)),
            Metric("freshness_within_24h", .rate(passes: 694_318, fails: 16_744)),
            Metric("events_captured", .counter(count: 731_204, perSecond: 1107.9)),
            Metric("events_lost", .rate(passes: 14_376, fails: 716_828)),
            Metric("events_duplicated", .counter(count: 4_256, perSecond: 6.448)),
            Metric("batch_size", .trend(.size(sizes))),
            Metric("retries", .counter(count: 2_311, perSecond: 3.5)),
            Metric("store_depth", .gauge(value: 2_322, minimum: 0, maximum: 68_411)),
            Metric("devices_active", .gauge(value: 0, minimum: 0, maximum: 3_988)),
            Metric("config_fetches", .counter(count: 4_122, perSecond: 6.25)),
            Metric("http_reqs", .counter(count: 44_323, perSecond: 67.156)),
            Metric("http_req_duration", .trend(.time(times(38, tail: 2_900, seed: seed + 1)))),
            Metric("http_req_service", .trend(.time(times(31, tail: 2_400, seed: seed + 2)))),
            Metric("http_req_blocked", .trend(.time(times(0.4, tail: 90, seed: seed + 3)))),
            Metric("http_req_looking_up", .trend(.time(LatencyHistogram()))),
            Metric("http_req_connecting", .trend(.time(times(21, tail: 60, seed: seed + 4)))),
            Metric("http_req_tls_handshaking", .trend(.time(LatencyHistogram()))),
            Metric("http_req_sending", .trend(.time(times(0.05, tail: 1, seed: seed + 5)))),
            Metric("http_req_waiting", .trend(.time(times(28, tail: 2_300, seed: seed + 6)))),
            Metric("http_req_receiving", .trend(.time(times(0.08, tail: 3, seed: seed + 7)))),
            Metric("http_req_failed", .rate(passes: 2_461, fails: 41_862)),
            Metric("data_sent", .counter(count: 171_233_912, perSecond: 259_445.3)),
            Metric("data_received", .counter(count: 9_612_004, perSecond: 14_563.6)),
        ]
        return MetricCatalogue.all.map { entry in
            known.first { $0.name == entry.name } ?? Metric(entry.name, other(entry.kind))
        }
    }

    /// A value of a metric that no test asks for by name.
    private static func other(_ kind: MetricCatalogue.Kind) -> MetricValue {
        switch kind {
        case .trend: .trend(.time(times(5, tail: 50, seed: 7)))
        case .counter: .counter(count: 5, perSecond: 0.5)
        case .rate: .rate(passes: 5, fails: 50)
        case .gauge: .gauge(value: 5, minimum: 0, maximum: 50)
        }
    }

    private static func populations(_ metrics: [Metric]) -> [Report.Population] {
        var ios = Report.EventCounts()
        ios.captured = 520_000
        ios.delivered = 505_900
        ios.suppressed = [Report.NamedCount("sdk_disabled", 13_000)]
        ios.evicted = [Report.NamedCount("storage_limit", 840), Report.NamedCount("expired", 0)]
        ios.pending = [Report.NamedCount("stored", 260), Report.NamedCount("in_flight", 0)]
        var android = Report.EventCounts()
        android.captured = 211_204
        android.delivered = 188_418
        android.suppressed = [
            Report.NamedCount("sdk_disabled", 5_230), Report.NamedCount("sampled_out", 1_912),
        ]
        android.evicted = [Report.NamedCount("storage_limit", 12_000), Report.NamedCount("expired", 0)]
        android.rejected = [Report.NamedCount("413", 150)]
        android.lost = [Report.NamedCount("killed", 1_377), Report.NamedCount("cleared_unsent", 9)]
        android.pending = [Report.NamedCount("stored", 2_062), Report.NamedCount("in_flight", 46)]
        return [
            Report.Population(
                name: "ios", system: "sensors", version: "4.9.1", devices: 2_850, events: ios,
                metrics: Fixtures.metrics(seed: 40)),
            Report.Population(
                name: Hostile.population, system: "growing", version: "3.2.1", devices: 1_150,
                events: android,
                metrics: Fixtures.metrics(seed: 90).filter { $0.name != "http_req_duration" }),
        ]
    }

    static func series() -> [Report.SeriesPoint] {
        var stored = 0.0
        return (0..<660).map { second in
            let wave = Double((second * 7919) % 101) / 101 - 0.5
            let isOutage = (180..<210).contains(second)
            let ramp = min(1, Double(second) / 60)
            let captured = second < 600 ? ramp * 1180 * (1 + 0.12 * wave) : 0
            let capacity = isOutage ? 0 : captured + stored * 0.05
            let delivered = min(stored + captured, capacity)
            stored += captured - delivered
            var point = Report.SeriesPoint()
            point.second = Double(second)
            point.captured = UInt64(captured)
            point.delivered = UInt64(delivered)
            point.requests = UInt64(delivered / 17 + (isOutage ? 68 : 0))
            point.failures = isOutage ? 68 : second % 41 == 0 ? 1 : 0
            point.bytesSent = point.requests * 3_870
            let backlog = stored / 1200
            point.freshnessP50 = delivered > 0 ? 7_900 + backlog * 300 + wave * 400 : 0
            point.freshnessP95 = delivered > 0 ? 15_400 + backlog * 900 + wave * 800 : 0
            let slow = (210..<240).contains(second) ? Double(240 - second) / 3 : 1
            point.durationP50 = isOutage ? 2_000 : 34 * slow.squareRoot() + wave * 4
            point.durationP95 = isOutage ? 3_000 : 80 * slow + wave * 20
            point.durationP99 = isOutage ? 3_000 : 140 * slow + wave * 70
            point.storedRows = UInt64(stored + 9_000 * ramp)
            point.devicesActive = Int(3_900 * ramp * (second < 600 ? 1 : 0) * (1 + 0.02 * wave))
            point.connections = Int(3_700 * ramp * (second < 600 ? 1 : 0.1))
            point.lagP99 = 0.9 + wave * 0.5 + (isOutage ? 4 : 0)
            point.spreadEvenly()
            return point
        }
    }
}
