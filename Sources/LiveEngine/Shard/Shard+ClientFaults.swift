import DeviceSDK
import Measurement
import NIOCore
import Timebase
import World

// MARK: - What goes wrong on the client's side, by plan

extension Shard {
    /// Keeps a request from leaving, for a while or for good.
    ///
    /// - Returns: whether it stays for now.
    func holdsBack(_ index: Int32) -> Bool {
        let verdict = requests[index].verdict
        requests[index].isHeld = true
        if verdict.fate == .drop || verdict.delay >= requests[index].limit { return true }
        requests[index].isHeld = verdict.delay > .zero
        if requests[index].isHeld { held.insert(requests.key(index), at: now + clock.runTime(verdict.delay)) }
        return requests[index].isHeld
    }

    /// Lets go what was held up until a moment.
    func releaseHeld(through moment: Instant) {
        while let key = held.popDue(through: moment) {
            guard requests.isOpen(key), requests[key.index].isHeld else { continue }
            requests[key.index].isHeld = false
            work.append(.start(key))
        }
    }

    /// Resets the connection instead of sending the request, which is written in the buffer.
    ///
    /// - Returns: whether the plan wants it so.
    func cutsOff(_ index: Int32, on connection: Connection) -> Bool {
        guard case .reset(let point) = requests[index].verdict.fate else { return false }
        let count = point == .half ? buffer.readableBytes / 2 : 0
        connection.abort(sending: buffer.readSlice(length: count) ?? ByteBuffer())
        fillSample(index, from: connection)
        fail(index, .reset)
        drop(connection)
        return true
    }

    /// Forgets an answer that was read.
    ///
    /// - Returns: whether the plan wants it so.
    func losesReply(_ index: Int32, on connection: Connection) -> Bool {
        guard case .lostReply(let seen) = requests[index].verdict.fate else { return false }
        fillSample(index, from: connection)
        requests[index].sample.bytesReceived = 0
        switch seen {
        case .reset: fail(index, .reset)
        case .timeout: requests[index].isHeld = true
        }
        drop(connection)
        return true
    }

    /// Counts the time of a request that was held until its limit as waiting for an answer.
    func waitInVain(_ index: Int32) {
        let sample = requests[index].sample
        let known = sample.blocked + sample.settingUp + sample.sending + sample.receiving
        requests[index].sample.waiting = max(.zero, waited(since: sample.plannedAt, until: now) - known)
    }
}
