import NIOCore
import World

/// Who uses a session: told what became of its streams.
protocol HTTP2SessionUser: AnyObject {
    /// A whole answer was read. The stream is no more one of the session's.
    func answered(_ stream: HTTP2Stream)
    /// There will be no whole answer. The stream is no more one of the session's.
    func failed(_ stream: HTTP2Stream, _ failure: RequestFailure)
    /// All of the request is on its way.
    func sent(_ stream: HTTP2Stream)
    /// The peer takes another number of streams at once than before.
    func limitChanged()
    /// Nobody reads on after a call that closed the connection.
    var isOpen: Bool { get }
}

/// The client's side of an HTTP/2 connection (RFC 9113): a state machine over raw bytes, without a channel, a clock or
/// a timer of its own.
///
/// What it has to say gathers in ``outgoing``. It pushes nothing and takes no pushes, and gives streams no priorities.
/// What the peer breaks of the rules ends a stream where the RFC lets one end alone, or else the connection.
final class HTTP2Session {
    /// What a client's first bytes are, before its settings (RFC 9113, 3.4).
    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    /// What is announced to the peer, as Apple's clients do: windows that no answer of a collector fills.
    static let streamWindow = 2 * 1024 * 1024
    static let connectionWindow = 10 * 1024 * 1024 + HTTP2Setting.usualWindow
    /// Streams at once before the peer has said how many it takes. RFC 9113 (6.5.2) sets no limit then; a server that takes
    /// few would refuse the others, and the run would show failures that only this client's haste has caused.
    static let firstStreams = 1
    /// The most bytes that are kept of what a peer says when it leaves.
    static let farewellLimit = 200
    /// The most replies to PING and SETTINGS that are written for a peer that takes nothing. It could ask for any number, and
    /// all of them would wait in memory (RFC 9113, 10.5).
    static let replyLimit = 10_000
    /// The last identifier that a client can use (RFC 9113, 5.1.1).
    static let lastID: UInt32 = 0x7FFF_FFFF

    /// What the peer has announced.
    struct Peer: Equatable {
        var streams = HTTP2Session.firstStreams
        var window = HTTP2Setting.usualWindow
        var frame = HTTP2FrameHead.usualLimit
    }

    /// How much of a reason a GOAWAY gives: none, words for an orderly end, an error.
    enum Farewell: Int { case bare, words, error }

    /// Frames that are to be written.
    var outgoing = ByteBuffer()
    unowned let user: any HTTP2SessionUser
    var peer = Peer()
    var encoder = HPACKEncoder()
    var decoder = HPACKDecoder()
    /// Bytes of bodies that the peer takes on all streams together.
    var sendWindow = HTTP2Setting.usualWindow
    /// Bytes of answers' bodies that the peer may not replace yet.
    var consumed = 0
    var streams: [UInt32: HTTP2Stream] = [:]
    /// Streams whose bodies wait for a window, the first of them next.
    var line = RingQueue<UInt32>()
    var nextID: UInt32 = 1
    /// The last stream that the peer answers, once it wants no more (GOAWAY).
    var lastAnswered: UInt32?
    /// Why it wants no more, for people: what becomes of the requests that it leaves without an answer.
    var farewell: [UInt8] = []
    /// How much of a reason ``farewell`` is; `nil` before a GOAWAY.
    var farewellSays: Farewell?
    /// Whether the peer's first settings have come, which begin what it says.
    var hasSettings = false
    /// A block of fields that goes on in the next frame: its stream, whether that ends, and what came so far.
    var openBlock: (stream: UInt32, endsStream: Bool, bytes: [UInt8])?
    /// Replies to PING and SETTINGS since the peer was last seen to take what it is sent.
    var repliesInLine = 0
    /// Streams that came to their end in the read that goes on, the first of which the user was told. That is done at the
    /// end of the read: what comes behind an answer at once is counted with it, and a GOAWAY there is known before the
    /// next request goes the same way.
    var ended: [(stream: HTTP2Stream, id: UInt32, failure: RequestFailure?)] = []
    private var told = 0
    /// Whether the read that goes on changed how many streams may be open; the user is told at its end, after those.
    var limitHasChanged = false
    /// Whether the peer broke a rule of the connection, and was told so.
    private(set) var isBroken = false
    /// The stream whose answer came to its end last, as long as nothing came behind that; 0 for none.
    var lastWhole: UInt32 = 0
    /// Answers behind whose end the peer sent more.
    var overlongAnswers: UInt64 = 0
    /// Streams that the session opened.
    private(set) var opened: UInt64 = 0
    private var reader = HTTP2FrameReader()

