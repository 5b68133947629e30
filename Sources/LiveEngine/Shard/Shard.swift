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
/// All work goes through a few entries (the timer, a connection's news, `stop`). Each reads the
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

    /// A piece of work in line.
    enum Work {
        case start(RequestKey)
        /// The request's sample says how it went; the connection is free already.
        case end(RequestKey, RequestOutcome)
        /// Looks who in the lines may have a connection now.
        case serve
    }

    /// A population's part in this shard.
    struct Part {
        let fleet: any DeviceFleet
        /// In the order of the plan's targets.
        let endpoints: [Endpoint]
        /// The first of its pools, one for each endpoint, where its devices share connections; else 0.
        let firstPool: Int
        /// The shard's own number of the fleet's first device.
        let firstDevice: UInt32
        let population: Int
        let plan: PopulationPlan
        var connections = 0
        var sealed: [SealedEvent] = []

        var closesAfterAnswer: Bool { plan.target.connections == .perRequest }
    }

    let loop: any EventLoop
    let share: ShardShare
    let clock: RunClock
    let configuration: LiveConfiguration
    let connectionLimit: Int
    var parts: ContiguousArray<Part> = []
    /// The part that each device belongs to.
    var partOfDevice: ContiguousArray<UInt16> = []

    var wakes: WakeHeap
    var deadlines = DeadlineQueue()
    /// Requests that the plan holds up before they leave.
    var held = DelayLine()
    let clientFaults: ClientFaultDirector
    var requests: RequestTable
    var connections: ConnectionTable
    var work = RingQueue<Work>()
    /// The first is of the connections that belong to devices; the owner of the others' is ``firstPoolOwner``
    /// and their index.
    var pools: ContiguousArray<ConnectionPool> = [ConnectionPool()]
    let firstPoolOwner: UInt32
    let resolver: NameResolver
    /// Requests in the pools' lines, those that ended there included.
    var waitingCount = 0
    var isServing = false
    var effects = DeviceEffects()
    var body = WireBuffer()
    var buffer = ByteBuffer()
    var recorder: RunRecorder

    var phase = LivePhase.running
    var usersEnd: Instant
    var drainEnd: Instant
    /// When the state of the fleets is noted next, and how often: every second of the run, or as often as
    /// ``noteInterval(pace:)`` says.
    var nextNote: Instant
    let noteInterval: Interval
    var nextDrainCheck = Instant.distantFuture
    var networkChanges: NetworkTimeline
    var now: Instant
    var isWorking = false
    var armedFor = Instant.distantFuture
    /// When the timer's last turn began.
    var lastTurn = Instant(nanoseconds: 0)
    var armed: NIOScheduledCallback?
    var recycled: UInt64 = 0
    var handshakes: UInt64 = 0
    var unexpected: [UnexpectedAnswer] = []
    /// Answers of 2xx of which the systems are still to say whether they are success.
    var undecided: [RequestKey: UnexpectedAnswer] = [:]
    var usage = ThreadUsage()
    /// Where the last draining device was found, so that the next look begins there.
    var drainingHint = 0
    private let finished: EventLoopPromise<ShardResult>

    /// Makes the shard's devices. Nothing happens before ``begin()``.
    ///
    /// - Parameter endpoints: Of each plan, in the order of its targets.
    init(
        configuration: LiveConfiguration, endpoints: [[Endpoint]], share: ShardShare, loop: any EventLoop
    ) {
        self.configuration = configuration
        self.share = share
        self.loop = loop
        clock = configuration.clock
        connectionLimit = max(1, configuration.descriptorBudget / share.count)
        let schedule = configuration.schedule
        usersEnd = schedule.usersEnd
        drainEnd = schedule.usersEnd + clock.runTime(schedule.drain)
        noteInterval = Shard.noteInterval(pace: clock.pace)
        nextNote = schedule.start + noteInterval
        networkChanges = NetworkTimeline(schedule: schedule)
        clientFaults = ClientFaultDirector(plan: schedule.clientFaults)
        now = clock.instant(atUptime: loop.now.uptimeNanoseconds)
        recorder = RunRecorder(
            start: schedule.start, populationCount: configuration.plans.count, measured: schedule.measured,
            closeUps: schedule.closeUps, interval: noteInterval, measuresFreshness: clock.pace == 1)
        var first: UInt32 = 0
        for (population, plan) in configuration.plans.enumerated() {
            let fleet = configuration.fleetFactory(plan, share)
            var firstPool = 0
            if case .pooled(let total) = plan.target.connections {
                firstPool = pools.count
                let limits = PoolSplit(plan, shards: share.count).limits(of: total)[share.index]
                pools += limits.map { ConnectionPool(limit: $0) }
            }
            parts.append(
                Part(
                    fleet: fleet, endpoints: endpoints[population], firstPool: firstPool, firstDevice: first,
                    population: population, plan: plan))
            partOfDevice.append(contentsOf: repeatElement(UInt16(population), count: fleet.deviceCount))
            first += UInt32(fleet.deviceCount)
        }
        firstPoolOwner = first
        resolver = NameResolver(on: loop, transport: configuration.transport)
        wakes = WakeHeap(deviceCount: Int(first))
        requests = RequestTable(deviceCount: Int(first))
        connections = ConnectionTable(ownerCount: Int(first) + pools.count)
        finished = loop.makePromise(of: ShardResult.self)
    }

    /// The shard's outcome, once it has finished.
    var result: EventLoopFuture<ShardResult> { finished.futureResult }

    var labels: [[EventLabel]] { parts.map(\.fleet.labels) }

    /// Enters every device's arrival and arms the timer.
    func begin() {
        loop.preconditionInEventLoop()
        for part in parts {
            for slot in 0..<part.fleet.deviceCount {
                wakes.set(part.firstDevice + UInt32(slot), part.fleet.arrival(of: slot))
            }
        }
        arm()
    }

    /// Runs an entry's work and everything that comes of it.
    func enter(_ action: () -> Void) {
        loop.assertInEventLoop()
        guard phase != .finished else { return }
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
        while phase != .finished, let item = work.popFirst() {
            switch item {
            case .start(let key):
                if requests.isOpen(key), requests[key.index].sample.failure == nil { startRequest(key.index) }
            case .end(let key, let outcome):
                if requests.isOpen(key) { endRequest(key, outcome) }
            case .serve: serveLines()
            }
        }
    }

    func finish(with result: ShardResult) { finished.succeed(result) }
}

// MARK: - Devices

extension Shard {
    func slot(of device: UInt32, in part: Int) -> Int { Int(device - parts[part].firstDevice) }

    /// Lets a device go on to the present. What it asks for is put in line.
    ///
    /// - Parameter due: When it wanted to be woken; `nil` where it did not want that yet.
    func advance(_ device: UInt32, due: Instant?) {
        let part = Int(partOfDevice[Int(device)])
        let fleet = parts[part].fleet
        let isLate = due.map { clock.realTime(now - $0) > Shard.onTime } ?? false
        let captured = isLate ? fleet.capturedCount : 0
        let wake = fleet.advance(slot(of: device, in: part), through: now, effects: &effects)
        wakes.set(device, wake)
        if let due {
            noteLag(since: due, actions: isLate ? fleet.capturedCount - captured : 1)
        }
        absorbEffects(of: part)
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
        if !effects.requests.isEmpty && phase != .finished {
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
        sink(parts[part].sealed, parts[part].population, share.index)
        parts[part].sealed.removeAll(keepingCapacity: true)
    }
}
