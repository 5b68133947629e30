import DeviceSDK
import Timebase
import World

/// The moments at which the scenario changes devices' networks.
struct NetworkTimeline {
    private let entries: [RunSchedule.DeviceEntry]
    /// Begins and ends of entries, in order, each once.
    private let moments: [Instant]
    private var position = 0

    /// Takes the entries that begin while users act.
    init(schedule: RunSchedule) {
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
    private let usersEnd: Instant

    /// When the next change is.
    var next: Instant { position < moments.count ? moments[position] : .distantFuture }

    /// Takes out the moment of a change that is due.
    mutating func popDue(through now: Instant) -> Instant? {
        guard next <= now else { return nil }
        position += 1
        return moments[position - 1]
    }

    /// Whether an entry begins or ends at a moment and concerns a population at all.
    func touches(population: Int, at moment: Instant) -> Bool {
        entries.contains {
            ($0.from == moment || $0.until == moment) && ($0.population.map { $0 == population } ?? true)
        }
    }

    /// A device's network from a moment on: that of the active entry which began last (the later in
    /// the scenario at a tie), else the population's own. `nil` if no entry that begins or ends then
    /// concerns the device.
    func network(of plan: PopulationPlan, index: Int, from moment: Instant) -> NetworkKind? {
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
        return isConcerned ? active?.network ?? plan.network.kind : nil
    }
}

extension Shard {
    /// Makes the changes that are due, on the devices that they concern.
    func changeNetworks() {
        while let moment = networkChanges.popDue(through: now) {
            for index in parts.indices
            where networkChanges.touches(population: parts[index].population, at: moment) {
                changeNetworks(of: index, at: moment)
            }
        }
    }

    private func changeNetworks(of index: Int, at moment: Instant) {
        let part = parts[index]
        for slot in 0..<part.fleet.deviceCount {
            let inPopulation = share.populationIndex(ofSlot: slot)
            guard let kind = networkChanges.network(of: part.plan, index: inPopulation, from: moment) else {
                continue
            }
            let device = part.firstDevice + UInt32(slot)
            tick()
            advance(device)
            wakes.set(device, part.fleet.setNetwork(kind, of: slot, at: now, effects: &effects))
            absorbEffects(of: index)
        }
    }
}
