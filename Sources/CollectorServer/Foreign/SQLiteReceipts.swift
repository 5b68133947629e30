import GRDB
import Files
import Glibc
import Wire

/// Rows from a database, which its collector may hold open meanwhile: in WAL mode what was committed to
/// the log file beside it counts too, and so does what waits in a collector's own log.
enum SQLiteReceipts {
    static func read(_ path: String, into sink: inout ReceiptsSink) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        // Before the table: what has left the log by then is in the table, which is read after.
        // A database that is no store may lie where nobody can look for one.
        let found = Result { try LoggedReceipts(beside: path) }
        do {
            let taken = sink
            sink = try open(path, configuration).read { db in
                var sink = taken
                try read(db, path: path, into: &sink)
                if try Int.fetchOne(db, sql: "PRAGMA application_id") == EventStore.applicationID {
                    try read(found.get(), of: db, into: &sink)
                }
                try NotKeptTable.forEach(in: db) { sink.take(notKept: $0, $1, receivedAt: $2) }
                return sink
            }
        } catch let error as DatabaseError {
            throw ForeignReceiptsError.unreadable(path: path, reason: words(error))
        }
    }

    /// Takes what a store's log has and its table has not.
    private static func read(_ log: LoggedReceipts, of db: Database, into sink: inout ReceiptsSink) throws {
        guard !log.isEmpty else { return }
        let last = "SELECT batch FROM events ORDER BY rowid DESC LIMIT 1"
        let held = try Int64.fetchOne(db, sql: last) ?? 0
        try log.read(after: held, of: StoreIdentity.read(db), into: &sink)
    }

    /// Opens a database; where nothing can be written beside it, as one that nobody changes: one in WAL mode would
    /// need an index beside it.
    private static func open(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            guard access(path, R_OK) == 0, access(Folder.split(path).folder, W_OK) != 0 else { throw error }
            guard (Folder.size(of: path + "-wal") ?? 0) == 0 else {
                throw ForeignReceiptsError.unreadable(
                    path: path,
                    reason: "what \(path)-wal holds is not in it yet, and the folder cannot be written to; "
                        + "read a copy of both")
            }
            return try DatabaseQueue(path: unchanging(path), configuration: configuration)
        }
    }

    /// The name of a database that nobody changes: https://www.sqlite.org/uri.html.
    private static func unchanging(_ path: String) -> String {
        var name = WireBuffer()
        name.append("file:")
        PercentEncoding.unreserved.encode(WireBuffer(path), into: &name)
        name.append("?immutable=1")
        return String(decoding: name.bytes, as: UTF8.self)
    }

    private static func words(_ error: DatabaseError) -> String {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another program holds it locked; end that one, or read a copy"
        case .SQLITE_NOTADB: "it begins as an SQLite database does, but is none"
        default: error.message ?? "SQLite gives no reason"
        }
    }

    /// A table or view that may have the rows.
    private struct Table {
        let name: String
        /// The table's own names of all that `SELECT *` has of it.
        let names: [String]
        /// Indices in ``ForeignReceipts/columns`` with the table's own names, the surest first.
        let columns: [(column: Int, name: String)]
        /// Likewise in ``ForeignReceipts/timeColumns``.
        let times: [(column: Int, name: String)]

        /// - Throws: `DatabaseError`, such as for a view of a table that is gone.
        init(_ name: String, _ db: Database) throws {
            self.name = name
            // Not GRDB's list, which does not quote quotes.
            names = try String.fetchAll(
                db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden != 1", arguments: [name])
            columns = Table.indices(of: ForeignReceipts.columns, in: names)
            times = Table.indices(of: ForeignReceipts.timeColumns, in: names)
        }

        private static func indices(of wanted: [String], in names: [String]) -> [(column: Int, name: String)]
        {
            wanted.enumerated().compactMap { index, column in
                names.first { $0.lowercased() == column }.map { (index, $0) }
            }
        }
    }

    private static func read(_ db: Database, path: String, into sink: inout ReceiptsSink) throws {
        let table = try table(of: db, path: path, sink: sink)
        let rows = try Row.fetchCursor(db, sql: selection(table.columns + table.times, of: table.name))
        var line = 0
        while let row = try rows.next() {
            line += 1
            var values = ReceiptRow()
            for (index, column) in table.columns.enumerated() {
                values.values[column.column] = bytes(row, index)
            }
            for (index, column) in table.times.enumerated() {
                values.times[column.column] = bytes(row, table.columns.count + index)
            }
            guard sink.take(values) else {
                throw ForeignReceiptsError.badLine(
                    path: path, line: line,
                    found: sink.timeProblem ?? values.payloadProblem ?? "a row of \(table.name) without an id"
                )
            }
        }
    }

    /// The table to read: `events`, if it has a column that names events; among others the one with the surest column, of
    /// those whose rows name events: an autoincremented `id` does not. One whose columns SQLite cannot tell, as it lacks
    /// what the table is made of, is left out.
    private static func table(of db: Database, path: String, sink: ReceiptsSink) throws -> Table {
        let names = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
        if names.contains("events") {
            let events = try Table("events", db)
            if !events.columns.isEmpty { return events }
        }
        var tables: [Table] = []
        var problem: DatabaseError?
        for name in names {
            do {
                tables.append(try Table(name, db))
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                problem = problem ?? error
            }
        }
        let fitting = tables.filter { !$0.columns.isEmpty }
        if let best = try fitting.filter({ try namesEvents(db, $0, sink: sink) }).min(by: isSurer) {
            return best
        }
        if let problem { throw problem }
        guard fitting.isEmpty else {
            throw ForeignReceiptsError.noEvent(path: path, found: TableWords.list(fitting.map(\.name)))
        }
        let described = tables.map { "\($0.name) (\($0.names.joined(separator: ", ")))" }
        throw ForeignReceiptsError.noColumn(
            path: path, found: TableWords.list(described) + "; a view that renames one will do")
    }

    /// Whether a table's surest column says more than the other's. Both have one.
    private static func isSurer(_ left: Table, _ right: Table) -> Bool {
        (left.columns.first?.column ?? .max) < (right.columns.first?.column ?? .max)
    }

    private static func bytes(_ row: Row, _ index: Int) -> [UInt8]? {
        let text: String? = row[index]
        return text.map { Array($0.utf8) }
    }

    private static func selection(_ columns: [(column: Int, name: String)], of table: String) -> String {
        let list = columns.map { "CAST(\(quoted($0.name)) AS TEXT)" }
        return "SELECT \(list.joined(separator: ", ")) FROM \(quoted(table))"
    }

    /// A name as SQL takes it. GRDB's `quotedDatabaseIdentifier` leaves quotes in it as they are. By scalars, as SQLite
    /// reads it: a mark that combines with a quote does not hide it.
    private static func quoted(_ name: String) -> String {
        "\"" + String(name.unicodeScalars.replacing("\"".unicodeScalars, with: "\"\"".unicodeScalars)) + "\""
    }

    /// Whether one of a table's first rows names an event.
    private static func namesEvents(_ db: Database, _ table: Table, sink: ReceiptsSink) throws -> Bool {
        let rows = try Row.fetchAll(
            db, sql: selection(table.columns, of: table.name) + " LIMIT \(ForeignReceipts.rowsLookedAt)")
        return rows.contains { row in
            table.columns.enumerated().contains { index, column in
                guard let text = bytes(row, index) else { return false }
                return column.column == ForeignReceipts.columns.count - 1
                    ? sink.names(text) : ForeignReceipts.isKnownForm(text)
            }
        }
    }
}
