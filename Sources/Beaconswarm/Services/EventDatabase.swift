/// An app's own database instead of GrowingIO's (`GrowingEventDatabaseService`): one file of one device, with events in
/// the order of their insertion.
///
/// Each device has two, one for each ``DatabaseFile/Store``, made by ``SDKServices/database`` when the run begins and used
/// by one thread at a time. The database decides what it keeps. An event that it cannot take, removes to make room, or no
/// longer has when the next process opens the file gets the corresponding fate.
///
/// The body of an event is made when it is sent, from what the simulation knows about it. A database therefore keeps
/// ``StoredEvent``s, and is never asked for more than their ids. Disks that fail on a scenario's timeline fail before the
/// database is asked.
public protocol EventDatabase: Sendable {
    /// The ids of the events in the file, in any order, requested when a process has opened it. An event that is missing
    /// is lost (`storage_error`).
    var ids: [UInt32] { get }

    /// A process opens the file: at the start of the app, and at each start after a kill or crash.
    mutating func open()

    /// The process has ended, for whatever reason.
    mutating func close()

    /// Inserts events in one transaction, after all that are there; ids grow from call to call.
    mutating func insert(_ events: [StoredEvent]) -> InsertOutcome

    /// Deletes events in one transaction, after their delivery or because they are too old; unknown ids are ignored.
    ///
    /// - Returns: `false` if nothing could be deleted: the events stay, and are sent again.
    mutating func delete(_ ids: [UInt32]) -> Bool
}

extension EventDatabase {
    /// Nothing is to be done.
    public mutating func open() {}
    /// Nothing is to be done.
    public mutating func close() {}
}

/// An event as a database keeps it.
public struct StoredEvent: Hashable, Sendable {
    /// Counts the device's events from 0, suppressed ones included; grows with the time of capture.
    public var id: UInt32
    /// Milliseconds since 1970 on the run's clock.
    public var capturedAt: Int64
    /// `eventType`, such as `CUSTOM`.
    public var type: String
    /// `eventName`; empty for types without.
    public var name: String

    /// Describes an event.
    public init(id: UInt32, capturedAt: Int64, type: String, name: String = "") {
        self.id = id
        self.capturedAt = capturedAt
        self.type = type
        self.name = name
    }
}

/// The outcome of a transaction of insertions.
public enum InsertOutcome: Hashable, Sendable {
    /// The events are in the file, and those with the given ids were removed to make room (evicted, `storage_limit`); new
    /// ones may be among those. Unknown ids are ignored.
    case written(evicting: [UInt32] = [])
    /// Nothing was written: the events are lost (`storage_error`) unless the SDK still holds them in memory.
    case failed
}

/// Identifies the file of a database.
public struct DatabaseFile: Hashable, Sendable {
    /// GrowingIO's two stores.
    public enum Store: String, CaseIterable, Sendable {
        /// Everything but custom events, through a buffer of operations in memory.
        case timing
        /// Custom events, each written at once.
        case realtime
    }

    /// The device's number in the run, from 0.
    public var device: UInt32
    /// Which of the device's two stores.
    public var store: Store

    /// Names a file.
    public init(device: UInt32, store: Store) {
        self.device = device
        self.store = store
    }
}
