import DeviceSDK
import Measurement
import NIOCore
import Timebase
import Wire
import World

// MARK: - From a device's wish to bytes on the wire

extension Shard {
    /// Puts a request in line; its limit begins now.
    func open(_ outgoing: OutgoingRequest, part: Int) {
        var request = OpenRequest()
        request.device = parts[part].firstDevice + outgoing.slot
        request.fleet = UInt16(part)
        request.slot = outgoing.slot
        request.number = outgoing.number
        request.limit = outgoing.timeout
        request.network = outgoing.network
        request.sample = RequestSample(plannedAt: outgoing.plannedAt, finishedAt: now)
        request.sample.isConfig = outgoing.number.kind == .config
        request.sample.eventCount = outgoing.eventCount
        request.sample.isRetry = outgoing.isRetry
        work.append(.start(requests.open(request)))
    }

    /// Starts a request on an idle connection of its device, on a new one, or lets it wait.
    func startRequest(_ index: Int32) {
        if phase == .closing {
            giveBack(index)
            return
        }
        if requests[index].network == .none {
            fail(index, .offline)
            return
        }
        let device = requests[index].device
        let key = requests.key(index)
        let waitedBefore = requests[index].isWaiting
        if !waitedBefore { deadlines.append(key, limit: requests[index].limit, now: now) }
        requests[index].isWaiting = false
        requests[index].hasBegun = true
        if let connection = connections.idle(of: device) {
            connections.unmarkIdle(connection)
            write(index, on: connection)
        } else if makeRoom() {
            connect(index)
        } else {
            requests[index].isWaiting = true
            if waitedBefore { waiting.prepend(key) } else { waiting.append(key) }
        }
    }

    /// After the drain nothing starts: the device gets its rows back, and nothing is counted.
    private func giveBack(_ index: Int32) {
        let request = requests[index]
        requests.close(index)
        _ = parts[Int(request.fleet)].fleet.complete(
            Int(request.slot), request: request.number, outcome: .failed(.offline), at: now, effects: &effects
        )
        effects.requests.removeAll(keepingCapacity: true)
        absorbEffects(of: Int(request.fleet))
    }

    /// Whether another connection may be opened, after closing the longest-idle one if need be.
    private func makeRoom() -> Bool {
        if connections.count < connectionLimit { return true }
        guard let oldest = connections.longestIdleConnection else { return false }
        recycled += 1
        drop(oldest)
        return true
    }

    private func connect(_ index: Int32) {
        let connection = Connection(owner: self)
        let part = Int(requests[index].fleet)
        connections.add(connection, device: requests[index].device)
        parts[part].connections += 1
        connection.place.request = index
        requests[index].connection = connection.place.slot
        connection.connect(to: parts[part].endpoint.address, on: loop)
    }

    /// Writes a request: only now does its body come into being.
    func write(_ index: Int32, on connection: Connection) {
        connection.place.request = index
        requests[index].connection = connection.place.slot
        let request = requests[index]
        let part = Int(request.fleet)
        body.removeAll()
        tick()
        let head = parts[part].fleet.encode(Int(request.slot), request: request.number, at: now, into: &body)
        parts[part].endpoint.write(head, body: body, into: &buffer)
        connection.send(
            buffer, keepsBody: request.sample.isConfig, keepsSample: unexpected.count < UnexpectedAnswer.limit
        )
    }

    /// Closes a connection of ours.
    func drop(_ connection: Connection) {
        guard connection.place.slot >= 0 else { return }
        parts[Int(partOfDevice[Int(connection.place.device)])].connections -= 1
        connections.remove(connection)
        connection.close()
    }

    /// A connection became idle or went: the first waiting request has its turn.
    private func serveWaiting() {
        while let key = waiting.popFirst() {
            guard requests.isOpen(key) else { continue }
            work.append(.start(key))
            return
        }
    }
}

// MARK: - News of connections

extension Shard: ConnectionOwner {
    func opened(_ connection: Connection) {
        enter {
            let index = connection.place.request
            guard index >= 0 else { return }
            write(index, on: connection)
        }
    }

    func answered(_ connection: Connection) {
        enter {
            let index = connection.place.request
            guard index >= 0 else { return }
            fillSample(index, from: connection)
            let status = connection.parser.status
            requests[index].sample.status = status
            if status / 100 != 2 { keepSample(of: connection, request: index, failure: nil) }
            let body = requests[index].sample.isConfig ? connection.parser.body : []
            release(connection)
            work.append(.end(requests.key(index), .answered(status: status, body: body)))
        }
    }

    func ended(_ connection: Connection, failure: RequestFailure?) {
        enter {
            let index = connection.place.request
            if index >= 0, let failure {
                fillSample(index, from: connection)
                if connection.parser.received > 0 {
                    keepSample(of: connection, request: index, failure: failure)
                }
                fail(index, failure)
            }
            drop(connection)
            serveWaiting()
        }
    }

