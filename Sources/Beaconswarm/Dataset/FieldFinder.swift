/// Finds the column of a member by its name: a table with open addressing, since each event has dozens of members. Names
/// are told apart by 64 bits of hash and their length.
///
/// Its entries lie in memory of its own: an array would be counted as used and as unused again for every member.
// SAFETY: the entries are written in the initialiser alone.
final class FieldFinder: @unchecked Sendable {
    enum Place: Hashable, Sendable {
        /// A field's number.
        case column(Int)
        /// An object whose members are fields, by its number from 1.
        case group(Int)
    }

    private struct Entry {
        var hash: UInt64
        /// Bytes of the name; -1 where nothing is.
        var count: Int32
        /// A field's number from 0 on, or -1 minus a group's.
        var code: Int32
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let mask: Int

    /// - Parameter places: The fields' numbers, by column; what is not in it has none.
    init(_ fields: [EventField], places: [String: Int]) {
        var size = 16
        while size < fields.count * 4 { size *= 2 }
        mask = size - 1
        entries = .allocate(capacity: size)
        entries.initialize(repeating: Entry(hash: 0, count: -1, code: 0), count: size)
        var groups: [String] = []
        for field in fields {
            guard let number = places[field.column] else { continue }
            let dot = field.path.firstIndex(of: ".")
            let name = dot.map { String(field.path[field.path.index(after: $0)...]) } ?? field.path
            var group = 0
            if let head = dot.map({ String(field.path[..<$0]) }) {
                if !groups.contains(head) {
                    groups.append(head)
                    insert(Array(head.utf8), in: 0, code: -1 - Int32(groups.count))
                }
                group = (groups.firstIndex(of: head) ?? 0) + 1
            }
            insert(Array(name.utf8), in: group, code: Int32(number))
        }
    }

    deinit { entries.deallocate() }

    /// What a member of a group is; 0 is the event itself.
    @inline(__always)
    func place(of name: UnsafeRawBufferPointer, in group: Int) -> Place? {
        let hash = FieldFinder.hash(name, group)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while entries[slot].count >= 0 {
            if entries[slot].hash == hash, Int(entries[slot].count) == name.count {
                let code = Int(entries[slot].code)
                return code >= 0 ? .column(code) : .group(-1 - code)
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private func insert(_ name: [UInt8], in group: Int, code: Int32) {
        let hash = name.withUnsafeBytes { FieldFinder.hash($0, group) }
        var slot = Int(truncatingIfNeeded: hash) & mask
        while entries[slot].count >= 0 {
            if entries[slot].hash == hash, Int(entries[slot].count) == name.count { return }
            slot = (slot + 1) & mask
        }
        entries[slot] = Entry(hash: hash, count: Int32(name.count), code: code)
    }

    /// Eight bytes at a time, each mixed with what came before.
    @inline(__always)
    private static func hash(_ name: UnsafeRawBufferPointer, _ group: Int) -> UInt64 {
        guard let base = name.baseAddress else { return UInt64(group) }
        var hash = 0xCBF2_9CE4_8422_2325 ^ UInt64(group)
        var offset = 0
        while offset &+ 8 <= name.count {
            hash = mixed(hash ^ base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < name.count {
            rest = rest << 8 | UInt64(base.load(fromByteOffset: offset, as: UInt8.self))
            offset &+= 1
        }
        return mixed(hash ^ rest)
    }

    /// The finaliser of MurmurHash3's 64 bits, one round of it.
    @inline(__always)
    private static func mixed(_ value: UInt64) -> UInt64 {
        let product = (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return product ^ product >> 33
    }
}
