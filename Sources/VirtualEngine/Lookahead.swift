import DeviceSDK
import Measurement
import Timebase

/// What devices ask for that ran ahead of the clock (``DeviceSDK/RunAhead``), and how far they may.
///
/// What such a device asks for waits until the clock has come to that moment, so that everything that others see happens
/// in the same order as if each device were woken at its time.
struct Lookahead {
    /// Whether devices may run ahead at all in this run.
    var isAllowed = false
    /// Devices may run to the moments before it.
    private(set) var limit = Lookahead.never
    /// The latest moment that a device has come to.
    private(set) var reached = Lookahead.never
    /// Whether the users are to stop once the clock is where the devices are.
    private(set) var isStopping = false
    /// Moments at which devices were awake ahead of the clock.
    private(set) var wakes: UInt64 = 0
    private var waiting: ContiguousArray<Asked> = []
    private var free: ContiguousArray<UInt32> = []

    private static let never = Instant(nanoseconds: .min)

    private struct Asked {
        var device: Int
        var next: Instant
        var effects: DeviceEffects
    }

    /// Whether no device is ahead of a moment, but for what it has done in that very moment.
    func isReached(by now: Instant) -> Bool { now > reached }

    /// Devices may run to the moments before one, or not at all.
    mutating func allow(before limit: Instant?) {
        self.limit = isAllowed && !isStopping ? limit ?? Lookahead.never : Lookahead.never
    }

    mutating func forbid() {
        (isAllowed, isStopping) = (false, false)
        limit = Lookahead.never
    }

    /// No device goes further ahead; the users stop once the clock is where the devices are.
    mutating func stop() {
        isStopping = true
        limit = Lookahead.never
    }

    mutating func note(_ run: RunAhead) {
        wakes += run.wakes
        reached = max(reached, run.moment)
    }

    /// Keeps what a device asked for, and empties it.
    ///
    /// - Returns: its index.
    mutating func keep(_ effects: inout DeviceEffects, of device: Int, next: Instant) -> UInt32 {
        let index: UInt32
        if let last = free.popLast() {
            index = last
        } else {
            index = UInt32(waiting.count)
            waiting.append(Asked(device: device, next: next, effects: DeviceEffects()))
        }
        (waiting[Int(index)].device, waiting[Int(index)].next) = (device, next)
        waiting[Int(index)].effects.take(&effects)
        return index
    }

    /// Takes out what a device asked for, into effects that are empty.
    ///
    /// - Returns: when the device wants to be woken next.
    mutating func take(_ index: UInt32, into effects: inout DeviceEffects) -> Instant {
        effects.take(&waiting[Int(index)].effects)
        free.append(index)
        return waiting[Int(index)].next
    }

    /// Takes out everything, in the order of the devices.
    mutating func takeAll() -> [(device: Int, effects: DeviceEffects)] {
        defer { (waiting, free) = ([], []) }
        return waiting.filter { !$0.effects.isEmpty }.map { ($0.device, $0.effects) }
            .sorted { $0.device < $1.device }
    }
}

extension DeviceEffects {
    /// Takes over what others have, and leaves them empty.
    ///
    /// Requests are copied, and each keeps its memory: nearly always one is all that there is. What else there is goes with its
    /// memory, or a device that waits would hold as much as the largest batch that ever ended.
    fileprivate mutating func take(_ others: inout DeviceEffects) {
        requests.append(contentsOf: others.requests)
        others.requests.removeAll(keepingCapacity: true)
        isAcknowledged = others.isAcknowledged
        guard !(others.sealed.isEmpty && others.died.isEmpty) else { return }
        (sealed, others.sealed) = (others.sealed, [])
        (died, others.died) = (others.died, [])
        let wishes = (bodies.wish, others.bodies.wish)
        (bodies, others.bodies) = (others.bodies, SealedBodies())
        (bodies.wish, others.bodies.wish) = wishes
    }
}

extension VirtualEngine {
    /// Whether devices may run ahead of the clock. Not where somebody may end the users' part for what was seen of them
    /// at a look, and not where a look tells more than what fleets keep by time.
    func mayRunAhead(_ observer: some VirtualObserver) -> Bool {
        configuration.isWatched && configuration.runsAhead && !observer.mayEndUsers && !hasRollOuts
    }

    /// Tells the fleets what time it is, and finds how far devices may run ahead from here on: to the next moment at which
    /// something comes to them from outside, and no further than looks at the fleets are at known times.
    ///
    /// - Returns: whether what fleets tell is another than before.
    @discardableResult
    mutating func catchUp() -> Bool {
        let interval = recorder.series.partWidth
        var hasChanged = false
        for fleet in fleets where fleet.catchUp(to: now, interval: interval) { hasChanged = true }
        guard phases.phase == .running, let free = recorder.nextCloseUp(after: now) else {
            lookahead.allow(before: nil)
            return hasChanged
        }
        let farthest = min(interval * (RunAhead.intervals - 1), RunAhead.farthest)
        lookahead.allow(before: min(now + farthest, free, networkChanges.next, schedule.usersEnd))
        return hasChanged
    }

    /// Lets a device do what it can alone.
    mutating func runAhead(_ device: Int, _ slot: Int, of fleet: any DeviceFleet, next: Instant) {
        let run = fleet.runAhead(slot, from: now, before: lookahead.limit, effects: &effects)
        // Not all fleets let their devices.
        guard run.wakes > 0 else { return rearm(device, at: next) }
        wakes += run.wakes
        lookahead.note(run)
        guard !effects.isEmpty else { return rearm(device, at: run.next) }
        // Counted when it happened.
        wakes -= 1
        insert(
            .effects(lookahead.keep(&effects, of: device, next: run.next)), device: device, at: run.moment)
    }
}
