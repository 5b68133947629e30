import Accounting
import Wire

/// Reads the uploads of one system.
///
/// A request is opened once and its events are walked as often as needed, until the next one is opened. What
/// is handed out points into the decoder and is valid during the call that hands it over. Not thread-safe:
/// memory is used for one request after the other.
protocol UploadDecoder: AnyObject {
    /// Takes off what lies around a request's events.
    func open(_ request: CollectedRequest) -> UploadEnvelope

    /// Takes what lies in an upload before it is packed, in the place of a request: a list of JSON, or what the system's
    /// own bodies hold in its place. What is too long in a request is too long here.
    ///
    /// - Parameter isMessages: Whether it is messages, where a system has both.
    func open(plain: UnsafeRawBufferPointer, isMessages: Bool) -> UploadEnvelope

    /// The keys of a request's events, in order, where they can be told with less work than reading everything.
    ///
    /// - Returns: `nil` where they cannot, and for anything out of the ordinary: the request is to be opened then. Of what
    ///   is returned, reading everything would find the same keys and nothing that cannot be read, unless members that
    ///   nobody needs here are broken.
    func keysAlone(of request: CollectedRequest) -> ContiguousArray<EventKey>?

    /// The memory of its texts, which stays for the next request; what reads them takes many times as much.
    var textCapacity: Int { get }

    /// Calls `body` with each event of the request that was opened last, in order, and with what cannot be
    /// read of it.
    func forEachElement(_ body: (UploadElement) -> Void)
}

/// What came of opening a request.
struct UploadEnvelope {
    /// Why nothing in it can be read, and how many events that were, as far as can be told.
    var refusal: (reason: UndecodableReason, events: UInt64)?
    /// Whether a checksum was there and did not fit.
    var hasWrongChecksum = false
    /// Whose upload it is.
    var client = UploadClient()

    /// A request whose events can be walked.
    static let opened = UploadEnvelope()

    /// A request of which nothing can be read.
    static func refused(_ reason: UndecodableReason, events: UInt64 = 1) -> UploadEnvelope {
        UploadEnvelope(refusal: (reason, events))
    }
}

/// One element of an upload.
enum UploadElement {
    case event(UploadEvent)
    case undecodable(UndecodableReason)
}

/// An event of any system, as far as a collector acts on it; see ``CollectedEvent`` for the members.
struct UploadEvent {
    var key: EventKey
    var type: UnsafeRawBufferPointer
    var name = UnsafeRawBufferPointer(start: nil, count: 0)
    var distinctID = UnsafeRawBufferPointer(start: nil, count: 0)
    /// `nil` where the event has no time.
    var capturedAt: Int64?
    var payload: UnsafeRawBufferPointer
    /// The payload as it was parsed.
    var value: JSONValue
    var packed: PackedText?
}

extension UploadDecoder {
    /// None: everything is to be read.
    func keysAlone(of request: CollectedRequest) -> ContiguousArray<EventKey>? { nil }

    /// The device of the first event with an id of the harness.
    var firstDevice: UInt32? {
        var device: UInt32?
        forEachElement { element in
            if device == nil, case .event(let event) = element { device = event.key.device }
        }
        return device
    }
}

/// Why an element of an upload is no event.
struct UploadError: Error {
    var reason: UndecodableReason
}
