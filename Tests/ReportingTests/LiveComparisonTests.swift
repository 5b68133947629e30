import Testing

@testable import Reporting

@Suite("Comparisons of live runs")
struct LiveComparisonTests {
    @Test("runs of two commands are not paired by their seeds, and those that took turns are")
    func pairing() {
        #expect(SyntheticLab.liveComparison(1, runs: 5, inOneCommand: true).isPaired)
        let apart = SyntheticLab.liveComparison(1, runs: 5, inOneCommand: false)
        #expect(!apart.isPaired && apart.method.contains("Welch"))
    }

    @Test("two targets that took turns may differ, and are told")
    func targets() {
        let comparison = SyntheticLab.liveComparison(1, runs: 2, inOneCommand: true)
        #expect(comparison.differences.map(\.pointer) == ["target"])
        #expect(!comparison.differences.contains { !$0.isAllowed })
    }

    @Test("of 200 comparisons of nothing, the interval without pairs excludes 0 in 2 to 9 %")
    func coverage() {
        let excluding = (0..<200).count { set in
            let row = SyntheticLab.liveComparison(UInt64(set), runs: 6, inOneCommand: false).row(
                "events_lost")
            return row?.difference?.interval.map { !$0.contains(0) } ?? true
        }
        #expect((4...18).contains(excluding), "\(excluding) of 200")
    }

    @Test("a regression of half a point is found without pairs")
    func regression() {
        let comparison = SyntheticLab.liveComparison(7, runs: 6, worseBy: 0.005, inOneCommand: false)
        #expect(comparison.row("events_lost")?.word == .worse && comparison.exitCode == 99)
    }
}
