import GRDB

extension EventStore {
    /// Refuses files that are not this program's.
    static func check(_ db: Database, path: String) throws {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard !tables.isEmpty || application != 0 else { return }
        let isOwn = application == applicationID
        guard !isOwn || version <= schemaVersion else {
            throw CollectorServerError.newerStore(path: path, version: version)
        }
        let difference = try tables.contains("events") ? columnDifference(db, mayHaveMore: isOwn) : nil
        guard !isOwn || difference != nil else { return }
        let reason =
            difference
            ?? "a database with \(TableWords.list(tables.sorted())), without this program's application_id"
        throw CollectorServerError.foreignStore(path: path, reason: reason)
    }

    /// The columns that rows are put into.
    private static let columns = [
        "id", "copy", "system", "device", "type", "name", "captured_at", "received_at", "batch", "payload",
    ]

    /// In what a table of events is not a store's; `nil` if its columns are those.
    ///
    /// - Parameter mayHaveMore: Whether somebody may have added some.
    private static func columnDifference(_ db: Database, mayHaveMore: Bool) throws -> String? {
        let found = try db.columns(in: "events").map(\.name)
        let missing = columns.filter { !found.contains($0) }
        let unknown = mayHaveMore ? [] : found.filter { !columns.contains($0) }
        guard !missing.isEmpty || !unknown.isEmpty else { return nil }
        let parts = [("lacks", missing), ("has the unknown", unknown)].filter { !$0.1.isEmpty }
        let words = parts.map { verb, names in
            "\(verb) \(names.count == 1 ? "column" : "columns") \(names.joined(separator: ", "))"
        }
        return "its table events \(words.joined(separator: " and "))"
    }
}
