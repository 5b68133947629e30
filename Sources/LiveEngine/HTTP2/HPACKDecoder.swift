/// Reads the blocks of fields of one connection's answers (RFC 7541), in the order in which they come.
struct HPACKDecoder {
    /// Why a block cannot be read: the connection is of no more use (RFC 9113, 4.3).
    struct Failure: Error, Equatable {
        var reason: String
    }

    /// The most that the fields of one answer may count, ``HPACKTable/overhead`` for each included: a block of a few
    /// bytes can repeat large fields many times.
    static let sizeLimit = ResponseParser.headLimit

    private var table = HPACKTable()
    /// A field's name and then its value, while they are put together.
    private var scratch: [UInt8] = []

    /// Reads a whole block.
    ///
    /// - Parameter field: Gets each field in turn; the bytes are valid during the call only.
    /// - Complexity: O(bytes of the fields).
    mutating func decode(
        _ block: UnsafeRawBufferPointer,
        _ field: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        var index = 0
        var total = 0
        var mayResize = true
        while index < block.count {
            let first = block[index]
            if first & 0xE0 == 0x20 {
                guard mayResize else { throw Failure(reason: "a table's size between fields") }
                try resize(HPACKDecoder.integer(block, &index, bits: 5))
                continue
            }
            mayResize = false
            if first & 0x80 != 0 {
                total += try take(HPACKDecoder.integer(block, &index, bits: 7), field)
            } else {
                total += try literal(block, &index, isEntered: first & 0x40 != 0, field)
            }
            guard total <= HPACKDecoder.sizeLimit else { throw Failure(reason: "too many fields") }
        }
    }

    private mutating func resize(_ size: Int) throws(Failure) {
        guard size <= HPACKTable.usualLimit else { throw Failure(reason: "a table of \(size) bytes") }
        table.setLimit(size)
    }

    /// Hands over a field that is in one of the tables.
    private func take(
        _ index: Int, _ field: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws(Failure) -> Int {
        let known = HPACKStaticTable.fields
        guard index > 0 else { throw Failure(reason: "index 0") }
        if index <= known.count {
            let (name, value) = known[index - 1]
            field(HPACKDecoder.bytes(name), HPACKDecoder.bytes(value))
            return name.utf8CodeUnitCount + value.utf8CodeUnitCount + HPACKTable.overhead
        }
        let size = table.withField(index - known.count - 1) { name, value in
            field(name, value)
            return name.count + value.count + HPACKTable.overhead
        }
        guard let size else { throw Failure(reason: "index \(index) is not in the table") }
        return size
    }

    private mutating func literal(
        _ block: UnsafeRawBufferPointer, _ index: inout Int, isEntered: Bool,
        _ field: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws(Failure) -> Int {
        scratch.removeAll(keepingCapacity: true)
        let nameIndex = try HPACKDecoder.integer(block, &index, bits: isEntered ? 6 : 4)
        if nameIndex == 0 { try string(block, &index) } else { try name(nameIndex) }
        let middle = scratch.count
        try string(block, &index)
        let size = scratch.count + HPACKTable.overhead
        scratch.withUnsafeBytes { all in
            let name = UnsafeRawBufferPointer(rebasing: all[..<middle])
            let value = UnsafeRawBufferPointer(rebasing: all[middle...])
            if isEntered { table.add(name, value) }
            field(name, value)
        }
        return size
    }

    /// Copies the name of a field in one of the tables.
    private mutating func name(_ index: Int) throws(Failure) {
        let known = HPACKStaticTable.fields
        if index <= known.count {
            scratch.append(contentsOf: HPACKDecoder.bytes(known[index - 1].name))
            return
        }
        var copy = scratch
        scratch = []
        let isKnown = table.withField(index - known.count - 1) { name, _ in
            copy.append(contentsOf: name)
            return true
        }
        scratch = copy
        guard isKnown ?? false else { throw Failure(reason: "index \(index) is not in the table") }
    }

    private mutating func string(
        _ block: UnsafeRawBufferPointer, _ index: inout Int
    ) throws(Failure) {
        guard index < block.count else { throw Failure(reason: "the block ends within a field") }
        let isPacked = block[index] & 0x80 != 0
        let count = try HPACKDecoder.integer(block, &index, bits: 7)
        guard count <= block.count - index else { throw Failure(reason: "the block ends within a field") }
        let bytes = UnsafeRawBufferPointer(rebasing: block[index..<index + count])
        index += count
        if !isPacked {
            scratch.append(contentsOf: bytes)
        } else if !HPACKHuffman.decode(bytes, into: &scratch) {
            throw Failure(reason: "no Huffman code")
        }
    }

    /// Reads a number that begins in the low bits of a byte (RFC 7541, 5.1).
    static func integer(
        _ block: UnsafeRawBufferPointer, _ index: inout Int, bits: Int
    ) throws(Failure) -> Int {
        guard index < block.count else { throw Failure(reason: "the block ends within a field") }
        let mask = 1 << bits - 1
        var value = Int(block[index]) & mask
        index += 1
        guard value == mask else { return value }
        var shift = 0
        while index < block.count {
            let byte = Int(block[index])
            index += 1
            value += (byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
            // No number here is longer than a block, which is far below 2^28.
            guard shift <= 21 else { throw Failure(reason: "a number of more than 28 bits") }
        }
        throw Failure(reason: "the block ends within a field")
    }

    private static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
