import Measurement
import Testing

@testable import Reporting

@Suite("Gates on their limit")
struct GateRoundingTests {
    /// Runs that sent as many bytes, and lost as many of ten events.
    private func side(_ sent: [Double], lost: UInt64 = 0, mode: Report.Mode) -> Comparison.Side {
        let cells = sent.enumerated().map { index, sent in
            var cell = LabReport.Cell(seed: UInt64(index))
            cell.metrics = [
                Metric("data_sent", .counter(count: sent, perSecond: 1)),
                Metric("events_lost", .rate(passes: lost, fails: 10 - lost)),
            ]
            return cell
        }
        var side = SyntheticLab.side(cells)
        side.mode = mode
        return side
    }

    private func gate(
        _ text: String, _ base: [Double], _ candidate: [Double], lost: (UInt64, UInt64) = (0, 0),
        mode: Report.Mode = .virtual
    ) throws -> Comparison.GateResult {
        var request = ComparisonRequest()
        request.gates = [try Gate.parse(text)]
        let comparison = Comparison(
            base: side(base, lost: lost.0, mode: mode), candidate: side(candidate, lost: lost.1, mode: mode),
            request: request)
        return try #require(comparison.gates.first)
    }

    /// 50 * 1.1 is a little more than 55.
    @Test("a value on its limit is neither beyond it nor short of it, whatever rounding makes of the limit")
    func onLimit() throws {
        let sides: [(base: [Double], candidate: [Double])] = [([50], [55]), ([50, 50, 50], [55, 55, 55])]
        for (base, candidate) in sides {
            for mode in Report.Mode.allCases {
                for (symbol, outcome) in [
                    (">=", .holds), ("<=", .holds), (">", .fails), ("<", .fails),
                ] as [(String, Comparison.GateResult.Outcome)] {
                    let found = try gate("data_sent\(symbol)base*1.1", base, candidate, mode: mode)
                    #expect(found.outcome == outcome, "\(found.reason)")
                    #expect(found.reason.contains("the candidate is 0 from the limit"), "\(found.reason)")
                    #expect(!found.reason.contains("−0") && !found.reason.contains("+0"), "\(found.reason)")
                }
            }
        }
        // Of sums and of numbers, too.
        #expect(try gate("events_lost>=base+0.2", [1], [1], lost: (1, 3)).outcome == .holds)
        #expect(try gate("events_lost<=base-0.2", [1], [1], lost: (3, 1)).outcome == .holds)
        #expect(try gate("events_lost>=0.3", [1], [1], lost: (0, 3)).outcome == .holds)
    }

    @Test("what is more than rounding beyond its limit is beyond it")
    func beyond() throws {
        #expect(try gate("data_sent<=base*1.1", [50], [55.000001]).outcome == .fails)
        #expect(try gate("data_sent>=base*1.1", [50], [54.999999]).outcome == .fails)
        #expect(try gate("events_lost<=0", [1], [1], lost: (0, 1)).outcome == .fails)
    }

    @Test("what rounds to nothing has no sign")
    func words() throws {
        let (sent, age) = (try Figure.parse("data_sent"), try Figure.parse("event_freshness.avg"))
        #expect(ComparisonText.signed(-1e-15, sent) == "0 B" && ComparisonText.signed(1e-15, age) == "0 µs")
        #expect(ComparisonText.signed(-2, sent) == "−2 B" && ComparisonText.signed(0.5, age) == "+500 µs")
    }
}
