package import DeviceSDK
package import Timebase
package import World

/// Which radio a device is on, at instants that do not go back.
package struct RadioTrace {
    private let rules: NetworkRules
    private let stream: RandomStream
    private let start: Instant
    private var walk: RadioWalk?
    /// The timeline's entries that concern the device.
    private let entries: [RunSchedule.DeviceEntry]

    package init(_ plan: PopulationPlan, index: Int, schedule: RunSchedule) {
        rules = plan.network
        let stream = plan.stream(.network, index: index)
        self.stream = stream
        start = plan.start
        walk = rules.walk(stream: stream, from: plan.start)
        entries = schedule.deviceEntries.enumerated().filter { number, entry in
            entry.from < plan.usersEnd && entry.from < entry.until
                && entry.concerns(population: plan.index, stream: stream, entry: number)
        }.map(\.element)
    }

    package mutating func kind(at instant: Instant) -> NetworkKind {
        entry(at: instant)?.network ?? own(at: instant)
    }

    /// The times until an instant in which the device's own way has no radio, and no entry of the timeline says which one it
    /// is on.
    ///
    /// - Returns: them in order; no two touch.
    package mutating func gaps(until end: Instant) -> [Range<Instant>] {
        var gaps: [Range<Instant>] = []
        var now = start
        while now < end {
            let isGap = own(at: now) == .none && entry(at: now) == nil
            let next = min(end, change(after: now))
            if isGap, let last = gaps.last, last.upperBound == now {
                gaps[gaps.count - 1] = last.lowerBound..<next
            } else if isGap {
                gaps.append(now..<next)
            }
            now = next
        }
        return gaps
    }

    /// The entry that decides at an instant: the one that began last, of those that began together the later in the scenario.
    private func entry(at instant: Instant) -> RunSchedule.DeviceEntry? {
        var active: RunSchedule.DeviceEntry?
        for entry in entries where entry.from <= instant && instant < entry.until {
            if entry.from >= active?.from ?? entry.from { active = entry }
        }
        return active
    }

    private mutating func own(at instant: Instant) -> NetworkKind {
        guard let chain = rules.chain else { return rules.kind }
        walk?.advance(through: instant, chain, stream: stream)
        return walk?.kind(chain) ?? rules.kind
    }

    /// When something changes next after an instant that the device's way was followed to.
    private func change(after instant: Instant) -> Instant {
        let moments = entries.flatMap { [$0.from, $0.until] }.filter { $0 > instant }
        return min(walk?.until ?? .distantFuture, moments.min() ?? .distantFuture)
    }
}
