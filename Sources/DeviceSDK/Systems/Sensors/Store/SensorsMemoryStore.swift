package import DeviceSDK
package import Wire

/// A device's store in memory: the rows, and a model of the file in which the SDK keeps them.
package struct SensorsMemoryStore: SensorsStore, Sendable {
    package private(set) var log = EventLog()
    private var file: ModelledFile

    /// Makes the store of a device on which the SDK never ran.
    ///
    /// - Parameter marksInFile: Whether the file has a column for marks (4.9.1), so that they meet the
    ///   disk and outlive the process.
    package init(marksInFile: Bool) { file = ModelledFile(marksInFile: marksInFile) }

    package static var keepsContent: Bool { false }
    package var count: Int { log.count }
    package var idleCount: Int { log.idleCount }
    package var first: EventRecord? { log.first }
    package mutating func prefetch() { log.prefetchEnd() }
    package var isOpen: Bool { file.isOpen }

    package mutating func open() -> Bool {
        guard file.open() else { return false }
        if file.canMark { clearMarks() }
        return true
    }

    package mutating func close() {
        file.close()
        if !file.marksInFile { clearMarks() }
    }

    private mutating func clearMarks() {
        guard log.idleCount < log.count else { return }
        log.updateAll { $0.isUploading = false }
    }

    package mutating func append(_ record: EventRecord, content: WireBuffer) -> Bool {
        file.canWrite && log.append(record)
    }

    package func copy(
        _ limit: Int, from end: StoreEnd, of kind: SensorsRowKind, idleOnly: Bool,
        into batch: inout ContiguousArray<EventRecord>, contents: inout SensorsContents
    ) {
        guard file.canRead else { return }
        log.copy(limit, from: end, idleOnly: idleOnly, into: &batch) { kind.contains($0) }
    }

    package mutating func update(
        _ rows: ContiguousArray<EventRecord>, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        guard let mark, file.canMark else {
            log.update(rows, change)
            return
        }
        log.update(rows) {
            $0.isUploading = mark
            change(&$0)
        }
    }

    package mutating func delete(
        _ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        guard file.canWrite else {
            return file.canTouchNothing && rows.allSatisfy { log.record(of: $0.sequence) == nil }
        }
        return log.delete(rows, deleted)
    }

    package mutating func deleteOldest(
        _ limit: Int, idleOnly: Bool, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        guard file.canWrite else {
            return file.canTouchNothing && min(limit, idleOnly ? log.idleCount : log.count) == 0
        }
        return log.deleteOldest(limit, idleOnly: idleOnly, deleted)
    }

    package mutating func noteAll(_ change: (inout EventRecord) -> Void) { log.updateAll(change) }
    package var rows: ContiguousArray<EventRecord> { log.rows }
    package mutating func vacuum() {}
    package mutating func setDisk(_ condition: DiskCondition) { file.condition = condition }

    package mutating func damage(_ lost: (EventRecord) -> Void) {
        guard file.damage() else { return }
        log.forEach(lost)
        log = EventLog()
    }
}
