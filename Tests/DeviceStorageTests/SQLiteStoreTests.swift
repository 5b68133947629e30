import CDeviceDisk
import DeviceSDK
import Foundation
import Testing
import Timebase
import Wire

@testable import DeviceStorage

@Suite("The store in a file")
struct SQLiteStoreTests {
    private let folder = TemporaryFolder()
    private let storeWarnings = StoreWarnings()

    private func store(_ layout: TableLayout, capacity: Int = 4) -> SQLiteStore {
        SQLiteStore(
            file: DeviceFile(path: folder.file(), layout: layout),
            cache: ConnectionCache(capacity: capacity, storeWarnings: storeWarnings))
    }

    private var inspector: Inspector { Inspector(path: folder.file()) }

    @Test("holds the SDK's table: columns, ids, types, JSON")
    func table() {
        let early = store(.plain)
        #expect(early.open())
        #expect(early.add(0))
        #expect(early.add(7))
        #expect(
            inspector.rows("SELECT id, type, content FROM dataCache ORDER BY id") == [
                ["1", "Post", "{\"event\":\"e0\",\"pad\":\"\"}"],
                ["8", "Post", "{\"event\":\"e7\",\"pad\":\"\"}"],
            ])
        #expect(
            inspector.rows("SELECT name FROM pragma_table_info('dataCache')") == [
                ["id"], ["type"], ["content"],
            ])
        early.close()
        // A newer version opens the file of an older one and adds its columns.
        let recent = store(.withStatus)
        #expect(recent.open())
        #expect(
            inspector.rows("SELECT name FROM pragma_table_info('dataCache')")
                == [["id"], ["type"], ["content"], ["status"], ["is_instant_event"]])
        // Every third row of these tests is instant.
        #expect(recent.add(9) && recent.add(10))
        #expect(
            inspector.rows("SELECT type, status, is_instant_event FROM dataCache ORDER BY id")?.suffix(2)
                == [["POST", "0", "1"], ["POST", "0", "0"]])
    }

    @Test("what a process marked is unmarked when the next one opens the file, not before")
    func marks() {
        let store = store(.withStatus)
        #expect(store.open())
        for sequence in 0..<5 as Range<UInt32> { #expect(store.add(sequence)) }
        store.update([.test(0), .test(1)], mark: true) { $0.inFlight += 1 }
        let marked = "SELECT count(*) FROM dataCache WHERE status = 1"
        #expect(inspector.rows(marked) == [["2"]])
        #expect(store.oldest(9).sequences == [2, 3, 4])
        store.close()
        #expect(inspector.rows(marked) == [["2"]])
        #expect(!store.add(5), "no process, no row")
        #expect(store.open())
        #expect(inspector.rows(marked) == [["0"]])
        #expect(store.oldest(9).sequences == [0, 1, 2, 3, 4])
        #expect(store.idleCount == 5)
    }

    @Test("1.10.17 marks in memory: rows behind a request are skipped, and the table has no column for it")
    func marksInMemory() {
        let store = store(.plain)
        #expect(store.open())
        for sequence in 0..<5 as Range<UInt32> { #expect(store.add(sequence)) }
        store.update([.test(0), .test(1)], mark: true) { _ in }
        let found = store.oldest(2)
        #expect(found.sequences == [2, 3])
        #expect(found.texts == ["{\"event\":\"e2\",\"pad\":\"\"}", "{\"event\":\"e3\",\"pad\":\"\"}"])
        #expect(store.idleCount == 3)
        store.close()
        #expect(store.open())
        #expect(store.oldest(9).sequences == [0, 1, 2, 3, 4])
    }

    @Test("a full disk is SQLITE_FULL for every write, and reading goes on")
    func fullDisk() {
        for layout in [TableLayout.plain, .withStatus] {
            let folder = TemporaryFolder()
            let file = DeviceFile(path: folder.file(), layout: layout)
            let store = SQLiteStore(
                file: file, cache: ConnectionCache(capacity: 2, storeWarnings: storeWarnings))
            #expect(store.open())
            #expect(store.add(0))
            #expect(store.add(1))
            store.setDisk(.full)
            #expect(!store.add(2))
            #expect(file.lastCode == SQLITE_FULL)
            #expect(!store.delete([.test(0)]) { _ in })
            #expect(file.lastCode == SQLITE_FULL)
            #expect(!store.deleteOldest(1, idleOnly: false) { _ in })
            #expect(store.oldest(9).sequences == [0, 1])
            #expect(Inspector(path: folder.file()).count() == 2)
            store.setDisk(.sound)
            #expect(store.add(2))
            #expect(store.delete([.test(0)]) { _ in })
            #expect(Inspector(path: folder.file()).count() == 2)
        }
        #expect(storeWarnings.warnings.isEmpty, "a simulated failure is no failure of the host")
    }

    @Test("a read-only disk: an open file loses its journal, a file opened meanwhile stays read-only")
    func readOnlyDisk() {
        let file = DeviceFile(path: folder.file(), layout: .withStatus)
        let store = SQLiteStore(file: file, cache: ConnectionCache(capacity: 2, storeWarnings: storeWarnings))
        #expect(store.open())
        #expect(store.add(0))
        store.setDisk(.readOnly)
        #expect(!store.add(1))
        #expect(file.lastCode & 0xFF == SQLITE_CANTOPEN)
        #expect(store.oldest(9).sequences == [0])
        store.setDisk(.sound)
        #expect(store.add(1))
        store.close()
        store.setDisk(.readOnly)
        #expect(store.open())
        store.setDisk(.sound)
        #expect(!store.add(2))
        #expect(file.lastCode & 0xFF == SQLITE_READONLY)
        store.close()
        #expect(store.open())
        #expect(store.add(2))
    }

    @Test("a damaged file is SQLITE_NOTADB for ever; its rows are lost")
    func damagedFile() {
        let file = DeviceFile(path: folder.file(), layout: .withStatus)
        let store = SQLiteStore(file: file, cache: ConnectionCache(capacity: 2, storeWarnings: storeWarnings))
        var lost: [UInt32] = []
        store.damage { lost.append($0.sequence) }
        #expect(lost.isEmpty, "there is no file yet")
        #expect(store.open())
        #expect(store.add(0))
        #expect(store.add(1))
        store.damage { lost.append($0.sequence) }
        #expect(lost == [0, 1])
        #expect(store.count == 0)
        #expect(!store.add(2))
        #expect(file.lastCode == SQLITE_NOTADB)
        #expect(store.oldest(9).sequences.isEmpty)
        store.close()
        #expect(!store.open())
        #expect(!store.isOpen)
        #expect(inspector.count() == nil)
        #expect(storeWarnings.warnings.isEmpty)
    }

    @Test("VACUUM gives the room of deleted rows back")
    func vacuum() throws {
        let store = store(.plain)
        #expect(store.open())
        for sequence in 0..<200 as Range<UInt32> { #expect(store.add(sequence, length: 700)) }
        #expect(store.deleteOldest(199, idleOnly: false) { _ in })
        func size() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file())
            return try #require(attributes[.size] as? Int)
        }
        let before = try size()
        store.vacuum()
        #expect(try size() < before / 4)
        #expect(store.oldest(9).sequences == [199])
    }

    @Test("a failure of the host's own disk is a failure of the store, and is told")
    func hostFailure() {
        let store = SQLiteStore(
            file: DeviceFile(path: folder.file("missing/device-0.sqlite"), layout: .plain),
            cache: ConnectionCache(capacity: 2, storeWarnings: storeWarnings))
        #expect(!store.open())
        #expect(storeWarnings.warnings.count == 1)
        #expect(storeWarnings.warnings.first?.contains("the generator's own disk") == true)
    }

    @Test("rows that disappear behind the store's back are told")
    func tampering() {
        let store = store(.withStatus)
        #expect(store.open())
        #expect(store.add(0))
        #expect(store.add(1))
        var other: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &other) == SQLITE_OK)
        #expect(sqlite3_exec(other, "DELETE FROM dataCache WHERE id = 1", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(other)
        #expect(store.delete([.test(0), .test(1)]) { _ in })
        #expect(storeWarnings.warnings.first?.contains("1 of 2 rows") == true)
    }
}

