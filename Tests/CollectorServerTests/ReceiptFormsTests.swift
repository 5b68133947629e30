import Accounting
import Foundation
import GRDB
import Testing
import Wire

@testable import CollectorModel
@testable import CollectorServer

@Suite("Files that are no receipts")
struct ReceiptFormsTests {
    /// What is said about a file.
    private func problem(_ path: String) -> String {
        do {
            _ = try ForeignReceipts.read(path: path)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    private func packed(_ bytes: [UInt8]) throws -> TemporaryFile {
        var (plain, packed) = (WireBuffer(), WireBuffer())
        plain.append(contentsOf: bytes)
        GzipEncoder().compress(plain, into: &packed)
        let file = TemporaryFile()
        try Data(packed.bytes).write(to: URL(fileURLWithPath: file.path))
        return file
    }

    @Test("are those in which nothing is written, however that looks: a failed export is no empty store")
    func nothing() throws {
        for text in ["", "\n \r\n\t\n", "\u{FEFF}", "\u{FEFF}\n"] {
            let file = TemporaryFile()
            try file.write(text)
            #expect(problem(file.path).contains("the file is empty; where a store really holds nothing"))
            let path = try packed(Array(text.utf8))
            #expect(problem(path.path).contains("the file is empty"), "packed: \(text.debugDescription)")
        }
    }

    @Test("are packed databases, which are told as what they are")
    func packedDatabase() throws {
        let file = TemporaryFile()
        try DatabaseQueue(path: file.path).write { try $0.execute(sql: "CREATE TABLE a(bs_id TEXT)") }
        let path = try packed(Array(Data(contentsOf: URL(fileURLWithPath: file.path))))
        #expect(problem(path.path) == "\(path.path): a packed SQLite database; give it unpacked")
    }

    @Test("are pipes, which are not even opened")
    func pipe() throws {
        let file = TemporaryFile()
        try #require(mkfifo(file.path, 0o600) == 0)
        #expect(
            problem(file.path).hasSuffix(
                "it is a pipe or a device, and may be read twice; write it into a file"))
    }
}

@Suite("Stores with rows that no collector wrote")
struct ForeignRowsTests {
    private func store(_ rows: String) throws -> TemporaryFile {
        let file = TemporaryFile()
        try DatabaseQueue(path: file.path).write { db in
            try db.execute(sql: "PRAGMA application_id = \(EventStore.applicationID);\n\(rows)")
        }
        return file
    }

    @Test("what was not kept and has no id, reason or time is left out")
    func notKept() throws {
        let file = try store(
            """
            CREATE TABLE events(id TEXT); INSERT INTO events VALUES ('0-1');
            CREATE TABLE \(NotKeptTable.name)(id, reason, received_at);
            INSERT INTO \(NotKeptTable.name) VALUES (NULL, 'swallowed', 5), ('0-2', NULL, 5), ('0-3', 'swallowed', NULL);
            """)
        #expect(try ForeignReceipts.read(path: file.path).receipts.unique == 1)
    }

    /// A store with one row, whose columns no longer demand anything.
    private func held(_ change: String) throws -> TemporaryFile {
        let file = TemporaryFile()
        try EventStore(path: file.path).close()
        try DatabaseQueue(path: file.path).write { db in
            try db.execute(sql: "CREATE TABLE copy AS SELECT * FROM events; DROP TABLE events")
            try db.execute(sql: "ALTER TABLE copy RENAME TO events")
            try db.execute(sql: "INSERT INTO events(id, batch) VALUES ('0-1', 1)")
            try db.execute(sql: change)
        }
        return file
    }

    @Test(
        "a row without an id, or with a request number beyond all, is damage that is told, and none to count on from"
    )
    func damage() throws {
        let nameless = try held("UPDATE events SET id = NULL")
        let store = try EventStore(path: nameless.path)
        #expect { _ = try store.loadReceipts() } throws: { "\($0)".contains("a row has no id") }
        store.close()
        let last = try held("UPDATE events SET batch = \(Int64.max)")
        let other = try EventStore(path: last.path)
        #expect { _ = try other.lastBatch() } throws: { "\($0)".contains("the request number \(Int64.max)") }
        other.close()
        let untouched = try held("")
        let sound = try EventStore(path: untouched.path)
        #expect(try sound.loadReceipts().unique == 1 && sound.lastBatch() == 1)
        sound.close()
    }
}
