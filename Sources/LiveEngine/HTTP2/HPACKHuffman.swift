import NIOCore

/// The Huffman code of HPACK (RFC 7541, 5.2 and appendix B).
///
/// The code is canonical: within one length, codes go up by one in the order of their symbols. So the lengths say all.
enum HPACKHuffman {
    /// Bits of the code of each byte, and of the end of the string (256).
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12,
        10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23,
        21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20,
        22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21,
        21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27,
        28, 27, 27, 27, 27, 27, 26,
        30,
    ]

    /// The codes of one length.
    private struct Group {
        var length: UInt32
        /// What the first of them looks like at the top of 32 bits, and the first that is longer.
        var first: UInt32
        var limit: UInt64
        /// Where their symbols begin in ``symbols``.
        var offset: Int
    }

    /// In the order of their codes.
    private static let symbols: [UInt16] = lengths.indices
        .sorted { (lengths[$0], $0) < (lengths[$1], $1) }.map { UInt16($0) }

    private static let codes: [UInt32] = {
        var codes = [UInt32](repeating: 0, count: lengths.count)
        var code: UInt32 = 0
        var length: UInt8 = 0
        for symbol in symbols {
            code <<= UInt32(lengths[Int(symbol)] - length)
            length = lengths[Int(symbol)]
            codes[Int(symbol)] = code
            code += 1
        }
        return codes
    }()

    private static let groups: [Group] = {
        var groups: [Group] = []
        for (offset, symbol) in symbols.enumerated() {
            let length = UInt32(lengths[Int(symbol)])
            let top = codes[Int(symbol)] << (32 - length)
            let end = UInt64(top) + 1 << (32 - UInt64(length))
            if groups.last?.length == length {
                groups[groups.count - 1].limit = end
            } else {
                groups.append(Group(length: length, first: top, limit: end, offset: offset))
            }
        }
        return groups
    }()

    /// Bytes that a text takes when it is encoded.
    static func encodedCount(_ text: UnsafeRawBufferPointer) -> Int {
        var bits = 0
        for byte in text { bits += Int(lengths[Int(byte)]) }
        return (bits + 7) / 8
    }

    /// Appends a text, encoded.
    static func encode(_ text: UnsafeRawBufferPointer, into output: inout ByteBuffer) {
        var held: UInt64 = 0
        var count = 0
        for byte in text {
            held = held << UInt64(lengths[Int(byte)]) | UInt64(codes[Int(byte)])
            count += Int(lengths[Int(byte)])
            while count >= 8 {
                count -= 8
                output.writeInteger(UInt8(truncatingIfNeeded: held >> UInt64(count)))
            }
        }
        // The rest is filled with the beginning of the end's code, which is ones.
        if count > 0 {
            output.writeInteger(UInt8(truncatingIfNeeded: held << UInt64(8 - count)) | UInt8(0xFF >> count))
        }
    }

    /// Appends what an encoded text says.
    ///
    /// - Returns: whether it is one: padded by fewer than eight ones, and without the end's code in it.
    static func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) -> Bool {
        var held: UInt64 = 0
        var count: UInt64 = 0
        var index = 0
        while true {
            while count <= 32, index < input.count {
                held |= UInt64(input[index]) << (56 - count)
                count += 8
                index += 1
            }
            let top = UInt32(truncatingIfNeeded: held >> 32)
            guard let group = groups.first(where: { UInt64(top) < $0.limit }), UInt64(group.length) <= count
            else { break }
            let symbol = symbols[group.offset + Int((top - group.first) >> (32 - group.length))]
            guard symbol < 256 else { return false }
            output.append(UInt8(symbol))
            held <<= UInt64(group.length)
            count -= UInt64(group.length)
        }
        // What is left is too short for a code: padding, all ones.
        return count < 8 && held == (count == 0 ? 0 : UInt64.max << (64 - count))
    }
}
