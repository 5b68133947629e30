import Accounting
import DeviceSDK
import SDKDescription
import Timebase
import Wire

/// Writes events and bodies by a compiled program. Not thread-safe: memory is used for one request after the other.
final class DeclaredEncoder {
    let program: DeclaredProgram
    let identity: DescribedSDK.Identity
    private let eventID: DescribedSDK.Identity.Kind
    private let taps: UInt16
    /// What natural keys begin with.
    private let product: String
    private let plan: PopulationPlan
    private let streams: PopulationStreams
    private let gzip: GzipEncoder?
    private var memory = DeclaredMemory()
    private var plain = WireBuffer()

    init(plan: PopulationPlan, sdk: DescribedSDK, templates: DeclaredTemplates) {
        self.plan = plan
        streams = plan.streams
        identity = sdk.identity
        eventID = sdk.events.id
        taps = templates.action(.tap)
        product = sdk.product(in: plan.name)
        program = DeclaredProgram(plan: plan, sdk: sdk, templates: templates)
        gzip = sdk.request.compress == .gzip ? GzipEncoder(batches: .small) : nil
    }

    /// Appends the body of an upload.
    ///
    /// - Parameter now: The time of the attempt.
    func encode(
        _ rows: ContiguousArray<EventRecord>, index: Int, number: UInt32,
        epochs: borrowing EpochLog<DeclaredEpoch>, at now: Instant, into body: inout WireBuffer
    ) {
        var writer = begin(index: index, number: number, at: now)
        if let gzip {
            var json = WireBuffer()
            swap(&json, &plain)
            json.removeAll()
            writer.write(body: rows, epochs: epochs, into: &json)
            gzip.compress(json, into: &body)
            swap(&json, &plain)
        } else {
            writer.write(body: rows, epochs: epochs, into: &body)
        }
        end(&writer)
    }

    /// Appends the events as a JSON list, whatever is around them in a body.
    func encodeList(
        _ rows: ContiguousArray<EventRecord>, index: Int, number: UInt32,
        epochs: borrowing EpochLog<DeclaredEpoch>, at now: Instant, into list: inout WireBuffer
    ) {
        var writer = begin(index: index, number: number, at: now)
        list.append(UInt8(ascii: "["))
        writer.write(rows, epochs: epochs, into: &list)
        list.append(UInt8(ascii: "]"))
        end(&writer)
    }

    /// Appends the body of a fetch; nothing for one without.
    func encode(
        fetch config: Int, index: Int, number: UInt32, epoch: DeclaredEpoch, at now: Instant,
        into body: inout WireBuffer
    ) {
        guard let steps = program.fetches[config] else { return }
        var writer = begin(index: index, number: number, at: now)
        writer.write(fetch: steps, epoch: epoch, into: &body)
        end(&writer)
    }

    /// The key by which a collector knows an event without an id of the harness: the product and the parts in order, joined
    /// with U+001F; a text as it is, everything else as JSON.
    func naturalKey(_ record: EventRecord, epoch: DeclaredEpoch, index: Int, number: UInt32) -> NaturalKey {
        var writer = begin(index: index, number: number, at: record.capturedAt)
        var key = WireBuffer(product)
        writer.write(keyOf: record, epoch: epoch, into: &key)
        end(&writer)
        let hash = key.withUnsafeBytes { Hash128($0) }
        return NaturalKey(high: hash.high, low: hash.low)
    }

    /// A writer has the encoder's memory as long as it writes: no access of its is checked then.
    private func begin(index: Int, number: UInt32, at now: Instant) -> DeclaredWriter {
        var taken = DeclaredMemory()
        swap(&taken, &memory)
        return DeclaredWriter(
            program: program, identity: identity, eventID: eventID, taps: taps, index: index, number: number,
            sentAt: now, traits: DeclaredTraits(plan: plan, streams: streams, index: index), memory: taken)
    }

    private func end(_ writer: inout DeclaredWriter) { swap(&writer.memory, &memory) }
}

/// What a writer needs beside its program, kept from one request to the next.
struct DeclaredMemory {
    /// The chunks that were rendered for the present state.
    var rendered = WireBuffer()
    /// By chunk: where it is in ``rendered``; empty for those that are not.
    var places: ContiguousArray<Range<Int>> = []
    var scratch = WireBuffer()
    var coded = WireBuffer()
    /// Where the texts begin that are being written.
    var texts: ContiguousArray<Int> = []
}
