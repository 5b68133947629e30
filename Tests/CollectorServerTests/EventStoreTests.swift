import Accounting
import Foundation
import GRDB
import NIOCore
import NIOPosix
import Synchronization
import Testing
import Timebase

@testable import CollectorModel
@testable import CollectorServer

@Suite("EventStore", .serialized, .timeLimit(.minutes(2)))
struct EventStoreTests {
    @Test("copies and request numbers go on after the store is opened again")
    func reopen() async throws {
        let file = TemporaryFile()
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        let natural = #"{"type":"track","event":"E","time":1,"_track_id":5,"distinct_id":"u"}"#
        for round in 0..<3 {
            try await withServer(configuration) { (server, port) async throws in
                #expect(server.snapshot().0.received == UInt64(2 * round))
                #expect(try await upload([Requests.event(1, 1), natural], to: port).status == 200)
                #expect(server.snapshot().0.unique == 2)
            }
        }
        let rows = try DatabaseQueue(path: file.path).read { db in
            try Row.fetchAll(db, sql: "SELECT id, copy, batch, device FROM events ORDER BY rowid")
        }
        #expect(rows.map { $0["copy"] } == [0, 0, 1, 1, 2, 2])
        #expect(rows.map { $0["batch"] } == [1, 1, 2, 2, 3, 3])
        #expect(rows.map { $0["device"] as Int? } == [1, nil, 1, nil, 1, nil])
        #expect(Set(rows.map { $0["id"] as String }).count == 2)
    }

