import Accounting
import AppModel
import Timebase
import World

/// The devices of one population, or of a shard's share of it, that run one system: parallel arrays,
/// addressed by slot, of what users do next and of the devices' own state.
///
/// Generic over the system, so that the hot path has neither existentials nor a device type as wide
/// as the largest system.
///
/// Order of things on one device: by due time; at one instant what happens to the disk comes first, and
/// user actions come before timers, so that a flush takes what was captured at its very moment along.
package struct FleetCore<System: TrackingSystem> {
    let plan: PopulationPlan
    let share: ShardShare
    private let models: UserModels
    /// The model of all users, where they have one; beside ``models``, which a look at would copy.
    private let model: UserModel
    private let isUniform: Bool
    private let calendar: UserCalendar
    var system: System
    private var users: ContiguousArray<UserSimulator>
    var devices: ContiguousArray<System.Device>
    private(set) var hasArrived: ContiguousArray<Bool>
    private var disks: DiskTimers
    var radios: Radios
    /// Whether apps in use are woken for changes of their radio.
    private let followsRadios: Bool
    var editions: Editions
    var configs: ConfigRollOuts
    /// By edition; empty without roll-outs.
    let rulesByEdition: [System.RulesInForce]
    /// What uploads carry while their sizes are worked out.
    private var sized: CarriedEvents
    /// The plan's end of the users, or an earlier one.
    var usersEnd: Instant
    var ahead: LevelsAhead

    var capturedCount: UInt64 = 0
    private(set) var prefilledCount: UInt64 = 0
    /// Between two looks, rows may have left before those that came ahead of the clock count.
    var storedSum: Int64 = 0
    private(set) var startedCount = 0
    var foregroundCount = 0
    private var fingerprint: PlanFingerprint
    var planFingerprint: UInt64 { fingerprint.sum }

    /// Makes the devices of a share; none has arrived yet.
    package init(plan: PopulationPlan, share: ShardShare, system: System) {
        self.plan = plan
        self.share = share
        self.system = system
        let calendar = plan.calendar
        let models = UserModels(app: plan.app, persona: plan.persona, calendar: calendar)
        self.models = models
        model = models.usual
        isUniform = models.isUniform
        self.calendar = calendar
        usersEnd = plan.usersEnd
        ahead = LevelsAhead(origin: plan.start)
        fingerprint = PlanFingerprint(population: plan.index, start: plan.start)
        sized = CarriedEvents()
        (sized.needsKeys, sized.areSent) = (false, false)
        let count = share.deviceCount(of: plan.deviceCount)
        users = []
        devices = []
        users.reserveCapacity(count)
        devices.reserveCapacity(count)
        hasArrived = ContiguousArray(repeating: false, count: count)
        disks = DiskTimers(plan: plan, share: share, count: count)
        radios = Radios(plan: plan, share: share, count: count)
        followsRadios = plan.network.chain != nil && plan.allRules.contains { $0.actsOnNetworks }
        editions = Editions(plan: plan, share: share, count: count)
        configs = ConfigRollOuts(plan: plan, share: share, count: count)
        rulesByEdition = editions.isIdle ? [] : plan.allRules.map { system.rulesInForce(under: $0) }
        let streams = plan.streams
        for slot in 0..<count {
            let index = share.populationIndex(ofSlot: slot)
            users.append(
                UserSimulator(
                    model: models.model(of: index), streams: { streams.stream($0, index: index) },
                    index: index, presence: calendar.presence(of: index), usersEnd: plan.usersEnd))
            devices.append(
                system.makeDevice(
                    index: index, slot: UInt32(slot), number: plan.number(ofIndex: index, slot: slot)))
        }
    }

    /// Mutating, as all that is called for each device: any other call hands the fleet over by a copy.
    mutating func arrival(of slot: Int) -> Instant {
        let presence = calendar.presence(of: share.populationIndex(ofSlot: slot))
        guard let arrival = presence?.lowerBound, arrival < usersEnd else { return .distantFuture }
        return arrival
    }

    func globalNumber(of slot: Int) -> UInt32 {
        plan.number(ofIndex: share.populationIndex(ofSlot: slot), slot: slot)
    }

    mutating func isDraining(_ slot: Int) -> Bool {
        devices[slot].isForeground && devices[slot].storedCount > 0
    }

    /// Of a large fleet no cache holds all devices, and waiting for one would take as long as what it then does.
    mutating func prefetch(_ slot: Int, isNext: Bool) {
        guard !isNext else { return devices[slot].prefetch() }
        users.prefetch(slot)
        devices.prefetch(slot)
        hasArrived.prefetch(slot)
    }

    mutating func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        guard arrives(slot, by: now, effects: &effects) else { return arrival(of: slot) }
        let wake = nextWake(of: slot)
        // Mostly the device is advanced because it wants to be; before an answer, it often is not due.
        guard wake <= now else { return wake }
        useRules(of: slot)
        let before = tally(slot)
        let next = live(slot, from: wake, through: now, effects: &effects)
        book(slot, since: before)
        return next
    }

    /// Does what is due from a moment of the device's on through another.
    ///
    /// - Returns: when something is due next.
    @inline(__always)
    mutating func live(
        _ slot: Int, from due: Instant, through now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        var wake = due
        while wake <= now {
            followRadio(of: slot, through: wake, effects: &effects)
            let deaths = effects.died.count
            if disks[slot] == wake {
                for change in disks.takeChanges(of: slot, through: wake) {
                    system.changeDisk(of: &devices[slot], change, effects: &effects)
                }
            } else if nextAction(of: slot) == wake {
                let planned = nextPlanned(of: slot)
                note(planned, slot: slot)
                if case .uninstall = planned.action {
                    uninstall(slot, at: planned.at, effects: &effects)
                } else {
                    if !editions.isIdle { noteLaunch(planned, slot: slot) }
                    perform(planned, slot: slot, effects: &effects)
                }
            } else if devices[slot].nextDue <= wake {
                system.fireTimer(of: &devices[slot], at: wake, effects: &effects)
            }
            noteRequests(of: slot, hasDied: effects.died.count > deaths, at: wake, effects: &effects)
            wake = nextWake(of: slot)
        }
        return wake
    }

    /// How many bytes an upload has on the way by the plan's model; `nil` where there is none, and for anything else.
    mutating func modelledSize(_ slot: Int, request: RequestNumber, at now: Instant) -> Int? {
        guard let sizes = plan.uploadSizes, request.kind == .upload else { return nil }
        var events = CarriedEvents()
        swap(&events, &sized)
        defer { swap(&events, &sized) }
        events.removeAll()
        guard carry(slot, request: request, at: now, into: &events) != nil else { return nil }
        return Int(sizes.bytes(of: events))
    }

    mutating func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        useRules(of: slot)
        let before = tally(slot)
        followRadio(of: slot, through: now, effects: &effects)
        noteEnd(of: slot, outcome, at: now)
        let deaths = effects.died.count
        let isSpread = request.kind == .config && !configs.isIdle
        system.complete(
            request, of: &devices[slot],
            outcome: isSpread ? answer(outcome, to: request, of: slot, at: now) : outcome, at: now,
            effects: &effects)
        noteRequests(of: slot, hasDied: effects.died.count > deaths, at: now, effects: &effects)
        #if PLANTED
            if Planted.has(.skewIntoFreshness) {
                let skew = plan.clockSkew(index: share.populationIndex(ofSlot: slot))
                for index in effects.sealed.indices {
                    effects.sealed[index].capturedAt = effects.sealed[index].capturedAt + skew
                }
            }
        #endif
        book(slot, since: before)
        return nextWake(of: slot)
    }

    mutating func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        useRules(of: slot)
        let before = tally(slot)
        if radios.isIdle {
            system.setNetwork(
                change.kind ?? plan.network.kind, of: &devices[slot], at: now, effects: &effects)
        } else {
            radios.override(slot, by: change.kind)
            followRadio(of: slot, through: now, effects: &effects)
        }
        noteRequests(of: slot, hasDied: false, at: now, effects: &effects)
        book(slot, since: before)
        return hasArrived[slot] ? nextWake(of: slot) : arrival(of: slot)
    }

    mutating func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        for slot in slots {
            if slot + 2 < slots.upperBound { devices[slot + 2].prefetch() }
            useRules(of: slot)
            system.finish(&devices[slot], effects: &effects)
        }
    }
}