    init(for user: any HTTP2SessionUser) { self.user = user }

    /// Says what a client says first (RFC 9113, 3.4).
    func begin() {
        outgoing.writeStaticString(HTTP2Session.preface)
        HTTP2FrameHead(kind: .settings, length: 12).write(into: &outgoing)
        HTTP2Setting.enablePush.write(0, into: &outgoing)
        HTTP2Setting.initialWindowSize.write(UInt32(HTTP2Session.streamWindow), into: &outgoing)
        writeWindowUpdate(HTTP2Session.connectionWindow - HTTP2Setting.usualWindow, stream: 0)
    }

    /// Whether another stream may be opened now.
    var hasRoom: Bool { !isLeaving && streams.count < peer.streams }

    /// Whether no stream is open, nor one that ended and of which the user was not told yet.
    var isQuiet: Bool { streams.isEmpty && told == ended.count }

    /// Whether no stream may be opened any more.
    var isLeaving: Bool { isBroken || lastAnswered != nil || nextID > HTTP2Session.lastID }

    /// Takes in what arrived.
    ///
    /// - Parameter now: A reading of the monotonic clock.
    /// - Throws: what the peer did wrong; the connection is of no more use, and ``outgoing`` says so.
    func consume(_ input: UnsafeRawBufferPointer, at now: UInt64) throws(HTTP2ConnectionError) {
        do throws(HTTP2ConnectionError) {
            try reader.consume(input) { (head, payload) throws(HTTP2ConnectionError) -> Bool in
                guard self.user.isOpen else { return false }
                try self.take(head, payload, at: now)
                return self.user.isOpen
            }
            tellUser()
        } catch {
            // Whoever is told of an answer sends its next request elsewhere, and may let go of the connection.
            isBroken = true
            writeGoAway(error.code)
            tellUser()
            guard user.isOpen else { return }
            throw error
        }
    }

    /// Ends every stream, the oldest first.
    func endAll(_ failure: (HTTP2Stream) -> RequestFailure) {
        for id in streams.keys.sorted() {
            guard let stream = streams[id] else { continue }
            let reason = failure(stream)
            if stream.garbage.isEmpty { stream.garbage = farewell }
            forget(stream)
            user.failed(stream, reason)
        }
    }

    /// Takes a stream from the open ones that came to its end in a frame of its own; its user is told soon.
    ///
    /// - Parameter failure: `nil` if its answer is whole.
    func end(_ stream: HTTP2Stream, with failure: RequestFailure?) {
        ended.append((stream, stream.id, failure))
        forget(stream)
    }

    /// The user has no more use for a stream, which may have ended already without having been told.
    func withdraw(_ stream: HTTP2Stream) {
        guard let index = ended[told...].firstIndex(where: { $0.stream === stream }) else { return }
        ended.remove(at: index)
    }

    /// Tells the user of the streams that came to their end, in that order, and then whether it may open others.
    private func tellUser() {
        while told < ended.count {
            let (stream, _, failure) = ended[told]
            told += 1
            if let failure { user.failed(stream, failure) } else { user.answered(stream) }
        }
        ended.removeAll(keepingCapacity: true)
        told = 0
        guard limitHasChanged else { return }
        limitHasChanged = false
        if user.isOpen, !isBroken { user.limitChanged() }
    }

    /// Takes a stream from the open ones.
    func forget(_ stream: HTTP2Stream) {
        streams[stream.id] = nil
        stream.end()
    }

    /// Enters a stream among the open ones, under the next identifier.
    func enter(_ stream: HTTP2Stream, wants: AnswerWants) {
        precondition(hasRoom, "a stream needs room")
        stream.begin(id: nextID, sendWindow: peer.window, wants: wants)
        streams[nextID] = stream
        nextID += 2
        opened += 1
    }
}
