import DeviceSDK
import NIOCore
import World

// MARK: - Connections that carry several requests at once

/// With HTTP/2 a device has one connection, on which all of its requests are streams, as `URLSession` has one for each
/// host. What no stream is free for, and what waits to learn which HTTP the server speaks, waits at that connection.
/// Devices that share connections open as many as they may, and then share those.
extension Shard {
    /// Has a request go on the connection that its device has for everything, or wait for it there.
    ///
    /// - Returns: `false` if there is none, or devices do not share connections among requests.
    func sharesConnection(_ index: Int32) -> Bool {
        guard pool(of: index) == 0, let connection = sharedConnection(ofDevice: index) else { return false }
        // Who came first goes first.
        if connection.hasRoom, connection.waiting.isEmpty {
            requests[index].course.leaveOnConnection()
            connections.unmarkIdle(connection)
            write(index, on: connection.makeStream())
        } else {
            requests[index].course.waitForConnection()
            connection.waiting.append(requests.key(index))
        }
        return true
    }

    /// The connection of a device that carries all of its requests, or may turn out to.
    private func sharedConnection(ofDevice index: Int32) -> Connection? {
        let part = Int(requests[index].fleet)
        guard endpoint(of: index).mayShare, !parts[part].closesAfterAnswer else { return nil }
        let mayTurnOut = !parts[part].speaksOne.contains(targetIndex(of: index))
        var next = connections.first(of: requests[index].device)
        while let connection = next {
            switch connection.state {
            case .shared where !connection.isLeaving: return connection
            case .connecting where mayTurnOut, .securing where mayTurnOut: return connection
            default: next = connections[connection.entry.nextOfOwner]
            }
        }
        return nil
    }

    /// A connection is open, and speaks HTTP/2.
    func openedShared(_ connection: Connection) {
        connections.sharedCount += 1
        let index = connection.request
        connection.request = -1
        if index >= 0 { write(index, on: connection.makeStream(isFirst: true)) }
        reassign(connection)
    }

    /// A connection is open, and speaks HTTP/1.1: whoever waited to learn that opens another.
    func noteUnshared(_ connection: Connection) {
        guard connection.request >= 0, endpoint(of: connection.request).mayShare else { return }
        parts[Int(connection.entry.part)].speaksOne.insert(targetIndex(of: connection.request))
        while let key = connection.waiting.popFirst() { work.append(.leave(key)) }
    }

    func limitChanged(_ connection: Connection) { enter { reassign(connection) } }

    /// Lets go of what carried a request: the stream ends, and so does a connection of HTTP/1.1.
    func letGo(_ carrier: Carrier) {
        if let stream = carrier as? HTTP2Stream {
            stream.close()
            leaveStream(stream)
        } else if let connection = carrier as? Connection {
            drop(connection)
        }
    }

    /// A stream carries nothing any more.
    func leaveStream(_ stream: HTTP2Stream) {
        let connection = stream.connection
        connection.putBack(stream)
        reassign(connection)
    }

    /// A limit passed with nothing heard on a connection since the request was written: nobody may be there any more,
    /// so the next requests open another.
    func retireIfSilent(_ carrier: Carrier) {
        guard let stream = carrier as? HTTP2Stream, stream.times.writeBegan != 0,
            stream.connection.lastRead < stream.times.writeBegan
        else { return }
        stream.connection.isRetired = true
    }

    /// Sees to who may have a shared connection now: those who wait for it, or its pool; nobody, if it is to close.
    private func reassign(_ connection: Connection) {
        guard connection.entry.slot >= 0, connection.isShared else { return }
        serve(connection)
        if connection.isLeaving {
            while let key = connection.waiting.popFirst() { work.append(.leave(key)) }
        }
        guard connection.entry.slot >= 0, connection.isShared else { return }
        if connection.isQuiet {
            let part = Int(connection.entry.part)
            if connection.isLeaving || parts[part].closesAfterAnswer { return drop(connection) }
            rest(connection)
        }
        offer(connection)
    }

    /// Counts a connection that carries nothing among the idle ones, as long as it can carry something.
    private func rest(_ connection: Connection) {
        if !connection.hasRoom {
            connections.unmarkIdle(connection)
        } else if connection.entry.idleSince == 0 {
            connections.markIdle(connection, at: loop.now.uptimeNanoseconds)
            watchIdle()
            askToServe()
        }
    }

    /// Gives the streams that are free to those who wait for them.
    private func serve(_ connection: Connection) {
        while connection.hasRoom, let key = connection.waiting.popFirst() {
            guard requests.isOpen(key), requests[key.index].course.stage == .waiting else { continue }
            if phase == .closing {
                giveBack(key.index)
            } else {
                requests[key.index].course.leaveOnConnection()
                write(key.index, on: connection.makeStream())
            }
        }
    }

    /// The request looks for a connection anew.
    func leaveAgain(_ key: RequestKey) {
        guard requests.isOpen(key), requests[key.index].course.stage == .waiting else { return }
        if phase == .closing { giveBack(key.index) } else { leave(key.index) }
    }

    /// After the drain nothing starts: what waits at connections goes back to its devices.
    func giveBackWaiting() {
        for connection in connections.all {
            while let key = connection.waiting.popFirst() {
                guard requests.isOpen(key), requests[key.index].course.stage == .waiting else { continue }
                giveBack(key.index)
            }
        }
    }
}

// MARK: - Pools

extension Shard {
    /// A connection of a pool with room for another stream.
    func sharedConnection(of pool: Int) -> Connection? {
        while let connection = pools[pool].shared.first {
            if connection.hasRoom { return connection }
            connection.entry.isOffered = false
            _ = pools[pool].shared.popFirst()
        }
        return nil
    }

    /// The same, which then has its next turn after the others.
    func takeShared(of pool: Int) -> Connection? {
        guard let connection = sharedConnection(of: pool) else { return nil }
        _ = pools[pool].shared.popFirst()
        pools[pool].shared.append(connection)
        return connection
    }

    /// Lets the requests of a pool share a connection.
    private func offer(_ connection: Connection) {
        let pool = Int(connection.entry.pool)
        guard pool > 0, connection.hasRoom else { return }
        if !connection.entry.isOffered {
            connection.entry.isOffered = true
            pools[pool].shared.append(connection)
            if pools[pool].shared.count > 2 * pools[pool].count + 16 { forgetGone(in: pool) }
        }
        askToServe()
    }

    /// Nobody looks at what is offered as long as the pool may open more, so that those that have closed stay in it.
    private func forgetGone(in pool: Int) {
        for _ in 0..<pools[pool].shared.count {
            guard let connection = pools[pool].shared.popFirst(), connection.entry.slot >= 0 else { continue }
            pools[pool].shared.append(connection)
        }
    }
}
