import Wire

/// Finished bytes in an arena: a plain pointer, so that taking some costs no reference count. Valid as long as their arena.
struct DeclaredBytes {
    fileprivate(set) var start: UnsafeRawPointer?
    fileprivate(set) var count = 0

    /// Nothing.
    init() {}

    /// What somebody else keeps. ``DeclaredCursor/block`` bytes from anywhere in there can be read.
    init(start: UnsafeRawPointer, count: Int) {
        self.start = start
        self.count = count
    }

    /// All but the first byte.
    var dropFirst: DeclaredBytes {
        guard let start, count > 0 else { return self }
        return DeclaredBytes(start: start + 1, count: count - 1)
    }
}

/// Memory for bytes and tables that live as long as the arena does.
final class DeclaredArena {
    private var chunks: [UnsafeMutableRawPointer] = []
    private var known: [UInt32: UnsafeMutablePointer<DeclaredKnownValue>] = [:]
    private var occurrences: [[UInt8]: UnsafeMutablePointer<LastOccurrence>] = [:]

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Copies bytes into the arena.
    func keep(_ bytes: [UInt8]) -> DeclaredBytes {
        guard !bytes.isEmpty else { return DeclaredBytes() }
        // Cursors read whole blocks, from anywhere in there.
        let memory = reserve(bytes.count + DeclaredCursor.block)
        bytes.withUnsafeBytes {
            memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count)
        }
        return DeclaredBytes(start: memory, count: bytes.count)
    }

    /// Copies plain values into the arena. They are never destroyed, so they must not own anything: numbers, pointers,
    /// and structs and enums of such.
    func keep<Plain>(table: [Plain]) -> UnsafeMutablePointer<Plain> {
        let memory = reserve(MemoryLayout<Plain>.stride * max(1, table.count))
        let typed = memory.bindMemory(to: Plain.self, capacity: max(1, table.count))
        for (index, value) in table.enumerated() { (typed + index).initialize(to: value) }
        return typed
    }

    /// Memory for the values of a catalogue's field: the same whoever asks for it.
    func known(field: UInt16, of catalogue: UInt16) -> UnsafeMutablePointer<DeclaredKnownValue> {
        let key = UInt32(catalogue) << 16 | UInt32(field)
        if let known = known[key] { return known }
        let size = DeclaredKnownValue.limit + DeclaredCursor.block
        let texts = reserve(size * DeclaredKnownValue.slotCount)
        let table = keep(
            table: (0..<DeclaredKnownValue.slotCount).map { DeclaredKnownValue(text: texts + $0 * size) })
        known[key] = table
        return table
    }

    /// Where something was written last, for a compressor.
    func occurrence() -> UnsafeMutablePointer<LastOccurrence> { keep(table: [LastOccurrence()]) }

    /// Where a text was written last: the same whoever writes it; `nil` for one that is too short to be told of.
    func occurrence(of text: [UInt8]) -> UnsafeMutablePointer<LastOccurrence>? {
        guard text.count >= RepeatLog.shortest else { return nil }
        if let known = occurrences[text] { return known }
        let occurrence = occurrence()
        occurrences[text] = occurrence
        return occurrence
    }

    /// Memory for a number of bytes, all zero.
    func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        chunks.append(memory)
        return memory
    }
}

/// Writes into raw memory whose size was reserved before: one check for a whole event.
///
/// What is reserved must have ``slack`` bytes to spare: short fragments are copied in whole blocks, whose end the
/// next fragment overwrites.
struct DeclaredCursor {
    private let start: UnsafeMutableRawPointer
    private(set) var end: UnsafeMutableRawPointer
    /// Where it is noted what repeats, for a compressor; `nil` for nowhere.
    var log: UnsafeMutablePointer<RepeatLog.State>?
    /// The size of the blocks in which fragments are copied.
    static let block = 16
    /// Bytes behind the content that a cursor may touch.
    static let slack = block
    /// The most digits of a whole number, with its sign.
    static let digits = 20

    init(_ memory: UnsafeMutableRawPointer, log: UnsafeMutablePointer<RepeatLog.State>? = nil) {
        start = memory
        end = memory
        self.log = log
    }

    var count: Int { end - start }

    /// What was written from an offset on.
    func written(from offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + offset, count: count - offset)
    }

    /// Forgets what was written after the first `count` bytes.
    @inline(__always)
    mutating func truncate(to count: Int) { end = start + count }

    /// Goes on after bytes that somebody else has written.
    @inline(__always)
    mutating func skip(_ count: Int) { end += count }

    /// Notes that a text follows; nothing without its last occurrence.
    @inline(__always)
    func note(_ occurrence: UnsafeMutablePointer<LastOccurrence>?) {
        if let log, let occurrence { log.pointee.note(end, occurrence) }
    }

    /// Notes that digits follow which are like no other digits.
    ///
    /// - Parameter occurrence: Where the digits were written last that begin most like them.
    @inline(__always)
    func noteChance(_ occurrence: UnsafeMutablePointer<LastOccurrence>?) {
        if let log { log.pointee.note(end, occurrence, isChance: true) }
    }

    @inline(__always)
    mutating func put(_ bytes: DeclaredBytes) {
        guard let source = bytes.start else { return }
        put(from: source, bytes.count)
    }

    /// Copies bytes from memory that has a block more.
    @inline(__always)
    mutating func put(from source: UnsafeRawPointer, _ count: Int) {
        if count <= 4 * Self.block {
            // A call of memcpy costs more than up to four loads and stores.
            var offset = 0
            repeat {
                let block = source.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
                end.storeBytes(of: block, toByteOffset: offset, as: SIMD16<UInt8>.self)
                offset &+= Self.block
            } while offset < count
        } else {
            end.copyMemory(from: source, byteCount: count)
        }
        end += count
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        end.copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
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

    /// Whether an object, a list or a member has just begun, so that no comma is due.
    var isOpen: Bool {
        guard count > 0 else { return true }
        switch (end - 1).load(as: UInt8.self) {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): return true
        default: return false
        }
    }
}

extension WireBuffer {
    /// Appends what `write` puts behind a cursor.
    ///
    /// - Parameters:
    ///   - limit: The most bytes that it puts there.
    ///   - repeats: Gets to know what repeats.
    @inline(__always)
    mutating func append(
        limit: Int, noting repeats: RepeatLog? = nil, _ write: (inout DeclaredCursor) -> Void
    ) {
        let offset = count
        append(upTo: limit + DeclaredCursor.slack) { memory in
            var cursor = DeclaredCursor(memory, log: repeats?.open(origin: memory - offset))
            write(&cursor)
            precondition(cursor.count <= limit, "more was written than had been reserved")
            return cursor.count
        }
    }
}
