import NIOCore

/// Writes the blocks of fields of one connection's requests (RFC 7541).
///
/// Fields that stay the same are entered into the table, so that from the second request on each takes a byte or two.
/// Those that differ from request to request (`:path`, `content-length`) are not, as in most clients: they would only
/// drive the others out.
struct HPACKEncoder {
    private var table = HPACKTable()
    /// The sizes that the peer has to be told of, at the beginning of the next block: the smallest since the last block,
    /// and the present one (RFC 7541, 4.2).
    private var told: (least: Int, now: Int)?
    /// A name in lower case.
    private var lowered: [UInt8] = []

    /// The peer keeps a table of this size at most.
    mutating func setLimit(_ limit: Int) {
        let limit = min(limit, HPACKTable.usualLimit)
        guard limit != told?.now ?? table.limit else { return }
        told = (min(limit, told?.least ?? limit), limit)
        table.setLimit(limit)
    }

    /// Begins a block.
    mutating func begin(into output: inout ByteBuffer) {
        guard let told else { return }
        if told.least < told.now { HPACKEncoder.write(told.least, bits: 5, flags: 0x20, into: &output) }
        HPACKEncoder.write(told.now, bits: 5, flags: 0x20, into: &output)
        self.told = nil
    }

    /// Writes a field of the static table, by its index.
    func write(known index: Int, into output: inout ByteBuffer) {
        HPACKEncoder.write(index, bits: 7, flags: 0x80, into: &output)
    }

    /// Writes a field that is not entered into the table.
    ///
    /// - Parameter name: The static table's index of the first field of its name.
    func write(
        passing value: UnsafeRawBufferPointer, name: Int, into output: inout ByteBuffer
    ) {
        HPACKEncoder.write(name, bits: 4, flags: 0, into: &output)
        HPACKEncoder.write(string: value, into: &output)
    }

    /// Writes a field that the next requests have, too.
    ///
    /// - Parameter name: In whatever case; it is sent in lower case (RFC 9113, 8.2).
    mutating func write(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, into output: inout ByteBuffer
    ) {
        var lowered = lowered
        self.lowered = []
        lowered.removeAll(keepingCapacity: true)
        for byte in name { lowered.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
        lowered.withUnsafeBytes { write(lowered: $0, value, into: &output) }
        self.lowered = lowered
    }

    private mutating func write(
        lowered name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, into output: inout ByteBuffer
    ) {
        let hash = HPACKEncoder.hash(name, value)
        if let position = table.position(of: name, value, hash: hash) {
            let index = HPACKStaticTable.fields.count + 1 + position
            HPACKEncoder.write(index, bits: 7, flags: 0x80, into: &output)
            return
        }
        let known = HPACKStaticTable.index(ofName: name)
        HPACKEncoder.write(known, bits: 6, flags: 0x40, into: &output)
        if known == 0 { HPACKEncoder.write(string: name, into: &output) }
        HPACKEncoder.write(string: value, into: &output)
        table.add(name, value, hash: hash)
    }

    /// FNV-1a over both, apart: the bytes are compared afterwards.
    private static func hash(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ 0x100) &* 0x0000_0100_0000_01B3
        for byte in value { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }

    /// Writes a string, packed if that makes it shorter.
    private static func write(string: UnsafeRawBufferPointer, into output: inout ByteBuffer) {
        let packed = HPACKHuffman.encodedCount(string)
        if packed < string.count {
            write(packed, bits: 7, flags: 0x80, into: &output)
            HPACKHuffman.encode(string, into: &output)
        } else {
            write(string.count, bits: 7, flags: 0, into: &output)
            output.writeBytes(string)
        }
    }

    /// Writes a number into the low bits of a byte and as many more as it takes (RFC 7541, 5.1).
    static func write(_ value: Int, bits: Int, flags: UInt8, into output: inout ByteBuffer) {
        let mask = 1 << bits - 1
        guard value >= mask else {
            output.writeInteger(flags | UInt8(value))
            return
        }
        output.writeInteger(flags | UInt8(mask))
        var rest = value - mask
        while rest >= 0x80 {
            output.writeInteger(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        output.writeInteger(UInt8(rest))
    }
}
