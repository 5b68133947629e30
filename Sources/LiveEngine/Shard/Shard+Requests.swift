import DeviceSDK
import Measurement
import NIOCore
import Timebase
import Wire
import World

// MARK: - From a device's wish to bytes on the wire

extension Shard {
    /// Puts a request in line; its course begins now.
    func open(_ outgoing: OutgoingRequest, part: Int) {
        var request = OpenRequest()
        request.device = parts[part].firstDevice + outgoing.slot
        request.fleet = UInt16(part)
        request.slot = outgoing.slot
        request.number = outgoing.number
        request.network = outgoing.network
        request.wantsBody = outgoing.wantsBody
        request.sample = RequestSample(plannedAt: outgoing.plannedAt, finishedAt: now, pace: clock.pace)
        request.sample.begunAt = now
        request.sample.isConfig = outgoing.number.kind == .config
        request.sample.eventCount = outgoing.eventCount
        request.sample.isRetry = outgoing.isRetry
        let verdict = clientFaults.verdict(
            on: outgoing, from: parts[part].fleet, over: parts[part].links,
            index: share.populationIndex(ofSlot: Int(outgoing.slot)), pace: clock.pace, at: now)
        request.course = RequestCourse(
            verdict, limit: outgoing.timeout, hasNetwork: outgoing.network != .none, pace: clock.pace, at: now
        )
        if !request.sample.isConfig, outgoing.network != .none, phase != .closing {
            recorder.noteStart(plannedAt: outgoing.plannedAt, population: parts[part].population)
        }
        work.append(.begin(requests.open(request)))
    }

    /// Does what a request's course has come to, and enters when to ask it again.
    func proceed(_ index: Int32) {
        let stage = requests[index].course.stage
        switch requests[index].course.proceed(at: now, isClosing: phase == .closing) {
        case .send: leave(index)
        case .fail(let failure): breakOff(index, failure, after: stage)
        case .deliver: arrive(index)
        case .giveBack: giveBack(index)
        case .hold, .keepSilent, nil: break
        }
        schedule(index)
    }

    /// Enters when a request's course goes on by itself.
    func schedule(_ index: Int32) { agenda.setRequest(index, at: requests[index].course.nextMoment) }

    /// Lets a request go on a connection that it may use, on a new one, or wait in line.
    func leave(_ index: Int32) {
        if sharesConnection(index) { return }
        let pool = pool(of: index)
        // A pool's line comes first; a device with an idle connection of its own takes it from nobody.
        let mayPass = pool == 0 && connections.idle(of: requests[index].device) != nil
        if (mayPass || pools[pool].firstInLine == nil) && hasConnection(for: index) {
            useConnection(index)
        } else {
            requests[index].course.waitForConnection()
            pools.append(requests.key(index), to: pool)
        }
    }

    /// After the drain nothing starts: the device gets its rows back, and nothing is counted.
    func giveBack(_ index: Int32) {
        let request = requests[index]
        close(index)
        parts[Int(request.fleet)].fleet.giveBack(
            Int(request.slot), request: request.number, network: request.network, at: now)
    }

    /// Takes a request out of the shard's books.
    func close(_ index: Int32) {
        agenda.setRequest(index, at: .distantFuture)
        requests.close(index)
    }

    /// Writes a request: only now does its body come into being.
    func write(_ index: Int32, on carrier: Carrier) {
        carrier.request = index
        requests[index].carrier = carrier
        let request = requests[index]
        let part = Int(request.fleet)
        body.removeAll()
        tick()
        let head = parts[part].fleet.encode(Int(request.slot), request: request.number, at: now, into: &body)
        let endpoint = endpoint(of: index)
        endpoint.tally.noteRequest()
        if let stream = carrier as? HTTP2Stream {
            if cutsOff(index, on: stream, head) { return }
            stream.connection.send(
                head, body: body, to: endpoint, on: stream, wants: wants(request))
        } else if let connection = carrier as? Connection {
            endpoint.write(head, body: body, into: &buffer)
            if cutsOff(index, on: connection) { return }
            connection.send(buffer, wants: wants(request))
        }
    }

    private func wants(_ request: OpenRequest) -> AnswerWants {
        AnswerWants(body: request.wantsBody, sample: samples.wantsMore, date: wantsDate())
    }

