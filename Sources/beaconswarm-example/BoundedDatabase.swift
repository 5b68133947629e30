import Beaconswarm

/// A database of one's own: keeps so many events and throws the oldest out for new ones, where GrowingIO's has no limit.
struct BoundedDatabase: EventDatabase {
    /// The most events that it keeps, 1 or more.
    let limit: Int
    /// Oldest first.
    private var events: [StoredEvent] = []

    init(limit: Int) { self.limit = limit }

    var ids: [UInt32] { events.map(\.id) }

    mutating func insert(_ events: [StoredEvent]) -> InsertOutcome {
        self.events += events
        let surplus = max(0, self.events.count - limit)
        let evicted = self.events.prefix(surplus).map(\.id)
        self.events.removeFirst(surplus)
        return .written(evicting: evicted)
    }

    mutating func delete(_ ids: [UInt32]) -> Bool {
        let gone = Set(ids)
        events.removeAll { gone.contains($0.id) }
        return true
    }
}
