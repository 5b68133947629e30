import Accounting
import CollectorModel
import Wire

/// One row of the table, with its texts where they were written.
struct StoredRow {
    var id: UnsafeRawBufferPointer
    var copy: Int64
    var system: UnsafeRawBufferPointer
    var device: Int64?
    var type: UnsafeRawBufferPointer
    var name: UnsafeRawBufferPointer
    var capturedAt: Int64
    var receivedAt: Int64
    var batch: Int64
    var payload: UnsafeRawBufferPointer
}

extension StoredRow {
    /// A packed text in the place of a row.
    fileprivate init(text: UnsafeRawBufferPointer) {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        self.init(
            id: empty, copy: 0, system: empty, type: empty, name: empty, capturedAt: 0, receivedAt: 0,
            batch: 0,
            payload: text)
    }
}

/// The rows of some requests one behind the other, in memory that is used again: what a decoder hands out is copied
/// once, to where the table and the log take it from.
///
/// A row is 64 bytes of lengths and numbers in the machine's order (``Layout``), and then its texts. On the way into a log, a
/// payload that came packed stays packed: the request's gzip stream lies in front of its rows as it was received, and each
/// row says which part of its text it has. That is a seventh of the bytes to write.
struct RowBuffer {
    /// Where the members of a row's head lie, in bytes from its beginning.
    enum Layout {
        static let rowBytes = 0
        static let payloadBytes = 4
        static let nameBytes = 8
        static let typeBytes = 12
        static let systemBytes = 16
        static let idBytes = 20
        static let flags = 22
        static let copy = 24
        static let textOffset = 28
        static let device = 32
        static let capturedAt = 40
        static let receivedAt = 48
        static let batch = 56
        static let size = 64
    }

    /// What a row has or is, in its head.
    enum Flag {
        static let hasDevice: UInt16 = 1
        /// Its payload is a part of the latest packed text before it.
        static let isInText: UInt16 = 2
        /// It is no row: its payload is a packed text for those that follow.
        static let isText: UInt16 = 4
    }

    /// Whether payloads that came packed stay so.
    var keepsPacked = false
    /// The request whose packed text is there.
    private var packedBatch: Int64?
    private(set) var bytes = WireBuffer()
    private(set) var count = 0
    /// The highest request number of the rows.
    private(set) var lastBatch: Int64 = 0

    /// A natural key has 32 digits, an id of the harness at most 21 characters.
    private static let idLimit = 32

    /// What is kept for the next rows; a request of many megabytes does not hold its memory for ever.
    private static let keptBytes = 32 << 20

    /// Adds the row of an event. Requests are added in the order of their numbers.
    mutating func append(_ event: CollectedEvent, receivedAt: Int64, batch: Int64) {
        var system = event.systemName
        system.withUTF8 { system in
            withUnsafeTemporaryAllocation(byteCount: RowBuffer.idLimit, alignment: 8) { memory in
                let id = UnsafeRawBufferPointer(rebasing: memory[..<write(event.key, to: memory)])
                var row = StoredRow(
                    id: id, copy: Int64(event.copy), system: UnsafeRawBufferPointer(system),
                    device: event.key.device.map(Int64.init), type: event.type, name: event.name,
                    capturedAt: event.capturedAt, receivedAt: receivedAt, batch: batch, payload: event.payload
                )
                let part = keepsPacked ? range(in: event.packed, of: event.payload) : nil
                if let part, let packed = event.packed {
                    if packedBatch != batch {
                        RowBuffer.append(StoredRow(text: packed.gzip), to: &bytes, .text)
                    }
                    packedBatch = batch
                    row.payload = UnsafeRawBufferPointer(start: nil, count: 0)
                    RowBuffer.append(row, to: &bytes, .part(part))
                } else {
                    RowBuffer.append(row, to: &bytes, .whole)
                }
            }
        }
        count += 1
        lastBatch = batch
    }

    /// The part of a packed text that a payload is; `nil` for one that is none.
    private func range(in packed: PackedText?, of payload: UnsafeRawBufferPointer) -> Range<Int>? {
        guard let text = packed?.text, let start = text.baseAddress, let base = payload.baseAddress,
            base >= start, base + payload.count <= start + text.count
        else { return nil }
        return base - start..<base - start + payload.count
    }

    mutating func removeAll() {
        packedBatch = nil
        bytes.removeAll(keepingCapacity: bytes.capacity <= RowBuffer.keptBytes)
        count = 0
    }

    /// Writes the text of a key.
    ///
    /// - Returns: its length.
    private func write(_ key: EventKey, to memory: UnsafeMutableRawBufferPointer) -> Int {
        guard case .harness(let id) = key else {
            var text = WireBuffer(capacity: RowBuffer.idLimit)
            key.append(to: &text)
            text.withUnsafeBytes { memory.copyMemory(from: $0) }
            return text.count
        }
        var end = 0
        func put(_ number: UInt32) {
            let start = end
            var rest = number
            repeat {
                memory[end] = UInt8(ascii: "0") + UInt8(rest % 10)
                end += 1
                rest /= 10
            } while rest > 0
            memory[start..<end].reverse()
        }
        put(id.device)
        memory[end] = UInt8(ascii: "-")
        end += 1
        put(id.sequence)
        return end
    }

    /// What a row's payload is.
    private enum Payload {
        case whole
        case part(Range<Int>)
        case text

        var flag: UInt16 {
            switch self {
            case .whole: 0
            case .part: Flag.isInText
            case .text: Flag.isText
            }
        }
    }

    private static func append(_ row: StoredRow, to bytes: inout WireBuffer, _ payload: Payload) {
        let size =
            Layout.size + row.id.count + row.system.count + row.type.count + row.name.count
            + row.payload.count
        precondition(size <= Int(UInt32.max), "a row of more than 4 GiB")
        bytes.append(upTo: size) { memory in
            func put(_ value: some FixedWidthInteger, at offset: Int) {
                memory.storeBytes(of: value, toByteOffset: offset, as: type(of: value))
            }
            put(UInt32(size), at: Layout.rowBytes)
            if case .part(let part) = payload {
                put(UInt32(part.count), at: Layout.payloadBytes)
                put(UInt32(part.lowerBound), at: Layout.textOffset)
            } else {
                put(UInt32(row.payload.count), at: Layout.payloadBytes)
                put(UInt32(0), at: Layout.textOffset)
            }
            put(UInt32(row.name.count), at: Layout.nameBytes)
            put(UInt32(row.type.count), at: Layout.typeBytes)
            put(UInt32(row.system.count), at: Layout.systemBytes)
            put(UInt16(row.id.count), at: Layout.idBytes)
            put(payload.flag | (row.device == nil ? 0 : Flag.hasDevice), at: Layout.flags)
            put(UInt32(clamping: row.copy), at: Layout.copy)
            put(row.device ?? 0, at: Layout.device)
            put(row.capturedAt, at: Layout.capturedAt)
            put(row.receivedAt, at: Layout.receivedAt)
            put(row.batch, at: Layout.batch)
            var end = memory + Layout.size
            func put(_ text: UnsafeRawBufferPointer) {
                if let base = text.baseAddress { end.copyMemory(from: base, byteCount: text.count) }
                end += text.count
            }
            put(row.id)
            put(row.system)
            put(row.type)
            put(row.name)
            put(row.payload)
            return size
        }
    }
}
