import Accounting
import CollectorModel
import DeviceSDK
import Measurement
import Timebase
import Wire
import World

/// The discrete-event loop: one queue for all populations, one modelled collector.
struct VirtualEngine {
    let configuration: VirtualConfiguration
    let schedule: RunSchedule
    let fleets: [any DeviceFleet]
    let links: [PopulationLinks]
    var queue: TimerWheel
    var devices: DeviceTable
    var open: OpenRequests
    var server: ModelledServer
    var recorder: RunRecorder
    var networkChanges: NetworkTimeline
    let clientFaults: ClientFaultDirector
    var effects = DeviceEffects()
    var phases: RunPhases
    var now: Instant
    var wakes: UInt64 = 0
    var unexpectedAnswers: [UnexpectedAnswer] = []
    /// When the drain was over.
    var drainEndedAt: Instant?
    /// Of a part of a run.
    var part: PartLooks?
    /// Whether nothing has happened since the fleet was looked at: its levels are what they were.
    var isStill = false
    /// Whether fleets tell how far a roll-out has reached, which changes with time alone.
    let hasRollOuts: Bool
    /// Whether a look at a fleet in which nothing happened may be left out: not at a part, whose looks are all kept.
    let mayLeaveOutLooks: Bool
    private var nextTick: Instant
    var lookahead = Lookahead()
    /// Steps since the observer was asked last whether the run is to go on.
    private var steps = 0

    /// Steps after which the observer is asked.
    private static let pollPeriod = 256
    /// Devices whose books are closed at once: what they seal is in memory at one time, and best in a cache.
    static let closingBlock = 256

    init(
        _ configuration: VirtualConfiguration, fleets: [any DeviceFleet],
        arrivals: (any ArrivalObserver)? = nil
    ) {
        self.configuration = configuration
        self.fleets = fleets
        links = configuration.plans.map { PopulationLinks($0) }
        schedule = configuration.schedule
        phases = RunPhases(schedule)
        now = schedule.start
        queue = TimerWheel(origin: schedule.start)
        devices = DeviceTable(fleets: fleets)
        open = OpenRequests(deviceCount: devices.count)
        server = ModelledServer(
            plan: configuration.collector, rules: configuration.server, sizes: configuration.sizes,
            arrivals: arrivals)
        networkChanges = NetworkTimeline(schedule: configuration.schedule)
        clientFaults = ClientFaultDirector(plan: configuration.schedule.clientFaults)
        recorder = RunRecorder(
            start: schedule.start, populationCount: fleets.count, measured: schedule.measured,
            closeUps: schedule.closeUps, entries: schedule.entries)
        effects.needsKeys = configuration.isMeasured
        effects.bodies.wish = arrivals == nil ? .none : configuration.keepsBodies
        if configuration.isPart { part = PartLooks(populationCount: fleets.count) }
        hasRollOuts = fleets.contains { $0.updatedCount(at: configuration.schedule.start) != nil }
        mayLeaveOutLooks = part == nil && !hasRollOuts
        nextTick = schedule.start
        nextTick = nextTick(after: schedule.start)
    }

    mutating func run(_ observer: inout some VirtualObserver) -> VirtualResult {
        scheduleArrivals(&observer)
        var turn = Turn(fleets)
        lookahead.isAllowed = mayRunAhead(observer)
        catchUp()
        while phases.phase < .closing {
            poll(&observer)
            let next = queue.first()?.time ?? .distantFuture
            if lookahead.isStopping, lookahead.isReached(by: min(next, nextTick, networkChanges.next)) {
                now = max(now, lookahead.reached)
                stopUsers()
                continue
            }
            if networkChanges.next <= min(next, nextTick),
                let moment = networkChanges.popDue(through: nextTick)
            {
                now = moment
                changeNetworks(at: moment, &observer)
                continue
            }
            if next >= nextTick {
                now = nextTick
                tick(&observer)
                nextTick = nextTick(after: nextTick)
                continue
            }
            step(&turn, &observer)
        }
        if phases.phase == .closing, configuration.awaitsOpenAnswers { awaitOpenAnswers(&observer) }
        return finish(&observer)
    }

    /// Asks the observer now and then whether the run is to go on.
    mutating func poll(_ observer: inout some VirtualObserver) {
        steps += 1
        guard steps >= VirtualEngine.pollPeriod else { return }
        steps = 0
        switch observer.poll(recorder, at: now, wakes: wakes) {
        case .goOn: break
        case .drain: letUsersStop()
        case .end:
            reachDevices()
            stopUsers()
            phases.begin(.ended, at: now)
        }
    }

    /// Ends the users' part before its time, as soon as the clock is where the devices are.
    mutating func letUsersStop() {
        guard phases.phase == .running else { return }
        guard lookahead.isReached(by: now) else { return lookahead.stop() }
        stopUsers()
    }

    /// Brings the clock to where devices are ahead, with all looks on the way: whoever ends the run at once is not told of
    /// what would lie behind its end.
    private mutating func reachDevices() {
        while nextTick <= lookahead.reached {
            now = nextTick
            catchUp()
            noteGauges()
            nextTick = nextTick(after: nextTick)
        }
        now = max(now, lookahead.reached)
    }

    private mutating func stopUsers() {
        lookahead.forbid()
        guard phases.stopUsers(at: now) else { return }
        isStill = false
        for fleet in fleets { fleet.stopUsers(at: now) }
        nextTick = min(nextTick, nextTick(after: now))
    }

    private mutating func scheduleArrivals(_ observer: inout some VirtualObserver) {
        for device in 0..<devices.count {
            poll(&observer)
            // Who has not arrived when the users go never does.
            guard phases.phase == .running else { return }
            let (fleet, slot) = devices.location(of: device)
            let arrival = max(fleets[fleet].arrival(of: slot), schedule.start)
            rearm(device, at: arrival)
        }
    }

