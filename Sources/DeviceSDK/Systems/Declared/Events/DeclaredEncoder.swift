import Accounting
import DeviceSDK
import SDKDescription
import Timebase
import Wire

/// Writes events and bodies by a compiled program. Not thread-safe: memory is used for one request after the other.
final class DeclaredEncoder {
    let program: DeclaredProgram
    /// What natural keys begin with.
    private let product: String
    /// Members that attempts have of their own, in requests of any lane.
    private let attemptMembers: [String]
    private let plan: PopulationPlan
    private let streams: PopulationStreams
    private let gzip: GzipEncoder?
    private var writer: DeclaredWriter
    private var plain = WireBuffer()
    /// What repeats in a body, for the compressor.
    private let repeats = RepeatLog()
    /// Reads events that have no part of their keys.
    private lazy var parser = JSONParser()

    init(plan: PopulationPlan, sdk: DescribedSDK, templates: DeclaredTemplates) {
        self.plan = plan
        streams = plan.streams
        product = sdk.product(in: plan.name)
        attemptMembers = sdk.requests.flatMap { $0.perEvent.compactMap(\.name) }
        program = DeclaredProgram(plan: plan, sdk: sdk, templates: templates)
        gzip =
            sdk.request.compress == .gzip || program.form?.needsGzip ?? false
            ? GzipEncoder(batches: .small) : nil
        writer = DeclaredWriter(
            program, identity: DeclaredIdentity(sdk), taps: templates.action(.tap),
            traits: DeclaredTraits(plan: plan, streams: plan.streams, index: 0))
    }

    /// Appends the body of an upload.
    ///
    /// - Parameters:
    ///   - now: The time of the attempt.
    ///   - sealed: When the file was closed that it sends; `nil` for no file.
    func encode(
        _ rows: ContiguousArray<EventRecord>, index: Int, number: UInt32,
        epochs: borrowing EpochLog<DeclaredEpoch>, at now: Instant, sealed: Instant? = nil,
        into body: inout WireBuffer
    ) {
        var writer = begin(index: index, number: number, by: epochs.current, at: now, sealed: sealed)
        if gzip != nil || program.form != nil {
            var json = WireBuffer()
            swap(&json, &plain)
            json.removeAll()
            // What is in a text changes its positions when that ends.
            let isNoted =
                program.form == nil && program.bodyTexts.isEmpty && gzip?.takesNotes == true
            if isNoted { repeats.removeAll() }
            write(
                body: rows, epochs: epochs, by: &writer, noting: isNoted ? repeats : nil, into: &json)
            if let form = program.form {
                form.write(json, by: &writer, gzip, into: &body)
            } else if program.bodyTexts.isEmpty {
                gzip?.compress(json, repeating: repeats, into: &body)
            } else {
                gzip?.compress(json, into: &body)
            }
            swap(&json, &plain)
        } else {
            write(body: rows, epochs: epochs, by: &writer, into: &body)
        }
        self.writer = writer
    }

    private func write(
        body rows: ContiguousArray<EventRecord>, epochs: borrowing EpochLog<DeclaredEpoch>,
        by writer: inout DeclaredWriter, noting repeats: RepeatLog? = nil, into out: inout WireBuffer
    ) {
        writer.set(epochs.current)
        writer.write(program.bodyStart, into: &out)
        if program.bodyTexts.isEmpty {
            write(events: rows, epochs: epochs, by: &writer, noting: repeats, into: &out)
        } else {
            write(text: 0, of: rows, epochs: epochs, by: &writer, into: &out)
        }
        // The body is the device's of now, its events those of their captures.
        writer.set(epochs.current)
        writer.write(program.bodyEnd, into: &out)
    }

    private func write(
        events rows: ContiguousArray<EventRecord>, epochs: borrowing EpochLog<DeclaredEpoch>,
        by writer: inout DeclaredWriter, noting repeats: RepeatLog?, into out: inout WireBuffer
    ) {
        switch program.framing {
        case .list:
            out.append(UInt8(ascii: "["))
            writer.write(rows, noting: repeats, epochs: epochs, into: &out)
            out.append(UInt8(ascii: "]"))
        case .lines: writer.write(rows, endedBy: 0x0A, noting: repeats, epochs: epochs, into: &out)
        case .one: writer.write(rows, noting: repeats, epochs: epochs, into: &out)
        }
    }

    /// Appends a text that holds JSON with the events in it, or with a further such text.
    private func write(
        text number: Int, of rows: ContiguousArray<EventRecord>, epochs: borrowing EpochLog<DeclaredEpoch>,
        by writer: inout DeclaredWriter, into out: inout WireBuffer
    ) {
        let text = program.bodyTexts[number]
        var json = WireBuffer()
        writer.set(epochs.current)
        writer.write(text.before, into: &json)
        if number + 1 < program.bodyTexts.count {
            write(text: number + 1, of: rows, epochs: epochs, by: &writer, into: &json)
        } else {
            write(events: rows, epochs: epochs, by: &writer, noting: nil, into: &json)
        }
        writer.set(epochs.current)
        writer.write(text.after, into: &json)
        json.withUnsafeBytes { text.encoding.append($0, to: &out) }
    }

