import AppModel
import DeviceSDK
import SDKDescription
import Timebase
import Wire
import World

/// Writes what one request of one device has. Plain values, which point into the program's memory: valid as long as that.
struct DeclaredWriter {
    private let events: UnsafePointer<DeclaredRun>
    private let chunks: UnsafeMutablePointer<DeclaredChunk>
    private let properties: UnsafePointer<DeclaredProperties>
    private let repeats: UnsafePointer<Bool>
    let texts: DeclaredTexts
    let identity: DeclaredIdentity
    /// The template of taps.
    let taps: UInt16

    // The device.

    private(set) var index = -1
    private(set) var number: UInt32 = 0
    private(set) var traits: DeclaredTraits

    // The request, and the event that is being written.

    private(set) var sentAt = Instant(nanoseconds: .min)
    /// When the file was closed that it sends.
    private(set) var sealedAt = Instant(nanoseconds: .min)
    /// The device's state of the attempt.
    private(set) var sender = DeclaredEpoch(start: Instant(nanoseconds: 0), network: .none)
    private(set) var record = EventRecord(
        capturedAt: Instant(nanoseconds: 0), sequence: 0, epoch: 0, template: 0)
    /// The state of its capture.
    private(set) var epoch = DeclaredEpoch(start: Instant(nanoseconds: 0), network: .none)
    /// Counts the states: a chunk that was rendered for another one is rendered again.
    private var state: UInt64 = 1

    init(_ program: DeclaredProgram, identity: DeclaredIdentity, taps: UInt16, traits: DeclaredTraits) {
        events = program.events
        chunks = program.chunks
        properties = program.properties
        repeats = program.repeats
        texts = program.texts
        self.identity = identity
        self.taps = taps
        self.traits = traits
    }

    /// The writer goes on with a device and an attempt.
    ///
    /// - Parameter traits: Asked for only if it is another device than before.
    mutating func begin(
        index: Int, number: UInt32, by sender: DeclaredEpoch, at now: Instant, sealed: Instant,
        traits: () -> DeclaredTraits
    ) {
        if self.index != index || self.number != number {
            self.index = index
            self.number = number
            self.traits = traits()
            state &+= 1
        }
        guard sentAt != now || sealedAt != sealed || self.sender != sender else { return }
        (sentAt, sealedAt, self.sender) = (now, sealed, sender)
        state &+= 1
    }

    /// What comes next was captured under this state.
    mutating func set(_ epoch: DeclaredEpoch) {
        guard self.epoch != epoch else { return }
        self.epoch = epoch
        state &+= 1
    }

    /// Appends events one after the other.
    ///
    /// - Parameters:
    ///   - end: What each ends with; `nil` for commas between them.
    ///   - repeats: Gets to know what repeats.
    mutating func write(
        _ rows: ContiguousArray<EventRecord>, endedBy end: UInt8? = nil, noting repeats: RepeatLog? = nil,
        epochs: borrowing EpochLog<DeclaredEpoch>, into out: inout WireBuffer
    ) {
        var known: UInt32?
        for index in rows.indices {
            record = rows[index]
            if known != record.epoch {
                known = record.epoch
                set(epochs[record.epoch])
            }
            let event = events[Int(record.template)]
            out.append(limit: event.limit + 1, noting: repeats) { cursor in
                if index > 0, end == nil { cursor.put(byte: UInt8(ascii: ",")) }
                run(event, to: &cursor)
                if let end { cursor.put(byte: end) }
            }
        }
    }

    /// Appends one event.
    mutating func write(eventOf record: EventRecord, _ epoch: DeclaredEpoch, into out: inout WireBuffer) {
        write(events[Int(record.template)], of: record, epoch, into: &out)
    }

    /// Appends steps that are about no event.
    mutating func write(_ steps: DeclaredRun, into out: inout WireBuffer) {
        out.append(limit: steps.limit) { run(steps, to: &$0) }
    }

    /// Appends steps that are about an event.
    mutating func write(
        _ steps: DeclaredRun, of record: EventRecord, _ epoch: DeclaredEpoch, into out: inout WireBuffer
    ) {
        self.record = record
        set(epoch)
        write(steps, into: &out)
    }

