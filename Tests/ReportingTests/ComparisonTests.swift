import Measurement
import Testing
import Timebase
import Wire

@testable import Reporting

/// Cheap worlds: fleets whose shares and times are drawn, not played.
enum SyntheticLab {
    static let perSeed: UInt64 = 20_000

    /// A simulation in which each event is lost with a probability: the normal approximation of the binomial, so that
    /// thousands of simulations cost a draw each.
    static func cell(_ seed: UInt64, loss: Double, freshness: Double = 8000, stream: inout RandomStream)
        -> LabReport.Cell
    {
        var cell = LabReport.Cell(seed: seed)
        let mean = Double(perSeed) * loss
        let deviate = DeterministicMath.normalQuantile(stream.uniform() * (1 - 0x1p-52) + 0x1p-54)
        let lost = UInt64(max(0, (mean + deviate * (mean * (1 - loss)).squareRoot()).rounded()))
        var trend = TrendSummary()
        trend.count = perSeed - lost
        trend.p95 = freshness * (1 + 0.02 * (stream.uniform() - 0.5))
        trend.average = trend.p95 / 2
        cell.metrics = [
            Metric("events_captured", .counter(count: Double(perSeed), perSecond: 1)),
            Metric("events_lost", .rate(passes: lost, fails: perSeed - lost)),
            Metric("event_freshness", .trend(.summary(trend))),
            Metric("freshness_within_1h", .rate(passes: perSeed - lost, fails: lost)),
            Metric("data_sent", .counter(count: 1e6, perSecond: 1)),
        ]
        cell.events.captured = perSeed
        cell.events.evicted = [Report.NamedCount("storage_limit", lost)]
        return cell
    }

    static func side(_ cells: [LabReport.Cell], _ label: String = "base", resolved: JSONNode = .null)
        -> Comparison.Side
    {
        Comparison.Side(
            label: label, variant: label, toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            resolved: resolved, mode: .virtual, bodies: nil, cells: cells)
    }

    /// Both sides over so many seeds.
    ///
    /// - Parameter isPaired: Whether the candidate's users draw what the base's draw.
    static func comparison(
        _ set: UInt64, seeds: UInt64, loss: Double, worseBy: Double = 0, isPaired: Bool = false,
        request: ComparisonRequest = ComparisonRequest()
    ) -> Comparison {
        var base: [LabReport.Cell] = []
        var candidate: [LabReport.Cell] = []
        for seed in 0..<seeds {
            let root = RandomStream(key: 77).child(set).child(seed)
            var one = root.child(0)
            var other = isPaired ? root.child(0) : root.child(1)
            base.append(cell(seed, loss: loss, stream: &one))
            candidate.append(cell(seed, loss: loss + worseBy, stream: &other))
        }
        return Comparison(base: side(base), candidate: side(candidate, "candidate"), request: request)
    }
}

extension Comparison {
    func row(_ name: String) -> Row? { rows.first { $0.figure.name == name } }
}

extension SyntheticLab {
    /// The same, live: what the machine does draws anew in each run.
    static func liveComparison(_ set: UInt64, runs: UInt64, worseBy: Double = 0, inOneCommand: Bool)
        -> Comparison
    {
        let root = RandomStream(key: 91).child(set)
        func side(_ number: UInt64) -> Comparison.Side {
            let cells = (0..<runs).map { seed in
                var stream = root.child(number).child(seed)
                return cell(seed, loss: 0.02 + Double(number) * worseBy, stream: &stream)
            }
            var side = self.side(cells, number == 0 ? "base" : "candidate")
            side.mode = .live
            side.run = inOneCommand ? "" : side.label
            side.target = inOneCommand ? "http://127.0.0.1:\(number)" : nil
            return side
        }
        return Comparison(base: side(0), candidate: side(1), request: ComparisonRequest())
    }
}

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

@Suite("Comparisons")
struct ComparisonTests {
    @Test("identical policies are the same in every figure, and pass")
    func identical() {
        let comparison = SyntheticLab.comparison(1, seeds: 5, loss: 0.02, isPaired: true)
        #expect(comparison.rows.allSatisfy { $0.word == .same })
        #expect(comparison.rows.allSatisfy { $0.difference.map { $0.mean == 0 } ?? true })
        #expect(comparison.exitCode == 0)
        #expect(comparison.gates.map(\.outcome) == [.holds, .holds, .holds])
    }

    @Test("of runs without any event, what decides cannot be told; strict fails then")
    func withoutSamples() {
        let cells = (0..<3 as Range<UInt64>).map { seed in
            var cell = LabReport.Cell(seed: seed)
            cell.metrics = [
                Metric("events_captured", .counter(count: 0, perSecond: 0)),
                Metric("events_lost", .rate(passes: 0, fails: 0)),
                Metric("event_freshness", .trend(.summary(TrendSummary()))),
                Metric("freshness_within_1h", .rate(passes: 0, fails: 0)),
            ]
            return cell
        }
        var request = ComparisonRequest()
        for isStrict in [false, true] {
            request.isStrict = isStrict
            let comparison = Comparison(
                base: SyntheticLab.side(cells), candidate: SyntheticLab.side(cells, "candidate"),
                request: request)
            #expect(comparison.gates.map(\.outcome) == [.cannotTell, .cannotTell, .cannotTell])
            #expect(comparison.gates.allSatisfy { $0.reason.hasSuffix("neither has samples") })
            #expect(comparison.row("events_captured")?.word == .same)
            #expect(comparison.row("event_freshness.med")?.word == .same)
            #expect(comparison.exitCode == (isStrict ? 99 : 0))
        }
    }

