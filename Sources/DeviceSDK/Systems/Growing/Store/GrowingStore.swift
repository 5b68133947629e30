import Accounting
import DeviceSDK

/// One of the SDK's two stores: its table, and the operations on it that wait in memory
/// (`GrowingEventDatabase.m`, `updateKeys` and `updateValues`).
struct GrowingStore<Table: GrowingEventTable>: Sendable {
    var table: Table
    /// Insertions that are not written yet, oldest first.
    var inserts: ContiguousArray<EventRecord> = []
    /// Deletions that are not written yet. Their rows are marked in the table.
    var deletes: ContiguousArray<Deletion> = []

    /// A deletion that waits, and what it means for the event.
    struct Deletion: Sendable {
        var record: EventRecord
        /// `nil` if the event was delivered.
        var disposition: Disposition?
    }

    init(table: Table) { self.table = table }

    /// Operations that wait.
    var operations: Int { inserts.count + deletes.count }
    /// Events that have not left: in the table or on the way to it.
    var count: Int { table.idleCount + inserts.count }
    /// The oldest event.
    var first: EventRecord? { table.first ?? inserts.first }
}

/// Which store.
package enum GrowingStoreKind: Sendable {
    /// Written through the buffer: everything but custom events.
    case timing
    /// Written at once.
    case realtime
}