    /// Appends the events as a JSON list, whatever is around them in a body.
    func encodeList(
        _ rows: ContiguousArray<EventRecord>, index: Int, number: UInt32,
        epochs: borrowing EpochLog<DeclaredEpoch>, at now: Instant, sealed: Instant? = nil,
        into list: inout WireBuffer
    ) {
        var writer = begin(index: index, number: number, by: epochs.current, at: now, sealed: sealed)
        list.append(UInt8(ascii: "["))
        writer.write(rows, epochs: epochs, into: &list)
        list.append(UInt8(ascii: "]"))
        self.writer = writer
    }

    /// The bytes of an event's JSON.
    ///
    /// - Parameters:
    ///   - epoch: The device's state at the capture.
    ///   - sender: Its state at the attempt.
    func size(
        of record: EventRecord, epoch: DeclaredEpoch, sender: DeclaredEpoch, index: Int, number: UInt32
    ) -> Int {
        var writer = begin(index: index, number: number, by: sender, at: record.capturedAt)
        var json = WireBuffer()
        swap(&json, &plain)
        json.removeAll()
        writer.write(eventOf: record, epoch, into: &json)
        let count = json.count
        swap(&json, &plain)
        self.writer = writer
        return count
    }

    /// Appends the body of a fetch; nothing for one without.
    func encode(
        fetch config: Int, index: Int, number: UInt32, epoch: DeclaredEpoch, at now: Instant,
        into body: inout WireBuffer
    ) {
        guard let steps = program.fetches[config] else { return }
        var writer = begin(index: index, number: number, by: epoch, at: now)
        writer.set(epoch)
        writer.write(steps, into: &body)
        self.writer = writer
    }

    /// The key by which a collector knows an event without an id of the harness: the product and the parts in order, joined
    /// with U+001F; a text as it is, everything else as JSON in normal form. Where none of the parts has anything, it is the
    /// product and all of the event.
    func naturalKey(_ record: EventRecord, epoch: DeclaredEpoch, index: Int, number: UInt32) -> NaturalKey {
        var writer = begin(index: index, number: number, by: epoch, at: record.capturedAt)
        var key = WireBuffer(product)
        var json = WireBuffer()
        var isThere = false
        for part in program.keys[Int(record.template)] {
            key.append(0x1F)
            json.removeAll()
            writer.write(part, of: record, epoch, into: &json)
            json.withUnsafeBytes { bytes in
                let text = DeclaredForm.text(of: bytes)
                isThere = isThere || !text.isEmpty
                key.append(contentsOf: text)
            }
        }
        if !isThere {
            json.removeAll()
            writer.write(eventOf: record, epoch, into: &json)
            key = wholeKey(of: json)
        }
        self.writer = writer
        let hash = key.withUnsafeBytes { Hash128($0) }
        return NaturalKey(high: hash.high, low: hash.low)
    }

    /// The product and all members of an event in normal form, without those that attempts have of their own.
    private func wholeKey(of event: WireBuffer) -> WireBuffer {
        var key = WireBuffer(product)
        event.withUnsafeBytes { bytes in
            // The encoder's own text is JSON.
            _ = try? parser.withParsed(bytes) { append(membersOf: $0, to: &key) }
        }
        return key
    }

    private func append(membersOf event: JSONValue, to key: inout WireBuffer) {
        for (name, value) in event.members {
            if attemptMembers.contains(where: { name.elementsEqual($0.utf8) }) { continue }
            key.append(UInt8(ascii: ","))
            key.appendJSONString(utf8: name)
            key.append(UInt8(ascii: ":"))
            value.appendJSON(to: &key)
        }
    }

    /// The writer, for a device and an attempt: a copy, so that no access to the class is checked while it writes.
    private func begin(
        index: Int, number: UInt32, by sender: DeclaredEpoch, at now: Instant, sealed: Instant? = nil
    ) -> DeclaredWriter {
        var writer = writer
        writer.begin(index: index, number: number, by: sender, at: now, sealed: sealed ?? now) {
            DeclaredTraits(plan: plan, streams: streams, index: index)
        }
        return writer
    }
}

extension Template.Encoding {
    /// Appends JSON as the inside of a string.
    fileprivate func append(_ json: UnsafeRawBufferPointer, to out: inout WireBuffer) {
        switch self {
        case .jsonText: out.appendJSONEscaped(utf8: json)
        case .base64url:
            var coded = WireBuffer()
            Base64.encode(json, into: &coded)
            for byte in coded.bytes where byte != UInt8(ascii: "=") {
                switch byte {
                case UInt8(ascii: "+"): out.append(UInt8(ascii: "-"))
                case UInt8(ascii: "/"): out.append(UInt8(ascii: "_"))
                default: out.append(byte)
                }
            }
        }
    }
}
