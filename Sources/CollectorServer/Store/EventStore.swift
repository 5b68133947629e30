import Accounting
import CollectorModel
import Files
import Foundation
import GRDB
import GRDBSQLite
import Wire

#if PLANTED
    import Timebase
#endif

/// The collector's table of events in an SQLite file.
///
/// Rows are only appended: the table has neither a key nor an index beside its rowid, because the one
/// writer numbers the copies from its receipts, and a tree over text ids would turn appending into random
/// writes. `(id, copy)` is unique all the same.
///
/// WAL with synchronous NORMAL: a commit is in the operating system's hands before it returns, so it
/// survives `kill -9`; a power failure may take the latest commits, and never leaves the file broken. A
/// temporary store, which is deleted in the end, does not sync at all.
///
/// Confined to one thread at a time.
// SAFETY: `DurableStore`, which makes it, keeps it under a lock.
final class EventStore: @unchecked Sendable {
    /// `PRAGMA user_version` of the files that this version writes.
    static let schemaVersion = 1
    /// `PRAGMA application_id`: "BSWM".
    static let applicationID = 0x4253_574D

    let path: String
    private let isTemporary: Bool
    private let database: DatabaseQueue
    private let refusesCommit: @Sendable () -> Bool
    private var insertion: OpaquePointer?
    private let unpacker = RowUnpacker()
    private var isClosed = false

