/// Bytes that grow at the end: what every encoder of this module writes into.
///
/// A value type around one array whose tail beyond ``count`` is kept zero-filled, so that writers
/// get raw memory without an array append per byte. Reuse one buffer with
/// ``removeAll(keepingCapacity:)``: then no append allocates.
///
/// ```swift
/// var buffer = WireBuffer()
/// buffer.append("crc=")
/// buffer.appendDecimal(Int64(-12))    // crc=-12
/// ```
///
/// Every append is O(bytes appended), amortised over growth by doubling.
package struct WireBuffer: Sendable {
    /// The memory; the first `used` bytes are the content.
    @usableFromInline var storage: [UInt8]
    @usableFromInline var used: Int

    /// Makes an empty buffer with room for `capacity` bytes.
    ///
    /// - Precondition: `capacity` ≥ 0.
    @inlinable
    package init(capacity: Int = 0) {
        storage = [UInt8](repeating: 0, count: capacity)
        used = 0
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
    package var capacity: Int { storage.count }

    /// The last byte written, or `nil`.
    @inlinable
    package var last: UInt8? { used == 0 ? nil : storage[used &- 1] }

    /// A copy of the content. O(`count`).
    package var bytes: [UInt8] { Array(storage[..<used]) }

    /// The content as text, with U+FFFD in place of what is not UTF-8. O(`count`).
    package var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// The byte at an offset from the beginning.
    ///
    /// - Precondition: 0 ≤ `offset` < `count`.
    @inlinable
    package subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < used)
        return storage[offset]
    }

    /// Calls `body` with the content, in place; the memory is valid during the call only.
    @inlinable
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let used = used
        return try storage.withUnsafeBufferPointer { bytes throws(Failure) -> Result in
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<used]))
        }
    }

    /// Makes room for `additional` more bytes.
    @inlinable
    package mutating func reserve(_ additional: Int) {
        // Cannot overflow: both counts are of bytes in memory.
        if used &+ additional > storage.count { grow(by: additional) }
    }

    /// Removes everything, and by default keeps the memory for the next content. O(1) then.
    @inlinable
    package mutating func removeAll(keepingCapacity: Bool = true) {
        used = 0
        if !keepingCapacity { storage = [] }
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
        guard limit > 0 else { return }
        reserve(limit)
        let start = used
        let written = try storage.withUnsafeMutableBufferPointer { memory throws(Failure) -> Int in
            guard let base = memory.baseAddress else { return 0 }
            return try write(UnsafeMutableRawPointer(base + start))
        }
        precondition(written >= 0 && written <= limit)
        used = start &+ written
    }

    /// At least doubles the memory, so that appends are O(1) amortised.
    @usableFromInline
    @inline(never)
    mutating func grow(by additional: Int) {
        precondition(additional >= 0)
        // A multiple of eight, so that the tail can be zeroed by words.
        let size = (max(used + additional, storage.count * 2, 64) + 7) & ~7
        storage = [UInt8](unsafeUninitializedCapacity: size) { memory, initializedCount in
            let target = UnsafeMutableRawBufferPointer(memory)
            storage.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<used])) }
            for offset in used..<min(size, (used + 7) & ~7) { memory[offset] = 0 }
            for offset in stride(from: (used + 7) & ~7, to: size, by: 8) {
                target.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
            }
            initializedCount = size
        }
    }
}

extension WireBuffer {
    /// Appends one byte.
    @inlinable
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[used] = byte
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
    @inlinable
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: UnsafeRawBufferPointer($0)) }
    }

    /// Appends raw bytes.
    @inlinable
    package mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        append(upTo: bytes.count) { memory in
            memory.copyMemory(from: source, byteCount: bytes.count)
            return bytes.count
        }
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
        left.used == right.used && left.storage[..<left.used] == right.storage[..<right.used]
    }
}
