import CDeviceDisk
import DeviceSDK
import SensorsSDK
import Wire

/// A device's store in a real SQLite file, as the SDK keeps it.
///
/// What the SDK would ask its database is asked here: which rows there are, which an upload has marked,
/// and what an event's JSON is. Beside the file, in memory, is what no SDK knows: the simulation's
/// notes about each row (``EventRecord``). They cannot be in the file, because a damaged file must not
/// take the books with it. Rows and notes are compared wherever rows are read or deleted; what
/// does not fit is reported as a warning.
///
/// A row's `id` is its event's sequence plus one, and its JSON ends like that of an upload, without
/// `_flush_time`.
final class SQLiteStore: SensorsStore {
    private var notes = EventLog()
    private let file: DeviceFile
    private let cache: ConnectionCache
    /// Where the cache has the store while it has a connection, and whether it was used lately.
    var cacheIndex: Int?
    var isFresh = false
    private(set) var isOpen = false
    /// Whether some process of the device ever made the table: before, there is nothing to damage.
    private var hasTable = false
    /// Marks of 1.10.17, which its table has no column for.
    private var marksInFile: Bool { file.layout == .withStatus }

    init(file: DeviceFile, cache: ConnectionCache) {
        self.file = file
        self.cache = cache
    }

    static var keepsContent: Bool { true }
    var rows: ContiguousArray<EventRecord> { notes.rows }
    var count: Int { notes.count }
    var idleCount: Int { notes.idleCount }
    var first: EventRecord? { notes.first }

    // MARK: - The process

    func open() -> Bool {
        disconnect()
        file.noteHowItOpens()
        isOpen = true
        isOpen = use { $0.createTable() }
        guard isOpen else {
            disconnect()
            return false
        }
        hasTable = true
        if notes.idleCount < notes.count {
            let reset = "UPDATE dataCache SET status = 0 WHERE status = (1);"
            if !marksInFile || use({ $0.execute(reset) }) { clearMarks() }
        }
        return true
    }

    func close() {
        disconnect()
        isOpen = false
        if !marksInFile && notes.idleCount < notes.count { clearMarks() }
    }

    private func clearMarks() { notes.updateAll { $0.isUploading = false } }

    private func disconnect() {
        file.disconnect()
        cache.remove(self)
    }

    /// The cache has no room any more.
    func loseConnection() {
        file.disconnect()
        cacheIndex = nil
    }

    /// Runs a call of the SDK on the file.
    ///
    /// - Returns: `false` if the process does not have the file open, or the call failed.
    private func use(_ call: (DeviceFile) -> Bool) -> Bool {
        guard isOpen else { return false }
        let failures = file.hostFailures
        cache.bringForward(self)
        let isDone = file.connect() && call(file)
        if file.hostFailures != failures { cache.hostRefused(file) }
        return isDone
    }

    // MARK: - Rows

    func append(_ record: EventRecord, content: WireBuffer) -> Bool {
        let isDone = content.withUnsafeBytes { bytes in
            use {
                $0.insert(id: Int64(record.sequence) + 1, content: bytes, isInstant: record.isInstant)
            }
        }
        return isDone && notes.append(record)
    }

    func copy(
        _ limit: Int, from end: StoreEnd, of kind: SensorsRowKind, idleOnly: Bool,
        into batch: inout ContiguousArray<EventRecord>, contents: inout SensorsContents
    ) {
        guard end == .newest else {
            let query = query(for: kind, idleOnly: idleOnly)
            return read(query, limit, of: kind, idleOnly: idleOnly, into: &batch, &contents)
        }
        var rows = ContiguousArray<EventRecord>()
        var texts = SensorsContents()
        read(.selectNewest, limit, of: kind, idleOnly: idleOnly, into: &rows, &texts)
        batch.append(contentsOf: rows.reversed())
        for text in texts.events.reversed() { contents.append(text) }
    }

    private func read(
        _ query: DeviceFile.StaticStatement, _ limit: Int, of kind: SensorsRowKind, idleOnly: Bool,
        into batch: inout ContiguousArray<EventRecord>, _ contents: inout SensorsContents
    ) {
        // What the query does not ask for is passed over here, so that more rows are read.
        let asksForAll = query == .selectAll || query == .selectNewest
        let passed = asksForAll && (idleOnly || kind != .all) ? notes.count : limit
        let end = batch.count + limit
        // A failure gives no rows, or those before it, as in the SDK.
        _ = use { file in
            file.select(query, limit: max(limit, passed), isInstant: kind == .instant) { id, content in
                guard let sequence = UInt32(exactly: id - 1), let note = notes.record(of: sequence) else {
                    cache.warn("\(file.path) holds a row with id \(id) that no event is known for")
                    return
                }
                guard batch.count < end, !idleOnly || !note.isUploading, kind.contains(note) else { return }
                batch.append(note)
                contents.append(content)
            }
        }
    }

    private func query(for kind: SensorsRowKind, idleOnly: Bool) -> DeviceFile.StaticStatement {
        guard idleOnly && marksInFile else { return .selectAll }
        return kind == .all ? .selectIdle : .selectIdleOfKind
    }

    func update(
        _ rows: ContiguousArray<EventRecord>, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        guard let mark, !marksInFile || setStatus(of: rows, isUploading: mark) else {
            notes.update(rows, change)
            return
        }
        notes.update(rows) {
            $0.isUploading = mark
            change(&$0)
        }
    }

    private func setStatus(of rows: ContiguousArray<EventRecord>, isUploading: Bool) -> Bool {
        let status = isUploading ? 1 : 0
        return use { $0.execute("UPDATE dataCache SET status = \(status) WHERE id IN (\(Self.ids(rows)));") }
    }

    func delete(_ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void) -> Bool {
        var victims = ContiguousArray<EventRecord>()
        for row in rows {
            if let note = notes.record(of: row.sequence) { victims.append(note) }
        }
        return remove(victims, deleted)
    }

    func deleteOldest(_ limit: Int, idleOnly: Bool, _ deleted: (EventRecord) -> Void) -> Bool {
        var victims = ContiguousArray<EventRecord>()
        notes.copyOldest(limit, idleOnly: idleOnly, into: &victims)
        return remove(victims, deleted)
    }

    private func remove(
        _ victims: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        var changes = 0
        let isDone = use { file in
            guard file.execute("DELETE FROM dataCache WHERE id IN (\(Self.ids(victims)));") else {
                return false
            }
            changes = file.changes
            return true
        }
        guard isDone else { return false }
        if changes != victims.count {
            cache.warn("\(file.path) had \(changes) of \(victims.count) rows that were to be deleted")
        }
        return notes.delete(victims, deleted)
    }

    private static func ids(_ rows: ContiguousArray<EventRecord>) -> String {
        rows.map { String(Int64($0.sequence) + 1) }.joined(separator: ",")
    }

    func noteAll(_ change: (inout EventRecord) -> Void) { notes.updateAll(change) }
    func vacuum() { _ = use { $0.execute("VACUUM") } }

    // MARK: - The disk

    func setDisk(_ condition: DiskCondition) {
        file.condition =
            switch condition {
            case .sound: Int32(DEVICE_DISK_SOUND)
            case .full: Int32(DEVICE_DISK_FULL)
            case .readOnly: Int32(DEVICE_DISK_READ_ONLY)
            }
    }

    func damage(_ lost: (EventRecord) -> Void) {
        guard hasTable else { return }
        if let failure = file.damage() {
            cache.warn("\(file.path) could not be damaged: \(failure)")
            return
        }
        notes.forEach(lost)
        notes = EventLog()
    }
}
