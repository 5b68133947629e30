import Testing

@testable import Rendering
@testable import Reporting

@Suite("Values beside their thresholds")
struct ThresholdWordsTests {
    private func result(_ metric: String, _ expression: String, _ value: Double) -> Report.ThresholdResult {
        Report.ThresholdResult(metric: metric, expression: expression, value: value, ok: true)
    }

    @Test(
        "a value that few digits would not tell from the bound is told exactly",
        arguments: [
            ("events_lost", "rate<0.00933", 0.009333, "0.93 % (0.009333)"),
            ("http_req_failed", "rate<=0.2513", 0.25134, "25.1 % (0.25134)"),
            ("events_lost", "rate<0.00001", 0.00005, "<0.01 % (0.00005)"),
            ("http_req_duration", "avg<=78", 78.019, "78 ms (78.019 ms)"),
            ("event_freshness", "med<6004", 6004.72, "6 s (6,004.7 ms)"),
            // What reads as on its own side, or is the bound itself, needs no more digits.
            ("events_lost", "rate<0.001", 0.0093, "0.93 %"), ("events_lost", "rate==0", 0, "0 %"),
            ("http_req_duration", "avg<=78", 78, "78 ms"),
            ("http_req_duration", "p(95)<250", 250.6, "251 ms"),
            ("http_reqs", "count>5", 4, "4"), ("http_req_duration", "count>5", 5.5, "5.5"),
        ] as [(String, String, Double, String)])
    func observed(metric: String, expression: String, value: Double, text: String) {
        #expect(Numbers.observed(result(metric, expression, value)) == text)
    }

    @Test("in columns there is no room for that")
    func columns() {
        #expect(Numbers.shortened(result("http_req_duration", "avg<=78", 78.019)) == "78 ms")
    }

    @Test("the sentence of a broken threshold does not tell one lost event of millions as none")
    func sentence() {
        #expect(
            VerdictRules.sentence(result("events_lost", "rate==0", 1e-7))
                == "events_lost violated rate==0 with 0.0000001 (<0.01 %).")
    }
}
