import Accounting
import Timebase
import Wire

/// One system as its collector sees it: which requests are its own, how they are read, and what its clients
/// take for an answer.
///
/// All of it lies in the system's folder, and ``CollectorSystem`` is the one list that names it. Nothing here
/// knows the devices' side of the system, nor the other way round: the two share formats alone (`Wire`), so that
/// one mistake cannot hide in both.
///
/// A value is the system in one collector, made for that collector's plan: which requests it takes may depend on it.
protocol CollectedSystem {
    associatedtype Decoder: UploadDecoder
    associatedtype KeyReader: CollectedKeyReader

    /// Its entry in the list.
    static var system: CollectorSystem { get }

    /// The headers that its decoder reads.
    static var headers: [CollectedHeader] { get }

    /// Paths and headers of uploads, one for each way in which a body is read: for whoever makes requests up.
    static var uploadForms: [UploadForm] { get }

    /// The fields that hold the events, where an upload is a form; else none.
    static var eventFields: [String] { get }

    /// What its events look like to whoever puts them into tables. There is no default: a system whose events have no
    /// members worth a column says so.
    static var eventShape: EventShape { get }

    /// - Parameter plan: What the system cannot know by itself, such as encryptions of an app's own.
    init(_ plan: CollectorPlan)

    /// Reads its uploads, for as long as the collector lives.
    var decoder: Decoder { get }

    /// What a request is to the system, by its head; `nil` for nothing.
    ///
    /// Its own paths may lie below any other, as behind a gateway.
    func purpose(of request: borrowing CollectedRequest) -> RequestPurpose?

    /// The configuration before the plan's first: one that changes nothing, so that clients neither fetch it
    /// again at once nor change their ways.
    func neutralConfig(for request: CollectedRequest) -> [UInt8]

    /// The answer to a fetch of the configuration.
    func reply(with config: ServedConfig, to request: CollectedRequest) -> CollectorReply

    /// Which of the system's clients sends an upload, as far as its head tells.
    func client(of request: CollectedRequest) -> UploadClient

    /// What the store calls a client's system.
    func name(of client: UploadClient) -> String

    /// The answer to an upload that was taken.
    func acceptance(for client: UploadClient) -> CollectorReply

    /// Where a client looks for the events that an answer of a status refuses; `nil` if it does not look.
    func listing(status: UInt16, for client: UploadClient) -> JSONPath?

    /// Whether a client takes an answer for success, under some of its rules, and forgets what it sent. What a
    /// client that did not believe it sends again is held in the end, and counts as that.
    func takesForSuccess(_ reply: CollectorReply, _ client: UploadClient) -> Bool

    func makeKeyReader() -> KeyReader
}

/// What most systems do.
extension CollectedSystem {
    static var eventFields: [String] { [] }

    func neutralConfig(for request: CollectedRequest) -> [UInt8] { Array("[]".utf8) }

    func reply(with config: ServedConfig, to request: CollectedRequest) -> CollectorReply { config.whole }

    func client(of request: CollectedRequest) -> UploadClient { UploadClient() }

    func name(of client: UploadClient) -> String { Self.system.rawValue }

    /// An empty 200.
    func acceptance(for client: UploadClient) -> CollectorReply {
        CollectorReply(status: 200, disposition: .stored)
    }

    func listing(status: UInt16, for client: UploadClient) -> JSONPath? { nil }

    func takesForSuccess(_ reply: CollectorReply, _ client: UploadClient) -> Bool { reply.isPositive }
}

/// What a request is to a system.
enum RequestPurpose {
    case upload
    /// A fetch of the client's configuration.
    case config
}

/// One of the clients that a system has, as far as its collector tells them apart; most have one.
package struct UploadClient: Hashable, Sendable {
    /// Its index in the system's own list.
    var number = 0
    /// Whether it asks for an answer in words where it would else get one in a number.
    var wantsWords = false
}

/// A system whose requests are known by their paths, whatever the plan says.
protocol PathSystem: CollectedSystem {
    /// Whether its uploads go to a path, which may lie below any other, as behind a gateway.
    static func takesUploads(at path: String) -> Bool

    /// Whether its clients fetch their configuration there.
    static func servesConfig(at path: String) -> Bool
}

extension PathSystem {
    static func servesConfig(at path: String) -> Bool { false }

    func purpose(of request: borrowing CollectedRequest) -> RequestPurpose? {
        switch request.method {
        case .post: Self.takesUploads(at: request.path) ? .upload : nil
        case .get: Self.servesConfig(at: request.path) ? .config : nil
        case .put, .other: nil
        }
    }
}

/// Reads keys and times from one event's JSON, as stores hold it.
protocol CollectedKeyReader {
    /// The key that the collector gives to the event; `nil` if it is none of the system's.
    mutating func key(of value: JSONValue) -> EventKey?

    /// The key of a text that is no JSON.
    mutating func key(ofText text: UnsafeRawBufferPointer) -> EventKey?

    /// When the event was captured, by the device's clock, in milliseconds since 1970; `nil` if it is none of the
    /// system's, or does not say it.
    mutating func capturedAt(of value: JSONValue) -> Int64?

    /// The same of what is no whole event of any system, as a store has it that keeps some members only.
    mutating func capturedAt(ofPart value: JSONValue) -> Int64?
}

extension CollectedKeyReader {
    mutating func key(ofText text: UnsafeRawBufferPointer) -> EventKey? { nil }
    mutating func capturedAt(ofPart value: JSONValue) -> Int64? { nil }
}

/// Where a system's upload goes, and the headers that tell how to read its body.
package struct UploadForm: Sendable {
    package var path: String
    /// `Name: value`, each ended by CR LF.
    package var headerLines: String

    init(_ path: String, headerLines: String = "") {
        self.path = path
        self.headerLines = headerLines
    }
}
