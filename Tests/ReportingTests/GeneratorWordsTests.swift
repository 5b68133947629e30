import Testing

@testable import Reporting

@Suite("What is said of a late generator")
struct GeneratorWordsTests {
    private func reason(lag: Double, busy: Double) -> String {
        var findings = VerdictRules.Findings()
        findings.saturated = true
        (findings.lagP99, findings.busiestLoop) = (lag, busy)
        return VerdictRules.judge(findings).reasons.first ?? ""
    }

    @Test("names the limit that it passed, and no other")
    func limits() {
        let busy = reason(lag: 1.9, busy: 0.97)
        #expect(
            busy.contains("(an event loop was busy 97 % of the time, the limit is 95 %), so the run says"))
        let late = reason(lag: 250, busy: 0.95)
        #expect(late.contains("(lag p(99) 250 ms, the limit is 100 ms), so the run says nothing about the"))
        let both = reason(lag: 250, busy: 1)
        #expect(both.contains("the limit is 100 ms; an event loop was busy 100 % of the time"))
        #expect(reason(lag: 1, busy: 0.953).contains("busy 96 % of the time, the limit is 95 %"))
        #expect(reason(lag: 100.3, busy: 0.5).contains("lag p(99) 101 ms, the limit is 100 ms"))
        // Parts of a run together may look better than the one that was late.
        #expect(reason(lag: 1, busy: 0.5).contains("could not keep its own schedule (lag p(99) 1"))
    }
}
