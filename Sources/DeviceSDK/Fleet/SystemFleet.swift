package import Accounting
import AppModel
package import Timebase
package import Wire
package import World

/// The devices of one population, or of a shard's share of it, that run one system.
///
/// Parallel arrays, addressed by slot: what users do next, and the devices' own state. Generic over
/// the system, so that the hot path has neither existentials nor a device type as wide as the
/// largest system. Confined to the engine's thread.
///
/// Order of things on one device: by due time; at one instant user actions come before timers, so
/// that a flush takes what was captured at its very moment along.
package final class SystemFleet<System: TrackingSystem>: DeviceFleet {
    private let plan: PopulationPlan
    private let share: ShardShare
    private let model: UserModel
    private var system: System
    private var users: ContiguousArray<UserSimulator>
    private var devices: ContiguousArray<System.Device>
    private var hasArrived: ContiguousArray<Bool>
    /// The plan's end of the users, or an earlier one.
    private var usersEnd: Instant

    package private(set) var capturedCount: UInt64 = 0
    package private(set) var prefilledCount: UInt64 = 0
    package private(set) var storedCount: UInt64 = 0
    package private(set) var startedCount = 0
    package private(set) var foregroundCount = 0
    package private(set) var planFingerprint: UInt64 = 0

    /// Makes the devices of a share; none has arrived yet.
    package init(plan: PopulationPlan, share: ShardShare, system: System) {
        self.plan = plan
        self.share = share
        self.system = system
        let model = UserModel(app: plan.app, persona: plan.persona)
        self.model = model
        usersEnd = plan.usersEnd
        let count = share.deviceCount(of: plan.deviceCount)
        users = []
        devices = []
        users.reserveCapacity(count)
        devices.reserveCapacity(count)
        hasArrived = ContiguousArray(repeating: false, count: count)
        for slot in 0..<count {
            let index = share.populationIndex(ofSlot: slot)
            users.append(
                UserSimulator(
                    model: model, streams: { plan.stream($0, index: index) },
                    arrival: SystemFleet.arrival(plan, index: index), usersEnd: plan.usersEnd))
            devices.append(
                system.makeDevice(
                    index: index, slot: UInt32(slot), number: plan.firstDevice + UInt32(index)))
        }
    }

    package var deviceCount: Int { devices.count }
    package var populationIndex: Int { plan.index }
    package var labels: [EventLabel] { system.labels }

    package func globalNumber(of slot: Int) -> UInt32 {
        plan.firstDevice + UInt32(share.populationIndex(ofSlot: slot))
    }

    private static func arrival(_ plan: PopulationPlan, index: Int) -> Instant {
        plan.start + plan.arrival.offset(index: index, count: plan.deviceCount)
    }

    /// Never for a device whose turn would come when the users have gone.
    package func arrival(of slot: Int) -> Instant {
        let arrival = Self.arrival(plan, index: share.populationIndex(ofSlot: slot))
        return arrival < usersEnd ? arrival : .distantFuture
    }

    package func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        guard arrives(slot, by: now, effects: &effects) else { return arrival(of: slot) }
        let before = tally(slot)
        var wake = nextWake(of: slot)
        while wake <= now {
            if nextAction(of: slot) == wake {
                let planned = users[slot].next(model)
                note(planned, slot: slot)
                system.perform(planned.action, on: &devices[slot], at: planned.at, effects: &effects)
            } else {
                system.fireTimer(of: &devices[slot], at: wake, effects: &effects)
            }
            wake = nextWake(of: slot)
        }
        book(slot, since: before)
        return wake
    }

    package func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        system.encode(request, of: &devices[slot], at: now, into: &body)
    }

    package func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        let before = tally(slot)
        system.complete(request, of: &devices[slot], outcome: outcome, at: now, effects: &effects)
        book(slot, since: before)
        return nextWake(of: slot)
    }

    package func setNetwork(
        _ kind: NetworkKind, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        let before = tally(slot)
        system.setNetwork(kind, of: &devices[slot], at: now, effects: &effects)
        book(slot, since: before)
        return hasArrived[slot] ? nextWake(of: slot) : arrival(of: slot)
    }

    package func stopUsers(at now: Instant) { usersEnd = min(usersEnd, now) }

    package func isDraining(_ slot: Int) -> Bool {
        devices[slot].isForeground && devices[slot].storedCount > 0
    }

    package func finish(effects: inout DeviceEffects) {
        for slot in devices.indices { system.finish(&devices[slot], effects: &effects) }
    }

    package func capturedCount(of slot: Int) -> UInt32 { devices[slot].nextSequence }
}

extension SystemFleet {
    /// Lets the device arrive if its time has come; whether it is there.
    private func arrives(_ slot: Int, by now: Instant, effects: inout DeviceEffects) -> Bool {
        if hasArrived[slot] { return true }
        guard arrival(of: slot) <= now else { return false }
        hasArrived[slot] = true
        startedCount += 1
        let before = tally(slot)
        system.arrive(&devices[slot], effects: &effects)
        prefilledCount += UInt64(devices[slot].nextSequence)
        book(slot, since: before)
        return true
    }

    private func nextAction(of slot: Int) -> Instant {
        let at = users[slot].nextAt
        return at < usersEnd ? at : .distantFuture
    }

    private func nextWake(of slot: Int) -> Instant {
        min(nextAction(of: slot), system.nextDue(of: devices[slot]))
    }

    private func note(_ planned: PlannedAction, slot: Int) {
        let index = UInt64(share.populationIndex(ofSlot: slot))
        planFingerprint &+= planned.fingerprint(population: plan.index, device: index, start: plan.start)
    }

    private struct Tally {
        var captured: UInt32
        var stored: Int
        var isForeground: Bool
    }

    private func tally(_ slot: Int) -> Tally {
        Tally(
            captured: devices[slot].nextSequence, stored: devices[slot].storedCount,
            isForeground: devices[slot].isForeground)
    }

    /// Adds what a step changed on a device to the fleet's totals.
    private func book(_ slot: Int, since before: Tally) {
        let after = tally(slot)
        capturedCount += UInt64(after.captured - before.captured)
        storedCount = UInt64(Int64(storedCount) + Int64(after.stored - before.stored))
        if before.isForeground != after.isForeground { foregroundCount += after.isForeground ? 1 : -1 }
    }
}
