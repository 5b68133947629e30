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
        parts[Int(request.fleet)].fleet.giveBack(
            Int(request.slot), request: request.number, network: request.network, at: now, effects: &effects)
        // What it asks for instead, such as a flush that waited behind this request, comes back as well.
        absorbEffects(of: Int(request.fleet))
    }

    /// Writes a request: only now does its body come into being.
    func write(_ index: Int32, on connection: Connection) {
        connection.entry.request = index
        requests[index].connection = connection.entry.slot
        let request = requests[index]
        let part = Int(request.fleet)
        body.removeAll()
        tick()
        let head = parts[part].fleet.encode(Int(request.slot), request: request.number, at: now, into: &body)
        let endpoint = endpoint(of: index)
        endpoint.tally.noteRequest()
        endpoint.write(head, body: body, into: &buffer)
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
            let index = connection.entry.request
            if connection.times.secured != 0 { handshakes += 1 }
            guard index >= 0 else { return }
            write(index, on: connection)
        }
    }

    func answered(_ connection: Connection) {
        enter {
            let index = connection.entry.request
            guard index >= 0, !losesReply(index, on: connection) else { return }
            fillSample(index, from: connection)
            let status = connection.parser.status
            endpoint(of: index).tally.noteAnswer(status: status)
            requests[index].sample.status = status
            if status / 100 != 2 {
                keepSample(of: connection, request: index, failure: nil)
            } else {
                setAside(connection, request: index)
            }
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
            let index = connection.entry.request
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
        if connection.state == .idle && !parts[Int(connection.entry.part)].closesAfterAnswer {
            connections.markIdle(connection, at: connection.times.lastByte)
            askToServe()
        } else {
            drop(connection)
        }
    }

    func keepSample(of connection: Connection, request index: Int32, failure: RequestFailure?) {
        guard unexpected.count < UnexpectedAnswer.limit else { return }
        unexpected.append(sample(of: connection, request: index, failure: failure))
    }

    /// Of an answer of 2xx its system decides whether it is success. 200 always is, unless the system reads on
    /// in the body: so nothing is set aside of what nearly all answers are.
    private func setAside(_ connection: Connection, request index: Int32) {
        let isSure = connection.parser.status == 200 && !requests[index].wantsBody
        guard !isSure, requests[index].number.kind == .upload, unexpected.count < UnexpectedAnswer.limit
        else { return }
        undecided[requests.key(index)] = sample(of: connection, request: index, failure: nil)
    }

    private func sample(
        of connection: Connection, request index: Int32, failure: RequestFailure?
    ) -> UnexpectedAnswer {
        let parser = connection.parser
        return UnexpectedAnswer(
            status: parser.status, failure: failure,
            headers: String(decoding: parser.sampleHead, as: UTF8.self),
            body: connection.garbage.isEmpty ? parser.sampleBody : connection.garbage,
            population: parts[Int(requests[index].fleet)].population, at: now,
            isConfig: requests[index].number.kind == .config)
    }
}
