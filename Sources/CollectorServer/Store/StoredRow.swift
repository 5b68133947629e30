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

/// The rows of some requests one behind the other, in memory that is used again: what a decoder hands out is copied
/// once, to where the table and the log take it from.
///
/// A row is 64 bytes of lengths and numbers in the machine's order (``Layout``), and then its texts.
struct RowBuffer {
    /// Where the members of a row's head lie, in bytes from its beginning.
    enum Layout {
        static let rowBytes = 0
        static let payloadBytes = 4
        static let nameBytes = 8
        static let typeBytes = 12
        static let systemBytes = 16
        static let idBytes = 20
        static let hasDevice = 22
        static let copy = 24
        static let device = 32
        static let capturedAt = 40
        static let receivedAt = 48
        static let batch = 56
        static let size = 64
    }

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
                let row = StoredRow(
                    id: id, copy: Int64(event.copy), system: UnsafeRawBufferPointer(system),
                    device: event.key.device.map(Int64.init), type: event.type, name: event.name,
                    capturedAt: event.capturedAt, receivedAt: receivedAt, batch: batch, payload: event.payload
                )
                RowBuffer.append(row, to: &bytes)
            }
        }
        count += 1
        lastBatch = batch
    }

    mutating func removeAll() {
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

    private static func append(_ row: StoredRow, to bytes: inout WireBuffer) {
        let size =
            Layout.size + row.id.count + row.system.count + row.type.count + row.name.count
            + row.payload.count
        precondition(size <= Int(UInt32.max), "a row of more than 4 GiB")
        bytes.append(upTo: size) { memory in
            func put(_ value: some FixedWidthInteger, at offset: Int) {
                memory.storeBytes(of: value, toByteOffset: offset, as: type(of: value))
            }
            put(UInt32(size), at: Layout.rowBytes)
            put(UInt32(row.payload.count), at: Layout.payloadBytes)
            put(UInt32(row.name.count), at: Layout.nameBytes)
            put(UInt32(row.type.count), at: Layout.typeBytes)
            put(UInt32(row.system.count), at: Layout.systemBytes)
            put(UInt16(row.id.count), at: Layout.idBytes)
            put(UInt16(row.device == nil ? 0 : 1), at: Layout.hasDevice)
            put(row.copy, at: Layout.copy)
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

/// Walks rows as ``RowBuffer`` writes them; the texts point into the bytes.
struct RowReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// The next row; `nil` at the end, and where the lengths do not fit what is there.
    mutating func next() -> StoredRow? {
        typealias Layout = RowBuffer.Layout
        guard rest.count >= Layout.size else { return nil }
        let head = rest
        func length(_ offset: Int) -> Int {
            Int(head.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        func number(_ offset: Int) -> Int64 {
            head.loadUnaligned(fromByteOffset: offset, as: Int64.self)
        }
        let id = Int(head.loadUnaligned(fromByteOffset: Layout.idBytes, as: UInt16.self))
        let (system, type) = (length(Layout.systemBytes), length(Layout.typeBytes))
        let (name, payload) = (length(Layout.nameBytes), length(Layout.payloadBytes))
        let size = Layout.size + id + system + type + name + payload
        guard size == length(Layout.rowBytes), size <= head.count else { return nil }
        var offset = Layout.size
        func text(_ count: Int) -> UnsafeRawBufferPointer {
            defer { offset += count }
            return UnsafeRawBufferPointer(rebasing: head[offset..<offset + count])
        }
        rest = UnsafeRawBufferPointer(rebasing: head[size...])
        let hasDevice = head.loadUnaligned(fromByteOffset: Layout.hasDevice, as: UInt16.self) != 0
        return StoredRow(
            id: text(id), copy: number(Layout.copy), system: text(system),
            device: hasDevice ? number(Layout.device) : nil, type: text(type), name: text(name),
            capturedAt: number(Layout.capturedAt), receivedAt: number(Layout.receivedAt),
            batch: number(Layout.batch), payload: text(payload))
    }
}
