import Accounting
import CollectorModel
import GRDB
import Wire

/// An event that was acknowledged and is not kept.
struct NotKeptEvent: Sendable {
    var key: EventKey
    var reason: NotKept
    /// When its request arrived, in milliseconds since 1970.
    var receivedAt: Int64
}

/// The store's table of what was acknowledged and is in no row of `events`: without it, an audit of the file would tell
/// what a planned fault swallowed as a broken promise.
///
/// A store has it from the first such event on.
enum NotKeptTable {
    static let name = "not_kept"

    static func insert(_ events: [NotKeptEvent], _ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(name)(
                    id TEXT NOT NULL, reason TEXT NOT NULL, received_at INTEGER NOT NULL)
                """)
        let statement = try db.cachedStatement(sql: "INSERT INTO \(name) VALUES (?, ?, ?)")
        for event in events {
            try statement.execute(arguments: [event.key.text, event.reason.rawValue, event.receivedAt])
        }
    }

    /// Every row, of a store of this program that has the table; rows without a value, and of
    /// reasons that it does not know, are left out.
    static func forEach(
        in db: Database, _ body: (_ id: [UInt8], _ reason: NotKept, _ receivedAt: [UInt8]) -> Void
    ) throws {
        guard try db.tableExists(name),
            try Int.fetchOne(db, sql: "PRAGMA application_id") == EventStore.applicationID
        else { return }
        let rows = try Row.fetchCursor(db, sql: "SELECT id, reason, CAST(received_at AS TEXT) FROM \(name)")
        while let row = try rows.next() {
            let (id, reason, receivedAt): (String?, String?, String?) = (row[0], row[1], row[2])
            guard let id, let receivedAt, let reason = reason.flatMap(NotKept.init(rawValue:)) else {
                continue
            }
            body(Array(id.utf8), reason, Array(receivedAt.utf8))
        }
    }
}