extension FleetCore {
    /// Lets the device arrive if its time has come; whether it is there.
    private mutating func arrives(_ slot: Int, by now: Instant, effects: inout DeviceEffects) -> Bool {
        if hasArrived[slot] { return true }
        let arrival = arrival(of: slot)
        guard arrival <= now else { return false }
        hasArrived[slot] = true
        startedCount += 1
        useRules(of: slot)
        let before = tally(slot)
        followRadio(of: slot, through: arrival, effects: &effects)
        let index = share.populationIndex(ofSlot: slot)
        if let installed = models.installation(of: index, arrivingAt: arrival), installed < arrival {
            system.remember(installedAt: installed, on: &devices[slot])
        }
        system.arrive(&devices[slot], effects: &effects)
        noteRequests(of: slot, hasDied: false, at: arrival, effects: &effects)
        prefilledCount += UInt64(devices[slot].nextSequence)
        book(slot, since: before)
        return true
    }

    /// The app is deleted; the device keeps its number and its sequence. A new installation finds the phone as it is.
    private mutating func uninstall(_ slot: Int, at now: Instant, effects: inout DeviceEffects) {
        let index = share.populationIndex(ofSlot: slot)
        system.uninstall(
            &devices[slot], index: index, slot: UInt32(slot), number: plan.number(ofIndex: index, slot: slot),
            at: now, effects: &effects)
        configs.forget(slot)
        if let disk = disks.present(of: slot, at: now) {
            system.changeDisk(of: &devices[slot], disk, effects: &effects)
        }
        // The radio is the phone's: a new app finds it as it is, not as it was at the start of the run.
        guard !radios.isIdle else { return }
        system.setNetwork(radios.kind(of: slot), of: &devices[slot], at: now, effects: &effects)
    }

