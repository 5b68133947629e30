import Wire

/// A piece of finished JSON in an arena: a plain pointer, so that taking one costs no reference
/// count. Valid as long as its arena.
struct SensorsBytes {
    fileprivate(set) var start: UnsafeRawPointer?
    fileprivate(set) var count = 0

    /// Nothing.
    init() {}

    var array: [UInt8] { Array(UnsafeRawBufferPointer(start: start, count: count)) }
}

/// Memory for pieces that live as long as the arena does.
final class SensorsArena {
    private var chunks: [UnsafeMutableRawPointer] = []

    deinit { removeAll() }

    /// Copies bytes into the arena.
    func keep(_ bytes: [UInt8]) -> SensorsBytes { bytes.withUnsafeBytes { keep($0) } }

    /// Copies a buffer's content into the arena.
    func keep(_ buffer: borrowing WireBuffer) -> SensorsBytes { buffer.withUnsafeBytes { keep($0) } }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> SensorsBytes {
        var kept = SensorsBytes()
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return kept }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 8)
        memory.copyMemory(from: source, byteCount: bytes.count)
        chunks.append(memory)
        kept.start = UnsafeRawPointer(memory)
        kept.count = bytes.count
        return kept
    }

    /// Frees all pieces.
    func removeAll() {
        for chunk in chunks { chunk.deallocate() }
        chunks.removeAll(keepingCapacity: true)
    }
}

extension WireBuffer {
    mutating func append(_ bytes: SensorsBytes) {
        append(contentsOf: UnsafeRawBufferPointer(start: bytes.start, count: bytes.count))
    }
}

/// Writes into raw memory whose size was reserved before: one check for a whole run of pieces.
struct SensorsCursor {
    private let start: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer
    /// The most bytes that ``put(_:)-(UInt64)`` writes.
    static let digits = 20

    init(_ memory: UnsafeMutableRawPointer) {
        start = memory
        end = memory
    }

    var count: Int { end - start }

    @inline(__always)
    mutating func put(_ bytes: SensorsBytes) {
        guard let source = bytes.start else { return }
        end.copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    @inline(__always)
    mutating func put(_ literal: StaticString) {
        end.copyMemory(from: literal.utf8Start, byteCount: literal.utf8CodeUnitCount)
        end += literal.utf8CodeUnitCount
    }

    mutating func put(_ value: Int64) {
        if value < 0 { put("-" as StaticString) }
        put(value.magnitude)
    }

    mutating func put(_ value: UInt64) {
        var count = 1
        var limit: UInt64 = 10
        while count < Self.digits, value >= limit {
            count &+= 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        var rest = value
        var place = end + count
        // Two digits per division.
        while rest >= 100 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            place -= 2
            let tens = UInt16(truncatingIfNeeded: (pair * 103) >> 10)
            let units = UInt16(truncatingIfNeeded: pair) &- tens &* 10
            let digits = (tens | units << 8) &+ 0x3030
            place.storeBytes(of: digits.littleEndian, as: UInt16.self)
            rest = quotient
        }
        if rest >= 10 {
            (place - 2).storeBytes(of: UInt8(truncatingIfNeeded: rest / 10) &+ 48, as: UInt8.self)
        }
        (place - 1).storeBytes(of: UInt8(truncatingIfNeeded: rest % 10) &+ 48, as: UInt8.self)
        end += count
    }
}
