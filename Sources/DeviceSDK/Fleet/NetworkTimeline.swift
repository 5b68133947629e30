package import Timebase
package import World

/// The moments at which the scenario changes devices' networks, for both engines.
///
/// A change comes before everything else that happens at its instant.
package struct NetworkTimeline {
    private let entries: [RunSchedule.DeviceEntry]
    /// Begins and ends of entries, in order, each once.
    private let moments: [Instant]
    private var position = 0
    private let usersEnd: Instant

    /// Takes the entries that begin while users act.
    package init(schedule: RunSchedule) {
        entries = schedule.deviceEntries
        let effective = entries.filter { $0.from < schedule.usersEnd && $0.from < $0.until }
        var moments = effective.flatMap { [$0.from, $0.until] }.sorted()
        var last: Instant?
        moments.removeAll { moment in
            defer { last = moment }
            return moment == last
        }
        self.moments = moments
        usersEnd = schedule.usersEnd
    }

    /// When the next change is.
    package var next: Instant { position < moments.count ? moments[position] : .distantFuture }

    /// Takes out the moment of a change that is due.
    package mutating func popDue(through now: Instant) -> Instant? {
        guard next <= now else { return nil }
        position += 1
        return moments[position - 1]
    }

    /// Whether an entry begins or ends at a moment and concerns a population at all.
    package func touches(population: Int, at moment: Instant) -> Bool {
        entries.contains {
            ($0.from == moment || $0.until == moment) && ($0.population.map { $0 == population } ?? true)
        }
    }

    /// What becomes of a device's network at a moment: that of the active entry which began last (the later in
    /// the scenario at a tie), or its own again. `nil` if no entry that begins or ends then concerns the device.
    package func change(of plan: PopulationPlan, index: Int, at moment: Instant) -> NetworkChange? {
        let stream = plan.stream(.network, index: index)
        var isConcerned = false
        var active: RunSchedule.DeviceEntry?
        for (number, entry) in entries.enumerated() where entry.from < usersEnd && entry.from < entry.until {
            let begins = entry.from == moment || entry.until == moment
            let covers = entry.from <= moment && moment < entry.until
            guard begins || covers, entry.concerns(population: plan.index, stream: stream, entry: number)
            else { continue }
            if begins { isConcerned = true }
            if covers, entry.from >= active?.from ?? entry.from { active = entry }
        }
        return isConcerned ? NetworkChange(kind: active?.network) : nil
    }
}

/// A device's network changes.
package struct NetworkChange: Hashable, Sendable {
    /// `nil` for the device's own, whatever that is by now.
    package var kind: NetworkKind?

    package init(kind: NetworkKind?) { self.kind = kind }

    /// Another network than the device's own.
    package static func to(_ kind: NetworkKind) -> NetworkChange { NetworkChange(kind: kind) }
}
