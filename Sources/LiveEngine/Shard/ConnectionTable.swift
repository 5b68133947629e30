/// The connections of a shard: by device, and the idle ones by how long they have been idle.
///
/// Lists run over indices in the connections' own `place`; every operation is O(1) but the search
/// among a device's own connections, of which there are at most a few.
struct ConnectionTable {
    private var places: ContiguousArray<Connection?> = []
    private var free: ContiguousArray<Int32> = []
    private var firstOfDevice: ContiguousArray<Int32>
    private var longestIdle: Int32 = -1
    private var latestIdle: Int32 = -1
    /// Open connections, those being opened included.
    private(set) var count = 0
    /// The most that were open at once.
    private(set) var peak = 0
    private(set) var opened: UInt64 = 0

    init(deviceCount: Int) { firstOfDevice = ContiguousArray(repeating: -1, count: deviceCount) }

    /// Enters a new connection of a device.
    mutating func add(_ connection: Connection, device: UInt32) {
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
        connection.place.device = device
        connection.place.nextOfDevice = firstOfDevice[Int(device)]
        firstOfDevice[Int(device)] = index
        count += 1
        opened += 1
        peak = max(peak, count)
    }

    subscript(index: Int32) -> Connection? { index < 0 ? nil : places[Int(index)] }

    /// The first connection of a device; the others follow by `nextOfDevice`.
    func first(of device: UInt32) -> Connection? { self[firstOfDevice[Int(device)]] }

    /// An idle connection of a device.
    func idle(of device: UInt32) -> Connection? {
        var connection = first(of: device)
        while let candidate = connection {
            if candidate.state == .idle && candidate.place.request < 0 { return candidate }
            connection = self[candidate.place.nextOfDevice]
        }
        return nil
    }

    /// The connection that has been idle for longest.
    var longestIdleConnection: Connection? { self[longestIdle] }

    /// Puts a connection at the end of the idle ones.
    mutating func markIdle(_ connection: Connection, at uptime: UInt64) {
        connection.place.request = -1
        connection.place.idleSince = uptime
        connection.place.idlePrevious = latestIdle
        connection.place.idleNext = -1
        if let last = self[latestIdle] { last.place.idleNext = connection.place.slot }
        if longestIdle < 0 { longestIdle = connection.place.slot }
        latestIdle = connection.place.slot
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
        connection.place.idleSince = 0
    }

    /// Forgets a connection that is gone.
    mutating func remove(_ connection: Connection) {
        let slot = connection.place.slot
        guard slot >= 0, places[Int(slot)] === connection else { return }
        unmarkIdle(connection)
        let device = Int(connection.place.device)
        if firstOfDevice[device] == slot {
            firstOfDevice[device] = connection.place.nextOfDevice
        } else {
            var previous = self[firstOfDevice[device]]
            while let candidate = previous, candidate.place.nextOfDevice != slot {
                previous = self[candidate.place.nextOfDevice]
            }
            previous?.place.nextOfDevice = connection.place.nextOfDevice
        }
        places[Int(slot)] = nil
        free.append(slot)
        connection.place.slot = -1
        count -= 1
    }
}
