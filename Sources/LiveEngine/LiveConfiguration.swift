package import Accounting
package import DeviceSDK
package import Timebase

/// What a live run is made of.
package struct LiveConfiguration: Sendable {
    /// The populations in the scenario's order; a population's index is its position.
    package var plans: [PopulationPlan]
    package var schedule: RunSchedule
    /// The devices that this process plays; its event loops divide them among themselves.
    package var share = ShardShare.whole
    /// Whether a run that is not set up by `schedule.start` is not to begin at all.
    package var isPunctual = false
    package var clock: RunClock
    /// The machine's wall clock, set once: servers' clocks are held against it.
    package let wallClock = RunClock.wall()
    /// Connections that the devices of all shards may have open at once, 1 or more.
    package var descriptorBudget: Int
    /// Gets sealed events in batches, on the shard's event loop: it must not block.
    package var sealedSink: SealedSink?
    /// Makes a shard's part of a population; called on the shard's event loop.
    package var fleetFactory: @Sendable (PopulationPlan, ShardShare) -> any DeviceFleet = {
        makeFleet(plan: $0, share: $1)
    }
    /// How long an idle connection is kept.
    package var idleLimit = LiveConfiguration.idleLimit
    /// Between the beginnings of two turns of a shard's timer, in real time.
    package var turnSpacing = Shard.turnSpacing

    /// Where bytes and questions for addresses go.
    package var transport: any ClientTransport = SocketTransport()

    /// Takes the sealed events of a population's devices in one shard.
    package typealias SealedSink =
        @Sendable (_ events: [SealedEvent], _ population: Int, _ shard: Int) -> Void

    /// How long an idle connection is kept. An assumption: Apple documents no number for how long
    /// `URLSession` keeps an idle HTTP/1.1 connection; about a minute is what is commonly observed.
    package static let idleLimit = Interval.seconds(60)

    package init(
        plans: [PopulationPlan], schedule: RunSchedule, clock: RunClock, descriptorBudget: Int,
        sealedSink: SealedSink? = nil
    ) {
        self.plans = plans
        self.schedule = schedule
        self.clock = clock
        self.descriptorBudget = descriptorBudget
        self.sealedSink = sealedSink
    }
}
