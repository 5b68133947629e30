import Wire

/// Parquet's hybrid of run lengths and packed bits (Encodings.md of the format, "RLE = 3"): small numbers of a fixed
/// width, in runs of equal ones or packed in groups of eight.
enum RunLengths {
    /// The bits that numbers up to a limit take, at least one.
    static func width(upTo limit: Int) -> Int { max(1, Int.bitWidth - limit.leadingZeroBitCount) }

    /// Appends the numbers.
    ///
    /// - Parameter width: The bits of each, 1 to 32.
    static func append(_ values: UnsafeBufferPointer<UInt32>, width: Int, to buffer: inout WireBuffer) {
        var packedFrom = 0
        var index = 0
        while index < values.count {
            let value = values[index]
            var end = index + 1
            while end < values.count && values[end] == value { end += 1 }
            // Only the last group may be filled up with zeros, so those before a run take some of it.
            let fill = (8 - (index - packedFrom) & 7) & 7
            if end - index - fill >= 8 {
                pack(values, packedFrom..<(index + fill), width: width, to: &buffer)
                buffer.appendProtobufVarint(UInt64(end - index - fill) << 1)
                for byte in 0..<(width + 7) / 8 {
                    buffer.append(UInt8(truncatingIfNeeded: value >> UInt32(byte * 8)))
                }
                packedFrom = end
            }
            index = end
        }
        pack(values, packedFrom..<values.count, width: width, to: &buffer)
    }

    private static func pack(
        _ values: UnsafeBufferPointer<UInt32>, _ range: Range<Int>, width: Int, to buffer: inout WireBuffer
    ) {
        guard !range.isEmpty else { return }
        let groups = (range.count + 7) / 8
        buffer.appendProtobufVarint(UInt64(groups) << 1 | 1)
        buffer.append(upTo: groups * width + 8) { memory in
            var bits: UInt64 = 0
            var filled = 0
            var offset = 0
            for index in range {
                bits |= UInt64(values[index]) << UInt64(filled)
                filled += width
                if filled >= 32 {
                    memory.storeBytes(
                        of: UInt32(truncatingIfNeeded: bits), toByteOffset: offset, as: UInt32.self)
                    offset += 4
                    bits >>= 32
                    filled -= 32
                }
            }
            memory.storeBytes(of: bits, toByteOffset: offset, as: UInt64.self)
            // What the last group lacks.
            for index in (offset + 8)..<max(offset + 8, groups * width) {
                memory.storeBytes(of: 0, toByteOffset: index, as: UInt8.self)
            }
            return groups * width
        }
    }

    /// Appends truth values as bits, the first the lowest (PLAIN of BOOLEAN).
    static func appendBits(_ values: UnsafeBufferPointer<UInt32>, to buffer: inout WireBuffer) {
        var index = 0
        while index < values.count {
            var byte: UInt8 = 0
            for bit in 0..<min(8, values.count - index) { byte |= UInt8(values[index + bit]) << UInt8(bit) }
            buffer.append(byte)
            index += 8
        }
    }
}
