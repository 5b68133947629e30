import CollectorModel
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Timebase

/// One client's connection: collects requests, hands them to the writer, carries its answers out with
/// the faults that belong to them, and closes on slow or oversized clients.
///
/// Behind NIO's pipelining handler, so at most one request is in hand.
final class CollectorConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    enum Phase {
        /// No byte of a next request has come.
        case idle
        /// The headers are coming.
        case head
        case body(RequestInHand)
        /// The writer has the request.
        case waiting(keepAlive: Bool, version: HTTPVersion)
        /// An answer that ends the connection is out, or it is reset: what comes is dropped.
        case closing
    }

    struct RequestInHand {
        var head: HTTPRequestHead
        var target: RequestTarget
        var body = ByteBuffer()
    }

    let server: ServerContext
    private(set) var phase = Phase.idle
    private(set) var context: ChannelHandlerContext?
    private(set) var handle: NIOLoopBound<CollectorConnection>?
    /// When the present phase has lasted too long; `nil` while the server is the one to wait for.
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    private var timerDue = NIODeadline.distantFuture
    /// Of a request that was refused, how many bytes may still come, to be dropped; `nil` where none was.
    private var droppableBytes: Int?
    /// Whether the client sends no more: its answers may still be wanted.
    private(set) var isInputClosed = false
    /// Whether the request in hand asks for the head of an answer alone.
    private(set) var wantsHead = false
    let wait = ClientWait()

    init(server: ServerContext) { self.server = server }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        handle = NIOLoopBound(self, eventLoop: context.eventLoop)
        enter(.idle)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        releaseBytes()
        timer?.cancel()
        timer = nil
        self.context = nil
        handle = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { return inputClosed() }
        guard event is StopEvent else { return context.fireUserInboundEventTriggered(event) }
        switch phase {
        case .idle: close()
        case .closing where droppableBytes != nil: close()
        case .head, .body, .waiting, .closing: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return close() }
        switch (error, phase) {
        // The client has closed its side in the middle of a request, as is told next; or the last answer is on its way.
        case (.invalidEOFState, _), (_, .closing): break
        case (_, .idle), (_, .head), (_, .body): refuse(.badRequest, version: .http1_1)
        case (_, .waiting): close()
        }
    }

    /// Hears from the guard in front of the HTTP decoder that bytes came.
    ///
    /// - Returns: whether they are wanted, and there is room for them.
    func bytesArrived(_ count: Int) -> Bool {
        if case .closing = phase { return !drop(count) }
        if case .idle = phase { enter(.head) }
        wait.held.add(count, ordering: .relaxed)
        guard !server.hold(count, wait: wait) else { return true }
        if case .waiting = phase { close() } else { refuse(.serviceUnavailable, version: .http1_1) }
        return false
    }

    /// Books out what the connection holds of requests.
    func releaseBytes() {
        let held = wait.held.exchange(0, ordering: .relaxed)
        if held > 0 { _ = server.hold(-held, wait: wait) }
    }

    private func noteWait(since begin: NIODeadline?) {
        wait.since.store(begin?.uptimeNanoseconds ?? ClientWait.none, ordering: .relaxed)
    }

    /// Closes for the sake of others that are not kept waiting.
    func giveWay() { close() }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let part): append(part)
        case .end: end()
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        if case .closing = phase { return }
        let target = RequestTarget(head.uri)
        // Health and statistics meet no faults: they belong to the harness, not to the simulated world.
        if !target.isLocal(head.method), server.director.beforeReading(at: server.clock.now()) == .reset {
            return reset()
        }
        if let status = head.refusal(bodyBytes: server.limits.bodyBytes) {
            return refuse(status, version: head.version)
        }
        if head.expectsContinue {
            let go = HTTPResponseHead(version: .http1_1, status: .continue)
            context?.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
        }
        enter(.body(RequestInHand(head: head, target: target)))
    }

    private func append(_ part: ByteBuffer) {
        guard case .body(var request) = phase else { return }
        guard request.body.readableBytes + part.readableBytes <= server.limits.bodyBytes else {
            return refuse(.payloadTooLarge, version: request.head.version)
        }
        // The phase must not hold a second reference while the body grows. The first part is copied, too: it has all of the
        // memory that it was read into, a hundred times its own size if the client is slow.
        phase = .head
        request.body.writeImmutableBuffer(part)
        phase = .body(request)
    }

    private func end() {
        guard case .body(let request) = phase, let context, let handle else { return }
        let head = request.head
        let target = request.target
        wantsHead = head.method == .HEAD
        // An answer to HEAD has no body, whatever its length says; ending the connection keeps that simple.
        enter(.waiting(keepAlive: head.isKeepAlive && head.method != .HEAD, version: head.version))
        if target.isLocal(head.method), target.path == "/healthz" {
            let reply = CollectorReply(status: 200, disposition: .notStored, body: Array("ok\n".utf8))
            // Later: of requests that came together, each answer would be written within that of the one before.
            return context.eventLoop.execute { handle.value.answer(reply, fault: .none) }
        }
        server.pipeline.submit(
            PendingRequest(
                kind: target.isLocal(head.method) ? .statistics : .collect,
                method: CollectedRequest.Method(head.method),
                path: target.path, query: target.query,
                dryRun: head.headers.first(name: "dry-run")?.lowercased() == "true",
                headers: CollectedHeaders(head.headers), body: request.body, receivedAt: server.clock.now(),
                connection: handle, eventLoop: context.eventLoop))
    }

    /// Answers before the request is whole, and ends the connection: the rest of the request cannot be
    /// told from a next one.
    ///
    /// Many clients read no answer before they have written all of their request. A socket that is closed with bytes unread
    /// is reset, and the answer is lost on its way; so what still comes is read and dropped, up to a limit.
    private func refuse(_ status: HTTPResponseStatus, version: HTTPVersion) {
        server.pipeline.noteRefusal()
        droppableBytes = server.limits.droppedBytes
        let reply = CollectorReply(status: UInt16(status.code), disposition: .notStored)
        write(reply, keepAlive: false, version: version)
    }

    /// Takes bytes of a request that was refused.
    ///
    /// - Returns: `false` where none was refused.
    private func drop(_ count: Int) -> Bool {
        guard let left = droppableBytes else { return false }
        droppableBytes = max(0, left - count)
        if left < count { close() }
        return true
    }

    // MARK: Ends and times

    /// The client has closed its side: what it sent whole is answered, and the answer ends the connection.
    private func inputClosed() {
        isInputClosed = true
        switch phase {
        case .head, .body: close()
        case .idle: closeBehindAnswers()
        // It may as well be gone, which only a write tells: so it gives way where there is no room for all, and a fault that
        // holds answers back for long does not pile up those who gave up.
        case .waiting:
            noteWait(since: context?.eventLoop.now)
            setDeadline(server.limits.bodyTimeout)
        // The end of the last answer closes.
        case .closing: break
        }
    }

    /// Closes once all that was written is out.
    private func closeBehindAnswers() {
        enter(.closing)
        guard let context, let handle,
            let edge = try? context.pipeline.syncOperations.context(handlerType: FirstByteGuard.self)
        else { return close() }
        let flushed = context.eventLoop.makePromise(of: Void.self)
        flushed.futureResult.whenComplete { _ in handle.value.close() }
        edge.writeAndFlush(NIOAny(ByteBuffer()), promise: flushed)
    }

    private func close() {
        phase = .closing
        deadline = nil
        releaseBytes()
        noteWait(since: nil)
        context?.close(promise: nil)
    }

    /// Closes after the last answer; where more of a request that was refused may come, this side alone.
    func closeOutput() {
        guard droppableBytes != nil, !server.isStopping, let context, let handle else { return close() }
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.whenFailure { _ in handle.value.close() }
        context.close(mode: .output, promise: closed)
    }

    /// Ends the connection with a reset instead of an orderly end: what a dying server looks like.
    func reset() {
        phase = .closing
        deadline = nil
        releaseBytes()
        noteWait(since: nil)
        guard let context else { return }
        if let options = context.channel as? any SocketOptionProvider {
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        }
        context.close(promise: nil)
    }

    func enter(_ next: Phase) {
        phase = next
        switch next {
        case .idle, .closing: releaseBytes()
        case .head, .body, .waiting: break
        }
        if case .waiting = next { noteWait(since: nil) } else { noteWait(since: context?.eventLoop.now) }
        switch next {
        case .idle: setDeadline(server.limits.idleTimeout)
        case .head: setDeadline(server.limits.headerTimeout)
        case .body: setDeadline(server.limits.bodyTimeout)
        case .waiting: deadline = nil
        // A client that does not read the last answer must not stay for ever.
        case .closing: setDeadline(server.limits.bodyTimeout)
        }
    }

    /// Moves the deadline. One timer per connection serves all: it looks at the deadline when it fires,
    /// and only a deadline before its time makes a new one.
    private func setDeadline(_ timeout: Interval) {
        guard let context else { return }
        let due = context.eventLoop.now + TimeAmount(timeout)
        deadline = due
        if timer != nil, timerDue <= due { return }
        timer?.cancel()
        schedule(at: due)
    }

    private func schedule(at due: NIODeadline) {
        guard let context, let handle else { return }
        timerDue = due
        timer = context.eventLoop.scheduleTask(deadline: due) { handle.value.timerFired() }
    }

    private func timerFired() {
        timer = nil
        guard let deadline, let context else { return }
        if deadline <= context.eventLoop.now { close() } else { schedule(at: deadline) }
    }
}