    /// What the user of a device does next.
    @inline(__always)
    private mutating func nextPlanned(of slot: Int) -> PlannedAction {
        if isUniform { return users[slot].next(model) }
        return users[slot].next(models.model(of: share.populationIndex(ofSlot: slot)))
    }

    /// Hands the system an action, as an app whose code may track wrongly does.
    @inline(__always)
    private mutating func perform(_ planned: PlannedAction, slot: Int, effects: inout DeviceEffects) {
        guard !plan.trackingBugs.isEmpty else {
            return system.perform(planned, on: &devices[slot], effects: &effects)
        }
        let stream = plan.stream(.pattern, index: share.populationIndex(ofSlot: slot))
        let calls = plan.trackingBugs.calls(for: planned, version: users[slot].appVersion, stream: stream)
        system.perform(calls.first, on: &devices[slot], effects: &effects)
        if let extra = calls.extra { system.perform(extra, on: &devices[slot], effects: &effects) }
    }

    private mutating func nextAction(of slot: Int) -> Instant {
        let at = users[slot].nextAt
        return at < usersEnd ? at : .distantFuture
    }

    mutating func nextWake(of slot: Int) -> Instant {
        let wake = min(nextAction(of: slot), devices[slot].nextDue, disks[slot])
        return followsRadios && devices[slot].isForeground ? min(wake, radios.nextChange(of: slot)) : wake
    }

    private mutating func note(_ planned: PlannedAction, slot: Int) {
        fingerprint.note(planned, of: UInt64(share.populationIndex(ofSlot: slot)))
    }
}
