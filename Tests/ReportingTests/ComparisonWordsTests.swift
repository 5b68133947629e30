import Measurement
import Testing
import Timebase
import Wire

@testable import Rendering
@testable import Reporting

@Suite("Words of comparisons")
struct ComparisonWordsTests {
    /// Runs of these seeds on both sides.
    private func comparison(
        _ base: [UInt64], _ candidate: [UInt64], mode: Report.Mode = .virtual, gates: [String] = []
    ) throws -> Comparison {
        func side(_ seeds: [UInt64], _ label: String) -> Comparison.Side {
            let cells = seeds.map { seed in
                var stream = RandomStream(key: 3).child(seed)
                return SyntheticLab.cell(seed, loss: 0.02, stream: &stream)
            }
            var side = SyntheticLab.side(cells, label)
            side.mode = mode
            return side
        }
        var request = ComparisonRequest()
        request.gates = try gates.map { try Gate.parse($0) }
        return Comparison(base: side(base, "base"), candidate: side(candidate, "candidate"), request: request)
    }

    @Test("two single runs are a pair only if they have one seed")
    func singleRuns() throws {
        let gates = ["events_lost<=base+0.5"]
        let pair = try comparison([4], [4], gates: gates)
        #expect(pair.isPaired && ComparisonText.held(pair) == "1 common seed")
        #expect(pair.gates.first?.reason.hasSuffix(", on a single pair") == true)
        #expect(pair.warnings.contains { $0.hasPrefix("a single pair has no interval") })
        for (one, other, mode) in [(4, 5, .virtual), (4, 4, .live)] as [(UInt64, UInt64, Report.Mode)] {
            let apart = try comparison([one], [other], mode: mode, gates: gates)
            #expect(!apart.isPaired && ComparisonText.held(apart) == "one run each, unpaired")
            #expect(apart.method.contains("Welch"))
            #expect(apart.gates.first?.reason.hasSuffix(", and one run on a side has no interval") == true)
            #expect(apart.warnings.contains { $0.hasPrefix("one run on a side has no interval") })
            #expect(!apart.warnings.contains { $0.contains("pair") })
        }
    }

    @Test("variants whose names differ at their ends alone have heads that differ", arguments: [80, 120])
    func heads(width: Int) throws {
        let names = ["a-policy-with-a-long-name-of-10s", "a-policy-with-a-long-name-of-60s"]
        var report = LabReport(
            toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            mode: .virtual, seeds: [1], variants: [])
        report.variants = names.map { name in
            var stream = RandomStream(key: 3)
            return LabReport.Variant(name: name, cells: [SyntheticLab.cell(1, loss: 0.02, stream: &stream)])
        }
        let text = LabText.render(report, comparisons: [], color: false, width: width)
        let head = try #require(text.split(separator: "\n").first { $0.contains("a-policy") })
        let heads = head.split(separator: " ")
        #expect(heads.count == 2 && heads[0].hasSuffix("of-10s") && heads[1].hasSuffix("of-60s"), "\(head)")
    }

    /// Of a run on this scenario, and of one on another.
    private func pair(_ base: String, _ candidate: String) throws -> Comparison {
        func side(_ text: String, _ label: String) throws -> Comparison.Side {
            var stream = RandomStream(key: 3)
            let cells = [SyntheticLab.cell(1, loss: 0.02, stream: &stream)]
            return SyntheticLab.side(
                cells, label, resolved: try JSONReader.readStrictly(Array(text.utf8)))
        }
        return Comparison(
            base: try side(base, "base"), candidate: try side(candidate, "candidate"),
            request: ComparisonRequest())
    }

