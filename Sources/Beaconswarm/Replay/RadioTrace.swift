import DeviceSDK
import Timebase
import World

/// Which radio a device is on, at instants that do not go back.
struct RadioTrace {
    private let rules: NetworkRules
    private let stream: RandomStream
    private var walk: RadioWalk?
    /// The timeline's entries that concern the device.
    private let entries: [RunSchedule.DeviceEntry]

    init(_ plan: PopulationPlan, index: Int, schedule: RunSchedule) {
        rules = plan.network
        let stream = plan.stream(.network, index: index)
        self.stream = stream
        walk = rules.walk(stream: stream, from: plan.start)
        entries = schedule.deviceEntries.enumerated().filter { number, entry in
            entry.from < plan.usersEnd && entry.from < entry.until
                && entry.concerns(population: plan.index, stream: stream, entry: number)
        }.map(\.element)
    }

    mutating func kind(at instant: Instant) -> NetworkKind {
        if let chain = rules.chain { walk?.advance(through: instant, chain, stream: stream) }
        var active: RunSchedule.DeviceEntry?
        for entry in entries where entry.from <= instant && instant < entry.until {
            if entry.from >= active?.from ?? entry.from { active = entry }
        }
        let own = rules.chain.flatMap { chain in walk.map { $0.kind(chain) } }
        return active?.network ?? own ?? rules.kind
    }
}
