package import DeviceSDK
package import Timebase

/// The database service (`GrowingEventDatabaseService`): one of the SDK's two files, a table of events in
/// the order of their insertion.
///
/// The seam behind which an app's own database can stand: a device's system is generic over it. Rows are
/// addressed by their sequences, which grow with the order. A table knows nothing of write buffers,
/// channels and fates.
package protocol GrowingEventTable: Sendable {
    /// Rows in the table.
    var count: Int { get }
    /// Those of them that may be selected: unmarked ones.
    var idleCount: Int { get }
    /// The oldest row.
    var first: EventRecord? { get }

    /// The process opens the file, with the marks of the process before taken back.
    ///
    /// - Parameter lost: Called with each row that the file no longer holds, in order.
    mutating func open(_ lost: (EventRecord) -> Void)
    /// The process is gone. Marks go with it, rows do not.
    mutating func close()

    /// Inserts rows in one transaction.
    ///
    /// - Precondition: their sequences grow, and are above those of all rows.
    /// - Parameter evicted: Called with each row that had to go for them, in order; may be one of them.
    /// - Returns: `false` if nothing could be written.
    mutating func insert(
        _ rows: ContiguousArray<EventRecord>, _ evicted: (EventRecord) -> Void
    ) -> Bool

    /// Deletes rows by their sequences in one transaction; those that are not there are passed over.
    ///
    /// - Parameter deleted: Called with each row that goes, in order.
    /// - Returns: `false` if nothing could be deleted; then nothing changed.
    mutating func delete(_ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void) -> Bool

    /// Deletes the rows captured up to a moment.
    mutating func expire(through moment: Instant, _ deleted: (EventRecord) -> Void)

    /// Calls `body` with each idle row, oldest first, until it returns `false`. No row if the file cannot
    /// be read.
    func select(_ body: (EventRecord) -> Bool)

    /// Marks rows as not to be selected (`nil` leaves marks alone), and changes the simulation's notes
    /// about them. Marks are in the process' memory, so this never fails.
    mutating func update(
        _ rows: ContiguousArray<EventRecord>, mark: Bool?, _ change: (inout EventRecord) -> Void)

    /// Takes back all marks, and changes the notes about every row.
    mutating func resetMarks(_ change: (inout EventRecord) -> Void)

    /// Calls `body` with each row, oldest first, whether or not the SDK could read it now.
    func forEach(_ body: (EventRecord) -> Void)

    /// The device's disk changes.
    mutating func setDisk(_ condition: DiskCondition)

    /// Damages the file; nothing can be read from it or written to it any more.
    ///
    /// - Parameter lost: Called with each row that was in it.
    mutating func damage(_ lost: (EventRecord) -> Void)
}

/// A table in memory: the rows, and a model of the file that the SDK keeps them in.
package struct GrowingMemoryTable: GrowingEventTable {
    private var log = EventLog()
    private var file = ModelledFile(marksInFile: false)

    package init() {}

    package var count: Int { log.count }
    package var idleCount: Int { log.idleCount }
    package var first: EventRecord? { log.first }

    /// Whether the process can read the file, and write to it, now.
    package var canRead: Bool { file.canRead }
    package var canWrite: Bool { file.canWrite }

    /// Takes out rows that the file lost by itself, whatever the disk.
    package mutating func drop(_ rows: ContiguousArray<EventRecord>) { _ = log.delete(rows) { _ in } }

    package mutating func open(_ lost: (EventRecord) -> Void) { _ = file.open() }

    package mutating func close() {
        file.close()
        if log.idleCount < log.count { log.updateAll { $0.isUploading = false } }
    }

    package mutating func insert(
        _ rows: ContiguousArray<EventRecord>, _ evicted: (EventRecord) -> Void
    ) -> Bool {
        guard file.canWrite else { return false }
        for row in rows { _ = log.append(row) }
        return true
    }

    package mutating func delete(
        _ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        file.canWrite && log.delete(rows, deleted)
    }

    package mutating func expire(through moment: Instant, _ deleted: (EventRecord) -> Void) {
        guard file.canWrite else { return }
        var old = 0
        // Rows lie in the order of their capture.
        log.forEachInOrder {
            guard $0.capturedAt <= moment else { return false }
            old += 1
            return true
        }
        if old > 0 { _ = log.deleteOldest(old, idleOnly: false, deleted) }
    }

    package func select(_ body: (EventRecord) -> Bool) {
        guard file.canRead else { return }
        log.forEachInOrder { $0.isUploading || body($0) }
    }

    package mutating func update(
        _ rows: ContiguousArray<EventRecord>, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        log.update(rows) {
            if let mark { $0.isUploading = mark }
            change(&$0)
        }
    }

    package mutating func resetMarks(_ change: (inout EventRecord) -> Void) {
        log.updateAll {
            $0.isUploading = false
            change(&$0)
        }
    }

    package func forEach(_ body: (EventRecord) -> Void) { log.forEach(body) }
    package mutating func setDisk(_ condition: DiskCondition) { file.condition = condition }

    package mutating func damage(_ lost: (EventRecord) -> Void) {
        guard file.damage() else { return }
        log.forEach(lost)
        log = EventLog()
    }
}
