import Accounting
import DeviceSDK
import Measurement
import NIOCore
import Timebase
import Wire
import World

/// The devices of one event loop, with everything that belongs to them: queue, connections,
/// requests, histograms. Made on its loop and never touched from elsewhere.
///
/// What waits for a moment lies in the agenda; what a request does next, its course says. All work goes through a few entries (the timer, a connection's news, `stop`). Each reads the
/// clock, lets the fleets go on, and puts what they ask for in one line of work that is emptied
/// before the entry returns: so nothing is ever re-entered, though sockets may fail within a call.
final class Shard {
    /// At most so many wakes are handled before the loop may look at its sockets again.
    static let wakesPerTurn = 256
    /// Between the beginnings of two turns of the timer, in real time. A turn costs some ten microseconds of
    /// system calls, and thousands of devices have something due every few microseconds: without it, a third
    /// of a busy core would go into arming timers. What is due waits as long at most, and that counts as lag.
    static let turnSpacing = Interval.microseconds(250)
    /// How often the end of the drain is looked for, in real time.
    static let drainCheck = Interval.milliseconds(50)
    /// A wake that is later than this, in real time, may make up for several actions.
    static let onTime = Interval.milliseconds(1)

    /// A work item in line.
    enum Work {
        case begin(RequestKey)
        /// The request's sample says how it went; the connection is free already.
        case end(RequestKey, RequestOutcome)
        /// Looks who in the lines may have a connection now.
        case serve
        /// A request waited for a connection that turned out to be of no use to it.
        case leave(RequestKey)
    }

    /// A population's part in this shard.
    struct Part {
        let fleet: any DeviceFleet
        /// In the order of the plan's targets.
        let endpoints: [Endpoint]
        /// The first of its pools, one for each endpoint, where its devices share connections; else 0.
        let firstPool: Int
        /// Endpoints whose server is known to speak HTTP/1.1.
        var speaksOne: Set<Int> = []
        /// The shard's own number of the fleet's first device.
        let firstDevice: UInt32
        let population: Int
        let plan: PopulationPlan
        let links: PopulationLinks
        var connections = 0
        var sealed: [SealedEvent] = []
        /// Beside the plan, for a look at that would copy it.
        let closesAfterAnswer: Bool
    }

    let loop: any EventLoop
    let position: LoopPosition
    /// The devices that the shard plays.
    let share: ShardShare
    let clock: RunClock
    let configuration: LiveConfiguration
    var parts: ContiguousArray<Part> = []
    /// The part that each device belongs to.
    var partOfDevice: ContiguousArray<UInt16> = []

    var agenda: Agenda
    let clientFaults: ClientFaultDirector
    var requests: RequestTable
    var connections: ConnectionTable
    var work = RingQueue<Work>()
    /// The owner of a pool's connections is its index, counted on from the devices.
    var pools = ConnectionPools()
    let resolver: NameResolver
    var effects = DeviceEffects()
    var body = WireBuffer()
    var buffer = ByteBuffer()
    let buffers = BufferPool()
    var recorder: RunRecorder

    var phases: RunPhases
    var networkChanges: NetworkTimeline
    var now: Instant
    var isWorking = false
    var timer: TurnTimer
    var samples = AnswerSamples()
    var usage = ThreadUsage()
    /// When the next answer's `Date` is worth a look, by the monotonic clock.
    var nextDate: UInt64 = 0
    private let finished: EventLoopPromise<ShardResult>

    /// Makes the shard's devices. Nothing happens before ``begin()``.
    ///
    /// - Parameter endpoints: Of each plan, in the order of its targets.
    init(
        configuration: LiveConfiguration, endpoints: [[Endpoint]], position: LoopPosition, loop: any EventLoop
    ) {
        self.configuration = configuration
        self.position = position
        share = configuration.share.part(position.index, of: position.count)
        self.loop = loop
        clock = configuration.clock
        let schedule = configuration.schedule
        phases = RunPhases(schedule, runTime: clock.runTime)
        networkChanges = NetworkTimeline(schedule: schedule)
        clientFaults = ClientFaultDirector(plan: schedule.clientFaults)
        now = clock.instant(atUptime: loop.now.uptimeNanoseconds)
        recorder = RunRecorder(
            start: schedule.start, populationCount: configuration.plans.count, measured: schedule.measured,
            closeUps: schedule.closeUps, entries: schedule.entries,
            interval: Shard.noteInterval(pace: clock.pace),
            measuresFreshness: clock.pace == 1)
        var first: UInt32 = 0
        for (population, plan) in configuration.plans.enumerated() {
            let fleet = configuration.fleetFactory(plan, share)
            let firstPool = pools.add(for: plan, configuration.share, at: position)
            parts.append(
                Part(
                    fleet: fleet, endpoints: endpoints[population], firstPool: firstPool, firstDevice: first,
                    population: population, plan: plan, links: PopulationLinks(plan),
                    closesAfterAnswer: plan.target.connections == .perRequest))
            partOfDevice.append(contentsOf: repeatElement(UInt16(population), count: fleet.deviceCount))
            first += UInt32(fleet.deviceCount)
        }
        resolver = NameResolver(on: loop, transport: configuration.transport)
        agenda = Agenda(deviceCount: Int(first))
        timer = TurnTimer(spacing: clock.runTime(configuration.turnSpacing))
        requests = RequestTable(deviceCount: Int(first))
        connections = ConnectionTable(
            ownerCount: Int(first) + pools.count,
            limit: max(1, configuration.descriptorBudget / position.count))
        finished = loop.makePromise(of: ShardResult.self)
    }

