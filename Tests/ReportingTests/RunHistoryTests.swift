import Measurement
import Testing
import Timebase

@testable import Rendering
@testable import Reporting

@Suite("The history of runs")
struct RunHistoryTests {
    /// A run that began so many seconds after the first.
    private func entry(
        _ second: Int64, _ kind: RunHistory.Entry.Kind = .virtual, overrides: [String] = [],
        freshness: Double = 8000
    ) -> RunHistory.Entry {
        var stream = RandomStream(key: 3)
        var entry = RunHistory.Entry(
            path: "r\(second)", kind: kind,
            scenario: Report.ScenarioReference(
                name: "x", description: "", sha256: "0", overrides: overrides),
            at: Instant(milliseconds: 1_772_451_000_000 + second * 1000), verdict: .passed, exitCode: 0,
            isPartial: false, toolVersion: "1")
        entry.cell = SyntheticLab.cell(1, loss: 0.02, freshness: freshness, stream: &stream)
        return entry
    }

    @Test("another seed is no other scenario, other options are")
    func seeds() {
        let first = entry(0, overrides: ["--seed /seed=1"])
        let nightly = entry(1, overrides: ["--seed /seed=2"])
        #expect(!nightly.differs(from: first) && !entry(2).differs(from: first))
        #expect(entry(2, overrides: ["--seed /seed=1", "--set /drain=\"2s\""]).differs(from: first))
    }

    @Test("a scenario that was played live and in virtual time is one scenario")
    func scenarios() {
        let history = RunHistory(
            folder: "f", entries: [entry(0), entry(1, .live), entry(2)], figures: [])
        let page = String(decoding: RunHistoryHTML.write(history, toolVersion: "1"), as: UTF8.self)
        #expect(page.contains("3 runs, those of 1 scenario as trends."))
    }

    @Test("a trend says that its axis is logarithmic", arguments: [(10.0, true), (7000, false)])
    func axes(freshness: Double, isLogarithmic: Bool) throws {
        let chart = TrendChart(
            try Figure.parse("event_freshness.p(95)"), of: [entry(0), entry(1, freshness: freshness)],
            id: "t")
        #expect(chart.title == "event_freshness.p(95)" + (isLogarithmic ? ", logarithmic" : ""))
    }
}
