import NIOCore

/// One request and its answer on an HTTP/2 connection.
///
/// Confined to its connection's loop. It is used for one request after the other, each with an identifier of its own.
final class HTTP2Stream: Carrier {
    /// The connection that it is on.
    let connection: Connection
    /// 0 while it carries nothing.
    private(set) var id: UInt32 = 0
    /// What the peer lets us send (RFC 9113, 5.2); less than nothing after a change of its settings.
    var sendWindow = 0
    /// Bytes of the answer's body that the peer may not replace yet.
    var consumed = 0
    /// What the windows have no room for yet.
    var unsent = ByteBuffer()
    /// Whether all of the request is with the connection.
    var isSent: Bool { unsent.readableBytes == 0 }
    /// Whether it waits in the session's line for a window.
    var isInLine = false

    init(on connection: Connection) { self.connection = connection }

    /// Belongs to another request, of which nothing was sent or received yet: it may end before ``begin(id:sendWindow:wants:)``.
    func renew() {
        sentBytes = 0
        parser.received = 0
        bytesBehind = 0
        if !garbage.isEmpty { garbage = [] }
    }

    /// Begins to carry a request.
    func begin(id: UInt32, sendWindow: Int, wants: AnswerWants) {
        self.id = id
        self.sendWindow = sendWindow
        consumed = 0
        unsent = ByteBuffer()
        isInLine = false
        parser.begin(keepsBody: wants.body, keepsSample: wants.sample, keepsDate: wants.date)
    }

    /// Carries nothing any more.
    func end() {
        id = 0
        unsent = ByteBuffer()
    }

    /// Notes bytes of the answer at a reading of the monotonic clock.
    func noteArrival(_ bytes: Int, at now: UInt64) {
        if times.firstByte == 0 { times.firstByte = now }
        times.lastByte = now
        parser.noteReceived(bytes)
    }

    override func close() { connection.cancel(self) }
}

/// What of an answer is wanted.
struct AnswerWants {
    /// The body.
    var body = false
    /// The first bytes of head and body.
    var sample = false
    /// The server's clock.
    var date = false
}
