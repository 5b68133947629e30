/// Reads what ``SnapshotWriter`` wrote, in the same order.
package struct SnapshotReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Whether everything has been read.
    package var isAtEnd: Bool { position == bytes.endIndex }

    /// What to throw for a value that cannot be.
    package var impossible: SnapshotError { .impossible(at: position - bytes.startIndex) }

    private mutating func byte() throws(SnapshotError) -> UInt8 {
        guard position < bytes.endIndex else { throw .cut }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func unsigned() throws(SnapshotError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw impossible }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
        }
        throw impossible
    }

    package mutating func signed() throws(SnapshotError) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    package mutating func int() throws(SnapshotError) -> Int { try Int(signed()) }

    package mutating func bool() throws(SnapshotError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw impossible
        }
    }

    /// A number that a type has no room for is none.
    package mutating func integer<Value: FixedWidthInteger>() throws(SnapshotError) -> Value {
        guard let value = try Value(exactly: unsigned()) else { throw impossible }
        return value
    }

    /// How many values follow; each takes a byte at least, so that no number makes room for more than there is.
    package mutating func count() throws(SnapshotError) -> Int {
        let count = try unsigned()
        guard count <= UInt64(bytes.endIndex - position) else { throw .cut }
        return Int(count)
    }

    package mutating func raw() throws(SnapshotError) -> [UInt8] {
        let count = try count()
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    package mutating func text() throws(SnapshotError) -> String {
        try String(decoding: raw(), as: UTF8.self)
    }

    package mutating func value<Value: Snapshotable>() throws(SnapshotError) -> Value {
        try Value(from: &self)
    }

    package mutating func values<Value: Snapshotable>() throws(SnapshotError) -> [Value] {
        let count = try count()
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try Value(from: &self)) }
        return values
    }

    package mutating func optional<Value: Snapshotable>() throws(SnapshotError) -> Value? {
        try bool() ? try Value(from: &self) : nil
    }
}
