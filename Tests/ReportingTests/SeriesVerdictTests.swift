import Testing

@testable import Reporting

@Suite("Verdicts over several runs")
struct SeriesVerdictTests {
    /// Live runs with these exit codes, of three that were asked for.
    private func report(_ codes: [Int32], endedBy end: Report.EarlyEnd? = nil) -> LabReport {
        let cells = codes.enumerated().map { index, code in
            var cell = LabReport.Cell(seed: UInt64(index + 1))
            let verdicts: [Int32: Report.Verdict] = [0: .passed, 96: .invalid]
            (cell.verdict, cell.exitCode) = (verdicts[code] ?? .failed, code)
            return cell
        }
        var report = LabReport(
            toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            mode: .live, seeds: [1, 2, 3], variants: [LabReport.Variant(name: "base", cells: cells)])
        report.isPartial = codes.count < 3
        report.endedBy = end
        report.judge()
        return report
    }

    @Test("a series that lacks runs is interrupted, unless something weighs more")
    func interrupted() {
        #expect(report([0, 0, 0]).exitCode == 0)
        #expect(report([0, 99]).exitCode == 105 && report([0, 99]).verdict == .interrupted)
        #expect(report([0, 95]).exitCode == 95 && report([0, 95]).verdict == .failed)
    }

    @Test("one that Beaconswarm itself ended has the verdict of its heaviest run")
    func endedAtOnce() {
        let guarded = report([0, 99], endedBy: Report.EarlyEnd(cause: .guard, text: "refused"))
        #expect(guarded.exitCode == 99 && guarded.verdict == .failed && guarded.isPartial)
        let fast = report([99, 96], endedBy: Report.EarlyEnd(cause: .maxRate, text: "too fast"))
        #expect(fast.exitCode == 96 && fast.verdict == .invalid)
    }

    @Test("what ended it is kept, and is absent where nothing did")
    func file() throws {
        let guarded = report([99], endedBy: Report.EarlyEnd(cause: .guard, text: "refused"))
        let bytes = LabJSON.write(guarded)
        let read = try LabJSON.read(bytes)
        #expect(read.endedBy == guarded.endedBy && LabJSON.write(read) == bytes)
        #expect(!String(decoding: LabJSON.write(report([0])), as: UTF8.self).contains("ended_by"))
    }

    @Test("no run follows one that was ended to keep harm from its target, unless that is its purpose")
    func endOfSeries() {
        var run = Fixtures.outage()
        #expect(run.endOfSeries == nil)
        for cause in Report.EarlyEnd.Cause.allCases {
            run.endedBy = Report.EarlyEnd(cause: cause, text: "ended")
            run.scenario.expectation = .nothingDelivered
            #expect(run.endOfSeries == run.endedBy)
            run.scenario.expectation = .guard
            #expect(run.endOfSeries?.cause == (cause == .guard ? nil : cause))
        }
    }
}
