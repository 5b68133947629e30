/// Writes bits as deflate packs them: from the lowest of each byte on (RFC 1951, section 3.1.1).
///
/// Bits gather in a word. A flush stores the word's eight bytes and moves on by those that are
/// whole, so the memory needs ``slack`` bytes behind the content.
struct DeflateBitWriter {
    /// Bytes behind the content that a flush may touch.
    static let slack = 8

    private let start: UnsafeMutableRawPointer
    private var next: UnsafeMutableRawPointer
    private var bits: UInt64 = 0
    private var count: UInt64 = 0

    /// - Parameter memory: Has room for all that is written, and ``slack`` bytes more.
    init(_ memory: UnsafeMutableRawPointer) {
        start = memory
        next = memory
    }

    /// The number of bytes begun.
    var byteCount: Int { next - start + (Int(count) + 7) / 8 }

    /// Adds `length` bits; those of `value` above them are zero.
    ///
    /// At most 56 bits between two calls of ``flush()``: it leaves up to 7, and the word has 64.
    @inline(__always)
    mutating func put(_ value: UInt64, _ length: UInt64) {
        bits |= value &<< count
        count &+= length
    }

    /// Adds a code word with its length in the top byte.
    @inline(__always)
    mutating func put(_ word: UInt32) {
        put(
            UInt64(word & (1 &<< HuffmanBuilder.lengthShift &- 1)),
            UInt64(word &>> HuffmanBuilder.lengthShift))
    }

    /// Stores all whole bytes.
    @inline(__always)
    mutating func flush() {
        next.storeBytes(of: bits.littleEndian, as: UInt64.self)
        next += Int(truncatingIfNeeded: count &>> 3)
        bits &>>= count & 56
        count &= 7
    }

    /// Fills the last byte up with zeros.
    mutating func align() {
        count = (count + 7) & ~7
        flush()
    }

    /// Appends whole bytes, behind a call of ``align()``.
    mutating func append(_ bytes: UnsafeRawPointer, count byteCount: Int) {
        precondition(count == 0)
        next.copyMemory(from: bytes, byteCount: byteCount)
        next += byteCount
    }
}
