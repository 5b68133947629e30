import Measurement
import Testing
import Timebase

@testable import Reporting

@Suite("Tables of comparisons")
struct ComparisonTableTests {
    /// An entry's metrics in a run; its freshness where it has one.
    private func entry(_ name: String, lost: UInt64, freshness: Double?) -> Report.Entry {
        var metrics = [Metric("events_lost", .rate(passes: lost, fails: 1000 - lost))]
        if let freshness {
            var trend = TrendSummary()
            trend.count = 10
            trend.median = freshness / 2
            trend.p95 = freshness
            metrics.append(Metric("event_freshness", .trend(.summary(trend))))
        }
        return Report.Entry(name: name, mark: 0, metrics: metrics)
    }

    /// Six seeds, of which three have a freshness of the entry.
    private func comparison(_ request: ComparisonRequest = ComparisonRequest()) -> Comparison {
        func side(_ number: UInt64, _ label: String) -> Comparison.Side {
            let cells = (0..<6 as Range<UInt64>).map { seed in
                var stream = RandomStream(key: 5).child(seed)
                var cell = SyntheticLab.cell(seed, loss: 0.02, stream: &stream)
                let freshness: Double? =
                    seed < 3 ? 100_000 + Double(number) * 40_000 + Double(seed) * 300 : nil
                let lost: UInt64 = number > 0 ? 0 : seed == 0 ? 950 : 1000
                cell.entries = [entry("outage", lost: lost, freshness: freshness)]
                return cell
            }
            return SyntheticLab.side(cells, label)
        }
        return Comparison(base: side(0, "base"), candidate: side(1, "candidate"), request: request)
    }

    @Test("a verdict of fewer seeds than there are says of how many, in every form")
    func fewerSeeds() throws {
        var request = ComparisonRequest()
        request.gates = [try Gate.parse("event_freshness{entry:outage}.p(95)<=base")]
        let found = comparison(request)
        let row = try #require(found.row("event_freshness{entry:outage}.p(95)"))
        #expect(row.word == .worse && row.shortfall == "of 3 of 6 seeds")
        #expect(found.row("events_lost")?.shortfall == nil)
        #expect(found.gates.first?.reason.hasSuffix("of 3 of 6 seeds") == true)
        let terminal = ComparisonText.render(found, color: false, width: 80)
        #expect(terminal.contains("\n      of 3 of 6 seeds\n"))
        for bytes in [ComparisonHTML.write(found), ComparisonMarkdown.render(found)] {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("worse, of 3 of 6 seeds") || text.contains("**worse**, of 3 of 6 seeds"))
        }
    }

    @Test("no two figures have one label, and no line is too long", arguments: [80, 104, 120, 160])
    func labels(width: Int) throws {
        let lines = ComparisonText.render(comparison(), color: false, width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= width })
        let start = try #require(lines.firstIndex { $0.contains("FIGURES") })
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("    ") && !$0.contains("Left out: ") }
            .filter { !$0.hasPrefix("      ") }
        let labels = rows.map { $0.split(separator: " ")[0] }
        #expect(
            labels.contains {
                $0.hasPrefix("event_f") && $0.hasSuffix(".p(95)") && $0 != "event_freshness.p(95)"
            })
        #expect(Set(labels).count == labels.count)
    }

    @Test(
        "names of one length are all told whole, beside their figures or all on lines of their own",
        arguments: 60...110)
    func sameLength(width: Int) throws {
        let row = try #require(comparison().row("events_lost{entry:outage}"))
        var rows = [row, row, row]
        for (index, name) in ["within_1m", "within_1h", "elsewhere"].enumerated() {
            rows[index].figure.name = "freshness_\(name){entry:outage}"
        }
        let lines = ComparisonTable(rows, paint: Paint(isOn: false), width: width).lines
        #expect(!lines.contains { $0.contains("…") })
        #expect(rows.allSatisfy { row in lines.contains { $0.hasPrefix(row.figure.name) } })
        #expect(lines.count == 4 || lines.count == 7)
        #expect(lines.allSatisfy { $0.count <= width })
    }

    @Test("names that would be cut to the same are told whole, and columns never touch")
    func wide() throws {
        let found = comparison()
        let row = try #require(found.row("events_lost{entry:outage}"))
        var twins = [row, row]
        twins[0].figure.name = "events_lost{entry:a-long-name-of-one-outage-on-the-first-day}"
        twins[1].figure.name = "events_lost{entry:a-long-name-of-two-outage-on-the-first-day}"
        let lines = ComparisonTable(twins, paint: Paint(isOn: false), width: 76).lines
        #expect(lines.count == 5)
        #expect(twins.allSatisfy { lines.contains($0.figure.name) })
        let line = try #require(ComparisonTable([row], paint: Paint(isOn: false), width: 156).lines.last)
        let interval = ComparisonText.interval(row)
        #expect(interval.count > 24 && line.contains(" \(interval) "))
        #expect(!line.contains("pt["))
    }

    @Test("a gate on a figure without samples names itself")
    func withoutSamples() throws {
        var request = ComparisonRequest()
        request.gates = [try Gate.parse("radio_seconds <= base*2")]
        let found = comparison(request)
        #expect(found.gates.first?.outcome == .fails)
        #expect(
            found.gates.first?.reason
                == "radio_seconds <= base*2: radio_seconds has no samples to hold against it")
    }

    @Test("a gate that cannot be held against bytes names itself")
    func bytes() throws {
        var request = ComparisonRequest()
        request.gates = [try Gate.parse("data_sent<=base*2")]
        var one = comparison().base
        one.bodies = "encode"
        var other = comparison().candidate
        other.bodies = "measure"
        let found = Comparison(base: one, candidate: other, request: request)
        #expect(found.gates.first?.reason.hasPrefix("data_sent<=base*2: bytes were made") == true)
    }
}
