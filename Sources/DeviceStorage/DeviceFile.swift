import CDeviceDisk

/// The tables that the versions of the SDK make.
enum TableLayout: Sendable {
    /// 1.10.17: id, type, content.
    case plain
    /// 4.9.1: with the status of uploads, and a mark for instant events.
    case withStatus
}

/// One device's database file, with a connection while one is needed.
///
/// Statements are the SDK's own. What is not: `synchronous = OFF`, because a simulated kill leaves the
/// host's page cache alone, so nothing that was committed is lost by it; a page cache of 64 kB, which
/// holds what the SDK touches at a time; temporary files in memory. The journal is SQLite's default, a
/// rollback journal that is deleted after each transaction, as the SDK has it.
///
/// Confined to the thread of its device.
final class DeviceFile {
    let path: String
    let layout: TableLayout
    /// What the simulated disk makes of writes; read by the file system under SQLite.
    private let disk: UnsafeMutablePointer<device_disk>
    private var database: OpaquePointer?
    private var statements: [StaticStatement: OpaquePointer] = [:]
    /// SQLite's code for the last call that failed, simulated or not.
    private(set) var lastCode = SQLITE_OK

    /// Statements that are prepared once per connection.
    enum StaticStatement: String, Hashable {
        case insertEarly = "INSERT INTO dataCache(id, type, content) VALUES(?1, 'Post', ?2)"
        case insertRecent =
            "INSERT INTO dataCache(id, type, content, is_instant_event) VALUES(?1, 'POST', ?2, ?3)"
        case selectIdle = "SELECT id, content FROM dataCache WHERE status = 0 ORDER BY id ASC LIMIT ?1"
        case selectIdleOfKind =
            "SELECT id, content FROM dataCache WHERE status = 0 AND is_instant_event = ?2 ORDER BY id ASC LIMIT ?1"
        case selectAll = "SELECT id, content FROM dataCache ORDER BY id ASC LIMIT ?1"
        /// No version asks for its newest rows: which of them are idle is looked up.
        case selectNewest = "SELECT id, content FROM dataCache ORDER BY id DESC LIMIT ?1"
    }

    init(path: String, layout: TableLayout) {
        self.path = path
        self.layout = layout
        disk = .allocate(capacity: 1)
        disk.initialize(to: device_disk())
    }

    deinit {
        disconnect()
        disk.deallocate()
    }

    var isConnected: Bool { database != nil }
    /// Calls that the host's own file system refused.
    var hostFailures: UInt { disk.pointee.host_failures }
    /// SQLite's words for the last of them.
    var hostFailure: String { String(cString: sqlite3_errstr(disk.pointee.host_code)) }

    var condition: Int32 {
        get { disk.pointee.condition }
        set { disk.pointee.condition = newValue }
    }

    /// From now on connections are opened as SQLite opens files that cannot be written at this moment.
    func noteHowItOpens() {
        disk.pointee.opens_read_only = condition == Int32(DEVICE_DISK_READ_ONLY) ? 1 : 0
    }

    /// Makes sure that there is a connection.
    func connect() -> Bool {
        if database != nil { return true }
        var opened: OpaquePointer?
        lastCode = device_disk_open(path, disk, &opened)
        guard lastCode == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            return false
        }
        database = opened
        let settings = "PRAGMA synchronous = OFF; PRAGMA cache_size = -64; PRAGMA temp_store = MEMORY"
        // Settings of the connection: they touch no file, so they do not fail.
        sqlite3_exec(opened, settings, nil, nil, nil)
        return true
    }

    func disconnect() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements.removeAll()
        sqlite3_close(database)
        database = nil
    }

    /// Creates what is missing: the table (both versions), its later columns (4.9.1).
    func createTable() -> Bool {
        let create =
            "create table if not exists dataCache "
            + "(id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT, content TEXT)"
        guard execute(create) else { return false }
        guard layout == .withStatus else { return true }
        for column in ["status", "is_instant_event"] {
            guard let isThere = hasColumn(column) else { return false }
            let add = "ALTER TABLE dataCache ADD \(column) INTEGER NOT NULL DEFAULT (0);"
            if !isThere && !execute(add) { return false }
        }
        return true
    }

    private func hasColumn(_ column: String) -> Bool? {
        number("SELECT count(*) FROM pragma_table_info('dataCache') WHERE name = '\(column)'").map { $0 > 0 }
    }

    /// Runs SQL that gives no rows.
    func execute(_ sql: String) -> Bool {
        guard let database else { return false }
        lastCode = sqlite3_exec(database, sql, nil, nil, nil)
        return lastCode == SQLITE_OK
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(database)) }

    /// The one number that a query gives; `nil` if it fails.
    func number(_ sql: String) -> Int? {
        guard let database else { return nil }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        lastCode = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        guard lastCode == SQLITE_OK else { return nil }
        lastCode = sqlite3_step(statement)
        guard lastCode == SQLITE_ROW else { return nil }
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// Inserts a row with an id of ours, because the simulation must find the event again.
    ///
    /// - Parameter isInstant: What the later column tells, where there is one.
    func insert(id: Int64, content: UnsafeRawBufferPointer, isInstant: Bool) -> Bool {
        let key = layout == .plain ? StaticStatement.insertEarly : .insertRecent
        guard let statement = prepared(key) else { return false }
        defer {
            // Also ends the transaction and forgets the bytes, which are not ours.
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        let text = content.bindMemory(to: CChar.self)
        sqlite3_bind_int64(statement, 1, id)
        sqlite3_bind_text64(
            statement, 2, text.baseAddress, sqlite3_uint64(text.count), nil, UInt8(SQLITE_UTF8))
        if layout == .withStatus { sqlite3_bind_int(statement, 3, isInstant ? 1 : 0) }
        lastCode = sqlite3_step(statement)
        return lastCode == SQLITE_DONE
    }

    /// Reads the oldest rows, or with `selectNewest` the newest.
    ///
    /// - Parameters:
    ///   - isInstant: What `selectIdleOfKind` asks for.
    ///   - row: Gets each row; the bytes are valid during the call only.
    func select(
        _ query: StaticStatement, limit: Int, isInstant: Bool = false,
        _ row: (Int64, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let statement = prepared(query) else { return false }
        defer { sqlite3_reset(statement) }
        sqlite3_bind_int64(statement, 1, sqlite3_int64(limit))
        if query == .selectIdleOfKind { sqlite3_bind_int(statement, 2, isInstant ? 1 : 0) }
        while true {
            lastCode = sqlite3_step(statement)
            guard lastCode == SQLITE_ROW else { return lastCode == SQLITE_DONE }
            let text = sqlite3_column_text(statement, 1)
            let count = Int(sqlite3_column_bytes(statement, 1))
            row(sqlite3_column_int64(statement, 0), UnsafeRawBufferPointer(start: text, count: count))
        }
    }

    private func prepared(_ key: StaticStatement) -> OpaquePointer? {
        if let known = statements[key] { return known }
        guard let database else { return nil }
        var statement: OpaquePointer?
        lastCode = sqlite3_prepare_v3(
            database, key.rawValue, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard lastCode == SQLITE_OK else {
            sqlite3_finalize(statement)
            return nil
        }
        statements[key] = statement
        return statement
    }

    /// Overwrites the file's header.
    ///
    /// - Returns: `nil`, or what the host's file system said.
    func damage() -> String? {
        let code = device_disk_damage(path)
        return code == 0 ? nil : "errno \(code)"
    }
}
