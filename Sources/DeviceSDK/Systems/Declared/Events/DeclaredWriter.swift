import AppModel
import DeviceSDK
import SDKDescription
import Timebase
import Wire
import World

/// Writes what one request of one device has.
struct DeclaredWriter {
    let program: DeclaredProgram
    let identity: DescribedSDK.Identity
    let eventID: DescribedSDK.Identity.Kind
    /// The template of taps.
    let taps: UInt16
    let index: Int
    let number: UInt32
    let sentAt: Instant
    let traits: DeclaredTraits
    var memory: DeclaredMemory

    /// The event that is being written, and the state of its capture.
    var record = EventRecord(capturedAt: Instant(nanoseconds: 0), sequence: 0, epoch: 0, template: 0)
    var epoch = DeclaredEpoch(start: Instant(nanoseconds: 0), network: .none)

    mutating func write(
        body rows: ContiguousArray<EventRecord>, epochs: borrowing EpochLog<DeclaredEpoch>,
        into out: inout WireBuffer
    ) {
        forgetChunks()
        run(program.bodyStart, into: &out)
        let isList = program.framing == .list
        if isList { out.append(UInt8(ascii: "[")) }
        write(rows, endedBy: program.framing == .lines ? 0x0A : nil, epochs: epochs, into: &out)
        if isList { out.append(UInt8(ascii: "]")) }
        forgetChunks()
        run(program.bodyEnd, into: &out)
    }

    /// Writes events one after the other.
    ///
    /// - Parameter end: What each ends with; `nil` for commas between them.
    mutating func write(
        _ rows: ContiguousArray<EventRecord>, endedBy end: UInt8? = nil,
        epochs: borrowing EpochLog<DeclaredEpoch>, into out: inout WireBuffer
    ) {
        var state: UInt32?
        for place in rows.indices {
            if place > 0, end == nil { out.append(UInt8(ascii: ",")) }
            record = rows[place]
            if state != record.epoch {
                state = record.epoch
                epoch = epochs[record.epoch]
                forgetChunks()
            }
            run(program.events[Int(record.template)], into: &out)
            if let end { out.append(end) }
        }
    }

    mutating func write(
        keyOf record: EventRecord, epoch: DeclaredEpoch, into key: inout WireBuffer
    ) {
        self.record = record
        self.epoch = epoch
        forgetChunks()
        var json = WireBuffer()
        for part in program.keys[Int(record.template)] {
            key.append(0x1F)
            json.removeAll()
            run(part, into: &json)
            json.withUnsafeBytes { bytes in
                if bytes.first == UInt8(ascii: "\"") {
                    key.append(contentsOf: DeclaredWriter.unescaped(bytes.dropFirst().dropLast()))
                } else if !bytes.elementsEqual("null".utf8) {
                    key.append(contentsOf: bytes)
                }
            }
        }
    }

    /// The text whose escaped form is given.
    private static func unescaped(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\\")) else { return Array(bytes) }
        let quoted = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        let node = try? JSONReader.readStrictly(quoted)
        return Array((node?.string ?? "").utf8)
    }

    /// Writes the body of a fetch, under the device's present state.
    mutating func write(fetch steps: Range<Int>, epoch: DeclaredEpoch, into out: inout WireBuffer) {
        self.epoch = epoch
        forgetChunks()
        run(steps, into: &out)
    }

    // MARK: Programs

    private mutating func forgetChunks() {
        memory.rendered.removeAll()
        if memory.places.count != program.chunks.count {
            memory.places = ContiguousArray(repeating: 0..<0, count: program.chunks.count)
        } else {
            for place in memory.places.indices { memory.places[place] = 0..<0 }
        }
    }

    private mutating func run(_ steps: Range<Int>, into out: inout WireBuffer) {
        var step = steps.lowerBound
        while step < steps.upperBound {
            switch program.operations[step] {
            case .bytes(let start, let count): append(start, count, to: &out)
            case .slot(let source, let form): write(source, form, to: &out)
            case .chunk(let number): append(chunk: Int(number), to: &out)
            case .comma: out.appendJSONComma()
            case .skipIfAbsent(let source, let count): if isAbsent(source) { step += Int(count) }
            case .skip(let count): step += Int(count)
            case .properties(let number): writeProperties(Int(number), to: &out)
            case .harnessID: writeHarnessID(to: &out)
            case .beginText: memory.texts.append(out.count)
            case .endText(let encoding): endText(encoding, to: &out)
            }
            step += 1
        }
    }

    @inline(__always)
    private func append(_ start: Int32, _ count: Int32, to out: inout WireBuffer) {
        program.constants.withUnsafeBytes { bytes in
            out.append(
                contentsOf: UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<Int(start) + Int(count)]))
        }
    }

    private mutating func append(chunk number: Int, to out: inout WireBuffer) {
        if memory.places[number].isEmpty {
            // Out of the memory while it is written to; a chunk has no chunks in it.
            var rendered = WireBuffer()
            swap(&rendered, &memory.rendered)
            let start = rendered.count
            run(program.chunks[number], into: &rendered)
            memory.places[number] = start..<rendered.count
            swap(&rendered, &memory.rendered)
        }
        let place = memory.places[number]
        memory.rendered.withUnsafeBytes { bytes in
            out.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[place]))
        }
    }

    private func writeProperties(_ number: Int, to out: inout WireBuffer) {
        let sequence = UInt64(program.repeats[Int(record.template)] ? record.sequence - 1 : record.sequence)
        let context = PropertyContext(
            sequence: sequence, subject: record.detail, capturedAt: record.capturedAt + traits.clockSkew)
        program.properties[number].write(
            stream: traits.properties.child(sequence), context: context, to: &out)
    }

    private func writeHarnessID(to out: inout WireBuffer) {
        out.appendDecimal(UInt64(number))
        out.append(UInt8(ascii: "-"))
        out.appendDecimal(UInt64(record.sequence))
    }

    /// What was written since the beginning becomes the inside of a string.
    private mutating func endText(_ encoding: Template.Encoding, to out: inout WireBuffer) {
        guard let start = memory.texts.popLast() else { return }
        memory.scratch.removeAll()
        out.withUnsafeBytes { bytes in
            memory.scratch.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        out.truncate(to: start)
        switch encoding {
        case .jsonText: memory.scratch.withUnsafeBytes { out.appendJSONEscaped(utf8: $0) }
        case .base64url:
            memory.coded.removeAll()
            Base64.encode(memory.scratch, into: &memory.coded)
            memory.coded.withUnsafeBytes { out.appendURLSafe($0) }
        }
    }
}

extension WireBuffer {
    /// Appends base64 in the alphabet for URLs and without padding (RFC 4648, section 5).
    fileprivate mutating func appendURLSafe(_ base64: UnsafeRawBufferPointer) {
        append(upTo: base64.count) { memory in
            var count = 0
            for byte in base64 where byte != UInt8(ascii: "=") {
                let safe =
                    switch byte {
                    case UInt8(ascii: "+"): UInt8(ascii: "-")
                    case UInt8(ascii: "/"): UInt8(ascii: "_")
                    default: byte
                    }
                memory.storeBytes(of: safe, toByteOffset: count, as: UInt8.self)
                count += 1
            }
            return count
        }
    }
}
