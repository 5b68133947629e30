/// WholeNumbers and texts as bytes, one after the other: the state of a part of a run, to be joined with others elsewhere.
///
/// Nothing says what a value is: whoever reads asks for the same kinds in the same order. Whole numbers take as many
/// bytes as they need (LEB128, signed ones in zigzag order).
package struct SnapshotWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Writes a whole number in 1 to 10 bytes.
    package mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func write(_ value: Int64) { write(UInt64(bitPattern: value << 1 ^ value >> 63)) }
    package mutating func write(_ value: Int) { write(Int64(value)) }
    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func write(_ raw: [UInt8]) {
        write(UInt64(raw.count))
        bytes.append(contentsOf: raw)
    }

    /// Adds bytes that another writer wrote.
    package mutating func append(_ written: [UInt8]) { bytes.append(contentsOf: written) }

    package mutating func write(_ value: some Snapshotable) { value.write(to: &self) }

    /// Writes values with their number before them.
    package mutating func write<Values: Collection>(each values: Values) where Values.Element: Snapshotable {
        write(UInt64(values.count))
        for value in values { value.write(to: &self) }
    }

    /// Writes a value, or that there is none.
    package mutating func write(optional value: (some Snapshotable)?) {
        write(value != nil)
        value?.write(to: &self)
    }
}

/// What can be written as bytes and made from them again, the same.
package protocol Snapshotable {
    func write(to writer: inout SnapshotWriter)

    /// - Throws: ``SnapshotError`` for bytes that no value writes.
    init(from reader: inout SnapshotReader) throws(SnapshotError)
}

/// Why bytes are no snapshot of what is asked for.
package enum SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the value does.
    case cut
    /// A value that cannot be, at an offset in the bytes.
    case impossible(at: Int)

    package var description: String {
        switch self {
        case .cut: "it ends too early"
        case .impossible(let offset): "byte \(offset) begins a value that cannot be"
        }
    }
}