    /// Opens or creates a store.
    ///
    /// - Parameters:
    ///   - path: The file, or `nil` for a temporary one in `temporaryFolder`.
    ///   - byteLimit: The size at which the store counts as full.
    ///   - refusesCommit: Whether a commit is to fail as if the disk had refused it.
    /// - Throws: ``CollectorServerError``.
    init(
        path: String?, temporaryFolder: String = NSTemporaryDirectory(), byteLimit: Int64? = nil,
        refusesCommit: @escaping @Sendable () -> Bool = { false }
    ) throws {
        self.refusesCommit = refusesCommit
        isTemporary = path == nil
        let path = path ?? Folder.path(of: "beaconswarm-\(UUID().uuidString).sqlite", in: temporaryFolder)
        self.path = path
        var configuration = Configuration()
        configuration.label = "collector.store"
        configuration.busyMode = .timeout(5)
        #if PLANTED
            configuration.allowsUnsafeTransactions = Planted.has(.acknowledgeBeforeCommit)
        #endif
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            let isTemporary = isTemporary
            try database.writeWithoutTransaction { db in
                try EventStore.check(db, path: path)
                try EventStore.prepare(db, isTemporary: isTemporary, byteLimit: byteLimit)
            }
        } catch {
            if isTemporary { StoreFiles.remove(path) }
            throw (error as? DatabaseError).map { EventStore.error($0, path: path) } ?? error
        }
    }

    /// Reads the ids of all rows into receipts, so that copies go on counting.
    func loadReceipts() throws -> Receipts {
        try read { db in
            var receipts = Receipts()
            let rows = try Row.fetchCursor(db, sql: "SELECT id FROM events")
            while let row = try rows.next() {
                let held: String? = row[0]
                guard let text = held else {
                    throw CollectorServerError.storeFailure(
                        path: path, reason: "a row has no id; no collector wrote it, or the file is damaged")
                }
                ForeignReceipts.record(Array(text.utf8), in: &receipts)
            }
            return receipts
        }
    }

    /// The highest request number in the table: that of its last row, as rows are only appended. 0 in an empty one.
    func lastBatch() throws -> Int64 {
        let last = try read { db in
            try Int64.fetchOne(db, sql: "SELECT batch FROM events ORDER BY rowid DESC LIMIT 1") ?? 0
        }
        guard (0...1 << 62).contains(last) else {
            throw CollectorServerError.storeFailure(
                path: path,
                reason:
                    "its last row has the request number \(last); no collector wrote it, or the file is damaged"
            )
        }
        return last
    }

    /// What tells the store from all others; `nil` for one that has never had a log.
    func identity() throws -> Int64? { try read { try StoreIdentity.read($0) } }

    /// Gives the store another identity.
    func renewIdentity() throws -> Int64 {
        do {
            return try database.writeWithoutTransaction { try StoreIdentity.renew($0) }
        } catch let error as DatabaseError {
            throw EventStore.error(error, path: path)
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch let error as DatabaseError {
            throw EventStore.error(error, path: path)
        }
    }

    /// Adds rows in one transaction.
    ///
    /// - Parameters:
    ///   - rows: The bytes of a ``RowBuffer``, or of several.
    ///   - mayRefuse: Whether the disk of a simulated machine is asked.
    /// - Returns: `nil` if everything is committed, else why nothing is.
    func commit(_ rows: [UnsafeRawBufferPointer], mayRefuse: Bool = true) -> String? {
        transaction(mayRefuse: mayRefuse) { store in
            for part in rows {
                var reader = RowReader(part, unpacker: store.unpacker)
                while let row = reader.next() {
                    guard store.insert(row) else { return false }
                }
                guard reader.isAtEnd else { return false }
            }
            return true
        }
    }

    /// Notes what was acknowledged and is not kept, or nothing if there is no room.
    func note(notKept events: [NotKeptEvent]) {
        try? database.write { try NotKeptTable.insert(events, $0) }
    }

    /// Runs `body`, which may call ``insert(_:)``, in one transaction.
    ///
    /// - Returns: `nil` if everything is committed, else why nothing is.
    private func transaction(mayRefuse: Bool, _ body: (EventStore) -> Bool) -> String? {
        database.writeWithoutTransaction { db in
            let connection = db.sqliteConnection
            func run(_ sql: String) -> Bool { sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK }
            func message() -> String { String(cString: sqlite3_errmsg(connection)) }
            if insertion == nil {
                sqlite3_prepare_v3(
                    connection, EventStore.insertSQL, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &insertion, nil)
            }
            #if PLANTED
                if Planted.has(.acknowledgeBeforeCommit), sqlite3_get_autocommit(connection) == 0 {
                    _ = run("COMMIT")
                }
            #endif
            guard insertion != nil, run("BEGIN IMMEDIATE") else {
                return message()
            }
            let isWhole = body(self)
            let isRefused = isWhole && mayRefuse && refusesCommit()
            #if PLANTED
                // The next transaction commits this one, if there is a next.
                if Planted.has(.acknowledgeBeforeCommit), isWhole, !isRefused { return nil }
            #endif
            if isWhole, !isRefused, run("COMMIT") { return nil }
            let reason = isRefused ? SystemWords.text(EIO) : message()
            // Some errors (a full disk) have rolled back already.
            if sqlite3_get_autocommit(connection) == 0 { _ = run("ROLLBACK") }
            return reason
        }
    }

    /// Adds a row within a transaction.
    ///
    /// - Returns: `false` if the row could not be added; the transaction is then to fail.
    private func insert(_ row: StoredRow) -> Bool {
        guard let insertion else { return false }
        // The texts are bound in place: they outlive the step, and the next row binds them anew.
        bind(insertion, 1, row.id)
        sqlite3_bind_int64(insertion, 2, row.copy)
        bind(insertion, 3, row.system)
        if let device = row.device {
            sqlite3_bind_int64(insertion, 4, device)
        } else {
            sqlite3_bind_null(insertion, 4)
        }
        bind(insertion, 5, row.type)
        bind(insertion, 6, row.name)
        sqlite3_bind_int64(insertion, 7, row.capturedAt)
        sqlite3_bind_int64(insertion, 8, row.receivedAt)
        sqlite3_bind_int64(insertion, 9, row.batch)
        bind(insertion, 10, row.payload)
        let status = sqlite3_step(insertion)
        sqlite3_reset(insertion)
        return status == SQLITE_DONE
    }

    /// Writes everything into the one file, closes it, and deletes it if it is temporary.
    ///
    /// Closing again does nothing.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        database.writeWithoutTransaction { db in
            sqlite3_finalize(insertion)
            insertion = nil
            if !isTemporary {
                sqlite3_wal_checkpoint_v2(db.sqliteConnection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            }
        }
        try? database.close()
        if isTemporary { StoreFiles.remove(path) }
    }

    private static let insertSQL = """
        INSERT INTO events(id, copy, system, device, type, name, captured_at, received_at, batch, payload)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private func bind(_ statement: OpaquePointer, _ index: Int32, _ text: UnsafeRawBufferPointer) {
        // A null pointer would bind NULL; the empty text needs an address.
        let base = text.baseAddress ?? UnsafeRawPointer(EventStore.emptyText.utf8Start)
        sqlite3_bind_text(
            statement, index, base.assumingMemoryBound(to: CChar.self), Int32(clamping: text.count), nil)
    }

    private static let emptyText: StaticString = ""
}

extension EventStore {
    private static func prepare(_ db: Database, isTemporary: Bool, byteLimit: Int64?) throws {
        // A page holds some forty events whole: fewer pages, each with a checksum and two writes of its own, cost a third
        // less than pages of 8 KiB. A new file only takes the size before its first table.
        let pageSize: Int64 = 32_768
        try db.execute(sql: "PRAGMA page_size = \(pageSize)")
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        try db.execute(sql: "PRAGMA synchronous = \(isTemporary ? "OFF" : "NORMAL")")
        // Each checkpoint syncs both files; at a hundred thousand events a second, the default of 1000 pages
        // would be a dozen a second. 64 MiB of log instead, which the disk must have anyway.
        _ = try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint = \(64 << 20 / pageSize)")
        if let byteLimit {
            // The schema has a page of its own, and so has the empty table.
            _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(max(2, byteLimit / pageSize))")
        }
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS events(
                    id TEXT NOT NULL, copy INTEGER NOT NULL, system TEXT NOT NULL, device INTEGER,
                    type TEXT NOT NULL, name TEXT NOT NULL, captured_at INTEGER NOT NULL,
                    received_at INTEGER NOT NULL, batch INTEGER NOT NULL, payload TEXT NOT NULL);
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(schemaVersion);
                """)
    }

    private static func error(_ error: DatabaseError, path: String) -> CollectorServerError {
        let reason = error.message ?? "\(error.resultCode)"
        return switch error.resultCode {
        case .SQLITE_NOTADB: .foreignStore(path: path, reason: "it is no SQLite database")
        case .SQLITE_CORRUPT:
            .storeFailure(
                path: path,
                reason:
                    "it is damaged (\(reason)); go on with a whole copy, or name another file: what can still be read "
                    + "of it, \"sqlite3 \(path) .recover\" prints")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            .storeFailure(
                path: path, reason: "another program holds it locked; end that one, or name another file")
        case .SQLITE_FULL: .storeFailure(path: path, reason: SystemWords.text(ENOSPC))
        default: .storeFailure(path: path, reason: SystemWords.storeProblem(path) ?? reason)
        }
    }
}

extension EventKey {
    /// Appends ``text`` without making a string.
    func append(to output: inout WireBuffer) {
        switch self {
        case .harness(let id):
            output.appendDecimal(Int(id.device))
            output.append(UInt8(ascii: "-"))
            output.appendDecimal(Int(id.sequence))
        case .natural(let key):
            Hash128(high: key.high, low: key.low).appendHexadecimal(to: &output)
        }
    }
}
