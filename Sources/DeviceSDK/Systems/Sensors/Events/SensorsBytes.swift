import DeviceSDK
import Wire

/// A fragment of finished JSON in an arena: a plain pointer, so that taking one costs no reference
/// count. Valid as long as its arena.
struct SensorsBytes {
    fileprivate(set) var start: UnsafeRawPointer?
    fileprivate(set) var count = 0
    /// Where the fragment was written last; `nil` for a part from within one.
    fileprivate(set) var occurrence: UnsafeMutablePointer<LastOccurrence>?

    /// Nothing.
    init() {}

    /// A part of the fragment.
    func part(_ range: Range<Int>) -> SensorsBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        var part = self
        part.start = start.map { $0 + range.lowerBound }
        part.count = range.count
        if range.lowerBound > 0 { part.occurrence = nil }
        return part
    }
}

/// Memory for fragments and tables that live as long as the arena does.
final class SensorsArena {
    private var chunks: [UnsafeMutableRawPointer] = []

    deinit { removeAll() }

    /// Copies bytes into the arena.
    func keep(_ bytes: [UInt8]) -> SensorsBytes { bytes.withUnsafeBytes { keep($0) } }

    /// Copies a buffer's content into the arena.
    ///
    /// - Parameter occurrence: Where fragments were written last that this one replaces; they are
    ///   much alike. By default, the fragment has one of its own.
    func keep(
        _ buffer: borrowing WireBuffer, occurrence: UnsafeMutablePointer<LastOccurrence>? = nil
    ) -> SensorsBytes {
        var kept = buffer.withUnsafeBytes { keep($0) }
        if let occurrence { kept.occurrence = occurrence }
        return kept
    }

    /// Copies plain values into the arena. They are never destroyed, so they must not own anything:
    /// numbers, pointers, structs and enums of such.
    func keep<Plain>(table: [Plain]) -> UnsafePointer<Plain> {
        let size = MemoryLayout<Plain>.stride * max(1, table.count)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        chunks.append(memory)
        let typed = memory.bindMemory(to: Plain.self, capacity: max(1, table.count))
        for (index, value) in table.enumerated() { (typed + index).initialize(to: value) }
        return UnsafePointer(typed)
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> SensorsBytes {
        var kept = SensorsBytes()
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return kept }
        // Cursors read whole blocks, from anywhere in the fragment. Its last occurrence is in front of it, where
        // it costs no further cache line.
        let size = SensorsCursor.block + bytes.count + SensorsCursor.block
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        (memory + SensorsCursor.block).copyMemory(from: source, byteCount: bytes.count)
        chunks.append(memory)
        kept.occurrence = memory.bindMemory(to: LastOccurrence.self, capacity: 1)
        kept.occurrence?.initialize(to: LastOccurrence())
        kept.start = UnsafeRawPointer(memory + SensorsCursor.block)
        kept.count = bytes.count
        return kept
    }

    /// Frees all fragments.
    func removeAll() {
        for chunk in chunks { chunk.deallocate() }
        chunks.removeAll(keepingCapacity: true)
    }
}

/// Writes into raw memory whose size was reserved before: one check for a whole run of fragments.
///
/// What is reserved must have ``slack`` bytes to spare: short fragments are copied in whole blocks,
/// whose end the next fragment overwrites.
struct SensorsCursor {
    private let start: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer
    /// Where fragments are noted, for a compressor; `nil` for nowhere.
    private let log: UnsafeMutablePointer<RepeatLog.State>?
    /// The most bytes that ``put(_:)-(UInt64)`` writes.
    static let digits = 20
    /// The size of the blocks in which fragments are copied.
    static let block = 16
    /// Bytes behind the content that a cursor may touch.
    static let slack = block

    init(_ memory: UnsafeMutableRawPointer, log: UnsafeMutablePointer<RepeatLog.State>? = nil) {
        start = memory
        end = memory
        self.log = log
    }

    var count: Int { end - start }

    /// Forgets what was written after the first `count` bytes.
    @inline(__always)
    mutating func truncate(to count: Int) { end = start + count }

    /// Takes a comma at the end away.
    @inline(__always)
    mutating func dropComma() {
        if (end - 1).load(as: UInt8.self) == UInt8(ascii: ",") { end -= 1 }
    }

    /// Notes that digits follow which are like no other digits.
    ///
    /// - Parameter occurrence: Where the digits were written last that begin most like them.
    @inline(__always)
    func noteChance(_ occurrence: UnsafeMutablePointer<LastOccurrence>? = nil) {
        if let log { log.pointee.note(end, occurrence, isChance: true) }
    }

    @inline(__always)
    mutating func put(_ bytes: SensorsBytes) {
        guard let source = bytes.start else { return }
        if let log, bytes.count >= RepeatLog.shortest { log.pointee.note(end, bytes.occurrence) }
        if bytes.count <= 4 * Self.block {
            // A call of memcpy costs more than up to four loads and stores.
            var offset = 0
            repeat {
                let block = source.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
                end.storeBytes(of: block, toByteOffset: offset, as: SIMD16<UInt8>.self)
                offset &+= Self.block
            } while offset < bytes.count
        } else {
            end.copyMemory(from: source, byteCount: bytes.count)
        }
        end += bytes.count
    }

    mutating func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            end.copyMemory(from: base, byteCount: source.count)
            end += source.count
        }
    }

    @inline(__always)
    mutating func put(_ literal: StaticString) {
        end.copyMemory(from: literal.utf8Start, byteCount: literal.utf8CodeUnitCount)
        end += literal.utf8CodeUnitCount
    }

    @inline(__always)
    mutating func put(byte: UInt8) {
        end.storeBytes(of: byte, as: UInt8.self)
        end += 1
    }

    @inline(__always)
    mutating func put(_ value: Int64) {
        if value < 0 { put(byte: UInt8(ascii: "-")) }
        put(value.magnitude)
    }

    mutating func put(_ value: UInt64) {
        let count = DecimalDigits.count(of: value)
        DecimalDigits.write(value, endingAt: end + count)
        end += count
    }

    /// Writes a number with zeros before it up to a number of digits.
    mutating func put(_ value: UInt64, digits: Int) {
        var missing = digits - DecimalDigits.count(of: value)
        while missing > 0 {
            put(byte: UInt8(ascii: "0"))
            missing -= 1
        }
        put(value)
    }

    /// Writes `value` / 10^`decimals` without zeros at the end: 3500 with 3 becomes `3.5`.
    ///
    /// - Parameter decimals: 0 to 9.
    mutating func put(_ value: Int64, decimals: Int) {
        if value < 0 { put(byte: UInt8(ascii: "-")) }
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale &*= 10 }
        var (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: scale)
        put(whole)
        guard fraction > 0 else { return }
        var digits = decimals
        whole = fraction / 10
        while whole &* 10 == fraction {
            fraction = whole
            whole = fraction / 10
            digits -= 1
        }
        put(byte: UInt8(ascii: "."))
        put(fraction, digits: digits)
    }
}

extension WireBuffer {
    mutating func append(_ bytes: SensorsBytes) {
        append(contentsOf: UnsafeRawBufferPointer(start: bytes.start, count: bytes.count))
    }
}
