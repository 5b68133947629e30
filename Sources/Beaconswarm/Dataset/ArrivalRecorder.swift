import Accounting
import CollectorModel
import DeviceSDK
import Timebase
import VirtualEngine
import Wire

/// Makes rows of the uploads that a modelled server stores: the events as a collector reads them in the bytes that the
/// devices write.
///
/// Confined to the simulation's thread. Rows leave in the order of ``ArrivalOrder``: the engine hands uploads over by
/// time, and those of one instant are sorted here.
final class ArrivalRecorder: ArrivalObserver {
    /// The rows of an upload in ``instant``.
    private struct Upload {
        var device: UInt32
        var request: UInt32
        var rows: Range<Int>
    }

    private let feed: ArrivalFeed
    private let readers: [UploadReader]
    private let keepsIDs: Bool
    /// Which events have arrived: a bit each, and a number for those that came again.
    private var receipts = Receipts()
    private var now = Int64.min
    private var uploads: [Upload] = []
    /// The rows of one instant.
    private var instant = WireBuffer()
    private var block = WireBuffer()
    private var id = WireBuffer()

    /// - Parameter keepsIDs: Whether rows say what a collector knows the events by.
    init(_ plans: [PopulationPlan], collector: CollectorPlan, keepsIDs: Bool, into feed: ArrivalFeed) {
        self.feed = feed
        self.keepsIDs = keepsIDs
        readers = plans.map { plan in
            UploadReader(of: CollectorSystem(rawValue: plan.system.systemName) ?? .sensors, plan: collector)
        }
    }

    func stored(_ upload: StoredUpload) {
        if upload.at.nanoseconds != now { endInstant() }
        now = upload.at.nanoseconds
        let begin = instant.count
        var position = 0
        readers[upload.population].forEachEvent(in: upload.content, at: upload.at) { event in
            append(event, of: upload, position: position)
            position += 1
        }
        uploads.append(
            Upload(device: upload.device, request: upload.request, rows: begin..<instant.count))
    }

    /// Hands over what is left.
    func finish() {
        endInstant()
        if !block.isEmpty { feed.put(block.bytes) }
        block.removeAll()
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
        var head = ArrivalHead(
            at: upload.at.nanoseconds, capturedAt: event.capturedAt, byteCount: 0, device: upload.device,
            request: upload.request, sequence: sequence, payloadBytes: UInt32(event.payload.count),
            position: UInt16(clamping: position),
            attempt: position < events.count ? events.attempts[position] : 0, copy: UInt16(clamping: copy),
            population: UInt16(clamping: upload.population), typeBytes: UInt16(clamping: event.type.count),
            nameBytes: UInt16(clamping: event.name.count), idBytes: UInt16(clamping: id.count))
        let texts = event.type.count + event.name.count + id.count + event.payload.count
        head.byteCount = UInt32(ArrivalHead.size + texts)
        withUnsafeBytes(of: head) { instant.append(contentsOf: $0) }
        instant.append(contentsOf: event.type)
        instant.append(contentsOf: event.name)
        instant.append(contentsOf: id)
        instant.append(contentsOf: event.payload)
    }

    /// Sorts the uploads of an instant, and hands them on in blocks.
    private func endInstant() {
        guard !uploads.isEmpty else { return }
        uploads.sort { ($0.device, $0.request) < ($1.device, $1.request) }
        for upload in uploads {
            instant.withUnsafeBytes {
                block.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[upload.rows]))
            }
            guard block.count >= ArrivalFeed.blockBytes else { continue }
            feed.put(block.bytes)
            block.removeAll()
        }
        uploads.removeAll(keepingCapacity: true)
        instant.removeAll()
    }
}
