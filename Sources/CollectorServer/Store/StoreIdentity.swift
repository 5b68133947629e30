import GRDB

/// What tells a store from all others, wherever its file goes: a random number, which each file of its log bears too.
///
/// A store has it in a table of its own from the first collector on that may write a log beside it. Each start gives it a
/// new one, once what the log had is in the table: what a log has that was not there then bears the numbers of requests
/// that the store gives to others from then on.
enum StoreIdentity {
    static let table = "store"

    /// - Returns: `nil` for a store that has none.
    static func read(_ db: Database) throws -> Int64? {
        guard try db.tableExists(table) else { return nil }
        return try Int64.fetchOne(db, sql: "SELECT identity FROM \(table)")
    }

    /// Gives a store another identity, which is on the disk when this returns: a log may reach it before the table does.
    static func renew(_ db: Database) throws -> Int64 {
        let identity = Int64.random(in: 1...Int64.max)
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.inTransaction(.immediate) {
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS \(table)(identity INTEGER NOT NULL);
                    DELETE FROM \(table);
                    INSERT INTO \(table) VALUES (\(identity));
                    """)
            return .commit
        }
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
        return identity
    }
}