    /// Makes the network changes of a moment, before everything else that happens then.
    private mutating func changeNetworks(at moment: Instant, _ observer: inout some VirtualObserver) {
        isStill = false
        for device in 0..<devices.count {
            let (fleet, slot) = devices.location(of: device)
            let plan = configuration.plans[fleet]
            poll(&observer)
            if phases.phase == .ended { return }
            let index = index(of: slot, in: fleet)
            guard let change = networkChanges.change(of: plan, index: index, at: moment) else { continue }
            let next = fleets[fleet].advance(
                slot, through: moment - Interval(nanoseconds: 1), effects: &effects)
            absorbEffects(device, next: next, &observer)
            let changed = fleets[fleet].setNetwork(change, of: slot, at: moment, effects: &effects)
            absorbEffects(device, next: changed, &observer)
        }
    }

    /// The fleet of the device that woke last, mostly also that of the next one: taken out of the array for each
    /// wake, it would be retained and released each time, and both wait for all that was written before.
    private struct Turn {
        private(set) var index = 0
        private(set) var fleet: any DeviceFleet

        /// - Precondition: there is a fleet.
        init(_ fleets: [any DeviceFleet]) { fleet = fleets[0] }

        @inline(__always)
        mutating func pass(to index: Int, of fleets: [any DeviceFleet]) {
            guard index != self.index else { return }
            (self.index, fleet) = (index, fleets[index])
        }
    }

    /// Handles the earliest entry of the queue.
    private mutating func step(_ turn: inout Turn, _ observer: inout some VirtualObserver) {
        guard let entry = queue.popFirst() else { return }
        isStill = false
        now = entry.time
        wakes += 1
        prefetch(&turn)
        let device = Int(entry.device)
        switch QueueItem(payload: entry.payload) {
        case .wake:
            // A device that was rearmed for an earlier time leaves its later entry behind.
            guard devices.nextWake(of: device) == entry.time else { return }
            devices.setNextWake(.distantFuture, of: device)
            let (fleet, slot) = devices.location(of: device)
            turn.pass(to: fleet, of: fleets)
            let next = turn.fleet.advance(slot, through: now, effects: &effects)
            guard next < lookahead.limit, effects.isEmpty, !open.isAny(of: device) else {
                return absorbEffects(device, next: next, &observer)
            }
            runAhead(device, slot, of: turn.fleet, next: next)
        case .effects(let index):
            let next = lookahead.take(index, into: &effects)
            absorbEffects(device, next: next, &observer)
        case .answer(let index):
            guard let request = open.take(index) else { return }
            complete(request, device: device, &observer)
        case .departure(let index): depart(index, device: device)
        }
    }

    /// Has the memory of the devices whose turn comes next brought while one is busy: of a large fleet no cache holds all,
    /// and waiting for it would take a third of the time. Devices of other fleets than the present one have to wait.
    @inline(__always)
    private mutating func prefetch(_ turn: inout Turn) {
        for others in 0...1 {
            guard let device = queue.upcoming(after: others).map({ Int($0.device) }) else { return }
            let (index, slot) = devices.location(of: device)
            if others > 0 { devices.prefetch(device) }
            if index == turn.index { turn.fleet.prefetch(slot, isNext: others == 0) }
        }
    }

    /// Acts on what a fleet asked for: deaths first, then fates, then new requests.
    mutating func absorbEffects(_ device: Int, next: Instant, _ observer: inout some VirtualObserver) {
        let (fleet, _) = devices.location(of: device)
        if !effects.died.isEmpty { cutRequests(of: device, population: fleet) }
        if !effects.sealed.isEmpty {
            record(effects.sealed, population: fleet)
            tellBodies(population: fleet)
            observer.sealed(effects.sealed, population: fleet, at: now)
        }
        for request in effects.requests {
            observer.requested(request, at: now)
            start(request, device: device, population: fleet)
        }
        effects.removeAll()
        rearm(device, at: next)
    }

    /// Books fates, where anybody reads the books.
    mutating func record(_ events: ContiguousArray<SealedEvent>, population: Int) {
        if configuration.isMeasured { recorder.note(events, population: population) }
    }

    /// Tells how events that ended look on the wire, where anybody wants to know.
    func tellBodies(population: Int) {
        guard !effects.bodies.entries.isEmpty, let arrivals = server.arrivals else { return }
        effects.bodies.bytes.withUnsafeBytes { bytes in
            for entry in effects.bodies.entries {
                arrivals.ended(
                    EndedEvent(
                        population: population, id: effects.sealed[entry.event].id, form: entry.form,
                        body: UnsafeRawBufferPointer(rebasing: bytes[entry.range]), at: now))
            }
        }
    }

    /// Books a request that has ended, where anybody reads the books.
    mutating func record(_ sample: RequestSample, population: Int) {
        if configuration.isMeasured { recorder.note(sample, population: population) }
    }

    /// The index in its population of a device of a fleet, which may hold a part of them.
    func index(of slot: Int, in fleet: Int) -> Int {
        Int(fleets[fleet].globalNumber(of: slot) - configuration.plans[fleet].firstDevice)
    }

    mutating func rearm(_ device: Int, at time: Instant) {
        guard time != devices.nextWake(of: device) else { return }
        devices.setNextWake(time, of: device)
        guard time != .distantFuture else { return }
        insert(.wake, device: device, at: time)
    }

    mutating func insert(_ item: QueueItem, device: Int, at time: Instant) {
        queue.insert(
            Wake(
                time: max(time, now), device: UInt32(device), sequence: devices.nextSequence(of: device),
                payload: item.payload))
    }
}