    /// Whether the answer to the request that is written now shall say the server's time: that of one each 10 ms tells
    /// enough.
    private func wantsDate() -> Bool {
        let uptime = loop.now.uptimeNanoseconds
        guard uptime >= nextDate else { return false }
        nextDate = uptime + 10_000_000
        return true
    }
}

// MARK: - News of connections

extension Shard: ConnectionOwner {
    func opened(_ connection: Connection) {
        enter {
            if connection.times.secured != 0 {
                connections.handshakes += 1
                connections.handshakeTime += connection.handshakeTime
            }
            if connection.isShared { return openedShared(connection) }
            noteUnshared(connection)
            let index = connection.request
            guard index >= 0 else { return }
            write(index, on: connection)
        }
    }

    func answered(_ carrier: Carrier) {
        enter {
            let index = carrier.request
            guard index >= 0, !losesReply(index, on: carrier) else { return }
            fillSample(index, from: carrier)
            if carrier.isOverlong { connections.overlongAnswers += 1 }
            let status = carrier.parser.status
            endpoint(of: index).tally.noteAnswer(status: status)
            if let date = carrier.parser.date {
                let wall = configuration.wallClock
                endpoint(of: index).tally.note(
                    date: date, sent: wall.instant(atUptime: carrier.times.writeBegan),
                    received: wall.instant(atUptime: carrier.times.firstByte))
            }
            requests[index].sample.status = status
            if status / 100 != 2 {
                keepSample(of: carrier, request: index, failure: nil)
            } else {
                setAside(carrier, request: index)
            }
            let outcome = RequestOutcome.answered(
                status: status, body: carrier.parser.takeBody(), retryAfter: retryAfter(carrier),
                contentType: carrier.parser.contentType)
            release(carrier)
            deliver(outcome, to: index)
        }
    }

    func ended(_ carrier: Carrier, failure: RequestFailure?) {
        enter {
            let index = carrier.request
            if failure == nil, carrier.isOverlong { connections.overlongAnswers += 1 }
            if index >= 0, let failure {
                fillSample(index, from: carrier)
                // A server may say why it answers nothing: on HTTP/2 in a frame of no stream.
                if carrier.parser.received > 0 || !carrier.garbage.isEmpty {
                    keepSample(of: carrier, request: index, failure: failure)
                }
                fail(index, failure)
            }
            #if PLANTED
                if Planted.has(.poolSlotLeaked), failure == .reset, let connection = carrier as? Connection {
                    pools[Int(connection.entry.pool)].count += 1
                }
            #endif
            letGo(carrier)
        }
    }

    /// How long a device is asked to wait, by its clock: a server means real time.
    private func retryAfter(_ carrier: Carrier) -> Interval? {
        carrier.parser.retryAfter.map { clock.runTime($0.interval(at: RunClock.wall().origin)) }
    }

    /// The connection of a finished request: idle again, or forgotten if it is of no more use.
    private func release(_ carrier: Carrier) {
        guard let connection = carrier as? Connection else { return letGo(carrier) }
        if connection.state == .idle && !parts[Int(connection.entry.part)].closesAfterAnswer {
            connections.markIdle(connection, at: connection.times.lastByte)
            watchIdle()
            askToServe()
        } else {
            drop(connection)
        }
    }

    func keepSample(of carrier: Carrier, request index: Int32, failure: RequestFailure?) {
        samples.keep(sample(of: carrier, request: index, failure: failure))
    }

    /// Of an answer of 2xx its system decides whether it is success. 200 always is, unless the system reads on
    /// in the body: so nothing is set aside of what nearly all answers are.
    private func setAside(_ carrier: Carrier, request index: Int32) {
        let isSure = carrier.parser.status == 200 && !requests[index].wantsBody
        guard !isSure, requests[index].number.kind == .upload, samples.wantsMore else { return }
        samples.setAside(
            sample(of: carrier, request: index, failure: nil), of: requests.key(index))
    }

    private func sample(
        of carrier: Carrier, request index: Int32, failure: RequestFailure?
    ) -> UnexpectedAnswer {
        let parser = carrier.parser
        return UnexpectedAnswer(
            status: parser.status, failure: failure,
            headers: String(decoding: parser.sampleHead, as: UTF8.self),
            body: carrier.garbage.isEmpty ? parser.sampleBody : carrier.garbage,
            population: parts[Int(requests[index].fleet)].population, at: now,
            isConfig: requests[index].number.kind == .config)
    }
}
