import Measurement
import Testing
import Timebase
import Wire

@testable import Reporting

@Suite("Reports of variants")
struct LabReportTests {
    private func report() throws -> LabReport {
        var stream = RandomStream(key: 9)
        let scenario = Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: [])
        var report = LabReport(
            toolVersion: "1", scenario: scenario, mode: .virtual, seeds: [1, 2],
            variants: [
                LabReport.Variant(name: "base"),
                LabReport.Variant(
                    name: "b200",
                    changes: [
                        LabReport.Change(pointer: "/populations/0/sdk/upload/batch", value: .int(200)),
                        LabReport.Change(pointer: "/drain", value: .null),
                    ]),
            ])
        report.resolved = try JSONReader.readStrictly(
            Array(#"{"drain": "1s", "populations": [{"sdk": {"upload": {"batch": 50}}}]}"#.utf8))
        for index in report.variants.indices {
            report.variants[index].cells = (1...2).map {
                SyntheticLab.cell($0, loss: 0.01, stream: &stream)
            }
        }
        return report
    }

    @Test("reading and writing again gives the same bytes")
    func roundTrip() throws {
        let bytes = LabJSON.write(try report())
        #expect(LabJSON.write(try LabJSON.read(bytes)) == bytes)
        #expect(throws: ReportReadError.self) { try LabJSON.read(Array("{}".utf8)) }
    }

    @Test("warnings stand in every form that is kept, and a report from before there were any is read")
    func warnings() throws {
        var report = try report()
        let old = String(decoding: LabJSON.write(report), as: UTF8.self)
        #expect(old.contains("\n  \"warnings\": [],\n"))
        let read = try LabJSON.read(Array(old.replacing("  \"warnings\": [],\n", with: "").utf8))
        #expect(read.warnings.isEmpty && LabJSON.write(read) == Array(old.utf8))
        report.warnings = ["variant b200: /timeline/0/at: is late"]
        let written = LabJSON.write(report)
        #expect(try LabJSON.read(written).warnings == report.warnings)
        let sweep = SweepReport(
            axes: [SweepReport.Axis(path: "p.a", values: ["1", "2"])], lab: report,
            cost: try Figure.parse("data_sent"), freshness: try Figure.parse("event_freshness.p(95)"))
        let comparisons = report.comparisons
        for form in [
            written, ComparisonHTML.write(report, comparisons: comparisons),
            LabMarkdown.render(report, comparisons: comparisons), SweepJSON.write(sweep),
            SweepHTML.write(sweep),
        ] { #expect(String(decoding: form, as: UTF8.self).contains("variant b200: /timeline/0/at: is late")) }
    }

    @Test("a variant's scenario is the scenario itself with its changes")
    func changes() throws {
        let side = try #require(try report().side("b200", run: ""))
        #expect(side.resolved["drain"] == nil)
        #expect(
            side.resolved["populations"]?.elements?[0]["sdk"]?["upload"]?["batch"]?.digits == "200")
        let comparison = try #require(try report().comparisons.first)
        #expect(comparison.differences.map(\.pointer) == ["/drain", "/populations/0/sdk/upload/batch"])
        #expect(comparison.differences.map(\.isAllowed) == [false, true])
    }

    @Test("a variant that plays what base plays is told, with what the run was played with")
    func sameScenario() throws {
        var report = try report()
        func told() throws -> [String] {
            try #require(report.comparisons.first).warnings.filter { $0.contains("no policy is compared") }
        }
        #expect(try told().isEmpty)
        report.variants[1].changes = []
        #expect(try told() == ["b200 is the same scenario as base: no policy is compared"])
        report.scenario.overrides = ["--seed /seed=1", "--devices --devices=3", "--set /drain=\"2s\""]
        #expect(
            try told() == [
                "b200 is the same scenario as base: no policy is compared; the run was played with "
                    + "--devices 3, --set '/drain=\"2s\"'"
            ])
        // Of two runs, or where nobody knows what was played, there is nothing to be told.
        let own = try #require(report.comparisons.first)
        var other = own.candidate
        other.run = "another"
        let apart = Comparison(base: own.base, candidate: other, request: ComparisonRequest())
        #expect(!apart.warnings.contains { $0.contains("no policy is compared") })
        report.resolved = .null
        #expect(try told().isEmpty)
    }

