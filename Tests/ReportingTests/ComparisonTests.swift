import Measurement
import Testing
import Timebase
import Wire

@testable import Reporting

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

    @Test(
        "of runs without any event, or that tell no figure that decides, it cannot be told; strict fails then",
        arguments: [true, false])
    func withoutSamples(hasMetrics: Bool) {
        let cells = (0..<3 as Range<UInt64>).map { seed in
            var cell = LabReport.Cell(seed: seed)
            guard hasMetrics else { return cell }
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
            let others: Comparison.Word? = hasMetrics ? .same : nil
            #expect(comparison.row("events_captured")?.word == others)
            #expect(comparison.row("event_freshness.med")?.word == others)
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
            "events_lost<=1e999", "events_lost<=base*1e999", "http_reqs<=base*2e305", "events_lost<=5",
            "events_lost<=-0.1",
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
