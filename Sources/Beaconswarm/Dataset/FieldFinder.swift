/// Finds the column of a member by its name: a table with open addressing, since each event has dozens of members. Names
/// are told apart by 64 bits of hash and their length.
struct FieldFinder: Sendable {
    enum Place: Hashable, Sendable {
        /// A field's number.
        case column(Int)
        /// An object whose members are fields, by its number from 1.
        case group(Int)
    }

    private struct Entry: Sendable {
        var hash: UInt64
        var count: Int
        var place: Place
    }

    private var slots: [Entry?]
    private var mask: Int { slots.count - 1 }

    /// - Parameter places: The fields' numbers, by column; what is not in it has none.
    init(_ fields: [EventField], places: [String: Int]) {
        var size = 16
        while size < fields.count * 4 { size *= 2 }
        slots = Array(repeating: nil, count: size)
        var groups: [String] = []
        for field in fields {
            guard let number = places[field.column] else { continue }
            let dot = field.path.firstIndex(of: ".")
            let name = dot.map { String(field.path[field.path.index(after: $0)...]) } ?? field.path
            var group = 0
            if let head = dot.map({ String(field.path[..<$0]) }) {
                if !groups.contains(head) {
                    groups.append(head)
                    insert(Array(head.utf8), in: 0, .group(groups.count))
                }
                group = (groups.firstIndex(of: head) ?? 0) + 1
            }
            insert(Array(name.utf8), in: group, .column(number))
        }
    }

    /// What a member of a group is; 0 is the event itself.
    func place(of name: UnsafeRawBufferPointer, in group: Int) -> Place? {
        let hash = FieldFinder.hash(name, group)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while let entry = slots[slot] {
            if entry.hash == hash, entry.count == name.count { return entry.place }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private mutating func insert(_ name: [UInt8], in group: Int, _ place: Place) {
        let hash = name.withUnsafeBytes { FieldFinder.hash($0, group) }
        var slot = Int(truncatingIfNeeded: hash) & mask
        while let entry = slots[slot] {
            if entry.hash == hash, entry.count == name.count { return }
            slot = (slot + 1) & mask
        }
        slots[slot] = Entry(hash: hash, count: name.count, place: place)
    }

    /// Eight bytes at a time, each mixed with what came before.
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
