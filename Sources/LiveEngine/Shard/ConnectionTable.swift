/// The connections of a shard: by owner (a device, or a pool that devices share), and the idle ones by how
/// long they have been idle.
///
/// Lists run over indices in the connections' own `entry`; every operation is O(1).
struct ConnectionTable {
    private var slots: ContiguousArray<Connection?> = []
    private var free: ContiguousArray<Int32> = []
    private var firstOfOwner: ContiguousArray<Int32>
    private var firstIdleOfOwner: ContiguousArray<Int32>
    private var longestIdle: Int32 = -1
    private var latestIdle: Int32 = -1
    /// Open connections, those being opened included.
    private(set) var count = 0
    /// The most that were open at once.
    private(set) var peak = 0
    private(set) var opened: UInt64 = 0
    /// Closed early because there was no room for another.
    var recycled: UInt64 = 0
    /// Answers behind which more came, which closed connections of HTTP/1.1; on HTTP/2 those of connections that are gone.
    var overlongAnswers: UInt64 = 0
    /// TLS handshakes that were completed.
    var handshakes: UInt64 = 0
    /// Their CPU time, in nanoseconds.
    var handshakeTime: UInt64 = 0
    /// Connections that spoke HTTP/2, and the streams of those that are gone.
    var sharedCount: UInt64 = 0
    private var streamsOfGone: UInt64 = 0
    /// The most that may be open at once.
    let limit: Int

    init(ownerCount: Int, limit: Int) {
        self.limit = limit
        firstOfOwner = ContiguousArray(repeating: -1, count: ownerCount)
        firstIdleOfOwner = ContiguousArray(repeating: -1, count: ownerCount)
    }

    /// Enters a new connection of an owner.
    mutating func add(_ connection: Connection, owner: UInt32) {
        let index: Int32
        if let last = free.popLast() {
            index = last
            slots[Int(index)] = connection
        } else {
            index = Int32(slots.count)
            slots.append(connection)
        }
        connection.entry = ConnectionEntry()
        connection.entry.slot = index
        connection.entry.owner = owner
        connection.entry.nextOfOwner = firstOfOwner[Int(owner)]
        first(of: owner)?.entry.previousOfOwner = index
        firstOfOwner[Int(owner)] = index
        count += 1
        opened += 1
        peak = max(peak, count)
    }

    subscript(index: Int32) -> Connection? { index < 0 ? nil : slots[Int(index)] }

    /// A connection of an owner; the others follow by `nextOfOwner`.
    func first(of owner: UInt32) -> Connection? { self[firstOfOwner[Int(owner)]] }

    /// The idle connection of an owner that was used last.
    func idle(of owner: UInt32) -> Connection? { self[firstIdleOfOwner[Int(owner)]] }

    /// Whether another may be opened, or one is idle that can go for it.
    var hasRoom: Bool { count < limit || longestIdle >= 0 }

    /// The connection that has been idle for longest.
    var longestIdleConnection: Connection? { self[longestIdle] }

    /// Streams that were opened so far. O(slots).
    var streamsOpened: UInt64 {
        slots.reduce(streamsOfGone) { $0 + ($1?.session?.opened ?? 0) }
    }

    /// Every connection, in no particular order. O(slots).
    var all: [Connection] { slots.compactMap { $0 } }

    /// Puts a connection at the end of the idle ones.
    mutating func markIdle(_ connection: Connection, at uptime: UInt64) {
        connection.request = -1
        connection.entry.idleSince = uptime
        connection.entry.idlePrevious = latestIdle
        connection.entry.idleNext = -1
        self[latestIdle]?.entry.idleNext = connection.entry.slot
        if longestIdle < 0 { longestIdle = connection.entry.slot }
        latestIdle = connection.entry.slot
        let owner = connection.entry.owner
        connection.entry.idlePreviousOfOwner = -1
        connection.entry.idleNextOfOwner = firstIdleOfOwner[Int(owner)]
        idle(of: owner)?.entry.idlePreviousOfOwner = connection.entry.slot
        firstIdleOfOwner[Int(owner)] = connection.entry.slot
    }

    /// Takes a connection from the idle ones, if it is among them.
    mutating func unmarkIdle(_ connection: Connection) {
        let entry = connection.entry
        guard entry.idleSince != 0 else { return }
        if let previous = self[entry.idlePrevious] {
            previous.entry.idleNext = entry.idleNext
        } else {
            longestIdle = entry.idleNext
        }
        if let next = self[entry.idleNext] {
            next.entry.idlePrevious = entry.idlePrevious
        } else {
            latestIdle = entry.idlePrevious
        }
        if let previous = self[entry.idlePreviousOfOwner] {
            previous.entry.idleNextOfOwner = entry.idleNextOfOwner
        } else {
            firstIdleOfOwner[Int(entry.owner)] = entry.idleNextOfOwner
        }
        self[entry.idleNextOfOwner]?.entry.idlePreviousOfOwner = entry.idlePreviousOfOwner
        connection.entry.idleSince = 0
    }

    /// Forgets a connection that is gone.
    mutating func remove(_ connection: Connection) {
        let entry = connection.entry
        guard entry.slot >= 0, slots[Int(entry.slot)] === connection else { return }
        unmarkIdle(connection)
        if let previous = self[entry.previousOfOwner] {
            previous.entry.nextOfOwner = entry.nextOfOwner
        } else {
            firstOfOwner[Int(entry.owner)] = entry.nextOfOwner
        }
        self[entry.nextOfOwner]?.entry.previousOfOwner = entry.previousOfOwner
        slots[Int(entry.slot)] = nil
        streamsOfGone += connection.session?.opened ?? 0
        overlongAnswers += connection.session?.overlongAnswers ?? 0
        free.append(entry.slot)
        connection.entry.slot = -1
        count -= 1
    }
}