    /// What the level of the interval promises: with 200 seed sets, 5 % of them are 10, and 2 to 9 % is what
    /// three standard deviations of the binomial leave.
    @Test("over 200 null differences an interval excludes 0 in 2 to 9 %", arguments: [2, 5, 20])
    func coverage(_ seeds: UInt64) throws {
        var excluded = 0
        for set in 0..<200 {
            let comparison = SyntheticLab.comparison(UInt64(set), seeds: seeds, loss: 0.02)
            let interval = try #require(comparison.row("events_lost")?.difference?.interval)
            if !interval.contains(0) { excluded += 1 }
        }
        #expect((4...18).contains(excluded), "\(excluded) of 200")
    }

    @Test("half a point more of loss is found, a hundredth is called no regression")
    func planted() throws {
        for set in 0..<20 as Range<UInt64> {
            let caught = SyntheticLab.comparison(
                set, seeds: 10, loss: 0.02, worseBy: 0.005, isPaired: true)
            #expect(caught.exitCode == 99)
            #expect(caught.row("events_lost")?.word == .worse)
            let small = SyntheticLab.comparison(
                set, seeds: 10, loss: 0.02, worseBy: 0.0001, isPaired: true)
            #expect(small.exitCode == 0)
            #expect(small.row("events_lost")?.word != .worse)
        }
    }

    @Test("less loss and more in time are better; of neutral figures neither is said")
    func directions() {
        let better = SyntheticLab.comparison(3, seeds: 10, loss: 0.03, worseBy: -0.01)
        #expect(better.row("events_lost")?.word == .better)
        #expect(better.row("freshness_within_1h")?.word == .better)
        #expect(better.row("events_lost.evicted.storage_limit")?.word == .better)
        #expect(better.row("events_captured")?.word == .same)
    }

    @Test(
        "events that waited when the run ended are told, where they decide about freshness",
        arguments: [0, 600])
    func waiting(pending: UInt64) {
        var root = RandomStream(key: 5)
        let base = (UInt64(0)..<5).map { SyntheticLab.cell($0, loss: 0.02, stream: &root) }
        let candidate = (UInt64(0)..<5).map { seed in
            var cell = SyntheticLab.cell(seed, loss: 0.05, stream: &root)
            cell.events.pending = [Report.NamedCount("stored", pending)]
            return cell
        }
        let comparison = Comparison(
            base: SyntheticLab.side(base), candidate: SyntheticLab.side(candidate, "candidate"),
            request: ComparisonRequest())
        #expect(comparison.row("freshness_within_1h")?.word == .worse)
        let told = comparison.warnings.filter { $0.contains("still waiting") }
        #expect(told.count == (pending == 0 ? 0 : 1))
        #expect(told.allSatisfy { $0.hasPrefix("3.00 % of the candidate's events") }, "\(told)")
    }

    @Test(
        "points are rounded and not cut",
        arguments: [
            (-0.00692989, "−0.693 pt"), (0.0069294, "+0.693 pt"), (0.01, "+1 pt"), (0.12345678, "+12.346 pt"),
            (0.00001, "+0.001 pt"), (1, "+100 pt"), (0, "0"), (0.000004, "<+0.001 pt"),
            (-0.000004, ">−0.001 pt"),
        ] as [(Double, String)])
    func points(_ value: Double, _ text: String) throws {
        #expect(ComparisonText.signed(value, try Figure.parse("events_lost")) == text)
    }

    @Test("the least effect that matters can be set, by share for rates and by ratio for all else")
    func leastEffects() throws {
        var request = ComparisonRequest()
        request.leastEffects = [(try Figure.parse("events_lost"), 0.01)]
        let comparison = SyntheticLab.comparison(4, seeds: 10, loss: 0.02, worseBy: 0.005, request: request)
        #expect(comparison.row("events_lost")?.word == .same)
        #expect(comparison.row("events_lost")?.leastEffect == 0.01)
        let sent = try #require(comparison.row("data_sent"))
        #expect(sent.leastEffect == 20_000)
    }

