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
