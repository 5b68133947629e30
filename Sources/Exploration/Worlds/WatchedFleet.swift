import Accounting
import DeviceSDK
import Scenario
import Timebase
import Wire
import World

/// What fleets under watch have to tell when a run is over.
final class BoundsWatch {
    fileprivate(set) var trespasses: [String] = []
    fileprivate var undrained: [UInt32] = []
    fileprivate var open = 0
    fileprivate var openFetches = 0
    fileprivate var displaced: [UInt32] = []
    fileprivate var prefilled: UInt64 = 0
    fileprivate var carried: [Int: UInt64] = [:]
    fileprivate var lastStep = Interval.zero
    fileprivate(set) var bodies: UInt64 = 0
    /// How often devices were woken.
    fileprivate(set) var wakes: UInt64 = 0

    /// Says so once for each kind: a bound that is passed once is mostly passed often.
    fileprivate func note(_ text: String) {
        if trespasses.count < 8 { trespasses.append(text) }
    }

    func tell(_ outcome: inout Outcome) {
        outcome.trespasses += trespasses
        outcome.undrained += undrained
        outcome.openRequests += open
        outcome.openFetches += openFetches
        outcome.displaced += displaced
        outcome.prefilled += prefilled
        outcome.carried.merge(carried, uniquingKeysWith: +)
        outcome.lastStep = max(outcome.lastStep, lastStep)
    }
}

/// A fleet that is watched while an engine drives it: no device may hold more rows, or have more uploads in the air,
/// than its system's rules say.
final class WatchedFleet: ForwardingFleet {
    let base: any DeviceFleet
    private let watch: BoundsWatch
    private let bounds: StatedBounds
    private let population: String
    private let start: Instant
    private let place: Int
    private var devices: [Device]

    /// What is known of a device.
    private struct Device {
        var rows = 0
        /// Events of each upload that is in the air, by number.
        var uploads: [UInt32: UInt64] = [:]
        /// The number of its latest upload.
        var latest: UInt32?
        var fetches: Set<UInt32> = []
        var isDisplaced = false
        var isClosed = false
    }

    init(
        _ base: any DeviceFleet, plan: PopulationPlan, timeline: [TimelineEntry], watch: BoundsWatch
    ) {
        self.base = base
        self.watch = watch
        population = plan.name
        bounds = plan.statedBounds(disksFail: timeline.failsDisks)
        start = plan.start
        place = plan.index
        devices = Array(repeating: Device(), count: base.deviceCount)
    }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        watch.wakes += 1
        return watching(slot, at: now, &effects) { base.advance(slot, through: now, effects: &$0) }
    }

    func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        devices[slot].isDisplaced = change.kind != nil
        return watching(slot, at: now, &effects) { base.setNetwork(change, of: slot, at: now, effects: &$0) }
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        _ = end(request, of: slot)
        return watching(slot, at: now, &effects) {
            base.complete(slot, request: request, outcome: outcome, at: now, effects: &$0)
        }
    }

    func giveBack(
        _ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant,
        effects: inout DeviceEffects
    ) {
        let events = end(request, of: slot)
        // What had no network never counted.
        if network != .none { watch.carried[place, default: 0] -= events }
        watching(slot, at: now, &effects) {
            base.giveBack(slot, request: request, network: network, at: now, effects: &$0)
        }
    }

    func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        for slot in slots {
            if devices[slot].isClosed { watch.note("device \(base.globalNumber(of: slot)) was closed twice") }
            devices[slot].isClosed = true
            if base.isDraining(slot) { watch.undrained.append(base.globalNumber(of: slot)) }
            watch.open += devices[slot].uploads.count
            watch.openFetches += devices[slot].fetches.count
            if devices[slot].isDisplaced { watch.displaced.append(base.globalNumber(of: slot)) }
        }
        if slots.upperBound == base.deviceCount { watch.prefilled += base.prefilledCount }
        base.finish(slots, effects: &effects)
    }

    /// - Returns: The events of an upload.
    private func end(_ request: RequestNumber, of slot: Int) -> UInt64 {
        guard request.kind == .upload else {
            devices[slot].fetches.remove(request.number)
            return 0
        }
        if let events = devices[slot].uploads.removeValue(forKey: request.number) { return events }
        watch.note(
            "an answer to upload \(request.number) of device \(base.globalNumber(of: slot)), which is not open"
        )
        return 0
    }

    func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let before = body.count
        let head = base.encode(slot, request: request, at: now, into: &body)
        let hash = body.withUnsafeBytes { Hash128(UnsafeRawBufferPointer(rebasing: $0[before...])) }
        watch.bodies &+=
            RandomStream(key: hash.high ^ hash.low)
            .child(RandomStream.hash(of: head.path + head.headerLines))
            .child(UInt64(base.globalNumber(of: slot))).child(UInt64(request.number)).key
        return head
    }

    private func watching<Result>(
        _ slot: Int, at now: Instant, _ effects: inout DeviceEffects, _ step: (inout DeviceEffects) -> Result
    ) -> Result {
        watch.lastStep = max(watch.lastStep, now - start)
        let stored = base.storedCount
        let sealed = effects.sealed.count
        let (asked, died) = (effects.requests.count, effects.died.count)
        let result = step(&effects)
        devices[slot].rows += Int(base.storedCount) - Int(stored)
        if effects.died.count > died { (devices[slot].uploads, devices[slot].fetches) = ([:], []) }
        for request in effects.requests.dropFirst(min(asked, effects.requests.count)) {
            note(request, of: slot)
        }
        judge(slot, effects.sealed.dropFirst(sealed))
        return result
    }

    private func note(_ request: OutgoingRequest, of slot: Int) {
        let number = request.number.number
        guard request.number.kind == .upload else {
            devices[slot].fetches.insert(number)
            return
        }
        if let last = devices[slot].latest, number <= last {
            watch.note(
                "upload \(number) of device \(base.globalNumber(of: slot)) came after upload \(last)")
        }
        devices[slot].latest = number
        devices[slot].uploads[number] = UInt64(request.eventCount)
        if request.network != .none { watch.carried[place, default: 0] += UInt64(request.eventCount) }
    }

    private func judge(_ slot: Int, _ sealed: ArraySlice<SealedEvent>) {
        let device = base.globalNumber(of: slot)
        if devices[slot].rows < 0 || devices[slot].rows > bounds.rows {
            watch.note(
                "device \(device) of \(population) holds \(devices[slot].rows) rows; its limit is \(bounds.rows)"
            )
        }
        if devices[slot].uploads.count > bounds.uploads {
            watch.note(
                "device \(device) of \(population) has \(devices[slot].uploads.count) uploads in the air; its limit is "
                    + "\(bounds.uploads)")
        }
        for event in sealed where event.id.device != device {
            watch.note("device \(device) sealed event \(event.id.device)-\(event.id.sequence)")
        }
        for event in sealed where event.id.sequence >= base.capturedCount(of: slot) {
            watch.note("device \(device) sealed event \(event.id.sequence), which it did not capture")
        }
    }

    private func watching(
        _ slot: Int, at now: Instant, _ effects: inout DeviceEffects, _ step: (inout DeviceEffects) -> Void
    ) {
        let _: Bool = watching(slot, at: now, &effects) {
            step(&$0)
            return true
        }
    }
}

extension [TimelineEntry] {
    /// Whether a disk may refuse a device's writes.
    var failsDisks: Bool { contains { if case .disk = $0.change { true } else { false } } }
}