    @Test("a gate holds, fails, or cannot be told where the interval spans its limit; strict fails then")
    func gates() throws {
        func outcome(_ gate: String, worseBy: Double, strict: Bool = false) throws -> (
            Comparison.GateResult.Outcome?, Int32
        ) {
            var request = ComparisonRequest()
            request.gates = [try Gate.parse(gate)]
            request.isStrict = strict
            let comparison = SyntheticLab.comparison(
                5, seeds: 10, loss: 0.02, worseBy: worseBy, request: request)
            return (comparison.gates.first?.outcome, comparison.exitCode)
        }
        #expect(try outcome("events_lost<=base+0.002", worseBy: 0.005) == (.fails, 99))
        #expect(try outcome("events_lost <= base + 0.02", worseBy: 0.005) == (.holds, 0))
        #expect(try outcome("events_lost<=base+0.005", worseBy: 0.005) == (.cannotTell, 0))
        #expect(try outcome("events_lost<=base+0.005", worseBy: 0.005, strict: true) == (.cannotTell, 99))
        #expect(try outcome("events_lost<=0.05", worseBy: 0.005) == (.holds, 0))
        #expect(try outcome("event_freshness.p(95)<=base*1.1", worseBy: 0) == (.holds, 0))
        #expect(try outcome("event_freshness.p(95)<=base*0.9", worseBy: 0) == (.fails, 99))
        #expect(try outcome("http_req_waiting.p(95)<=base", worseBy: 0) == (.fails, 99))
    }

    @Test(
        "what is no gate is refused",
        arguments: [
            "events_lost", "events_lost==base", "event_lost<=base", "event_freshness<=base",
            "event_freshness.p(97)<=base", "events_lost<=base/2", "events_lost<=bass", "events_lost<=base+",
            "events_lost.p(95)<=base", "events_lost.p(99.9)<=base", "events_lost.evicted.foo<=0",
            "events_lost.evictd.storage_limit<=0", "events_lost.evicted<=0", "events_lost.rejected.xyz<=0",
            "events_lost.rejected.99<=0", "events_lost.rejected.0413<=0", "events_lost.lost.expired<=0",
            "events_lost<=1e999", "events_lost<=base*1e999", "events_lost<=5", "events_lost<=-0.1",
            "events_lost<=base+5", "freshness_within_1h>=base-2", "freshness_within_1h{population:ios}>=95",
            "events_lost.rejected.413<=2", "events_not_kept<1.5",
        ])
    func wrongGates(_ text: String) {
        #expect(throws: ThresholdError.self) { try Gate.parse(text) }
    }

    @Test(
        "what is no share may have any limit, and a share those from 0 to 1",
        arguments: [
            "events_lost<=1", "events_lost<=base+1", "events_lost>=base-1", "events_lost<=base*5",
            "retry_amplification<=2", "http_reqs<=base+5", "batch_size.avg>=base-5",
        ])
    func rightGates(_ text: String) throws {
        #expect(try Gate.parse(text).text == text)
    }

    @Test("a single pair has no interval: nothing is worse, and gates judge its difference")
    func singlePair() throws {
        var request = ComparisonRequest()
        let plain = SyntheticLab.comparison(6, seeds: 1, loss: 0.02, worseBy: 0.05)
        #expect(plain.row("events_lost")?.word == .cannotTell)
        #expect(plain.exitCode == 0)
        request.gates = [try Gate.parse("events_lost<=base+0.01")]
        let gated = SyntheticLab.comparison(6, seeds: 1, loss: 0.02, worseBy: 0.05, request: request)
        #expect(gated.exitCode == 99)
    }

    @Test("bytes that were made are not held against bytes of a model")
    func modes() throws {
        var stream = RandomStream(key: 1)
        let cells = (0..<3).map { SyntheticLab.cell($0, loss: 0.01, stream: &stream) }
        var base = SyntheticLab.side(cells)
        base.bodies = "encode"
        var candidate = SyntheticLab.side(cells, "candidate")
        candidate.bodies = "measure"
        var request = ComparisonRequest()
        request.gates = [try Gate.parse("data_sent<=base")]
        let comparison = Comparison(base: base, candidate: candidate, request: request)
        #expect(comparison.row("data_sent")?.word == .refused)
        #expect(comparison.row("events_lost")?.word == .same)
        #expect(comparison.gates.first?.outcome == .cannotTell)
        #expect(comparison.warnings.contains { $0.contains("bytes") })
    }

    @Test("every form tells the verdict, and HTML and XML leave nothing unescaped")
    func forms() {
        let comparison = Comparison(
            base: SyntheticLab.side([], "<b>&"), candidate: SyntheticLab.side([], "x|y`"),
            request: ComparisonRequest())
        let html = String(decoding: ComparisonHTML.write(comparison), as: UTF8.self)
        #expect(!html.contains("<b>&"))
        #expect(html.contains("Content-Security-Policy"))
        let page = SyntheticLab.comparison(8, seeds: 5, loss: 0.02, worseBy: 0.01)
        for text in [
            String(decoding: ComparisonHTML.write(page), as: UTF8.self),
            String(decoding: ComparisonMarkdown.render(page), as: UTF8.self),
            String(decoding: ComparisonJSON.write(page), as: UTF8.self),
            String(decoding: ComparisonJUnit.render(page), as: UTF8.self),
            ComparisonText.render(page, color: false, width: 80),
        ] { #expect(text.contains("events_lost") || text.contains(#"events\_lost"#)) }
        let lines = ComparisonText.render(page, color: false, width: 80).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
    }
}

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
        #expect(LabText.verdict(report).hasSuffix("The rest is missing: the series was broken off."))
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
