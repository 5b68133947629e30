package import Accounting
package import CollectorModel
package import DeviceSDK
package import Measurement
package import Timebase
package import World

/// What a virtual run is made of.
package struct VirtualConfiguration: Sendable {
    package var plans: [PopulationPlan]
    package var schedule: RunSchedule
    package var collector: CollectorPlan
    package var server: ServerRules
    /// The sizes of requests whose bytes are neither made nor read; `nil` writes and reads each one.
    package var sizes: BodySizes?
    /// Whether the drain is as long as it may be, whatever is left to be done: then no device's end depends on others.
    package var playsWholeDrain = false
    /// Whether these devices are a part of a run's, to be joined with others: each look at them is kept, and what
    /// follows once nothing happens any more is only looked at.
    package var isPart = false
    /// Whether answers that are open at the end are awaited.
    package var awaitsOpenAnswers = true
    /// Whether what happens is measured: where nobody reads the result, fates and requests are not recorded, and events
    /// are sealed without their natural keys. What happens is the same.
    package var isMeasured = true
    /// Whether the fleet is looked at from time to time, and the observer is told (``VirtualObserver/tick(_:at:)``). What
    /// happens is the same, but for the moment at which an observer's wish is heard.
    package var isWatched = true
    /// Whether devices may do ahead of the clock what nobody notices. What happens is the same.
    package var runsAhead = true
    /// The events whose bodies observers of arrivals are told when they end.
    package var keepsBodies = SealedBodies.Wish.none

    package init(
        plans: [PopulationPlan], schedule: RunSchedule, collector: CollectorPlan,
        server: ServerRules = ServerRules()
    ) {
        self.plans = plans
        self.schedule = schedule
        self.collector = collector
        self.server = server
    }
}

/// What the owner of a virtual run hears while it goes on. All calls come on the run's own thread.
package protocol VirtualObserver {
    /// Whether ``tick(_:at:)`` is to be called although nothing has happened since the last time. By default it is: time
    /// passes for whoever waits.
    static var hearsQuietTicks: Bool { get }
    /// Whether ``tick(_:at:)`` may end the users' part for what it sees: then no device does anything ahead of it. By
    /// default it may. Who ends it for other reasons is heard a little later.
    var mayEndUsers: Bool { get }
    /// Events whose fate became final, in the run's total order.
    mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int)
    /// The same, with the time: the end of all times for what the end of the run seals. By default passed on without it.
    mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int, at now: Instant)
    /// A device begins a request. By default nobody wants to know.
    mutating func requested(_ request: OutgoingRequest, at now: Instant)
    /// Called at each tick of simulated time (a second, or more in runs of days).
    ///
    /// - Returns: whether the run goes on; `false` ends the users' part and begins the drain.
    mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool
    /// Called every few hundred steps, also between ticks, while devices are prepared and while the run is
    /// closed: within milliseconds of real time, however many devices there are.
    ///
    /// - Parameter wakes: ``VirtualResult/wakes`` so far.
    mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish
}

extension VirtualObserver {
    package static var hearsQuietTicks: Bool { true }

    package var mayEndUsers: Bool { true }

    package mutating func sealed(
        _ events: ContiguousArray<SealedEvent>, population: Int, at now: Instant
    ) {
        sealed(events, population: population)
    }

    package mutating func requested(_ request: OutgoingRequest, at now: Instant) {}

    /// Lets the run go on.
    package mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
        .goOn
    }
}

/// What the owner of a run wants of it.
package enum VirtualWish: Sendable {
    case goOn
    /// Users stop, and the drain begins.
    case drain
    /// Nothing is waited for: what has no fate yet is pending.
    case end
}

/// The outcome of a virtual run.
package struct VirtualResult: Sendable {
    package var recorder: RunRecorder
    package var receipts: Receipts
    package var statistics: CollectorStatistics
    /// From the start to the end of the drain.
    package var simulated: Interval
    package var devicesStarted: Int
    /// The time at which an observer ended the users' part, if one did.
    package var stoppedAt: Instant?
    /// When the drain was over and nothing started any more; `nil` where an observer ended the run at once.
    package var drainEndedAt: Instant?
    /// The first answers that their systems do not take as success.
    package var unexpectedAnswers: [UnexpectedAnswer]
    /// The most requests that were in the air at the same time.
    package var openRequestsPeak: Int
    /// Moments at which a device was awake, and at which a request left or ended: entries of the event queue, if no
    /// device ran ahead of the clock.
    package var wakes: UInt64
    /// Those of them that lay ahead of the clock.
    package var wakesAhead: UInt64
    /// Of a part of a run: each look at its devices.
    package var levels: PartLevels?
}

/// The looks at a part of a run.
package struct PartLevels: Sendable {
    /// Up to the end of the drain, the last one at it.
    package var log: LevelLog
    /// From this look on nothing happened any more; `nil` if something did, or might have, up to the end.
    package var quietSince: Instant?
    /// When the books were closed.
    package var closing: FleetLook

    package init(log: LevelLog, quietSince: Instant?, closing: FleetLook) {
        self.log = log
        self.quietSince = quietSince
        self.closing = closing
    }
}

/// Runs a scenario in virtual time: discrete events in the total order (time, device, device
/// sequence), on the caller's thread.
///
/// Requests are written by the real encoders and read by the real decoders of the collector model,
/// at the instant at which they are sent; answers come after the server's service time. With
/// ``VirtualConfiguration/sizes`` the events of an upload pass by reference instead, which changes nothing but
/// how many bytes count as sent.
///
/// - Parameter arrivals: Hears of what the modelled server stores.
package func runVirtually(
    _ configuration: VirtualConfiguration, fleets: [any DeviceFleet], observer: inout some VirtualObserver,
    arrivals: (any ArrivalObserver)? = nil
) -> VirtualResult {
    var engine = VirtualEngine(configuration, fleets: fleets, arrivals: arrivals)
    return engine.run(&observer)
}
