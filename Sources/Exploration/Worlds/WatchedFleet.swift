import Accounting
import DeviceSDK
import Scenario
import Timebase
import World

/// What fleets under watch have to tell when a run is over.
final class BoundsWatch {
    fileprivate(set) var trespasses: [String] = []
    fileprivate var undrained: [UInt32] = []
    fileprivate var open = 0
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
    }
}

/// A fleet that is watched while an engine drives it: no device may hold more rows, or have more uploads in the air,
/// than its system's rules say.
final class WatchedFleet: ForwardingFleet {
    let base: any DeviceFleet
    private let watch: BoundsWatch
    private let bounds: StatedBounds
    private let population: String
    private var rows: [Int]
    private var uploads: [Set<UInt32>]
    private var isClosed: [Bool]

    init(
        _ base: any DeviceFleet, plan: PopulationPlan, timeline: [TimelineEntry], watch: BoundsWatch
    ) {
        self.base = base
        self.watch = watch
        population = plan.name
        bounds = plan.statedBounds(disksFail: timeline.failsDisks)
        rows = Array(repeating: 0, count: base.deviceCount)
        uploads = Array(repeating: [], count: base.deviceCount)
        isClosed = Array(repeating: false, count: base.deviceCount)
    }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        watch.wakes += 1
        return watching(slot, &effects) { base.advance(slot, through: now, effects: &$0) }
    }

    func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        watching(slot, &effects) { base.setNetwork(change, of: slot, at: now, effects: &$0) }
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        end(request, of: slot)
        return watching(slot, &effects) {
            base.complete(slot, request: request, outcome: outcome, at: now, effects: &$0)
        }
    }

    func giveBack(
        _ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant,
        effects: inout DeviceEffects
    ) {
        end(request, of: slot)
        watching(slot, &effects) {
            base.giveBack(slot, request: request, network: network, at: now, effects: &$0)
        }
    }

    func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        for slot in slots {
            if isClosed[slot] { watch.note("device \(base.globalNumber(of: slot)) was closed twice") }
            isClosed[slot] = true
            if base.isDraining(slot) { watch.undrained.append(base.globalNumber(of: slot)) }
            watch.open += uploads[slot].count
        }
        base.finish(slots, effects: &effects)
    }

    private func end(_ request: RequestNumber, of slot: Int) {
        guard request.kind == .upload, uploads[slot].remove(request.number) == nil else { return }
        watch.note(
            "an answer to upload \(request.number) of device \(base.globalNumber(of: slot)), which is not open"
        )
    }

    private func watching<Result>(
        _ slot: Int, _ effects: inout DeviceEffects, _ step: (inout DeviceEffects) -> Result
    ) -> Result {
        let stored = base.storedCount
        let sealed = effects.sealed.count
        let (asked, died) = (effects.requests.count, effects.died.count)
        let result = step(&effects)
        rows[slot] += Int(base.storedCount) - Int(stored)
        if effects.died.count > died { uploads[slot] = [] }
        for request in effects.requests.dropFirst(min(asked, effects.requests.count))
        where request.number.kind == .upload {
            if !uploads[slot].insert(request.number.number).inserted {
                watch.note("upload \(request.number.number) of device \(base.globalNumber(of: slot)) twice")
            }
        }
        judge(slot, effects.sealed.dropFirst(sealed))
        return result
    }

    private func judge(_ slot: Int, _ sealed: ArraySlice<SealedEvent>) {
        let device = base.globalNumber(of: slot)
        if rows[slot] < 0 || rows[slot] > bounds.rows {
            watch.note(
                "device \(device) of \(population) holds \(rows[slot]) rows; its limit is \(bounds.rows)")
        }
        if uploads[slot].count > bounds.uploads {
            watch.note(
                "device \(device) of \(population) has \(uploads[slot].count) uploads in the air; its limit is "
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
        _ slot: Int, _ effects: inout DeviceEffects, _ step: (inout DeviceEffects) -> Void
    ) {
        let _: Bool = watching(slot, &effects) {
            step(&$0)
            return true
        }
    }
}

extension [TimelineEntry] {
    /// Whether a disk may refuse a device's writes.
    var failsDisks: Bool { contains { if case .disk = $0.change { true } else { false } } }
}
