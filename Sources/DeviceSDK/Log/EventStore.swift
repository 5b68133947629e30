/// Where a device keeps the events that have not left yet: rows in the order of their insertion,
/// addressed by their sequences, which grow with the order.
///
/// The seam behind which a store in memory (``EventLog``) can be exchanged for one on disk. A store
/// knows rows and their status; fates, requests and triggers are none of its business.
///
/// Statuses: a row is *idle* unless ``EventRecord/isUploading`` is set. A store counts both kinds.
package protocol EventStore {
    /// Rows in the store.
    var count: Int { get }
    /// Rows that no upload has marked as its own.
    var idleCount: Int { get }
    /// The oldest row, or `nil` in an empty store.
    var first: EventRecord? { get }

    /// Adds a row at the end.
    ///
    /// - Precondition: its sequence is above those of all rows in the store.
    /// - Returns: `false` if the row could not be written; then nothing changed.
    mutating func append(_ record: EventRecord) -> Bool

    /// Appends the oldest rows to `batch`, `limit` at most; with `idleOnly`, rows that an upload has
    /// marked are passed over.
    func copyOldest(_ limit: Int, idleOnly: Bool, into batch: inout ContiguousArray<EventRecord>)

    /// Changes the rows that have the sequences of `rows`; those that are not there any more are
    /// passed over.
    ///
    /// - Parameter change: Must leave sequence and epoch alone.
    mutating func update(
        _ rows: ContiguousArray<EventRecord>, _ change: (inout EventRecord) -> Void)

    /// Deletes the rows that have the sequences of `rows`; those that are not there are passed over.
    ///
    /// - Parameter deleted: Called with each row that goes.
    /// - Returns: `false` if the deletion failed; then nothing changed and nothing was reported.
    mutating func delete(
        _ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void
    ) -> Bool

    /// Deletes the oldest rows, `limit` at most; with `idleOnly`, only such that no upload marked.
    ///
    /// - Parameter deleted: Called with each row that goes.
    /// - Returns: `false` if the deletion failed; then nothing changed and nothing was reported.
    mutating func deleteOldest(
        _ limit: Int, idleOnly: Bool, _ deleted: (EventRecord) -> Void
    ) -> Bool

    /// Changes every row: what opening the store after a crash does with statuses.
    mutating func updateAll(_ change: (inout EventRecord) -> Void)

    /// Calls `body` with each row, oldest first.
    func forEach(_ body: (EventRecord) -> Void)
}

extension EventRecord {
    /// Bits of ``EventRecord/status``.
    package enum Status {
        /// An upload has marked the row.
        package static let uploading: UInt8 = 1 << 0
        /// The event's fate is sealed, though the row is still there: it may travel again, but is
        /// never counted again.
        package static let settled: UInt8 = 1 << 1
    }

    /// Whether an upload has marked the row as its own.
    package var isUploading: Bool {
        get { status & Status.uploading != 0 }
        set { status = newValue ? status | Status.uploading : status & ~Status.uploading }
    }

    /// Whether the event's fate is sealed already.
    package var isSettled: Bool {
        get { status & Status.settled != 0 }
        set { status = newValue ? status | Status.settled : status & ~Status.settled }
    }
}