    /// The connection of a finished request: idle again, or forgotten if it is closed.
    private func release(_ connection: Connection) {
        if connection.state == .idle {
            connections.markIdle(connection, at: connection.times.lastByte)
        } else {
            drop(connection)
        }
        serveWaiting()
    }

    private func keepSample(of connection: Connection, request index: Int32, failure: RequestFailure?) {
        guard unexpected.count < UnexpectedAnswer.limit else { return }
        let parser = connection.parser
        unexpected.append(
            UnexpectedAnswer(
                status: parser.status, failure: failure?.name,
                headers: String(decoding: parser.sampleHead, as: UTF8.self),
                body: failure == .malformed ? connection.garbage : parser.sampleBody,
                population: parts[Int(requests[index].fleet)].population, at: now))
    }
}

// MARK: - The end of a request

extension Shard {
    /// Puts the end of a request without a whole answer in line.
    func fail(_ index: Int32, _ failure: RequestFailure) {
        requests[index].connection = -1
        requests[index].sample.failure = failure.label
        requests[index].sample.finishedAt = now
        work.append(.end(requests.key(index), .failed(failure)))
    }

    /// Takes the phases from the connection's moments. They add up to the duration: what lies neither
    /// in the connect nor between the first byte sent and the last received is `blocked`.
    private func fillSample(_ index: Int32, from connection: Connection) {
        let times = connection.times
        let planned = requests[index].sample.plannedAt
        requests[index].connection = -1
        var sample = requests[index].sample
        sample.finishedAt = times.lastByte == 0 ? now : clock.instant(atUptime: times.lastByte)
        if times.connected != 0 {
            sample.connecting = Interval(nanoseconds: Int64(times.connected - times.connectBegan))
        }
        if times.writeBegan == 0 {
            // It never came to writing.
            sample.blocked = Shard.positive(clock.instant(atUptime: times.connectBegan) - planned)
        } else {
            let begun = clock.instant(atUptime: times.writeBegan)
            sample.blocked = Shard.positive(begun - planned - (sample.connecting ?? .zero))
            sample.bytesSent = UInt64(connection.sentBytes)
            sample.bytesReceived = UInt64(connection.parser.received)
            sample.sending = Shard.span(times.writeBegan, times.written)
            sample.waiting = Shard.span(times.written, times.firstByte)
            sample.receiving = Shard.span(times.firstByte, times.lastByte)
        }
        requests[index].sample = sample
    }

    private static func positive(_ interval: Interval) -> Interval { max(.zero, interval) }

    private static func span(_ from: UInt64, _ to: UInt64) -> Interval {
        from == 0 || to < from ? .zero : Interval(nanoseconds: Int64(to - from))
    }

    /// Gives an answer to its device, which has come to the present before.
    func endRequest(_ key: RequestKey, _ outcome: RequestOutcome) {
        let request = requests[key.index]
        let part = Int(request.fleet)
        if outcome != .failed(.offline) {
            advance(request.device)
            // The process may have died meanwhile, and its request with it.
            guard requests.isOpen(key) else { return }
        }
        requests.close(key.index)
        recorder.note(request.sample, population: parts[part].population)
        let wake = parts[part].fleet.complete(
            Int(request.slot), request: request.number, outcome: outcome, at: now, effects: &effects)
        wakes.set(request.device, wake)
        absorbEffects(of: part)
    }

    /// The limit of an open request has passed.
    func timeOut(_ key: RequestKey) {
        let index = key.index
        guard requests.isOpen(key), requests[index].sample.failure == nil else { return }
        if let connection = connections[requests[index].connection] {
            fillSample(index, from: connection)
            drop(connection)
            serveWaiting()
        } else {
            // Without a connection: it waits for one, or its answer is in line already.
            guard requests[index].isWaiting else { return }
            requests[index].sample.blocked = Shard.positive(now - requests[index].sample.plannedAt)
        }
        fail(index, .timedOut)
    }

    /// A device's process died: its connections close, its requests are cut and never completed.
    func cut(_ device: UInt32) {
        var index = requests.first(of: device)
        while index >= 0 {
            let next = requests[index].nextOfDevice
            if let connection = connections[requests[index].connection] {
                fillSample(index, from: connection)
            }
            var sample = requests[index].sample
            sample.status = 0
            sample.failure = RequestFailure.processDied.label
            sample.finishedAt = now
            if requests[index].hasBegun {
                recorder.note(sample, population: parts[Int(requests[index].fleet)].population)
            }
            requests.close(index)
            index = next
        }
        while let connection = connections.first(of: device) {
            drop(connection)
            serveWaiting()
        }
    }
}

extension RequestFailure {
    /// ``name`` as a constant, for samples.
    var label: StaticString {
        switch self {
        case .offline: "offline"
        case .refused: "refused"
        case .reset: "reset"
        case .closed: "closed"
        case .truncated: "truncated"
        case .malformed: "malformed"
        case .timedOut: "timed_out"
        case .processDied: "process_died"
        case .noSocket: "no_socket"
        }
    }
}