    var phase: RunPhase { phases.phase }

    /// The shard's outcome, once it has finished.
    var result: EventLoopFuture<ShardResult> { finished.futureResult }

    var labels: [[EventLabel]] { parts.map(\.fleet.labels) }

    /// Enters the shard's chores and every device's arrival, and arms the timer.
    func begin() {
        loop.preconditionInEventLoop()
        agenda.set(.networks, at: networkChanges.next)
        agenda.set(.note, at: configuration.schedule.start + Shard.noteInterval(pace: clock.pace))
        agenda.set(.phase, at: phases.limit)
        for part in parts {
            for slot in 0..<part.fleet.deviceCount {
                agenda.setWake(of: part.firstDevice + UInt32(slot), at: part.fleet.arrival(of: slot))
            }
        }
        arm()
    }

    /// Runs an entry's work and everything that comes of it.
    func enter(_ action: () -> Void) {
        loop.assertInEventLoop()
        guard phase != .ended else { return }
        tick()
        if isWorking {
            action()
        } else {
            isWorking = true
            action()
            doWork()
            isWorking = false
            arm()
        }
    }

    /// Reads the clock; the shard's time never goes back.
    func tick() { now = max(now, clockTime) }

    /// What the run's clock shows.
    var clockTime: Instant { clock.instant(atUptime: loop.now.uptimeNanoseconds) }

    func doWork() {
        while phase != .ended, let item = work.popFirst() {
            switch item {
            case .begin(let key):
                if requests.isOpen(key) { proceed(key.index) }
            case .end(let key, let outcome):
                if requests.isOpen(key) { endRequest(key, outcome) }
            case .serve: serveLines()
            case .leave(let key): leaveAgain(key)
            }
        }
    }

    func finish(with result: ShardResult) { finished.succeed(result) }

    /// Gives up before anything has begun.
    func abandon() {
        phases.begin(.ended, at: now)
        finished.fail(EventLoopError.shutdown)
    }
}

/// Which of the event loops of a process a shard is on.
struct LoopPosition: Sendable {
    var index: Int
    var count: Int
}

// MARK: - Devices

extension Shard {
    func slot(of device: UInt32, in part: Int) -> Int { Int(device - parts[part].firstDevice) }

    /// Lets a device go on, to the present where no moment is named. What it asks for is put in line.
    ///
    /// - Parameter due: When it wanted to be woken; `nil` where it did not want that yet.
    func advance(_ device: UInt32, due: Instant?, through moment: Instant? = nil) {
        let part = Int(partOfDevice[Int(device)])
        let fleet = parts[part].fleet
        let isLate = due.map { clock.realTime(now - $0) > Shard.onTime } ?? false
        let captured = isLate ? fleet.capturedCount : 0
        let wake = fleet.advance(slot(of: device, in: part), through: moment ?? now, effects: &effects)
        agenda.setWake(of: device, at: wake)
        if let due {
            noteLag(since: due, actions: isLate ? fleet.capturedCount - captured : 1)
        }
        absorbEffects(of: part)
    }

    /// When a device that is let go on to `moment` before its turn wanted to be woken, if it wanted that by then: answers and
    /// changes of networks come to their turn before wakes that fell due during a pause of the generator. What fell due
    /// after the drain was never to be done in time.
    func overdue(_ device: UInt32, at moment: Instant) -> Instant? {
        let due = agenda.wake(of: device)
        return due <= moment && phase != .closing ? due : nil
    }

    /// Notes how late a device's actions were: one, where it was punctual. After a pause of the generator a single wake
    /// makes up for many of them, each later than its time by less than the one before; counted as one they would
    /// vanish beside the punctual ones.
    private func noteLag(since due: Instant, actions: UInt64) {
        let count = Int64(min(max(actions, 1), 1000))
        let lag = now - due
        for index in 0..<count {
            let own = Interval(nanoseconds: lag.nanoseconds / count * (count - index))
            recorder.note(lag: clock.realTime(own), at: due)
        }
    }

    /// Takes over what a fleet asked for in its last call. Deaths come first: a request of the same
    /// step is one of the process that was launched after.
    func absorbEffects(of part: Int) {
        if !effects.died.isEmpty {
            for slot in effects.died { cut(parts[part].firstDevice + slot) }
        }
        if !effects.requests.isEmpty && phase != .ended {
            for request in effects.requests { open(request, part: part) }
        }
        if !effects.sealed.isEmpty {
            let population = parts[part].population
            recorder.note(effects.sealed, population: population)
            if configuration.sealedSink != nil {
                parts[part].sealed.append(contentsOf: effects.sealed)
                if parts[part].sealed.count >= 256 { flushSealed(part) }
            }
        }
        effects.removeAll()
    }

    func flushSealed(_ part: Int) {
        guard let sink = configuration.sealedSink, !parts[part].sealed.isEmpty else { return }
        sink(parts[part].sealed, parts[part].population, position.index)
        parts[part].sealed.removeAll(keepingCapacity: true)
    }
}
