/// The connections of a shard: by owner (a device, or a pool that devices share), and the idle ones by how
/// long they have been idle.
///
/// Lists run over indices in the connections' own `place`; every operation is O(1).
struct ConnectionTable {
    private var places: ContiguousArray<Connection?> = []
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

    init(ownerCount: Int) {
        firstOfOwner = ContiguousArray(repeating: -1, count: ownerCount)
        firstIdleOfOwner = ContiguousArray(repeating: -1, count: ownerCount)
    }

    /// Enters a new connection of an owner.
    mutating func add(_ connection: Connection, owner: UInt32) {
        let index: Int32
        if let last = free.popLast() {
            index = last
            places[Int(index)] = connection
        } else {
            index = Int32(places.count)
            places.append(connection)
        }
        connection.place = ConnectionPlace()
        connection.place.slot = index
        connection.place.owner = owner
        connection.place.nextOfOwner = firstOfOwner[Int(owner)]
        first(of: owner)?.place.previousOfOwner = index
        firstOfOwner[Int(owner)] = index
        count += 1
        opened += 1
        peak = max(peak, count)
    }

    subscript(index: Int32) -> Connection? { index < 0 ? nil : places[Int(index)] }

    /// A connection of an owner; the others follow by `nextOfOwner`.
    func first(of owner: UInt32) -> Connection? { self[firstOfOwner[Int(owner)]] }

    /// The idle connection of an owner that was used last.
    func idle(of owner: UInt32) -> Connection? { self[firstIdleOfOwner[Int(owner)]] }

    /// The connection that has been idle for longest.
    var longestIdleConnection: Connection? { self[longestIdle] }

    /// Every connection, in no particular order. O(places).
    var all: [Connection] { places.compactMap { $0 } }

    /// Puts a connection at the end of the idle ones.
    mutating func markIdle(_ connection: Connection, at uptime: UInt64) {
        connection.place.request = -1
        connection.place.idleSince = uptime
        connection.place.idlePrevious = latestIdle
        connection.place.idleNext = -1
        self[latestIdle]?.place.idleNext = connection.place.slot
        if longestIdle < 0 { longestIdle = connection.place.slot }
        latestIdle = connection.place.slot
        let owner = connection.place.owner
        connection.place.idlePreviousOfOwner = -1
        connection.place.idleNextOfOwner = firstIdleOfOwner[Int(owner)]
        idle(of: owner)?.place.idlePreviousOfOwner = connection.place.slot
        firstIdleOfOwner[Int(owner)] = connection.place.slot
    }

    /// Takes a connection from the idle ones, if it is among them.
    mutating func unmarkIdle(_ connection: Connection) {
        let place = connection.place
        guard place.idleSince != 0 else { return }
        if let previous = self[place.idlePrevious] {
            previous.place.idleNext = place.idleNext
        } else {
            longestIdle = place.idleNext
        }
        if let next = self[place.idleNext] {
            next.place.idlePrevious = place.idlePrevious
        } else {
            latestIdle = place.idlePrevious
        }
        if let previous = self[place.idlePreviousOfOwner] {
            previous.place.idleNextOfOwner = place.idleNextOfOwner
        } else {
            firstIdleOfOwner[Int(place.owner)] = place.idleNextOfOwner
        }
        self[place.idleNextOfOwner]?.place.idlePreviousOfOwner = place.idlePreviousOfOwner
        connection.place.idleSince = 0
    }

    /// Forgets a connection that is gone.
    mutating func remove(_ connection: Connection) {
        let place = connection.place
        guard place.slot >= 0, places[Int(place.slot)] === connection else { return }
        unmarkIdle(connection)
        if let previous = self[place.previousOfOwner] {
            previous.place.nextOfOwner = place.nextOfOwner
        } else {
            firstOfOwner[Int(place.owner)] = place.nextOfOwner
        }
        self[place.nextOfOwner]?.place.previousOfOwner = place.previousOfOwner
        places[Int(place.slot)] = nil
        free.append(place.slot)
        connection.place.slot = -1
        count -= 1
    }
}
