import Glibc

/// Finds the column of a member by its name: a table with open addressing, since each event has dozens of members.
/// Hashes only lead to a name: whether it is the one that is looked for, its bytes and its group tell.
///
/// Its entries lie in memory of its own: an array would be counted as used and as unused again for every member.
// SAFETY: the entries and their names are written in the initialiser alone.
final class FieldFinder: @unchecked Sendable {
    enum Match: Hashable, Sendable {
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
        /// The group that has it; 0 is the event itself.
        var group: Int32
        /// Where the name begins in ``FieldFinder/names``.
        var start: Int32

        static let free = Entry(hash: 0, count: -1, code: 0, group: 0, start: 0)
    }

    /// Something that events have: a field, or a group of them.
    private struct Member {
        var name: [UInt8]
        var group: Int
        var code: Int32
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// The bytes of all names, one behind the other.
    private let names: UnsafeMutablePointer<UInt8>
    private let mask: Int

    /// - Parameter numbers: The fields' numbers, by column; what is not in it has none.
    init(_ fields: [EventField], numbers: [String: Int]) {
        let members = FieldFinder.members(of: fields, numbers)
        var size = 16
        while size < members.count * 4 { size *= 2 }
        mask = size - 1
        entries = .allocate(capacity: size)
        names = .allocate(capacity: members.reduce(1) { $0 + $1.name.count })
        entries.initialize(repeating: .free, count: size)
        var end = 0
        for member in members { insert(member, at: &end) }
    }

    deinit {
        entries.deallocate()
        names.deallocate()
    }

    /// The fields, and before the first of each group the group itself.
    private static func members(of fields: [EventField], _ numbers: [String: Int]) -> [Member] {
        var groups: [[UInt8]] = []
        var members: [Member] = []
        for field in fields {
            guard let number = numbers[field.column] else { continue }
            // By bytes: what follows a dot may join it in one character.
            let path = Array(field.path.utf8)
            guard let dot = path.firstIndex(of: UInt8(ascii: ".")) else {
                members.append(Member(name: path, group: 0, code: Int32(number)))
                continue
            }
            let head = Array(path[..<dot])
            if !groups.contains(head) {
                groups.append(head)
                members.append(Member(name: head, group: 0, code: -1 - Int32(groups.count)))
            }
            let group = (groups.firstIndex(of: head) ?? 0) + 1
            members.append(Member(name: Array(path[(dot + 1)...]), group: group, code: Int32(number)))
        }
        return members
    }

    /// What a member of a group is; 0 is the event itself.
    @inline(__always)
    func match(of name: UnsafeRawBufferPointer, in group: Int) -> Match? {
        let slot = slot(of: name, in: group, FieldFinder.hash(name, group))
        guard entries[slot].count >= 0 else { return nil }
        let code = Int(entries[slot].code)
        return code >= 0 ? .column(code) : .group(-1 - code)
    }

    /// Where a member is, or would be.
    @inline(__always)
    private func slot(of name: UnsafeRawBufferPointer, in group: Int, _ hash: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: hash) & mask
        while entries[slot].count >= 0, !holds(slot, name, group, hash) { slot = (slot + 1) & mask }
        return slot
    }

    @inline(__always)
    private func holds(_ slot: Int, _ name: UnsafeRawBufferPointer, _ group: Int, _ hash: UInt64) -> Bool {
        guard entries[slot].hash == hash, Int(entries[slot].count) == name.count,
            Int(entries[slot].group) == group
        else { return false }
        guard let base = name.baseAddress else { return true }
        return memcmp(base, UnsafeRawPointer(names + Int(entries[slot].start)), name.count) == 0
    }

    /// Inserts a member that is not there yet, and its name behind those before; the first of a name counts.
    private func insert(_ member: Member, at end: inout Int) {
        member.name.withUnsafeBytes { name in
            let hash = FieldFinder.hash(name, member.group)
            let slot = slot(of: name, in: member.group, hash)
            guard entries[slot].count < 0 else { return }
            entries[slot] = Entry(
                hash: hash, count: Int32(name.count), code: member.code, group: Int32(member.group),
                start: Int32(end))
            for byte in name {
                (names + end).initialize(to: byte)
                end += 1
            }
        }
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
