import CLibdeflate

/// Why bytes are not gzip, or not zlib's or deflate's stream, that may be decoded.
package enum GzipError: Error, Equatable {
    /// Shorter than any gzip member, or cut within a member's header; of other streams nothing at all.
    case truncated
    /// Not gzip, a broken stream, a wrong checksum or length, or something other than a further
    /// member after the last one. A stream that is cut after its header is this too: libdeflate
    /// does not tell the two apart.
    case corrupt
    /// Decodes to more than the limit, in bytes.
    case tooLarge(limit: Int)
}

/// A gzip decompressor (RFC 1952) over libdeflate, to be made once and used for every body.
///
/// Not thread-safe; one per thread, about 40 kB.
package final class GzipDecoder {
    /// The most bytes that one call decodes to, over all members.
    package let limit: Int

    private let decompressor = Decompressor()

    /// The size of the smallest member: header, an empty block and the trailer.
    private static let smallestMember = 20

    /// Makes a decompressor.
    ///
    /// - Parameter limit: The most bytes that one call may decode to; the guard against bombs.
    package init(limit: Int = 64 << 20) {
        precondition(limit >= 0)
        self.limit = limit
    }

    /// Whether bytes begin as gzip does (RFC 1952, section 2.3.1): no text does, and so no JSON and no form.
    @inlinable
    package static func isGzip(_ bytes: some Sequence<UInt8>) -> Bool {
        var bytes = bytes.makeIterator()
        return bytes.next() == 0x1F && bytes.next() == 0x8B
    }

    /// Appends the content of all members of `input`.
    ///
    /// - Throws: ``GzipError``; then `output` is as before.
    package func decompress(
        _ input: UnsafeRawBufferPointer, into output: inout WireBuffer
    ) throws(GzipError) {
        let start = output.count
        var rest = input
        do {
            repeat {
                let room = limit - (output.count - start)
                let consumed = try decompressMember(of: rest, room: room, into: &output)
                rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
            } while !rest.isEmpty
        } catch {
            output.truncate(to: start)
            throw error
        }
    }

    /// Appends the content of all members that `input` holds; see ``decompress(_:into:)``.
    ///
    /// - Throws: ``GzipError``; then `output` is as before.
    package func decompress(
        _ input: borrowing WireBuffer, into output: inout WireBuffer
    ) throws(GzipError) {
        try input.withUnsafeBytes { bytes throws(GzipError) in try decompress(bytes, into: &output) }
    }

    /// Calls back with the content of each member of `input` in turn, so that no more than one is in memory.
    ///
    /// - Throws: ``GzipError`` for a member that is none, and for one with more than ``limit``.
    package func forEachMember(
        of input: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(GzipError) {
        var content = WireBuffer()
        var rest = input
        repeat {
            content.removeAll()
            let consumed = try decompressMember(of: rest, room: limit, into: &content)
            content.withUnsafeBytes(body)
            rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
        } while !rest.isEmpty
    }

    /// Appends the content of the first member and returns the member's length.
    private func decompressMember(
        of input: UnsafeRawBufferPointer, room: Int, into output: inout WireBuffer
    ) throws(GzipError) -> Int {
        try checkHeader(of: input)
        var consumed = 0
        try output.appendUnpacked(guess: firstGuess(for: input, room: room), room: room, limit: limit) {
            libdeflate_gzip_decompress_ex(
                decompressor.pointer, input.baseAddress, input.count, $0, $1, &consumed, &$2)
        }
        return consumed
    }

    /// The size to try first: what the last member says of itself, if that is believable.
    ///
    /// A lie costs little: too small a number doubles until it fits, and too large a one is held
    /// to 64 times the input.
    private func firstGuess(for input: UnsafeRawBufferPointer, room: Int) -> Int {
        let trailer = input.loadUnaligned(fromByteOffset: input.count - 4, as: UInt32.self)
        return min(room, Int(UInt32(littleEndian: trailer)), max(65_536, input.count * 64))
    }

    /// Throws if a member's header is not there in full.
    private func checkHeader(of input: UnsafeRawBufferPointer) throws(GzipError) {
        for (offset, byte) in [0x1F, 0x8B, 0x08].enumerated() {
            guard offset < input.count else { throw .truncated }
            guard input[offset] == byte else { throw .corrupt }
        }
        guard input.count >= GzipDecoder.smallestMember else { throw .truncated }
        let flags = input[3]
        var offset = 10
        if flags & 0x04 != 0 {
            offset += 2 + Int(input[10]) + Int(input[11]) << 8
        }
        // A name and a comment each end with a zero.
        for flag in [0x08, 0x10] as [UInt8] where flags & flag != 0 {
            while offset < input.count, input[offset] != 0 { offset += 1 }
            offset += 1
        }
        if flags & 0x02 != 0 { offset += 2 }
        guard offset <= input.count - 8 else { throw .truncated }
    }
}

extension WireBuffer {
    /// Appends what `unpack` makes, in as much memory as that turns out to need.
    ///
    /// - Parameters:
    ///   - guess: The bytes to try first.
    ///   - room: The most that may come.
    ///   - limit: What an error names as the most.
    ///   - unpack: Gets the memory and how many of its bytes it may write, and says how many it wrote.
    /// - Throws: ``GzipError``; then nothing is appended.
    mutating func appendUnpacked(
        guess: Int, room: Int, limit: Int,
        by unpack: (_ memory: UnsafeMutableRawPointer, _ size: Int, _ written: inout Int) -> libdeflate_result
    ) throws(GzipError) {
        var space = min(room, guess)
        while true {
            var result = LIBDEFLATE_BAD_DATA
            // One byte more than allowed is never used, so that the memory is never empty.
            append(upTo: space + 1) { memory in
                var written = 0
                result = unpack(memory, space, &written)
                return result == LIBDEFLATE_SUCCESS ? written : 0
            }
            switch result {
            case LIBDEFLATE_SUCCESS: return
            case LIBDEFLATE_INSUFFICIENT_SPACE:
                guard space < room else { throw .tooLarge(limit: limit) }
                space = min(room, max(space * 2, 4096))
            default: throw .corrupt
            }
        }
    }
}
