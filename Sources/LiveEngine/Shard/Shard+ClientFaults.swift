import DeviceSDK
import Measurement
import NIOCore
import Timebase
import World

// MARK: - What goes wrong on the client's side, by plan

extension Shard {
    /// Ends a request because its course does, whatever it was doing.
    func breakOff(_ index: Int32, _ failure: RequestFailure, after stage: RequestCourse.Stage) {
        if let carrier = requests[index].carrier {
            if failure == .timedOut, carrier.parser.received > 0 {
                keepSample(of: carrier, request: index, failure: failure)
            }
            fillSample(index, from: carrier)
            retireIfSilent(carrier)
            letGo(carrier)
        } else if stage == .waiting || failure == .refused {
            fillUnsentSample(index)
        } else if failure != .offline {
            waitInVain(index)
        }
        fail(index, failure)
    }

    /// Gives an answer to its device, as late as the modelled network is.
    func deliver(_ outcome: RequestOutcome, to index: Int32) {
        switch requests[index].course.takeAnswer(at: now) {
        case .deliver: work.append(.end(requests.key(index), outcome))
        case .hold: requests[index].lateAnswer = outcome
        case .send, .keepSilent, .fail, .giveBack: break
        }
        schedule(index)
    }

    /// The answer that was on its way is there.
    func arrive(_ index: Int32) {
        guard let answer = requests[index].lateAnswer else { return }
        let sample = requests[index].sample
        requests[index].sample.waiting = sample.waiting + max(.zero, clock.realTime(now - sample.finishedAt))
        requests[index].sample.finishedAt = now
        work.append(.end(requests.key(index), answer))
    }

    /// Resets the connection instead of sending the request, which is written in the buffer.
    ///
    /// - Returns: whether the plan wants it so.
    func cutsOff(_ index: Int32, on connection: Connection) -> Bool {
        guard case .reset(let point) = requests[index].course.verdict.fate else { return false }
        let count = point == .half ? buffer.readableBytes / 2 : 0
        connection.abort(sending: buffer.readSlice(length: count) ?? ByteBuffer())
        fillSample(index, from: connection)
        // What the connection has received are the bytes of the answer before.
        requests[index].sample.bytesReceived = 0
        fail(index, .reset)
        drop(connection)
        return true
    }

    /// The same on a stream, whose connection stays as it is: it is reset, once it was begun.
    func cutsOff(_ index: Int32, on stream: HTTP2Stream, _ head: RequestHead) -> Bool {
        guard case .reset(let point) = requests[index].course.verdict.fate else { return false }
        if point == .half {
            stream.connection.send(head, half: body, to: endpoint(of: index), on: stream)
        } else {
            stream.times.writeBegan = loop.now.uptimeNanoseconds
            stream.times.written = stream.times.writeBegan
        }
        // The connection may have failed meanwhile, and the request with it.
        guard requests[index].carrier === stream else { return true }
        fillSample(index, from: stream)
        fail(index, .reset)
        leaveStream(stream)
        return true
    }

    /// Forgets an answer that was read.
    ///
    /// - Returns: whether the plan wants it so.
    func losesReply(_ index: Int32, on carrier: Carrier) -> Bool {
        guard case .lostReply(let seen) = requests[index].course.verdict.fate else { return false }
        fillSample(index, from: carrier)
        requests[index].sample.bytesReceived = 0
        switch seen {
        case .reset: fail(index, .reset)
        case .timeout: requests[index].course.fallSilent()
        }
        letGo(carrier)
        return true
    }

    /// Counts the time of a request that was held until its limit as waiting for an answer.
    func waitInVain(_ index: Int32) {
        // An answer that is on its way comes too late.
        samples.forget(requests.key(index))
        requests[index].lateAnswer = nil
        requests[index].sample.status = 0
        requests[index].sample.bytesReceived = 0
        let sample = requests[index].sample
        let known = sample.blocked + sample.settingUp + sample.sending + sample.receiving
        requests[index].sample.waiting = max(.zero, waited(since: sample.plannedAt, until: now) - known)
    }
}
