package import Timebase
package import World

/// A fleet that tells what happens on some of its devices, whatever engine drives it.
///
/// It looks at what another fleet asks of the engine, call by call, and changes nothing. Who traces nobody makes no such
/// fleet, so that tracing costs nothing where it is off. Confined to the engine's thread, as every fleet is.
package final class TracingFleet: ForwardingFleet {
    /// Hears of a device, by its number in the run, in the order in which things happen on it.
    package typealias Listener = @Sendable (_ device: UInt32, _ step: TraceStep) -> Void

    package let base: any DeviceFleet
    private let listener: Listener
    /// The traced devices' numbers, by slot.
    private var numbers: [Int: UInt32] = [:]
    /// Rows on each of them.
    private var stored: [Int: Int] = [:]
    private var carried = CarriedEvents()

    /// Traces those of the devices that a fleet has.
    ///
    /// - Parameter devices: By their numbers in the run.
    /// - Returns: the fleet itself if it has none of them.
    /// - Complexity: O(devices of the fleet).
    package static func tracing(
        _ devices: Set<UInt32>, of fleet: any DeviceFleet, listener: @escaping Listener
    ) -> any DeviceFleet {
        let slots = (0..<fleet.deviceCount).filter { devices.contains(fleet.globalNumber(of: $0)) }
        return slots.isEmpty ? fleet : TracingFleet(fleet, slots: slots, listener: listener)
    }

    private init(_ base: any DeviceFleet, slots: [Int], listener: @escaping Listener) {
        self.base = base
        self.listener = listener
        for slot in slots { numbers[slot] = base.globalNumber(of: slot) }
        // A look, and no upload.
        carried.areSent = false
    }

    package func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        guard let device = numbers[slot] else {
            return base.advance(slot, through: now, effects: &effects)
        }
        let before = Before(base, slot, effects)
        let next = base.advance(slot, through: now, effects: &effects)
        tell(of: device, slot, since: before, at: now, effects)
        return next
    }

    package func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        guard let device = numbers[slot] else {
            return base.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
        }
        let before = Before(base, slot, effects)
        let next = base.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
        let end: TracedEnd =
            switch outcome {
            case .answered(let status, _, _, _):
                .answered(status: status, isAcknowledged: effects.isAcknowledged)
            case .failed(let failure): .failed(failure)
            }
        listener(device, TraceStep(at: now, .ended(request, end)))
        tell(of: device, slot, since: before, at: now, effects)
        return next
    }

    package func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant) {
        base.giveBack(slot, request: request, network: network, at: now)
        guard let device = numbers[slot] else { return }
        listener(device, TraceStep(at: now, .ended(request, .givenBack)))
    }

    package func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        guard let device = numbers[slot] else {
            return base.setNetwork(change, of: slot, at: now, effects: &effects)
        }
        let before = Before(base, slot, effects)
        let next = base.setNetwork(change, of: slot, at: now, effects: &effects)
        listener(device, TraceStep(at: now, .network(change.kind)))
        tell(of: device, slot, since: before, at: now, effects)
        return next
    }

    /// Devices are finished one by one where some are traced: an engine does not tell when.
    package func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        for slot in slots {
            guard let device = numbers[slot] else {
                base.finish(slot..<slot + 1, effects: &effects)
                continue
            }
            let before = Before(base, slot, effects)
            base.finish(slot..<slot + 1, effects: &effects)
            listener(device, TraceStep(at: .distantFuture, .finished))
            tell(of: device, slot, since: before, at: .distantFuture, effects)
        }
    }
}

extension TracingFleet {
    /// How far things were before a call.
    private struct Before {
        let captured: UInt32
        let stored: UInt64
        let requests: Int
        let edition: Int
        let isLatched: Bool
        let died: Int
        let sealed: Int

        init(_ fleet: any DeviceFleet, _ slot: Int, _ effects: DeviceEffects) {
            captured = fleet.capturedCount(of: slot)
            stored = fleet.storedCount
            edition = fleet.edition(of: slot)
            isLatched = fleet.isLatched(slot)
            requests = effects.requests.count
            died = effects.died.count
            sealed = effects.sealed.count
        }
    }

    /// Tells what a call has added to the effects.
    private func tell(
        of device: UInt32, _ slot: Int, since before: Before, at now: Instant, _ effects: DeviceEffects
    ) {
        let change = Int64(bitPattern: base.storedCount) - Int64(bitPattern: before.stored)
        stored[slot, default: 0] += Int(change)
        let edition = base.edition(of: slot)
        if edition != before.edition { listener(device, TraceStep(at: now, .updated(edition))) }
        let captured = base.capturedCount(of: slot)
        if captured > before.captured {
            let step = TraceStep.What.captured(before.captured..<captured, stored: stored[slot] ?? 0)
            listener(device, TraceStep(at: now, step))
        }
        if effects.died.count > before.died { listener(device, TraceStep(at: now, .died)) }
        for event in effects.sealed.dropFirst(before.sealed) {
            listener(device, TraceStep(at: now, .sealed(event)))
        }
        let isLatched = base.isLatched(slot)
        if isLatched != before.isLatched, isLatched || effects.died.count == before.died {
            listener(device, TraceStep(at: now, .latched(isLatched)))
        }
        // A death takes back what was asked for in its very call, also by an earlier call of the same step.
        for request in effects.requests.dropFirst(min(before.requests, effects.requests.count)) {
            listener(device, TraceStep(at: now, .asked(traced(request, slot, at: now))))
        }
    }

    private func traced(_ request: OutgoingRequest, _ slot: Int, at now: Instant) -> TracedRequest {
        var sequences: [UInt32]?
        if request.number.kind == .upload {
            carried.removeAll()
            if base.carry(slot, request: request.number, at: now, into: &carried) != nil {
                sequences = carried.sequences.sorted()
            }
        }
        return TracedRequest(
            number: request.number, plannedAt: request.plannedAt, network: request.network,
            eventCount: Int(request.eventCount), carried: sequences)
    }
}
