/// What becomes of the SDK's file under a failing disk. Some bytes, for a store that has no file.
///
/// Sources: sa-sdk-ios v1.10.17 (`MessageQueueBySqlite.m`) and v4.9.1 (`SADatabase.m`), which open the
/// file at the start of the process, create the table if it is not there, and close the file with the
/// process; and what SQLite does with a file that cannot be written: it opens it for reading, and
/// keeps it so even if the disk recovers.
package struct ModelledFile: Sendable {
    package var condition = DiskCondition.sound
    private var flags: Flags

    /// One byte, since every device has them.
    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let marksInFile = Flags(rawValue: 1 << 0)
        static let isOpen = Flags(rawValue: 1 << 1)
        static let hasTable = Flags(rawValue: 1 << 2)
        static let isDamaged = Flags(rawValue: 1 << 3)
        static let isOpenForReadingOnly = Flags(rawValue: 1 << 4)
    }

    package init(marksInFile: Bool) { flags = marksInFile ? .marksInFile : [] }

    /// Whether marks are a column of the table, or in the process' memory.
    package var marksInFile: Bool { flags.contains(.marksInFile) }
    package var isOpen: Bool { flags.contains(.isOpen) }
    package var canRead: Bool { isOpen && !flags.contains(.isDamaged) }
    package var canWrite: Bool { canTouchNothing && condition == .sound }
    /// Whether a statement that changes no row succeeds: it needs no journal.
    package var canTouchNothing: Bool { canRead && !flags.contains(.isOpenForReadingOnly) }
    package var canMark: Bool { marksInFile ? canWrite : true }

    /// The process opens the file: that needs a sound disk unless the table is there already, and fails
    /// if the file is damaged.
    package mutating func open() -> Bool {
        flags.set(.isOpenForReadingOnly, to: condition == .readOnly)
        let opens = !flags.contains(.isDamaged) && (flags.contains(.hasTable) || condition == .sound)
        flags.set(.isOpen, to: opens)
        if opens { flags.insert(.hasTable) }
        return opens
    }

    package mutating func close() { flags.remove(.isOpen) }

    /// - Returns: `false` if there is no table to be damaged, or it was damaged before.
    package mutating func damage() -> Bool {
        guard flags.contains(.hasTable), !flags.contains(.isDamaged) else { return false }
        flags.insert(.isDamaged)
        return true
    }
}

extension OptionSet where Element == Self {
    /// Inserts or removes an option.
    fileprivate mutating func set(_ option: Self, to isOn: Bool) {
        if isOn { insert(option) } else { remove(option) }
    }
}
