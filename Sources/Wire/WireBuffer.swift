/// Bytes that grow at the end: what every encoder of this module writes into.
///
/// A value type whose copies share memory until one is written to. Reuse one buffer with
/// ``removeAll(keepingCapacity:)``: then no append allocates.
///
/// ```swift
/// var buffer = WireBuffer()
/// buffer.append("crc=")
/// buffer.appendDecimal(Int64(-12))    // crc=-12
/// ```
///
/// Every append is O(bytes appended), amortised over growth by doubling.
// SAFETY: the memory is written only after `prepare` found that no other buffer shares it, as in
// every copy-on-write type, and `WireMemory` itself never changes.
package struct WireBuffer: @unchecked Sendable {
    /// What owns the memory at `base`; `nil` as long as there is none.
    @usableFromInline var owner: WireMemory?
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var allocated: Int
    @usableFromInline var used: Int

    /// Makes an empty buffer with room for `capacity` bytes.
    ///
    /// - Precondition: `capacity` ≥ 0.
    package init(capacity: Int = 0) {
        owner = nil
        // Somewhere that is never read nor written, as a buffer without memory is empty.
        base = UnsafeMutableRawPointer(mutating: ("" as StaticString).utf8Start)
        allocated = 0
        used = 0
        if capacity > 0 { reallocate(capacity) }
    }

    /// Makes a buffer that holds the UTF-8 of a text.
    package init(_ text: String) {
        self.init(capacity: text.utf8.count)
        append(text)
    }

    /// The number of bytes written.
    @inlinable
    package var count: Int { used }

    /// Whether nothing is written.
    @inlinable
    package var isEmpty: Bool { used == 0 }

    /// The number of bytes that fit without an allocation.
    @inlinable
    package var capacity: Int { allocated }

    /// The last byte written, or `nil`.
    @inlinable
    package var last: UInt8? { used == 0 ? nil : self[used &- 1] }

    /// A copy of the content. O(`count`).
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The content as text, with U+FFFD in place of what is not UTF-8. O(`count`).
    package var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// The byte at an offset from the beginning.
    ///
    /// - Precondition: 0 ≤ `offset` < `count`.
    @inlinable
    package subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < used)
        return base.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// Calls `body` with the content, in place; the memory is valid during the call only.
    ///
    /// - Throws: what `body` throws.
    @inlinable
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withExtendedLifetime(owner) { () throws(Failure) -> Result in
            try body(UnsafeRawBufferPointer(start: base, count: used))
        }
    }

    /// Makes room for `additional` more bytes.
    ///
    /// - Precondition: `additional` ≥ 0.
    @inlinable
    package mutating func reserve(_ additional: Int) { prepare(for: additional) }

    /// Makes sure that `additional` bytes may be written behind the content.
    @inlinable
    @inline(__always)
    mutating func prepare(for additional: Int) {
        // `allocated - used` is from 0 on, so that a negative number fails too.
        if additional > allocated &- used || !isKnownUniquelyReferenced(&owner) { makeRoom(for: additional) }
    }

    /// Removes everything, and by default keeps the memory for the next content. O(1) then.
    @inlinable
    package mutating func removeAll(keepingCapacity: Bool = true) {
        if keepingCapacity { used = 0 } else { self = WireBuffer() }
    }

    /// Removes what was written after the first `count` bytes.
    ///
    /// - Precondition: 0 ≤ `count` ≤ the present count.
    @inlinable
    package mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= used)
        used = count
    }

    /// Appends what `write` puts into raw memory, without a copy.
    ///
    /// - Parameters:
    ///   - limit: The number of bytes that `write` may touch, from the pointer on.
    ///   - write: Gets the memory and returns how many of its bytes now belong to the content.
    /// - Throws: What `write` throws; then nothing is appended.
    @inlinable
    package mutating func append<Failure: Error>(
        upTo limit: Int, writingWith write: (UnsafeMutableRawPointer) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(limit >= 0)
        prepare(for: limit)
        let written = try write(base + used)
        precondition(written >= 0 && written <= limit)
        used &+= written
    }

    /// The slow path of ``prepare(for:)``: at least doubles what is too small, copies what is shared.
    @usableFromInline
    @inline(never)
    mutating func makeRoom(for additional: Int) {
        precondition(additional >= 0)
        let needed = used + additional
        reallocate(needed <= allocated ? allocated : max(needed, allocated * 2, 64))
    }

    /// Moves the content to memory of its own of the given size.
    private mutating func reallocate(_ size: Int) {
        let memory = WireMemory(size: size)
        if used > 0 { memory.base.copyMemory(from: base, byteCount: used) }
        owner = memory
        base = memory.base
        allocated = size
    }
}

/// The memory of one or more wire buffers, freed with the last of them.
@usableFromInline
final class WireMemory: @unchecked Sendable {
    // SAFETY: the object itself is constant; writing to its memory is the buffers' affair.
    let base: UnsafeMutableRawPointer

    init(size: Int) {
        base = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: 16)
    }

    deinit { base.deallocate() }
}

extension WireBuffer {
    /// Appends one byte.
    @inlinable
    package mutating func append(_ byte: UInt8) {
        prepare(for: 1)
        base.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used &+= 1
    }

    /// Appends the UTF-8 of a literal.
    ///
    /// - Precondition: the literal is not a single scalar written as one (`StaticString` then has
    ///   no pointer).
    @inlinable
    package mutating func append(_ literal: StaticString) {
        append(
            contentsOf: UnsafeRawBufferPointer(
                start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends the UTF-8 of a text.
    // Disfavoured, because a literal would choose it over the quicker one for StaticString.
    @_disfavoredOverload
    @inlinable
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: UnsafeRawBufferPointer($0)) }
    }

    /// Appends raw bytes.
    @inlinable
    package mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        prepare(for: bytes.count)
        (base + used).copyMemory(from: source, byteCount: bytes.count)
        used &+= bytes.count
    }

    /// Appends the bytes of an array.
    @inlinable
    package mutating func append(contentsOf bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(contentsOf: $0) }
    }

    /// Appends the bytes of a part of an array.
    @inlinable
    package mutating func append(contentsOf bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { append(contentsOf: $0) }
    }

    /// Appends the content of another buffer.
    @inlinable
    package mutating func append(contentsOf other: borrowing WireBuffer) {
        other.withUnsafeBytes { append(contentsOf: $0) }
    }

    /// Appends any bytes; one copy where they are contiguous.
    @inlinable
    package mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable {
            append(contentsOf: UnsafeRawBufferPointer($0))
        }
        if done == nil {
            for byte in bytes { append(byte) }
        }
    }
}

extension WireBuffer: Equatable {
    /// Whether two buffers hold the same bytes, whatever their capacity.
    package static func == (left: WireBuffer, right: WireBuffer) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }
}
