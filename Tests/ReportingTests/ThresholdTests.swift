import Measurement
import Testing
import Timebase

@testable import Reporting

@Suite("Thresholds")
struct ThresholdTests {
    @Test(
        "reads k6's grammar",
        arguments: [
            (
                "http_req_duration", "p(95)<250", Threshold.Aggregation.percentile(95),
                Threshold.Comparison.less, 250.0
            ),
            ("http_req_duration", " p( 99.9 ) <= 1e3 ", .percentile(99.9), .atMost, 1000),
            ("event_freshness", "avg>0", .average, .greater, 0),
            ("event_freshness", "med >= 1", .median, .atLeast, 1),
            ("event_freshness", "min!=0", .minimum, .unequal, 0),
            ("batch_size", "max==50", .maximum, .equal, 50),
            ("batch_size", "count===3", .count, .equal, 3),
            ("http_reqs", "count>1000", .count, .greater, 1000),
            ("http_reqs", "rate>=66.5", .rate, .atLeast, 66.5),
            ("events_lost", "rate<0.001", .rate, .less, 0.001),
            ("store_depth", "value<-1", .value, .less, -1),
            ("http_req_duration", "p(0)<1", .percentile(0), .less, 1),
            ("http_req_duration", "p(100)<1", .percentile(100), .less, 1),
        ])
    func good(
        metric: String, expression: String, aggregation: Threshold.Aggregation,
        comparison: Threshold.Comparison,
        bound: Double
    ) throws {
        let threshold = try Threshold.parse(metric: metric, expression: expression)
        #expect(threshold.aggregation == aggregation)
        #expect(threshold.comparison == comparison)
        #expect(threshold.bound == bound)
        #expect(threshold.population == nil)
    }