    @Test("refuses files of other programs, newer stores and junk, and leaves them as they are")
    func foreignFiles() throws {
        let junk = TemporaryFile()
        try junk.write(String(repeating: "this is no database. ", count: 100))
        #expect { _ = try EventStore(path: junk.path) } throws: { error in
            if case CollectorServerError.foreignStore(junk.path, _) = error { true } else { false }
        }
        let other = TemporaryFile()
        try DatabaseQueue(path: other.path).write { try $0.execute(sql: "CREATE TABLE songs(title)") }
        #expect { _ = try EventStore(path: other.path) } throws: { error in
            if case CollectorServerError.foreignStore(other.path, let reason) = error {
                reason.contains("songs")
            } else {
                false
            }
        }
        let newer = TemporaryFile()
        try EventStore(path: newer.path).close()
        try DatabaseQueue(path: newer.path).write { try $0.execute(sql: "PRAGMA user_version = 2") }
        #expect(throws: CollectorServerError.newerStore(path: newer.path, version: 2)) {
            _ = try EventStore(path: newer.path)
        }
        #expect(throws: CollectorServerError.self) { _ = try EventStore(path: "/nowhere/at/all.sqlite") }
        let tables = try DatabaseQueue(path: other.path).read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
        }
        #expect(tables == ["songs"])
    }

    @Test("of a table of events that is not a store's, it says which columns differ")
    func otherColumns() throws {
        func reason(_ statements: String) throws -> String? {
            let file = TemporaryFile()
            try DatabaseQueue(path: file.path).write { try $0.execute(sql: statements) }
            do {
                try EventStore(path: file.path).close()
                return nil
            } catch CollectorServerError.foreignStore(file.path, let reason) {
                return reason
            }
        }
        let columns = "copy, system, device, type, name, captured_at, received_at, batch"
        #expect(
            try reason("CREATE TABLE events(id TEXT, foo INT)")
                == "its table events lacks columns \(columns), payload and has the unknown column foo")
        let mark = "PRAGMA application_id = \(EventStore.applicationID)"
        #expect(
            try reason("CREATE TABLE events(id, \(columns), foo); \(mark)")
                == "its table events lacks column payload")
        #expect(
            try reason("CREATE TABLE events(id, \(columns), payload)")
                == "a database with the table events, without this program's application_id")
        #expect(try reason("CREATE TABLE events(id, \(columns), payload, mine); \(mark)") == nil)
    }

    @Test("a damaged store is one all the same, and is said to be damaged")
    func damaged() throws {
        let file = TemporaryFile()
        try EventStore(path: file.path).close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        bytes.replaceSubrange(100..<200, with: Data(repeating: 0xFF, count: 100))
        try bytes.write(to: URL(fileURLWithPath: file.path))
        #expect {
            _ = try EventStore(path: file.path)
        } throws: { error in
            guard case CollectorServerError.storeFailure(file.path, let reason) = error else { return false }
            return reason.contains("it is damaged")
        }
    }

    @Test("a server whose store cannot be opened does not start")
    func serverWithoutStore() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.storePath = "/nowhere/at/all.sqlite"
        await #expect(throws: CollectorServerError.self) {
            _ = try await CollectorServer.start(
                configuration: configuration, on: MultiThreadedEventLoopGroup.singleton)
        }
    }

    @Test("a full store answers 500, forgets the events, says so once, and goes on serving")
    func fullStore() async throws {
        let file = TemporaryFile()
        final class Collected: Sendable {
            let texts = Mutex<[String]>([])
        }
        let collected = Collected()
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        configuration.limits.storeBytes = 200_000
        configuration.onWarning = { text in collected.texts.withLock { $0.append(text) } }
        try await withServer(configuration) { (server, port) async throws in
            var acknowledged = 0
            var refused = 0
            for request in 0..<40 {
                let events = (0..<50).map { Requests.event(0, request * 50 + $0) }
                switch try await upload(events, to: port).status {
                case 200: acknowledged += 1
                case 500: refused += 1
                default: Issue.record("neither 200 nor 500")
                }
                #expect(server.snapshot().0.received == UInt64(acknowledged * 50))
            }
            #expect(acknowledged > 0)
            #expect(refused > 0)
            #expect(collected.texts.withLock(\.count) == 1)
            let statistics = try await RawClient.connect(port: port).exchange(Requests.get("/stats"))
            #expect(statistics.body.contains(#""store_failures":\#(refused)"#))
            let held = try await DatabaseQueue(path: file.path).read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM events")
            }
            #expect(held == acknowledged * 50)
        }
    }

    @Test("each failure of the store is told once, and its end too")
    func failuresEnd() async throws {
        final class Told: Sendable {
            let texts = Mutex<[String]>([])
            let refuses = Mutex(false)
        }
        let (file, told) = (TemporaryFile(), Told())
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        configuration.refusesCommit = { told.refuses.withLock { $0 } }
        configuration.onWarning = { text in told.texts.withLock { $0.append(text) } }
        try await withServer(configuration) { (server, port) async throws in
            for (round, refuses) in [false, true, true, false, false, true, false].enumerated() {
                told.refuses.withLock { $0 = refuses }
                #expect(
                    try await upload([Requests.event(0, round)], to: port).status == (refuses ? 500 : 200))
            }
            #expect(server.storeFailure?.requests == 3)
        }
        let store = "the store \(file.path) takes"
        let reason = SystemWords.text(EIO)
        #expect(
            told.texts.withLock { $0 } == [
                "\(store) no more events (\(reason)); uploads are answered 500",
                "\(store) events again; 2 uploads were answered 500 meanwhile",
                "\(store) no more events (\(reason)); uploads are answered 500",
                "\(store) events again; 1 upload was answered 500 meanwhile",
            ])
    }

    @Test("a temporary store goes with its server")
    func temporary() throws {
        let store = try EventStore(path: nil)
        #expect(FileManager.default.fileExists(atPath: store.path))
        store.close()
        for suffix in ["", "-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: store.path + suffix))
        }
    }

    @Test(
        "a temporary store's path has one slash before its name, however its folder ends",
        arguments: ["", "/"])
    func temporaryPath(end: String) throws {
        let folder = FileManager.default.temporaryDirectory.path
        let store = try EventStore(path: nil, temporaryFolder: folder + end)
        defer { store.close() }
        #expect(store.path.hasPrefix("\(folder)/beaconswarm-"))
    }
}