@Suite("The cache of open files")
struct ConnectionCacheTests {
    @Test("keeps as many connections as it may, and every store goes on", arguments: [1, 2, 7])
    func capacity(_ capacity: Int) {
        let folder = TemporaryFolder()
        let cache = ConnectionCache(capacity: capacity, storeWarnings: StoreWarnings())
        let files = (0..<10).map { DeviceFile(path: folder.file("device-\($0).sqlite"), layout: .withStatus) }
        let stores = files.map { SQLiteStore(file: $0, cache: cache) }
        var draw = RandomStream(key: 5)
        var sequence: UInt32 = 0
        var expected = [Int](repeating: 0, count: stores.count)
        for index in stores.indices { #expect(stores[index].open()) }
        for _ in 0..<300 {
            let index = Int(draw.below(UInt64(stores.count)))
            #expect(stores[index].add(sequence))
            sequence += 1
            expected[index] += 1
            #expect(files.filter(\.isConnected).count == cache.count)
            #expect(cache.count <= capacity)
        }
        #expect(cache.evictions > 0)
        #expect(stores.map { $0.oldest(1000).sequences.count } == expected)
        for index in stores.indices { stores[index].close() }
        #expect(cache.count == 0)
        #expect(files.allSatisfy { !$0.isConnected })
    }
}
