import DeviceSDK
import Scenario
import Synchronization
import Timebase
import World

/// Looks whether the order in which a collector hears a device's uploads is left to the network.
final class UploadRaces: Sendable {
    private struct State {
        /// When the uploads in the air were asked for, by device.
        var open: [UInt32: [RequestNumber: Instant]] = [:]
        var areFound = false
    }

    private let slack: Interval
    private let state = Mutex(State())

    private init(within slack: Interval) { self.slack = slack }

    /// Whether a device of a scenario asks for an upload sooner than `slack` after another of its own that is still in the
    /// air, where each answer takes that long.
    static func happen(in document: ScenarioDocument, within slack: Interval) -> Bool {
        let races = UploadRaces(within: slack)
        _ = Worlds.virtual(document, serviceTime: slack) { plan, share in
            let fleet = Worlds.inMemory(plan, share)
            let devices = Set((0..<fleet.deviceCount).map { fleet.globalNumber(of: $0) })
            return TracingFleet.tracing(devices, of: fleet) { races.hear(of: $0, $1) }
        }
        return races.state.withLock { $0.areFound }
    }

    private func hear(of device: UInt32, _ step: TraceStep) {
        state.withLock { state in
            switch step.what {
            case .asked(let request) where request.number.kind == .upload && request.network != .none:
                let others = state.open[device, default: [:]].values
                if others.contains(where: { step.at - $0 < slack }) { state.areFound = true }
                state.open[device, default: [:]][request.number] = step.at
            case .ended(let number, _):
                state.open[device]?[number] = nil
            default:
                // What a process had in the air when it died may still arrive.
                break
            }
        }
    }
}