    @Test("the weightiest cell decides: 70, 95, 105, 96, 99")
    func weights() throws {
        var report = try report()
        func judged(_ codes: [Int32]) -> Int32 {
            for (index, code) in codes.enumerated() {
                report.variants[index / 2].cells[index % 2].exitCode = code
            }
            report.judge()
            return report.exitCode
        }
        #expect(judged([0, 0, 0, 0]) == 0)
        #expect(judged([0, 99, 0, 0]) == 99)
        #expect(judged([0, 99, 96, 0]) == 96)
        #expect(judged([105, 99, 96, 0]) == 105)
        #expect(judged([105, 99, 96, 95]) == 95)
        #expect(judged([105, 70, 96, 95]) == 70)
    }

    @Test("the weightiest of those that failed is told with its reason, which the file keeps")
    func reasons() throws {
        var report = try report()
        report.variants[1].cells[0].exitCode = 99
        report.variants[1].cells[0].verdict = .failed
        report.variants[1].cells[0].reason = "events_lost violated rate<0.001 with 0.2 (20.0 %)."
        #expect(
            LabText.verdict(report)
                == "1 of 4 simulations did not pass; b200, seed 1: failed, exit code 99: "
                + "events_lost violated rate<0.001 with 0.2 (20.0 %).")
        let bytes = LabJSON.write(report)
        #expect(LabJSON.write(try LabJSON.read(bytes)) == bytes)
        report.variants[1].cells[0].reason = nil
        #expect(LabText.verdict(report).hasSuffix("failed, exit code 99."))
    }

    @Test("parts that are missing are no series that was broken off")
    func missingParts() throws {
        var report = try report()
        report.isPartial = true
        #expect(
            LabText.verdict(report).hasSuffix(
                "passed. The series was broken off before its report was written."))
        let last = report.variants[1].cells.removeLast()
        #expect(LabText.verdict(report).hasSuffix("passed. The rest is missing: the series was broken off."))
        report.variants[1].cells.append(last)
        report.missingParts = "Missing is part 2/4: 4 of 6 simulations are there."
        #expect(
            LabText.verdict(report)
                == "4 simulations passed. Missing is part 2/4: 4 of 6 simulations are there.")
        let bytes = LabJSON.write(report)
        #expect(try LabJSON.read(bytes).missingParts == report.missingParts)
    }

    @Test("a run that was under way at the end is named and weighs, and counts in no figure")
    func unfinished() throws {
        var report = try report()
        (report.mode, report.isPartial) = (.live, true)
        let figures = LabText.rows(report)
        report.unfinished = LabReport.Unfinished(variant: "b200", seed: 3)
        report.judge()
        #expect(report.exitCode == 105 && report.verdict == .interrupted)
        #expect(LabText.rows(report) == figures)
        #expect(
            LabText.verdict(report).hasSuffix(
                "passed. The rest is missing: the series was broken off. The run that was under way (b200, seed 3) "
                    + "is kept as interrupted: no figure counts it, and nothing is compared with it."))
        report.unfinished?.exitCode = 95
        report.unfinished?.verdict = .failed
        report.judge()
        #expect(report.exitCode == 95 && report.verdict == .failed)
        let bytes = LabJSON.write(report)
        #expect(try LabJSON.read(bytes).unfinished == report.unfinished)
        #expect(LabJSON.write(try LabJSON.read(bytes)) == bytes)
    }

    @Test("lists of different lengths differ as a whole, others in their values")
    func differences() throws {
        func node(_ text: String) throws -> JSONNode { try JSONReader.readStrictly(Array(text.utf8)) }
        let found = ScenarioDifference.between(
            try node(#"{"a": [{"b": 1}], "timeline": [{"at": "1s"}], "name": "x"}"#),
            try node(#"{"a": [{"b": 2}], "timeline": [], "seed": 3, "name": "x"}"#))
        #expect(found.map(\.pointer) == ["/a/0/b", "/timeline", "/seed"])
        #expect(found.map(\.isAllowed) == [false, false, true])
        #expect(found[2].base == nil && found[2].candidate == "3")
        #expect(ScenarioDifference.isAllowed("/populations/0/sdk/upload/batch"))
        #expect(ScenarioDifference.isAllowed("/populations/3/version"))
        #expect(!ScenarioDifference.isAllowed("/populations/0/devices"))
        #expect(!ScenarioDifference.isAllowed("/populations/0/name"))
    }
}
