import Testing

@testable import Reporting

@Suite("What broke at a capacity")
struct CapacityBreakTests {
    @Test("tells conditions of one metric apart that broke together, each with its first figure")
    func together() {
        var report = CapacityFixture.report()
        for (index, value) in [(6, 700.0), (7, 900)] {
            report.steps[index].thresholds = ["p(95)<500", "p(95)<5000", "p(99)<600", "med<60"].map {
                .init(
                    metric: "http_req_duration", expression: $0, value: $0 == "med<60" ? nil : value,
                    ok: $0 == "p(95)<5000")
            }
            report.steps[index].reasons = report.steps[index].thresholds.filter { !$0.ok }
                .map(VerdictRules.sentence)
            report.steps[index].reasons.append("Answers fell behind: of \(index) requests/s offered")
        }
        let broken = report.brokeFirst
        #expect(broken == report.steps[6].reasons && broken.count == 4)
        #expect(broken[1].contains("p(99)<600 with 700"))
    }

    @Test("a chart of its own says what broke first only where that broke, and only where no other has it")
    func leadingChart() {
        func page(_ metric: String, _ expression: String, breaks: Bool, ok: Bool) -> String {
            var report = CapacityFixture.report()
            report.conditions = [.init(metric: metric, expression: expression, origin: .scenario)]
            for index in report.steps.indices {
                report.steps[index].thresholds = [
                    .init(
                        metric: metric, expression: expression, value: 3,
                        ok: ok || report.steps[index].verdict == .held)
                ]
            }
            if !breaks { report.breaks = nil }
            return String(decoding: CapacityHTML.write(report), as: UTF8.self)
        }
        let titles = ["What broke first", "What was judged first", "Growth of stores"]
        let cases =
            [
                ("http_req_duration", "p(95)<500", true, false, nil),
                ("http_req_duration", "p(95)<500", false, true, nil),
                ("http_req_duration", "med<500", true, false, nil),
                ("http_req_duration", "avg<500", true, false, 0), ("batch_size", "avg>2", true, false, 0),
                ("batch_size", "avg>2", false, true, 1), ("batch_size", "avg>2", true, true, 2),
            ] as [(String, String, Bool, Bool, Int?)]
        for (metric, expression, breaks, ok, expected) in cases {
            let page = page(metric, expression, breaks: breaks, ok: ok)
            for (index, title) in titles.enumerated() {
                #expect(page.contains(title) == (index == expected), "\(metric) \(expression): \(title)")
            }
        }
    }
}