    @Test(
        "refuses all else, and says what is allowed",
        arguments: [
            ("http_req_durations", "p(95)<250", "http_req_duration"),
            ("event_freshnes", "avg<1", "event_freshness"),
            ("http_req_duration", "p95<250", "p(95)"), ("http_req_duration", "mean<250", "avg"),
            ("http_req_duration", "median<250", "med"), ("http_req_duration", "p(101)<1", "p(0) to p(100)"),
            ("http_req_duration", "p(-1)<1", "p(0) to p(100)"),
            ("http_req_duration", "p()<1", "p(0) to p(100)"),
            ("http_req_duration", "rate<1", "a trend"), ("events_lost", "count<1", "a rate"),
            ("http_reqs", "p(95)<1", "a counter"), ("store_depth", "max<1", "a gauge"),
            ("http_req_duration", "p(95)<250ms", "milliseconds"), ("http_req_duration", "p(95)<", "a number"),
            ("http_req_duration", "p(95)", "an operator"), ("http_req_duration", "p(95)=250", "one of <"),
            ("http_req_duration", "p(95)!250", "one of <"), ("http_req_duration", "avg<inf", "a number"),
            ("http_req_duration", "avg<nan", "a number"), ("http_req_duration", "avg<0x10", "a number"),
            ("events_lost", "rate<5%", "allowed: a share of 1, such as 0.05"),
            ("radio_seconds", "count<5s", "allowed: a number of seconds without a unit"),
            ("retries", "count<many", "allowed: a number"),
            ("http_req_duration", "", "an operator"),
            ("http_req_duration{population:ios", "avg<1", "{population:NAME}"),
            ("http_req_duration{ios}", "avg<1", "{population:NAME}"),
            ("http_req_duration{pop:ios}", "avg<1", "population"),
            ("http_req_duration{population:}", "avg<1", "{population:NAME}"),
            ("", "avg<1", "the name of a metric"),
            ("", "avg<1", "time_to_recover{entry:NAME}, herd_peak{entry:NAME}"),
            ("herd_peek{entry:0}", "value<1", "did you mean herd_peak"),
        ])
    func bad(metric: String, expression: String, hint: String) {
        let error = #expect(throws: ThresholdError.self) {
            try Threshold.parse(metric: metric, expression: expression)
        }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "no error")")
    }

    @Test("reads the tag and checks the population's name")
    func tag() throws {
        let threshold = try Threshold.parse(
            metric: "http_req_duration{population: a:b }", expression: "p(95)<1")
        #expect(threshold.population == "a:b")
        #expect(threshold.qualifiedMetric == "http_req_duration{population:a:b}")
        let error = #expect(throws: ThresholdError.self) {
            try Threshold.parse(
                metric: "http_req_duration{population:iso}", expression: "p(95)<1",
                populations: ["ios", "android"])
        }
        #expect(error?.nearest == ["ios"])
    }

    @Test("holds the bound against the fleet, or the population that the tag names")
    func evaluate() throws {
        let overall = [Metric("http_reqs", .counter(count: 100, perSecond: 10))]
        let ios = [Metric("http_reqs", .counter(count: 40, perSecond: 4))]
        func result(_ metric: String, _ expression: String) throws -> Report.ThresholdResult {
            try Threshold.parse(metric: metric, expression: expression)
                .evaluate(overall: overall, populations: [("ios", ios)])
        }
        #expect(try result("http_reqs", "count>=100").ok)
        #expect(try result("http_reqs{population:ios}", "count>=100").ok == false)
        #expect(try result("http_reqs{population:ios}", "rate==4").value == 4)
        #expect(try result("http_reqs{population:none}", "count>=0").value == nil)
    }

    @Test("… or the entry of the timeline")
    func entries() throws {
        let overall = [Metric("http_reqs", .counter(count: 100, perSecond: 10))]
        let outage = [
            Metric("http_reqs", .counter(count: 7, perSecond: 1)),
            Metric("herd_peak", .gauge(value: 30, minimum: 0, maximum: 30)),
        ]
        func result(_ metric: String, _ expression: String) throws -> Report.ThresholdResult {
            try Threshold.parse(metric: metric, expression: expression)
                .evaluate(overall: overall, populations: [], entries: [("outage", outage)])
        }
        #expect(try result("http_reqs{entry:outage}", "count<=7").ok)
        #expect(try result("http_reqs{ entry : outage }", "count<=7").metric == "http_reqs{entry:outage}")
        #expect(try result("herd_peak{entry:outage}", "value<20").value == 30)
        #expect(try result("herd_peak{entry:2}", "value<20").value == nil)
    }

    @Test(
        "some metrics are told of entries, and some of nothing else",
        arguments: [
            "herd_peak", "time_to_recover{population:ios}", "store_depth{entry:outage}", "retries{entri:a}",
        ])
    func entryTags(metric: String) {
        #expect(throws: ThresholdError.self) {
            let gauge = metric.hasPrefix("herd") || metric.hasPrefix("store")
            _ = try Threshold.parse(metric: metric, expression: gauge ? "value<1" : "count<1")
        }
    }

    @Test(
        "a metric without samples fails, with no value",
        arguments: [("event_freshness", "p(95)<1"), ("events_lost", "rate<1"), ("retries", "count<1")])
    func withoutSamples(metric: String, expression: String) throws {
        let threshold = try Threshold.parse(metric: metric, expression: expression)
        let empty = [
            Metric("event_freshness", .trend(.time(LatencyHistogram()))),
            Metric("events_lost", .rate(passes: 0, fails: 0)),
        ]
        let result = threshold.evaluate(overall: empty, populations: [])
        #expect(!result.ok)
        #expect(result.value == nil)
    }

    @Test("a counter that stayed at zero is a value, not a lack of samples")
    func zero() throws {
        let threshold = try Threshold.parse(metric: "retries", expression: "count==0")
        let metrics = [Metric("retries", .counter(count: 0, perSecond: 0))]
        #expect(threshold.evaluate(overall: metrics, populations: []).ok)
    }

    @Test("takes any percentile from a histogram")
    func percentile() throws {
        var histogram = LatencyHistogram()
        for value in 1...1000 { histogram.record(.milliseconds(Int64(value))) }
        let threshold = try Threshold.parse(metric: "event_freshness", expression: "p(73.5)<=736")
        let result = threshold.evaluate(
            overall: [Metric("event_freshness", .trend(.time(histogram)))], populations: [])
        #expect(result.ok)
        #expect((result.value ?? 0) >= 735 && (result.value ?? 0) < 737)
    }

    @Test("nothing compares with what is not a number", arguments: Threshold.Comparison.allCases)
    func notANumber(comparison: Threshold.Comparison) {
        #expect(!comparison.holds(.nan, 1))
    }

    @Test("the catalogue names every metric once, with a sentence")
    func catalogue() {
        let names = MetricCatalogue.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(MetricCatalogue.all.allSatisfy { $0.summary.hasSuffix(".") })
    }
}
