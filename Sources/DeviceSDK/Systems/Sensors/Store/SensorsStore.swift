package import DeviceSDK
package import Wire

/// The SDK's one table of events that have not left yet: rows in the order of their insertion, addressed by
/// their sequences, which grow with the order.
///
/// The seam behind which a store in memory (``SensorsMemoryStore``) can be exchanged for one on disk. A store
/// knows rows, their marks and its file; fates, requests and triggers are none of its business. Every
/// store must behave as ``SensorsMemoryStore`` does, whose ``ModelledFile`` says what a failing disk means:
/// the ledgers of two runs that differ in the store alone are equal.
///
/// Two things are told apart. What the SDK does (appending, marking, selecting, deleting) meets the
/// disk and may fail. What the simulation itself notes about events (``EventRecord``: attempts,
/// requests in the air, settled fates) is no part of the device, and never fails.
///
/// A row is *idle* unless an upload has marked it (``EventRecord/isUploading``).
package protocol SensorsStore {
    /// Whether the store keeps events as they are to be sent, so that ``append(_:content:)`` wants the
    /// bytes and ``copy(_:from:of:idleOnly:into:contents:)`` gives them back.
    static var keepsContent: Bool { get }

    /// Rows in the store.
    var count: Int { get }
    /// Rows that no upload has marked as its own.
    var idleCount: Int { get }
    /// The oldest row, or `nil` in an empty store.
    var first: EventRecord? { get }
    /// Whether the SDK's process has the file open.
    var isOpen: Bool { get }

    /// Asks the processor for the memory of the next row, where there is any. By default for none.
    mutating func prefetch()

    /// The SDK's process opens the file, creates what is missing, and takes back the marks of the
    /// process before.
    ///
    /// - Returns: `false` if the file cannot be used; ``isOpen`` is false then.
    mutating func open() -> Bool

    /// The SDK's process is gone.
    mutating func close()

    /// Adds a row at the end.
    ///
    /// - Parameter content: The event's JSON as of its capture if the store ``keepsContent``, else
    ///   empty.
    /// - Precondition: its sequence is above those of all rows in the store.
    /// - Returns: `false` if the row could not be written; then nothing changed.
    mutating func append(_ record: EventRecord, content: WireBuffer) -> Bool

    /// Appends the rows of a kind that come first from an end to `batch`, `limit` at most, oldest first; with
    /// `idleOnly`, rows that an upload has marked are passed over. None if the file cannot be read.
    ///
    /// - Parameter contents: Gets what ``append(_:content:)`` was given for these rows, in the same
    ///   order, if the store ``keepsContent``.
    func copy(
        _ limit: Int, from end: StoreEnd, of kind: SensorsRowKind, idleOnly: Bool,
        into batch: inout ContiguousArray<EventRecord>, contents: inout SensorsContents)

    /// Marks or unmarks the rows that have the sequences of `rows`, and changes the simulation's notes
    /// about them; rows that are not there any more are passed over.
    ///
    /// - Parameters:
    ///   - mark: What the SDK writes: whether an upload has the rows; `nil` for nothing. Where that
    ///     fails, the marks stay as they were; the notes change all the same.
    ///   - change: Must leave sequence, epoch and mark alone.
    mutating func update(
        _ rows: ContiguousArray<EventRecord>, mark: Bool?, _ change: (inout EventRecord) -> Void)

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

    /// Changes the simulation's notes about every row.
    mutating func noteAll(_ change: (inout EventRecord) -> Void)

    /// All rows, oldest first, whether or not the SDK could read them now.
    var rows: ContiguousArray<EventRecord> { get }

    /// Gives the room of deleted rows back to the disk (`VACUUM`), if that succeeds.
    mutating func vacuum()

    /// The device's disk changes.
    mutating func setDisk(_ condition: DiskCondition)

    /// Damages the file, if there is one. From then on nothing can be read from it or written to it,
    /// by this process or any later one.
    ///
    /// - Parameter lost: Called with each row that was in it.
    mutating func damage(_ lost: (EventRecord) -> Void)
}

extension SensorsStore {
    package mutating func prefetch() {}
}

/// Rows that a store can be asked for.
package enum SensorsRowKind: Sendable {
    case all
    /// Rows that ``EventRecord/isInstant`` tells apart (the column `is_instant_event` of Sensors 4.9.1),
    /// or the others.
    case instant, normal

    /// Whether a row is of the kind.
    package func contains(_ row: EventRecord) -> Bool { self == .all || (self == .instant) == row.isInstant }
}

/// Events as a store kept them, for a request that carries them: nothing, where the store keeps none.
package struct SensorsContents: Sendable {
    /// The JSON of each event, in the request's order.
    package private(set) var events: ContiguousArray<ContiguousArray<UInt8>> = []

    package init() {}

    package var isEmpty: Bool { events.isEmpty }

    /// Adds an event's bytes.
    package mutating func append(_ content: some Collection<UInt8>) { events.append(.init(content)) }
}

extension EventRecord {
    /// The event travels in requests of its kind (4.9.1). Set at the capture for good.
    private static let instantStatus: UInt8 = 1 << 3

    /// Whether the event travels with its like alone.
    package var isInstant: Bool {
        get { status & EventRecord.instantStatus != 0 }
        set { status = newValue ? status | EventRecord.instantStatus : status & ~EventRecord.instantStatus }
    }
}
