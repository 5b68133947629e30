import Accounting
import Timebase
import Wire

/// One system as its collector sees it: which requests are its own, how they are read, and what its clients
/// take for an answer.
///
/// All of it lies in the system's folder, and ``CollectorSystem`` is the one list that names it. Nothing here
/// knows the devices' side of the system, nor the other way round: the two share formats alone (`Wire`), so that
/// one mistake cannot hide in both.
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

    /// Whether its uploads go to a path, which may lie below any other, as behind a gateway.
    static func takesUploads(at path: String) -> Bool

    /// Whether its clients fetch their configuration there.
    static func servesConfig(at path: String) -> Bool

    /// The configuration before the plan's first: one that changes nothing, so that clients neither fetch it
    /// again at once nor change their ways.
    static var neutralConfig: [UInt8] { get }

    /// The answer to a fetch of the configuration.
    static func reply(with config: ServedConfig, to request: CollectedRequest) -> CollectorReply

    /// The answer to an upload that was taken.
    static var acceptance: CollectorReply { get }

    /// Whether its client takes an answer for success, under some of its rules, and forgets what it sent. What a
    /// client that did not believe it sends again is held in the end, and counts as that.
    static func takesForSuccess(_ reply: CollectorReply) -> Bool

    /// Makes a decoder for as long as the collector lives.
    ///
    /// - Parameter plan: What the system cannot know by itself, such as encryptions of an app's own.
    static func makeDecoder(_ plan: CollectorPlan) -> Decoder

    static func makeKeyReader() -> KeyReader
}

/// What most systems do.
extension CollectedSystem {
    static var eventFields: [String] { [] }
    static func servesConfig(at path: String) -> Bool { false }
    static var neutralConfig: [UInt8] { Array("[]".utf8) }

    static func reply(with config: ServedConfig, to request: CollectedRequest) -> CollectorReply {
        config.whole
    }

    /// An empty 200.
    static var acceptance: CollectorReply { CollectorReply(status: 200, disposition: .stored) }

    static func takesForSuccess(_ reply: CollectorReply) -> Bool { reply.isPositive }

    static func makeKeyReader() -> KeyReader { KeyReader() }
}

/// Reads keys and times from one event's JSON, as stores hold it.
protocol CollectedKeyReader {
    init()

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