    // MARK: Steps

    private func run(_ run: DeclaredRun, to cursor: inout DeclaredCursor) {
        var step = run.steps
        let end = step + run.count
        var texts = DeclaredTextStarts()
        let log = cursor.log
        while step < end {
            switch step.pointee.kind {
            case .bytes:
                cursor.note(step.pointee.occurrence)
                cursor.put(step.pointee.bytes)
            case .slot:
                if let occurrence = step.pointee.occurrence { cursor.noteChance(occurrence) }
                put(step.pointee.source, step.pointee.form, to: &cursor)
            case .chunk: put(chunk: chunks + Int(step.pointee.number), to: &cursor)
            case .comma: if !cursor.isOpen { cursor.put(byte: UInt8(ascii: ",")) }
            case .skipIfAbsent: if isAbsent(step.pointee.source) { step += Int(step.pointee.number) }
            case .skip: step += Int(step.pointee.number)
            case .properties: putProperties(properties + Int(step.pointee.number), to: &cursor)
            case .harnessID:
                cursor.noteChance(step.pointee.occurrence)
                cursor.put(UInt64(number))
                cursor.put(byte: UInt8(ascii: "-"))
                cursor.put(UInt64(record.sequence))
            case .beginText:
                // What is in a text changes its positions when that ends.
                cursor.log = nil
                texts.begin(at: cursor.count)
            case .endJSON: putJSON(from: texts.end(), to: &cursor)
            case .endBase64: putBase64(from: texts.end(), to: &cursor)
            }
            if texts.isEmpty { cursor.log = log }
            step += 1
        }
    }

    private func put(chunk: UnsafeMutablePointer<DeclaredChunk>, to cursor: inout DeclaredCursor) {
        if chunk.pointee.state != state {
            var own = DeclaredCursor(chunk.pointee.memory)
            run(chunk.pointee.run, to: &own)
            chunk.pointee.count = own.count
            chunk.pointee.state = state
        }
        cursor.note(chunk.pointee.occurrence)
        cursor.put(from: chunk.pointee.memory, chunk.pointee.count)
    }

    private func putProperties(
        _ properties: UnsafePointer<DeclaredProperties>, to cursor: inout DeclaredCursor
    ) {
        let isRepeated = repeats[Int(record.template)]
        let sequence = UInt64(isRepeated ? record.sequence - 1 : record.sequence)
        let context = PropertyContext(
            sequence: sequence, subject: record.detail, capturedAt: record.capturedAt + traits.clockSkew)
        properties.pointee.write(traits.properties.child(sequence), context, to: &cursor)
    }

    // MARK: JSON as a text

    /// What was written from an offset on becomes the inside of a string.
    private func putJSON(from start: Int, to cursor: inout DeclaredCursor) {
        var text = WireBuffer()
        text.appendJSONEscaped(utf8: cursor.written(from: start))
        cursor.truncate(to: start)
        text.withUnsafeBytes { cursor.put($0) }
    }

    /// The same in base64 in the alphabet for URLs and without padding (RFC 4648, section 5).
    private func putBase64(from start: Int, to cursor: inout DeclaredCursor) {
        var coded = WireBuffer()
        Base64.encode(cursor.written(from: start), into: &coded)
        cursor.truncate(to: start)
        coded.withUnsafeBytes { bytes in
            for byte in bytes where byte != UInt8(ascii: "=") {
                switch byte {
                case UInt8(ascii: "+"): cursor.put(byte: UInt8(ascii: "-"))
                case UInt8(ascii: "/"): cursor.put(byte: UInt8(ascii: "_"))
                default: cursor.put(byte: byte)
                }
            }
        }
    }
}

/// Where texts begin that are being written into each other, without an allocation.
struct DeclaredTextStarts {
    /// As many as ``SDKDescription/TemplateParser/textDepth`` allows.
    private var starts = SIMD8<Int32>()
    private var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func begin(at offset: Int) {
        starts[count] = Int32(offset)
        count += 1
    }

    mutating func end() -> Int {
        count -= 1
        return Int(starts[count])
    }
}
