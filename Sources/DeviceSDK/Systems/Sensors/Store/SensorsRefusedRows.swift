import DeviceSDK

/// Rows that the store of a device refused (4.9.1): in memory, and uploaded before and instead of the store's.
///
/// Few devices ever have any, so the log is there only while it has rows: 8 bytes of the device instead of 28.
struct SensorsRefusedRows {
    /// One, or none.
    private var log: ContiguousArray<EventLog> = []

    var count: Int { log.first?.count ?? 0 }
    var idleCount: Int { log.first?.idleCount ?? 0 }
    var first: EventRecord? { log.first?.first }

    /// - Precondition: the record's sequence is above those of all rows.
    mutating func append(_ record: EventRecord) {
        if log.isEmpty { log.append(EventLog()) }
        _ = log[0].append(record)
    }

    /// Appends idle rows to `batch`, `limit` at most and oldest first.
    func copyIdle(_ limit: Int, from end: StoreEnd, into batch: inout ContiguousArray<EventRecord>) {
        log.first?.copy(limit, from: end, idleOnly: true, into: &batch)
    }

    /// Changes the rows that have the sequences of `rows`, as far as they are here.
    mutating func update(_ rows: ContiguousArray<EventRecord>, _ change: (inout EventRecord) -> Void) {
        if !log.isEmpty { log[0].update(rows, change) }
    }

    /// Deletes the rows that have the sequences of `rows`, and reports each that was there.
    mutating func delete(_ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void) {
        guard !log.isEmpty else { return }
        _ = log[0].delete(rows, deleted)
        if log[0].count == 0 { log = [] }
    }

    func forEach(_ body: (EventRecord) -> Void) { log.first?.forEach(body) }

    mutating func removeAll() { log = [] }
}
