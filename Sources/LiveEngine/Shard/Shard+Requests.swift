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
        request.wantsBody = outgoing.wantsBody
        request.sample = RequestSample(plannedAt: outgoing.plannedAt, finishedAt: now, pace: clock.pace)
        request.sample.isConfig = outgoing.number.kind == .config
        request.sample.eventCount = outgoing.eventCount
        request.sample.isRetry = outgoing.isRetry
        request.verdict = clientFaults.verdict(
            on: outgoing, of: parts[part].plan, index: share.populationIndex(ofSlot: Int(outgoing.slot)),
            at: now)
        if !request.sample.isConfig, outgoing.network != .none, phase != .closing {
            recorder.noteStart(plannedAt: outgoing.plannedAt, population: parts[part].population)
        }
        work.append(.start(requests.open(request)))
    }

    /// Starts a request on a connection that it may use, on a new one, or lets it wait in line.
    func startRequest(_ index: Int32) {
        if phase == .closing {
            giveBack(index)
            return
        }
        if requests[index].network == .none {
            fail(index, .offline)
            return
        }
        let key = requests.key(index)
        if !requests[index].hasBegun {
            deadlines.append(key, limit: clock.runTime(requests[index].limit), now: now)
            requests[index].hasBegun = true
            if holdsBack(index) { return }
        }
        let pool = pool(of: index)
        // A pool's line comes first; a device with an idle connection of its own takes it from nobody.
        let mayPass = pool == 0 && connections.idle(of: requests[index].device) != nil
        if (mayPass || pools[pool].line.isEmpty) && hasConnection(for: index) {
            useConnection(index)
        } else {
            requests[index].isWaiting = true
            pools[pool].line.append(key)
            waitingCount += 1
        }
    }

    /// After the drain nothing starts: the device gets its rows back, and nothing is counted.
    func giveBack(_ index: Int32) {
        let request = requests[index]
        requests.close(index)
        _ = parts[Int(request.fleet)].fleet.complete(
            Int(request.slot), request: request.number, outcome: .failed(.offline), at: now, effects: &effects
        )
        // What it asks for instead, such as a flush that waited behind this request, comes back as well.
        absorbEffects(of: Int(request.fleet))
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
        endpoint(of: index).write(head, body: body, into: &buffer)
        if cutsOff(index, on: connection) { return }
        connection.send(
            buffer, keepsBody: request.wantsBody, keepsSample: unexpected.count < UnexpectedAnswer.limit
        )
    }
}

// MARK: - News of connections

extension Shard: ConnectionOwner {
    func opened(_ connection: Connection) {
        enter {
            let index = connection.place.request
            if connection.times.secured != 0 { handshakes += 1 }
            guard index >= 0 else { return }
            write(index, on: connection)
        }
    }

    func answered(_ connection: Connection) {
        enter {
            let index = connection.place.request
            guard index >= 0, !losesReply(index, on: connection) else { return }
            fillSample(index, from: connection)
            let status = connection.parser.status
            requests[index].sample.status = status
            if status / 100 != 2 { keepSample(of: connection, request: index, failure: nil) }
            let outcome = RequestOutcome.answered(
                status: status, body: requests[index].wantsBody ? connection.parser.body : [],
                retryAfter: retryAfter(connection),
                contentType: connection.parser.contentType)
            release(connection)
            work.append(.end(requests.key(index), outcome))
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
        }
    }

    /// How long a device is asked to wait, by its clock: a server means real time.
    private func retryAfter(_ connection: Connection) -> Interval? {
        connection.parser.retryAfter.map { clock.runTime($0.interval(at: RunClock.wall().origin)) }
    }

    /// The connection of a finished request: idle again, or forgotten if it is of no more use.
    private func release(_ connection: Connection) {
        if connection.state == .idle && !parts[Int(connection.place.part)].closesAfterAnswer {
            connections.markIdle(connection, at: connection.times.lastByte)
            askToServe()
        } else {
            drop(connection)
        }
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

    /// Takes the phases from the connection's moments. They add up to the duration: what lies neither in
    /// setting up nor between the first byte sent and the last received is `blocked`.
    func fillSample(_ index: Int32, from connection: Connection) {
        let times = connection.times
        let planned = requests[index].sample.plannedAt
        requests[index].connection = -1
        var sample = requests[index].sample
        sample.finishedAt = times.lastByte == 0 ? now : clock.instant(atUptime: times.lastByte)
        sample.lookingUp = Shard.phase(times.lookupBegan, times.lookedUp)
        sample.connecting = Shard.phase(times.connectBegan, times.connected)
        sample.handshaking = Shard.phase(times.connected, times.secured)
        if times.writeBegan == 0 {
            // It never came to writing.
            let begun = times.lookupBegan == 0 ? times.connectBegan : times.lookupBegan
            sample.blocked = waited(since: planned, until: clock.instant(atUptime: begun))
        } else {
            let begun = clock.instant(atUptime: times.writeBegan)
            sample.blocked = max(.zero, waited(since: planned, until: begun) - sample.settingUp)
            sample.bytesSent = UInt64(connection.sentBytes)
            sample.bytesReceived = UInt64(connection.parser.received)
            sample.sending = Shard.span(times.writeBegan, times.written)
            sample.waiting = Shard.span(times.written, times.firstByte)
            sample.receiving = Shard.span(times.firstByte, times.lastByte)
        }
        requests[index].sample = sample
    }

    /// The real time between two moments of the run.
    func waited(since begin: Instant, until end: Instant) -> Interval {
        max(.zero, clock.realTime(end - begin))
    }

    /// A phase of setting up; `nil` for one that did not happen.
    private static func phase(_ from: UInt64, _ to: UInt64) -> Interval? {
        from == 0 || to == 0 ? nil : span(from, to)
    }

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
        } else {
            // Without a connection: it waits for one or is held by plan, or its answer is in line already.
            guard requests[index].isWaiting || requests[index].isHeld else { return }
            if requests[index].isWaiting {
                requests[index].sample.blocked = waited(
                    since: requests[index].sample.plannedAt, until: now)
            } else {
                waitInVain(index)
            }
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
                drop(connection)
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
        while let connection = connections.first(of: device) { drop(connection) }
    }
}

extension RequestFailure {
    /// ``name`` as a constant, for samples.
    var label: StaticString {
        switch self {
        case .offline: "offline"
        case .dns: "dns"
        case .refused: "refused"
        case .tls: "tls"
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