    @Test(
        "scenarios that differ in more than a policy are told in every form, and get no verdict where nobody asked"
    )
    func worlds() throws {
        let policy = try pair(#"{"name": "a"}"#, #"{"name": "b"}"#)
        let other = try pair(#"{"duration": "1m", "timeline": [1]}"#, #"{"duration": "2m"}"#)
        let words =
            "the scenarios differ in more than their policies (/duration, /timeline): a difference of figures says "
            + "nothing of a policy"
        #expect(other.warnings.first == words && !policy.warnings.contains { $0.contains("more than their") })
        for (comparison, word) in [(policy, "Passed"), (other, "No verdict")] {
            var html = Markup()
            ComparisonHTML.write(comparison, prefix: "p-", into: &html)
            #expect(html.text.contains("<p class=\"word\">\(word)</p>"))
            #expect(html.text.contains("<h4") && !html.text.contains("<h2"))
        }
    }

    @Test("what did not pass is called what it is: a simulation, or a live run")
    func nouns() throws {
        for (mode, noun) in [(Report.Mode.virtual, "simulation"), (.live, "live run")] {
            func failed(_ seeds: ClosedRange<UInt64>, _ label: String) -> Comparison.Side {
                let cells = seeds.map { seed in
                    var cell = LabReport.Cell(seed: seed)
                    (cell.verdict, cell.exitCode) = (.failed, 99)
                    if seeds.count == 1 { cell.reason = "The books do not balance." }
                    return cell
                }
                var side = SyntheticLab.side(cells, label)
                (side.mode, side.run) = (mode, "one")
                return side
            }
            let warnings = Comparison(
                base: failed(1...3, "a"), candidate: failed(1...1, "b"), request: ComparisonRequest()
            ).warnings
            #expect(
                warnings.contains("a: 3 of 3 \(noun)s did not pass (seed 1: failed, exit code 99)"),
                "\(warnings)")
            #expect(
                warnings.contains(
                    "b: 1 of 1 \(noun) did not pass (seed 1: failed, exit code 99: The books do not balance.)"
                ),
                "\(warnings)")
            #expect(
                warnings.contains("2 \(noun)s of seeds that only one of the two has are left out"),
                "\(warnings)")
        }
    }

    @Test("one run against several has no interval either, and is judged by its difference")
    func oneAgainstSeveral() throws {
        let found = try comparison(
            [4], [5, 6, 7], gates: ["events_lost<=base+0.5", "events_lost<=base-0.5"])
        #expect(!found.isPaired && ComparisonText.held(found) == "1 and 3 runs, unpaired")
        #expect(found.row("events_lost")?.difference?.interval == nil)
        #expect(found.gates.map(\.outcome) == [.holds, .fails])
    }

    /// Runs that lost so many of a thousand events, of the seeds from 1 on.
    private func side(_ lost: [UInt64], _ label: String) -> Comparison.Side {
        let cells = lost.enumerated().map { index, lost in
            var cell = LabReport.Cell(seed: UInt64(index + 1))
            var trend = TrendSummary()
            trend.count = 1000
            trend.p95 = 5000 + Double(lost)
            cell.metrics = [
                Metric("events_lost", .rate(passes: lost, fails: 1000 - lost)),
                Metric("event_freshness", .trend(.summary(trend))),
                Metric("freshness_within_1h", .rate(passes: 1000 - lost, fails: lost)),
                Metric("data_sent", .counter(count: 1e6, perSecond: 1)),
            ]
            return cell
        }
        return SyntheticLab.side(cells, label)
    }

    @Test("of a variant all is told that is not the same, be it neither worse nor better")
    func summary() {
        func side(_ captured: [Double], bodies: String) -> Comparison.Side {
            let cells = captured.enumerated().map { index, captured in
                var cell = LabReport.Cell(seed: UInt64(index))
                cell.metrics = [
                    Metric("events_captured", .counter(count: captured, perSecond: 1)),
                    Metric("data_sent", .counter(count: 1e6, perSecond: 1)),
                ]
                return cell
            }
            var side = SyntheticLab.side(cells, "x")
            side.bodies = bodies
            return side
        }
        func summary(_ base: [Double], _ candidate: [Double], bodies: String = "encode") -> String {
            LabText.summary(
                Comparison(
                    base: side(base, bodies: "encode"), candidate: side(candidate, bodies: bodies),
                    request: ComparisonRequest()))
        }
        let (few, many) = ([1000, 1010] as [Double], [1200, 1212] as [Double])
        #expect(summary(few, many) == "x: higher: events_captured +20.0 %")
        #expect(summary(many, few) == "x: lower: events_captured −16.7 %")
        #expect(summary(few, few) == "x: the same in every figure")
        #expect(summary(few, few, bodies: "measure").hasSuffix(" refused"))
    }

    @Test("a comment of a pull request has every figure that tells something, also where all are the same")
    func wholeTable() {
        let names = [
            "events_captured", "events_duplicated", "retries", "config_fetches", "http_reqs", "data_sent",
            "data_received", "radio_seconds", "radio_wakeups",
        ]
        func side(more: Double) -> Comparison.Side {
            let cells = ([0, 1] as [UInt64]).map { seed in
                var cell = LabReport.Cell(seed: seed)
                cell.metrics = names.map { Metric($0, .counter(count: 100, perSecond: 1)) }
                cell.metrics[5] = Metric("data_sent", .counter(count: 100 + more, perSecond: 1))
                return cell
            }
            return SyntheticLab.side(cells)
        }
        for more in [0.0, 50] {
            let comparison = Comparison(
                base: side(more: 0), candidate: side(more: more), request: ComparisonRequest())
            let lines = String(decoding: ComparisonMarkdown.render(comparison), as: UTF8.self)
                .split(separator: "\n")
            // Each table has two lines of its own.
            let tables = lines.count { $0.hasPrefix("| figure |") }
            let rows = lines.count { $0.hasPrefix("| ") } - 2 * tables
            #expect(rows == names.count && rows == ComparisonText.shown(comparison).count)
        }
    }

    @Test("a figure without samples on one side is told, and on both is not said to be 0")
    func withoutSamples() throws {
        func side(_ metrics: [Metric]) -> Comparison.Side {
            let cells = ([0, 1] as [UInt64]).map { seed in
                var cell = LabReport.Cell(seed: seed)
                cell.metrics = metrics
                return cell
            }
            return SyntheticLab.side(cells)
        }
        let none = MetricValue.rate(passes: 0, fails: 0)
        let both = [
            Metric("http_req_failed", none), Metric("retries", .counter(count: 0, perSecond: 0)),
            Metric("config_fetches", .counter(count: 0, perSecond: 0)),
        ]
        let comparison = Comparison(
            base: side(both + [Metric("freshness_within_1m", none)]),
            candidate: side(both + [Metric("freshness_within_1m", .rate(passes: 0, fails: 9))]),
            request: ComparisonRequest())
        let shown = ComparisonText.shown(comparison).map(\.figure.name)
        #expect(shown.contains("freshness_within_1m"))
        #expect(!shown.contains("http_req_failed") && !shown.contains("retries"))
        let left = comparison.rows.filter { !shown.contains($0.figure.name) }
        let zeros = left.count { $0.base == 0 }
        let unmeasured = left.count { $0.base == nil }
        #expect(zeros + unmeasured == left.count && zeros >= 2 && unmeasured >= 1)
        let said = try #require(ComparisonText.omitted(comparison))
        #expect(said.hasPrefix("Left out: \(zeros) figures that are 0 in both, \(unmeasured) figure"))
        #expect(said.hasSuffix(" without samples in both."))
    }

    @Test("what cannot be told ends the sentence, by the figure's name or by the gate")
    func doubts() throws {
        let (base, candidate) = (side([10, 300], "base"), side([150, 160], "candidate"))
        var request = ComparisonRequest()
        func verdict() -> String {
            ComparisonText.verdict(Comparison(base: base, candidate: candidate, request: request))
        }
        #expect(
            verdict()
                == "No regression is shown, but it cannot be told whether events_lost, "
                + "event_freshness.p(95) and freshness_within_1h got worse.")
        request.isStrict = true
        request.gates = [try Gate.parse("events_lost<=base"), try Gate.parse("data_sent<=base+1")]
        #expect(verdict() == "Failed (--strict): it cannot be told whether events_lost<=base holds.")
        request.isStrict = false
        request.gates.append(try Gate.parse("event_freshness.p(95)<=base"))
        #expect(
            verdict()
                == "No gate failed, but it cannot be told whether events_lost<=base and "
                + "event_freshness.p(95)<=base hold.")
    }
}
