import CollectorModel
import DeviceSDK
import GrowingSDK
import Measurement
package import Scenario
import Timebase
import VirtualEngine
import Wire
import World

/// Plays scenarios with requests that are written and read, and with events that pass by reference.
package enum BodyComparison {
    /// Plays a scenario both ways and compares everything but what was sent.
    ///
    /// - Returns: what is wrong, in sentences; empty if both are one.
    package static func disagreement(_ document: ScenarioDocument) -> [String] {
        let written = Worlds.virtualResult(document, sizes: nil)
        let models = written.populations.map { plan in
            CollectorSystem(rawValue: plan.system.systemName).map(BodySizeModel.init(nothingKnownOf:))
        }
        let carried = Worlds.virtualResult(document, sizes: BodySizes(models))
        var problems = Differences.between(written.outcome, carried.outcome, tolerating: [])
        problems += differences(written, carried)
        // An interceptor may change any byte.
        let mayBeWritten = written.populations.contains {
            ($0.system as? GrowingRules)?.interceptors.isEmpty == false
        }
        if carried.bodies > 0, !mayBeWritten { problems.append("\(carried.bodies) bodies were written") }
        return problems
    }

    private static func differences(
        _ written: Worlds.PlayedResult, _ carried: Worlds.PlayedResult
    ) -> [String] {
        var problems: [String] = []
        func demand(_ what: String, _ isEqual: Bool) { if !isEqual { problems.append("\(what) differ") } }
        let (left, right) = (written.result, carried.result)
        demand("the events in their order", written.record == carried.record)
        demand("receipts", left.receipts == right.receipts)
        demand("what the collector counted", left.statistics == right.statistics)
        demand("beliefs", left.recorder.beliefs == right.recorder.beliefs)
        demand(
            "unexpected answers",
            left.unexpectedAnswers.map(\.status) == right.unexpectedAnswers.map(\.status))
        let seconds = left.simulated.fractionalSeconds
        for (index, (one, other)) in zip(left.recorder.populations, right.recorder.populations).enumerated() {
            for (mine, theirs) in zip(one.metrics(seconds: seconds), other.metrics(seconds: seconds))
            where mine.name != "data_sent" && "\(mine.value)" != "\(theirs.value)" {
                problems.append("\(mine.name) of \(index): \(mine.value) there, \(theirs.value) here")
            }
        }
        return problems
    }
}

/// Counts the uploads that are written.
final class UploadCounter: ForwardingFleet {
    let base: any DeviceFleet
    private(set) var bodies = 0

    init(_ base: any DeviceFleet) { self.base = base }

    func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        if request.kind == .upload { bodies += 1 }
        return base.encode(slot, request: request, at: now, into: &body)
    }
}
