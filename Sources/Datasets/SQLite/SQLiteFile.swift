package import Files
import GRDBSQLite
import Glibc

/// A database file with a table for each schema, written once from beginning to end.
///
/// There is no journal and nothing is synced before the end: a file that is not finished is thrown away. Indices are
/// made at the end, from sorted columns. SQLite's page cache is the memory that it takes, ``cacheBytes``; what does not
/// fit is written early. Confined to one thread at a time.
package final class SQLiteFile {
    static let cacheBytes = 16 << 20
    static let pageSize = 8192

    private let path: String
    private let tables: [TableSchema]
    private var connection: OpaquePointer?

    /// Creates the file under its unfinished name, with its tables.
    package init(_ path: String, tables: [TableSchema]) throws(FileFailure) {
        self.path = path
        self.tables = tables
        unlink(partial)
        // Without a mutex for each call: no other thread knows this connection.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(partial, &connection, flags, nil) == SQLITE_OK else { throw failure("create") }
        try run(
            """
            PRAGMA page_size = \(SQLiteFile.pageSize); PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = \(SQLiteFile.cacheBytes / -1024);
            PRAGMA temp_store = FILE;
            BEGIN;
            """)
        for table in tables { try run(SQLiteFile.creation(of: table)) }
    }

    deinit { sqlite3_close_v2(connection) }

    private var partial: String { path + GrowingFile.partialSuffix }

    /// The bytes of the file so far; what is in the cache only is not among them.
    package var size: Int { Folder.size(of: connection == nil ? path : partial) ?? 0 }

    /// A writer of the rows of one of the tables; several may be used in turn.
    package func writer(of table: TableSchema) throws(FileFailure) -> any DatasetWriter {
        let placeholders = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
        let sql = "INSERT INTO \(SQLiteFile.quoted(table.name)) VALUES (\(placeholders))"
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(connection, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement
        else { throw failure("write") }
        return SQLiteTableWriter(statement, in: self)
    }

    /// Appends the rows of all tables of another such file, in their order.
    ///
    /// - Throws: ``FileFailure``, also for a file whose tables are others.
    package func append(from other: String) throws(FileFailure) {
        let name = SQLiteFile.quoted(other, "'")
        // A database is neither attached nor detached within a transaction.
        try run("COMMIT; ATTACH \(name) AS part; BEGIN;")
        for table in tables {
            let own = SQLiteFile.quoted(table.name)
            try run("INSERT INTO main.\(own) SELECT * FROM part.\(own) ORDER BY rowid")
        }
        try run("COMMIT; DETACH part; BEGIN;")
    }

    /// Makes the indices, writes everything and gives the file its final name. The writers are to be finished before.
    package func finish() throws(FileFailure) {
        for table in tables {
            for columns in table.indices {
                let name = SQLiteFile.quoted("\(table.name)_by_\(columns.joined(separator: "_"))")
                let list = columns.map { SQLiteFile.quoted($0) }.joined(separator: ", ")
                try run("CREATE INDEX \(name) ON \(SQLiteFile.quoted(table.name))(\(list))")
            }
        }
        try run("COMMIT")
        guard sqlite3_close(connection) == SQLITE_OK else { throw failure("write") }
        connection = nil
        try GrowingFile.finish(partial, renamingTo: path)
    }

    private func run(_ sql: String) throws(FileFailure) {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure("write") }
    }

    /// A failure with the reason of the last call.
    func failure(_ action: String) -> FileFailure {
        let code = sqlite3_errcode(connection)
        let system = sqlite3_system_errno(connection)
        let reason =
            if code == SQLITE_FULL {
                String(cString: strerror(ENOSPC))
            } else if system != 0 {
                String(cString: strerror(system))
            } else {
                String(cString: sqlite3_errmsg(connection))
            }
        return FileFailure(action, partial, reason: reason)
    }

    // MARK: - SQL

    private static func creation(of table: TableSchema) -> String {
        let columns = table.columns.map { column in
            let type =
                switch column.type {
                case .int64, .bool, .timestampMillis, .timestampMicros: "INTEGER"
                case .double: "REAL"
                case .string: "TEXT"
                }
            // What is written in the definition stays in the file.
            let doc = column.doc.isEmpty ? "" : "  -- \(ofOneLine(column.doc))"
            return (quoted(column.name) + " " + type + (column.isNullable ? "" : " NOT NULL"), doc)
        }
        let lines = columns.enumerated().map { index, column in
            "    \(column.0)\(index + 1 < columns.count ? "," : "")\(column.1)\n"
        }
        return "CREATE TABLE \(quoted(table.name))(\n\(lines.joined())) STRICT"
    }

    /// What a comment holds: a new line ends it, and a NUL the whole statement.
    private static func ofOneLine(_ text: String) -> String {
        String(
            text.unicodeScalars.filter {
                ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            })
    }

    /// By scalars, as SQLite reads it: a mark that combines with a quote does not hide it.
    private static func quoted(_ name: String, _ quote: String = "\"") -> String {
        quote
            + String(
                name.unicodeScalars.replacing(quote.unicodeScalars, with: (quote + quote).unicodeScalars))
            + quote
    }
}

/// Inserts rows: times and truth values as numbers, doubles as REAL.
private final class SQLiteTableWriter: DatasetWriter {
    private var statement: OpaquePointer?
    private let file: SQLiteFile

    init(_ statement: OpaquePointer, in file: SQLiteFile) {
        self.statement = statement
        self.file = file
    }

    deinit { sqlite3_finalize(statement) }

    var size: Int { file.size }

    func write(_ batch: borrowing TableBatch, rows: Range<Int>) throws(FileFailure) {
        batch.complete()
        let statement = statement
        for row in rows {
            for column in 0..<batch.columnCount {
                let index = Int32(truncatingIfNeeded: column + 1)
                Self.bind(batch.columns + column, row, to: statement, index)
            }
            let status = sqlite3_step(statement)
            sqlite3_reset(statement)
            guard status == SQLITE_DONE else { throw file.failure("write") }
        }
    }

    func finish() throws(FileFailure) {
        // A database is not closed while there are statements.
        sqlite3_finalize(statement)
        statement = nil
    }

    @inline(__always)
    private static func bind(
        _ values: UnsafeMutablePointer<TableBatch.Storage>, _ row: Int, to statement: OpaquePointer?,
        _ index: Int32
    ) {
        if values.pointee.isAbsent[row] {
            sqlite3_bind_null(statement, index)
            return
        }
        let word = values.pointee.words[row]
        switch values.pointee.type {
        case .int64, .bool, .timestampMillis, .timestampMicros: sqlite3_bind_int64(statement, index, word)
        case .double: sqlite3_bind_double(statement, index, Double(bitPattern: UInt64(bitPattern: word)))
        case .string:
            let text = values.pointee.bytes(row)
            // Bound in place: the batch outlives the step. Its memory is never null, so an empty text is not NULL.
            sqlite3_bind_text64(
                statement, index, text.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(text.count), nil, UInt8(SQLITE_UTF8))
        }
    }
}
