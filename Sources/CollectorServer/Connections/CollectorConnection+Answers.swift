import CollectorModel
import NIOCore
import NIOHTTP1
import Timebase

// How answers go out: whole or slow, and what follows the last byte.

extension CollectorConnection {
    /// Carries an answer out: at once, after the fault's delay, or not at all.
    func answer(_ reply: CollectorReply, fault: LateFault) {
        guard case .waiting(let keepAlive, let version) = phase, let context, let handle else { return }
        // Its request is stored: however long the fault lasts, it takes no room from others.
        releaseBytes()
        if fault.resetsUnread || fault.diesAfterAccept { return reset() }
        let now = server.clock.now()
        let release = max(fault.releaseAt ?? now, now + fault.delay)
        guard release > now else { return write(reply, keepAlive: keepAlive, version: version) }
        context.eventLoop.scheduleTask(in: TimeAmount(release - now)) {
            handle.value.write(reply, keepAlive: keepAlive, version: version)
        }
    }

    func write(_ reply: CollectorReply, keepAlive: Bool, version: HTTPVersion) {
        guard let context else { return }
        let staysOpen = keepAlive && !isInputClosed && !server.isStopping && reply.endsAfter == nil
        let status = HTTPResponseStatus(statusCode: Int(reply.status))
        let head = HTTPResponseHead(
            version: .http1_1, status: status,
            headers: reply.headers(
                status, staysOpen: staysOpen, version: version,
                date: server.date.text(at: server.clock.now())))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let hasBody = status.mayHaveResponseBody && !wantsHead
        if reply.bytesPerSecond != nil, hasBody {
            context.flush()
            return trickle(reply, from: 0, since: context.eventLoop.now, staysOpen: staysOpen)
        }
        if !reply.body.isEmpty, hasBody {
            let body = context.channel.allocator.buffer(bytes: reply.body.prefix(reply.sentBytes))
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        finish(staysOpen: staysOpen)
    }

    /// Sends what is due of a slow body, and the rest later, in at most twenty writes a second.
    private func trickle(_ reply: CollectorReply, from sent: Int, since start: NIODeadline, staysOpen: Bool) {
        guard let context, let handle, case .waiting = phase else { return }
        let total = reply.sentBytes
        guard sent < total else { return finish(staysOpen: staysOpen) }
        let end = min(sent + max(1, (reply.bytesPerSecond ?? total) / 20), total)
        context.eventLoop.scheduleTask(deadline: start + TimeAmount(reply.bodyTime(bytes: end))) {
            handle.value.send(reply.body[sent..<end])
            handle.value.trickle(reply, from: end, since: start, staysOpen: staysOpen)
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>) {
        guard let context, case .waiting = phase else { return }
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }

    /// Ends an answer: in order, or in the middle of its body.
    private func finish(staysOpen wasToStay: Bool) {
        guard let context else { return }
        // The client may have closed its side during a slow body.
        let staysOpen = wasToStay && !isInputClosed
        enter(staysOpen ? .idle : .closing)
        let flushed = staysOpen ? nil : context.eventLoop.makePromise(of: Void.self)
        if let flushed, let handle { flushed.futureResult.whenComplete { _ in handle.value.closeOutput() } }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: flushed)
    }
}
