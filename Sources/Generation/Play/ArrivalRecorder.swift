import Accounting
import CollectorModel
import Datasets
import DeviceSDK
import Files
import Scenario
import Timebase
import VirtualEngine
import Wire

/// Makes rows of the uploads that a modelled server stores: the events as a collector reads them in what the devices
/// write.
///
/// Confined to the simulation's thread. Rows leave in the order of ``ArrivalOrder``: the engine hands uploads over by
/// time, and those of one instant are sorted here.
final class ArrivalRecorder: ArrivalObserver {
    /// The rows of an upload in ``block``.
    private struct Upload {
        var device: UInt32
        var request: UInt32
        var rows: Range<Int>
    }

    private let feed: ArrivalFeed
    private let readers: [UploadReader]
    private let fieldReader: FieldReader
    private let keepsIDs: Bool
    private let unsent: UnsentEvents?
    /// Why an upload could not be read, or events that ended could not be kept.
    private(set) var failure: FileFailure?
    /// Which events have arrived: a bit each, and a number for those that came again.
    private var receipts = Receipts()
    private var now = Int64.min
    private var uploads: [Upload] = []
    /// Rows that were not handed over yet.
    private var block = ArrivalRecorder.emptyBlock
    /// Where in it the rows of ``now`` begin.
    private var instant = 0
    private var unsorted = WireBuffer()
    private var id = WireBuffer()

    private static var emptyBlock: WireBuffer { WireBuffer(capacity: ArrivalFeed.blockBytes + 1 << 16) }

    /// - Parameters:
    ///   - keepsIDs: Whether rows say what a collector knows the events by.
    ///   - fields: The fields of rows.
    ///   - unsent: Where events that end without having arrived are kept; `nil` where nobody wants them.
    init(
        _ plans: [PopulationPlan], collector: CollectorPlan, keepsIDs: Bool, fields: RowFields,
        into feed: ArrivalFeed, unsent: UnsentEvents? = nil
    ) {
        self.unsent = unsent
        fieldReader = FieldReader(fields)
        self.feed = feed
        self.keepsIDs = keepsIDs
        readers = plans.map { plan in
            UploadReader(
                of: CollectorSystem(rawValue: plan.system.systemName) ?? .sensors,
                plan: collector.reading(plan))
        }
    }

    func stored(_ upload: StoredUpload) {
        if upload.at.nanoseconds != now { endInstant() }
        now = upload.at.nanoseconds
        let begin = block.count
        var position = 0
        let store = { (event: CollectedEvent) in
            self.append(event, of: upload, position: position)
            position += 1
        }
        switch upload.content {
        case .request(let request):
            readers[upload.population].forEachEvent(in: request, at: upload.at, store)
        case .plain(let form, let bytes):
            readers[upload.population].forEachEvent(
                inPlain: bytes, isMessages: form == .messages, at: upload.at, store)
        }
        note(read: position, of: upload)
        uploads.append(
            Upload(device: upload.device, request: upload.request, rows: begin..<block.count))
    }

    /// Rows are told which event they are by their place in the upload: one that cannot be read would shift the others,
    /// and be missing.
    private func note(read: Int, of upload: StoredUpload) {
        let carried = upload.events.count
        guard failure == nil, carried > 0, read != carried else { return }
        failure = FileFailure(
            "read", "upload \(upload.request) of device \(upload.device)",
            reason: "a collector finds \(read) events in it, and it has \(carried)")
    }

    func ended(_ event: EndedEvent) {
        guard failure == nil, let unsent, !receipts.held.contains(event.id) else { return }
        let isMessages = event.form == .messages
        readers[event.population].forEachEvent(inPlain: event.body, isMessages: isMessages, at: event.at) {
            do throws(FileFailure) { try unsent.append($0.payload, of: event.id) } catch { failure = error }
        }
    }

    /// Hands over what is left.
    func finish() {
        endInstant()
        if !block.isEmpty { feed.put(block) }
        block.removeAll(keepingCapacity: false)
    }

    private func append(_ event: CollectedEvent, of upload: StoredUpload, position: Int) {
        let events = upload.events
        var sequence = ArrivalHead.unknown
        if position < events.count {
            sequence = events.sequences[position]
        } else if case .harness(let id) = event.key, id.device == upload.device {
            sequence = id.sequence
        }
        var copy = 0
        if sequence != ArrivalHead.unknown {
            copy = receipts.record(EventID(device: upload.device, sequence: sequence))
        }
        id.removeAll()
        if keepsIDs { id.append(event.key.text) }
        let fields = fieldReader.read(event.value, population: upload.population)
        var event = event
        (event.type, event.name) = (ArrivalRecorder.cut(event.type), ArrivalRecorder.cut(event.name))
        var head = ArrivalHead(
            at: upload.at.nanoseconds, capturedAt: event.capturedAt, byteCount: 0, device: upload.device,
            request: upload.request, sequence: sequence, payloadBytes: UInt32(event.payload.count),
            position: UInt16(clamping: position),
            attempt: position < events.count ? events.attempts[position] : 0, copy: UInt16(clamping: copy),
            population: UInt16(clamping: upload.population), typeBytes: UInt16(clamping: event.type.count),
            nameBytes: UInt16(clamping: event.name.count), idBytes: UInt16(clamping: id.count))
        let texts = event.type.count + event.name.count + id.count + event.payload.count
        head.byteCount = UInt32(ArrivalHead.size + texts + fields.count)
        id.withUnsafeBytes { ArrivalRecorder.append(head, event, id: $0, fields: fields, to: &block) }
    }

    /// As much of a text as a row says the length of; `payload` has all of it.
    private static func cut(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard text.count > UInt16.max else { return text }
        var end = Int(UInt16.max)
        // No character is cut.
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[..<end])
    }

    private static func append(
        _ head: ArrivalHead, _ event: CollectedEvent, id: UnsafeRawBufferPointer,
        fields: UnsafeRawBufferPointer, to block: inout WireBuffer
    ) {
        block.append(upTo: Int(head.byteCount)) { memory in
            memory.storeBytes(of: head, as: ArrivalHead.self)
            var next = memory + ArrivalHead.size
            func put(_ part: UnsafeRawBufferPointer) {
                next.copyText(part)
                next += part.count
            }
            put(event.type)
            put(event.name)
            put(id)
            put(fields)
            put(event.payload)
            return Int(head.byteCount)
        }
    }

    /// Sorts the uploads of an instant, and hands a block over that is full.
    private func endInstant() {
        guard !uploads.isEmpty else { return }
        if uploads.count > 1 { sortInstant() }
        uploads.removeAll(keepingCapacity: true)
        if block.count >= ArrivalFeed.blockBytes {
            feed.put(block)
            block = ArrivalRecorder.emptyBlock
        }
        instant = block.count
    }

    private func sortInstant() {
        let sorted = uploads.sorted { ($0.device, $0.request) < ($1.device, $1.request) }
        guard !sorted.elementsEqual(uploads, by: { $0.rows == $1.rows }) else { return }
        unsorted.removeAll()
        block.withUnsafeBytes {
            unsorted.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[instant...]))
        }
        block.truncate(to: instant)
        for upload in sorted {
            unsorted.withUnsafeBytes { bytes in
                let rows = upload.rows.lowerBound - instant..<upload.rows.upperBound - instant
                block.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[rows]))
            }
        }
    }
}
