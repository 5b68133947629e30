import DeviceSDK
import NIOCore
import Wire
import World

// MARK: - A connection that speaks HTTP/2

extension Connection {
    /// Whether it speaks HTTP/2, and is open.
    var isShared: Bool { state == .shared }

    /// Whether another request may go on it now.
    var hasRoom: Bool { state == .shared && !isRetired && (session?.hasRoom ?? false) }

    /// Whether no request may go on it any more, now or later.
    var isLeaving: Bool { isRetired || (session?.isLeaving ?? false) }

    /// Whether it carries nothing, and nobody waits for it.
    var isQuiet: Bool { (session?.isQuiet ?? true) && waiting.isEmpty }

    /// Begins to speak HTTP/2: what is said first goes out with the first request.
    func share() {
        let session = HTTP2Session(for: self)
        session.outgoing = buffers.take()
        session.begin()
        self.session = session
        state = .shared
        lastRead = uptime
    }

    /// A stream for a request; it is open once a request is sent on it.
    ///
    /// - Parameter isFirst: Whether the connection was set up for that request, which then has that time.
    func makeStream(isFirst: Bool = false) -> HTTP2Stream {
        let stream = spareStreams.popLast() ?? HTTP2Stream(on: self)
        stream.renew()
        stream.times = isFirst ? times : Carrier.Times()
        return stream
    }

    /// Takes a stream back that carries nothing any more.
    func putBack(_ stream: HTTP2Stream) {
        stream.request = -1
        // What came of an answer that nobody took.
        _ = stream.parser.takeBody()
        if state == .shared { spareStreams.append(stream) }
    }

    /// Writes a whole request.
    ///
    /// - Precondition: ``hasRoom``.
    func send(
        _ head: RequestHead, body: WireBuffer, to endpoint: Endpoint, on stream: HTTP2Stream,
        wants: AnswerWants
    ) {
        guard let session else { return }
        prepare(session)
        stream.times.writeBegan = uptime
        session.send(head, body: body, to: endpoint, on: stream, wants: wants)
        if stream.isSent { handOver(stream) } else { flush() }
    }

    /// Writes a part of a request and resets its stream; the owner is not told.
    func send(_ head: RequestHead, half body: WireBuffer, to endpoint: Endpoint, on stream: HTTP2Stream) {
        guard let session else { return }
        prepare(session)
        stream.times.writeBegan = uptime
        stream.times.written = stream.times.writeBegan
        session.send(head, half: body, to: endpoint, on: stream)
        flush()
    }

    /// Resets a stream; the owner is not told.
    func cancel(_ stream: HTTP2Stream) {
        guard let session else { return }
        session.withdraw(stream)
        guard stream.id != 0, state == .shared else { return }
        prepare(session)
        session.cancel(stream)
        flush()
    }

    /// The last of a request's bytes go to the socket now. The end of long ones is awaited there.
    private func handOver(_ stream: HTTP2Stream) {
        stream.times.written = uptime
        guard stream.sentBytes >= Connection.awaitedSize, let context else { return flush() }
        stream.times.written = 0
        let id = stream.id
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            if stream.id == id { stream.times.written = self.uptime }
        }
        flushNow(promise)
    }

    /// Writes what the session has to say, once what arrived is read to its end.
    private func flush() {
        if !isReading { flushNow(nil) }
    }

    private func flushNow(_ promise: EventLoopPromise<Void>?) {
        guard let session else { return }
        let bytes = session.outgoing
        session.outgoing = ByteBuffer()
        if let context, bytes.readableBytes > 0 {
            isWriting = true
            context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
            isWriting = false
        } else {
            promise?.succeed(())
        }
        buffers.give(bytes)
    }

    /// Gives the session memory for what it is about to say.
    private func prepare(_ session: HTTP2Session) {
        if session.outgoing.capacity == 0 { session.outgoing = buffers.take() }
    }

    /// Says in order that the connection ends.
    func sayGoodbye() {
        guard let session else { return }
        prepare(session)
        // One that breaks rules has been told why.
        if !session.isBroken { session.writeGoAway(.noError) }
        flushNow(nil)
    }

    /// Reads what arrived, and writes what comes of it at once.
    func read(_ buffer: ByteBuffer) {
        guard let session else { return }
        prepare(session)
        // Little waits in the channel, so the peer takes what it is sent.
        if let context, context.channel.isWritable { session.repliesInLine = 0 }
        lastRead = uptime
        isReading = true
        do throws(HTTP2ConnectionError) {
            try buffer.withUnsafeReadableBytes { (bytes) throws(HTTP2ConnectionError) in
                try session.consume(bytes, at: lastRead)
            }
            isReading = false
            flush()
        } catch {
            isReading = false
            breakOff(error)
        }
    }

    /// The peer broke a rule: what it answers is no HTTP.
    private func breakOff(_ error: HTTP2ConnectionError) {
        guard state == .shared else { return }
        flushNow(nil)
        state = .gone
        context?.close(promise: nil)
        let isDemanded = error.reason == HTTP2FrameHead.olderHTTP && versions == .two
        let reason = error.reason + (isDemanded ? ", and target.http asks for HTTP/2" : "")
        session?.endAll { stream in
            stream.garbage = Array("HTTP/2: \(error.code.name): \(reason)".utf8)
            return .malformed
        }
        owner.ended(self, failure: nil)
    }

    /// The channel is closed.
    func endShared(byReset: Bool) {
        state = .gone
        session?.endAll { stream in
            byReset ? .reset : stream.parser.received == 0 ? .closed : .truncated
        }
        owner.ended(self, failure: nil)
    }
}

extension Connection: HTTP2SessionUser {
    var isOpen: Bool { state == .shared }

    func answered(_ stream: HTTP2Stream) {
        if stream.times.written == 0 { stream.times.written = stream.times.firstByte }
        owner.answered(stream)
    }

    func failed(_ stream: HTTP2Stream, _ failure: RequestFailure) { owner.ended(stream, failure: failure) }

    func sent(_ stream: HTTP2Stream) { stream.times.written = uptime }

    func limitChanged() { owner.limitChanged(self) }
}

/// Memory for what connections write, given from one to the next: few of a loop's connections write at one moment.
final class BufferPool {
    private var spare: [ByteBuffer] = []

    func take() -> ByteBuffer { spare.popLast() ?? ByteBuffer() }

    /// Takes memory back. Where a socket still has to write what is in it, it is left alone.
    func give(_ buffer: consuming ByteBuffer) {
        guard spare.count < 8, buffer.capacity <= 256 * 1024 else { return }
        buffer.clear()
        spare.append(buffer)
    }
}
