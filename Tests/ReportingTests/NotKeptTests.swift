import Measurement
import Testing
import Timebase

@testable import Rendering
@testable import Reporting

@Suite("Events that a collector acknowledges and does not keep")
struct NotKeptTests {
    /// Runs of five seeds whose collectors kept all but so much of what they acknowledged; the same in all else.
    private func comparison(
        _ base: Double?, _ candidate: Double?, seeds: UInt64 = 5, gates: [String] = [], loss: Double = 0.02
    ) throws -> Comparison {
        func side(_ share: Double?, _ label: String, _ loss: Double = 0.02) -> Comparison.Side {
            let cells = (0..<seeds).map { seed in
                var stream = RandomStream(key: 11).child(seed)
                var cell = SyntheticLab.cell(seed, loss: loss, stream: &stream)
                let own = share.map { $0 > 0 ? $0 + Double(seed) / 10_000 : 0 }
                cell.measures = [LabReport.NamedValue("events_not_kept", own)]
                return cell
            }
            return SyntheticLab.side(cells, label)
        }
        var request = ComparisonRequest()
        request.gates = try gates.map { try Gate.parse($0) }
        return Comparison(
            base: side(base, "base"), candidate: side(candidate, "candidate", loss), request: request)
    }

    private func warnings(_ comparison: Comparison) -> [String] {
        comparison.warnings.filter { $0.hasPrefix("events_not_kept") }
    }

    @Test("what an audit calls swallowed, a dry run or not found, of all that was captured")
    func value() throws {
        var report = Fixtures.outage()
        let figure = try Figure.parse("events_not_kept")
        #expect(figure.isShare && figure.direction == .higherIsWorse)
        report.audit?.dryRun = 200
        report.audit?.ackedNotFound = 3
        #expect(figure.value(in: LabReport.Cell(report)) == 1703.0 / 731_204)
        report.audit = nil
        #expect(figure.value(in: LabReport.Cell(report)) == nil)
    }

    @Test("a single pair, of which freshness cannot be told, is told of it in the verdict too")
    func singlePair() throws {
        let text = ComparisonText.verdict(try comparison(0, 0.4, seeds: 1, loss: 0.2))
        #expect(text.hasPrefix("No regression is shown, but it cannot be told"), "\(text)")
        #expect(text.contains(" The collector keeps fewer events: events_not_kept"), "\(text)")
        #expect(!ComparisonText.verdict(try comparison(0, 0, seeds: 1, loss: 0.2)).contains("keeps fewer"))
    }

    @Test("it leads beside the loss, in comparisons, in overviews and of sweeps")
    func leads() throws {
        let found = try comparison(0, 0.4)
        let names = found.rows.map(\.figure.name)
        let index = try #require(names.firstIndex(of: "events_not_kept"))
        #expect(names[index - 1].hasPrefix("events_lost") && names.count { $0 == "events_not_kept" } == 1)
        var report = LabReport(
            toolVersion: "1", scenario: found.base.scenario, mode: .virtual, seeds: found.seeds,
            variants: [
                LabReport.Variant(name: "base", cells: found.base.cells),
                LabReport.Variant(name: "b", cells: found.candidate.cells),
            ])
        for mode in [Report.Mode.virtual, .live] {
            report.mode = mode
            #expect(LabText.rows(report).contains(["events_not_kept", "0 %", "40.0 %"]))
        }
        #expect(report.comparisons.first.map(LabText.summary)?.contains("events_not_kept +40.0") == true)
        let sweep = SweepReport(
            axes: [SweepReport.Axis(path: "p.a", values: ["1", "2"])], lab: report,
            cost: try Figure.parse("data_sent"), freshness: try Figure.parse("event_freshness.p(95)"))
        #expect(SweepText.figures(sweep).contains { $0.name == "events_not_kept" })
    }

    @Test("more of it is worse and told, and fails no default gate")
    func worse() throws {
        let found = try comparison(0, 0.4)
        #expect(found.row("events_not_kept")?.word == .worse && found.row("events_lost")?.word == .same)
        #expect(found.exitCode == 0 && found.gates.map(\.outcome) == [.holds, .holds, .holds])
        let warning = try #require(warnings(found).first)
        #expect(warning.contains("acknowledged 40.0 % of the candidate's events without keeping them"))
        #expect(warning.hasSuffix("--gate 'events_not_kept<=base' would"))
        let verdict = ComparisonText.verdict(found)
        #expect(verdict.hasPrefix("No regression by the default gates, but the collector keeps fewer events"))
        let back = try comparison(0.4, 0)
        #expect(back.row("events_not_kept")?.word == .better && warnings(back).isEmpty)
        #expect(ComparisonText.verdict(back) == "No regression.")
    }

    @Test("a gate and a least effect take it")
    func gates() throws {
        let gated = try comparison(0, 0.4, gates: ["events_not_kept<=base+0.001"])
        #expect(gated.exitCode == 99 && gated.gates.first?.outcome == .fails)
        #expect(warnings(gated).first?.hasSuffix("count these as delivered") == true)
        var request = ComparisonRequest()
        request.leastEffects = [(try Figure.parse("events_not_kept"), 0.5)]
        let mild = Comparison(base: gated.base, candidate: gated.candidate, request: request)
        #expect(mild.row("events_not_kept")?.word == .same && warnings(mild).isEmpty)
    }

    @Test("a tenth of a point does not matter, a single pair is told, and nothing is known without audits")
    func limits() throws {
        let small = try comparison(0, 0.0002)
        #expect(small.row("events_not_kept")?.word == .same && warnings(small).isEmpty)
        let single = try comparison(0, 0.4, seeds: 1)
        #expect(single.row("events_not_kept")?.word == .cannotTell && warnings(single).count == 1)
        let unknown = try comparison(nil, 0.4)
        #expect(unknown.row("events_not_kept")?.word == .cannotTell && warnings(unknown).isEmpty)
        #expect(try comparison(nil, nil).row("events_not_kept")?.word == .same)
    }
}
