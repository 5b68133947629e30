import DeviceSDK
import Measurement
import Timebase
import World

// MARK: - Which connection a request uses

extension Shard {
    /// The pool whose connections a request may use.
    func pool(of index: Int32) -> Int {
        let part = Int(requests[index].fleet)
        guard parts[part].firstPool > 0 else { return 0 }
        return parts[part].firstPool + targetIndex(of: index)
    }

    /// Where a request's device sends to.
    func endpoint(of index: Int32) -> Endpoint {
        parts[Int(requests[index].fleet)].endpoints[targetIndex(of: index)]
    }

    func targetIndex(of index: Int32) -> Int {
        let part = Int(requests[index].fleet)
        guard parts[part].endpoints.count > 1 else { return 0 }
        let number = parts[part].fleet.globalNumber(of: Int(requests[index].slot))
        return parts[part].plan.targetIndex(ofDevice: number)
    }

    /// Who owns the connections that a request may use.
    func owner(of index: Int32) -> UInt32 {
        let pool = pool(of: index)
        return pool == 0 ? requests[index].device : UInt32(partOfDevice.count + pool)
    }

    /// Whether there is an idle connection for a request, or room for another.
    func hasConnection(for index: Int32) -> Bool {
        if connections.idle(of: owner(of: index)) != nil { return true }
        let pool = pool(of: index)
        return hasRoom(in: pool) || sharedConnection(of: pool) != nil
    }

    /// Whether another connection of a pool may be opened.
    private func hasRoom(in pool: Int) -> Bool {
        pools[pool].count < pools[pool].limit && connections.hasRoom
    }

    /// Puts a request on an idle connection, or opens one for it, or has it share one of its pool.
    ///
    /// - Precondition: ``hasConnection(for:)``.
    func useConnection(_ index: Int32) {
        requests[index].course.leaveOnConnection()
        if let connection = connections.idle(of: owner(of: index)) {
            connections.unmarkIdle(connection)
            write(index, on: connection.isShared ? connection.makeStream() : connection)
        } else if !hasRoom(in: pool(of: index)), let connection = takeShared(of: pool(of: index)) {
            connections.unmarkIdle(connection)
            write(index, on: connection.makeStream())
        } else {
            if connections.count >= connections.limit, let oldest = connections.longestIdleConnection {
                connections.recycled += 1
                drop(oldest)
            }
            connect(index)
        }
    }

    private func connect(_ index: Int32) {
        let connection = Connection(
            owner: self, loop: loop, transport: configuration.transport, buffers: buffers)
        let pool = pool(of: index)
        connections.add(connection, owner: owner(of: index))
        connection.entry.pool = Int32(pool)
        connection.entry.part = Int32(requests[index].fleet)
        connection.request = index
        pools[pool].count += 1
        parts[Int(requests[index].fleet)].connections += 1
        requests[index].carrier = connection
        connection.connect(to: endpoint(of: index), through: resolver)
    }

    /// Closes a connection of ours.
    func drop(_ connection: Connection) {
        guard connection.entry.slot >= 0 else { return }
        parts[Int(connection.entry.part)].connections -= 1
        pools[Int(connection.entry.pool)].count -= 1
        connections.remove(connection)
        connection.close()
        while let key = connection.waiting.popFirst() { work.append(.leave(key)) }
        askToServe()
    }
}

// MARK: - Those who wait for one

extension Shard {
    /// A connection became idle or went: whoever waits may have a turn, once the present work is done.
    func askToServe() {
        if pools.beginServing() { work.append(.serve) }
    }

    /// Lets requests in the lines have connections, each line in its order, until there are no more. Where descriptors
    /// are few, one line could take every connection that becomes free: the others come first then.
    func serveLines() {
        pools.endServing()
        let first = pools.lastServed + 1
        for turn in 0..<pools.count { serveLine(of: (first + turn) % pools.count) }
    }

    private func serveLine(of pool: Int) {
        while let key = pools[pool].firstInLine {
            let isInterested = requests.isOpen(key) && requests[key.index].course.stage == .waiting
            guard !isInterested || phase == .closing || hasConnection(for: key.index) else { return }
            pools.popFirst(of: pool)
            guard isInterested else { continue }
            pools.lastServed = pool
            if phase == .closing { giveBack(key.index) } else { useConnection(key.index) }
        }
    }
}
