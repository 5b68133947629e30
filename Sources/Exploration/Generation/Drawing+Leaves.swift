import Timebase
import Wire

/// Values that hold no others.
extension Drawing {
    /// The bounds, the default, something between: small numbers more often.
    func integer(
        _ range: ClosedRange<Int>, _ schema: JSONNode, _ rule: DrawingRule?, _ draw: inout RandomStream
    ) -> Int {
        let usual = schema["default"]?.digits.flatMap { Int($0) }
        let most = max(range.lowerBound, min(range.upperBound, rule?.most ?? max(200, 2 * (usual ?? 0))))
        switch draw.below(10) {
        case 0, 1: return range.lowerBound
        case 2: return min(most, range.lowerBound + 1)
        case 3 where usual.map { $0 <= most } ?? false: return usual ?? range.lowerBound
        case 4: return most
        default:
            let span = Double(most - range.lowerBound) + 1
            return range.lowerBound + Int(WorldFrame.logUniform(1, span, &draw)) - (draw.chance(0.5) ? 1 : 0)
        }
    }

    func number(_ range: ClosedRange<Double>, _ draw: inout RandomStream) -> Double {
        let high = min(range.upperBound, 100)
        let low = max(range.lowerBound, -100)
        switch draw.below(6) {
        case 0: return low
        case 1: return high
        default: return ((low + draw.uniform() * (high - low)) * 1000).rounded() / 1000
        }
    }

    func text(_ schema: JSONNode, _ path: [String], _ draw: inout RandomStream) -> JSONNode? {
        switch format.kind(of: schema) {
        case .duration: return .text(duration(&draw))
        case .rate:
            let perHour = Int(
                WorldFrame.logUniform(1, max(2, frame.actions * 7.2e6 / Double(frame.duration)), &draw))
            return .text("\(perHour)/h")
        case .instant: return .text("2026-03-02T23:59:00+08:00")
        case .offset: return .text(["Z", "+08:00", "-05:30", "+14:00"][Int(draw.below(4))])
        case .plain: return [.text("x"), .int(7), .number(0.5), .bool(true)][Int(draw.below(4))]
        default:
            if let known = schema["examples"]?.elements, !known.isEmpty {
                return known[Int(draw.below(UInt64(known.count)))]
            }
            return .text(["Alpha", "x-1", "Home"][Int(draw.below(3))])
        }
    }

    /// From nothing through moments to longer than the run.
    private func duration(_ draw: inout RandomStream) -> String {
        let run = Double(frame.duration)
        switch draw.below(12) {
        case 0: return "0s"
        case 1: return "\(1 + draw.below(100))ms"
        case 2: return frame.text(milliseconds: Int64(run * (1 + 2 * draw.uniform())))
        default:
            return frame.text(milliseconds: Int64(WorldFrame.logUniform(max(50, run / 500), run, &draw)))
        }
    }

    func child(_ stream: RandomStream, _ name: String) -> RandomStream {
        stream.child(RandomStream.hash(of: name))
    }
}
