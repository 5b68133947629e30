package import Timebase
package import World

/// When a run's parts begin and end, on the run's clock.
package struct RunSchedule: Hashable, Sendable {
    package var start: Instant
    /// How long users act.
    package var duration: Interval
    /// The longest time after ``duration`` in which timers, retries and answers are awaited. Real time in live
    /// runs, also where the run's clock is faster.
    package var drain: Interval
    /// A part of the run that is measured apart, in whole seconds from the start; `nil` for none.
    package var measured: Range<Instant>?
    /// Parts of the run that are recorded in shorter intervals, in whole seconds from the start.
    package var closeUps: [Range<Instant>] = []
    /// When the first entries of the timeline last, by time.
    package var entries: [Range<Instant>] = []
    /// Changes of devices' networks, by time.
    package var deviceEntries: [DeviceEntry] = []
    /// What goes wrong with requests on the devices' side of the network.
    package var clientFaults = ClientFaultPlan()

    package init(start: Instant, duration: Interval, drain: Interval) {
        self.start = start
        self.duration = duration
        self.drain = drain
    }

    /// The time from which users do nothing any more.
    package var usersEnd: Instant { start + duration }
    /// The latest end of the drain; open answers are awaited ``answerGrace`` longer.
    package var drainEnd: Instant { usersEnd + drain }
    /// After the drain nothing new starts, and open answers get this long.
    package static let answerGrace = Interval.seconds(5)

    /// For a while, the network of a share of the devices is another.
    package struct DeviceEntry: Hashable, Sendable {
        package var from: Instant
        /// Exclusive; then the population's own network comes back.
        package var until: Instant
        package var network: NetworkKind
        /// Share of the devices, 0…1, drawn by seed per entry and device.
        package var share: Double
        /// Index of the population concerned, or `nil` for all.
        package var population: Int?
        /// Hash of the region's name that the draws belong to, instead of the entry.
        package var region: UInt64?

        package init(
            from: Instant, until: Instant, network: NetworkKind, share: Double, population: Int? = nil
        ) {
            self.from = from
            self.until = until
            self.network = network
            self.share = share
            self.population = population
        }

        /// Whether the entry concerns a device: a draw that belongs to the entry, or to its region, and the
        /// device alone.
        package func concerns(population: Int, stream: RandomStream, entry: Int) -> Bool {
            guard self.population.map({ $0 == population }) ?? true else { return false }
            // Apart from all that is numbered.
            var draw = stream.child(region.map { 1 << 63 | $0 } ?? UInt64(entry))
            return draw.chance(share)
        }
    }
}
