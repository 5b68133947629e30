import Accounting
import Foundation
import GRDB
import Testing

@testable import CollectorModel
@testable import CollectorServer

@Suite("ForeignReceipts")
struct ForeignReceiptsTests {
    private func read(_ text: String, suffix: String = "") throws -> Receipts {
        let file = TemporaryFile()
        let path = file.path + suffix
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try ForeignReceipts.read(path: path)
    }

    /// What is said about a text that cannot be read.
    private func problem(_ text: String, suffix: String = "") -> String {
        do {
            _ = try read(text, suffix: suffix)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    private func id(_ device: UInt32, _ sequence: UInt32) -> EventID {
        EventID(device: device, sequence: sequence)
    }

    @Test("reads lines of ids, strings, rows and events, copies included")
    func lines() throws {
        let receipts = try read(
            """
            1-0
            "1-1"\r
            {"id":"1-2","copy":0}

            {"id":12,"bs_id":"1-2"}
            {"id":13,"payload":"{\\"type\\":\\"track\\",\\"time\\":1,\\"properties\\":{\\"bs_id\\":\\"1-3\\"}}"}
            {"payload":{"type":"item_set","time":1,"lib":{"bs_id":"1-4"}}}
            {"type":"track","time":5,"properties":{"bs_id":"1-5"}}
            00112233445566778899aabbccddeeff
            """)
        for sequence in 0...5 { #expect(receipts.held.contains(id(1, UInt32(sequence))), "1-\(sequence)") }
        #expect(receipts.received == 8)
        #expect(receipts.duplicates == 1)
        #expect(receipts.heldNatural == [NaturalKey(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)])
    }

    @Test("an id of no known form stays a stranger")
    func strangers() throws {
        let receipts = try read("{\"id\":\"order-77\"}\n{\"id\":\"order-77\"}\n")
        #expect(receipts.heldNatural.count == 1)
        #expect(receipts.duplicates == 1)
        #expect(Audit.compare(beliefs: DeviceBeliefs(), receipts: receipts).unexpected == 1)
    }

    @Test("names the line that it cannot read")
    func badLines() {
        #expect(problem("1-0\n\n{\"a\":1}\n").contains(":3: nothing that names an event: {\"a\":1}"))
        #expect(problem("1-0\n{\"id\":\n").contains(":2: neither an id nor JSON"))
        #expect(problem("[1]\n").contains(":1: no id, no object"))
    }

    @Test("reads CSV with quotes, line breaks in fields and either line end", arguments: ["", ".csv"])
    func csv(suffix: String) throws {
        let receipts = try read(
            "\u{FEFF}name,\"ID\",payload\r\n\"a \"\"b\"\"\",1-0,\r\n\"x\r\ny, z\",\"1-1\",q\n,1-0,\n",
            suffix: suffix)
        #expect(receipts.received == 3)
        #expect(receipts.unique == 2)
        #expect(receipts.held.contains(id(1, 1)))
    }

    @Test("reads payloads in CSV")
    func csvPayload() throws {
        let receipts = try read(
            "n,payload\n1,\"{\"\"type\"\":\"\"track\"\",\"\"time\"\":1,\"\"properties\"\":{\"\"bs_id\"\":\"\"4-5\"\"}}\"\n"
        )
        #expect(receipts.held.contains(id(4, 5)))
    }

    @Test("names what is wrong with a CSV")
    func badCSV() {
        #expect(
            problem("a,b\n1,2\n", suffix: ".csv").contains(
                "no column named bs_id, id or payload; found the header a, b"))
        #expect(problem("id,b\n1-0,2\n1-1\n").contains(":3: 1 fields, the header has 2"))
        #expect(problem("id,b\n1-0,\"2\n\n").contains(":2: a quoted field without its end"))
        #expect(problem("id,b\n1-0,\"2\"x\n").contains(":2: text after a closing quote"))
        #expect(problem("id,b\n1-0,2\"x\n").contains(":2: a quote inside an unquoted field"))
        #expect(problem("id,b\n\"x\ny\",2\n,\n").contains(":4: a row without an id"))
    }

    @Test("reads the collector's own store and any table with a fitting column")
    func databases() throws {
        let own = TemporaryFile()
        try DatabaseQueue(path: own.path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE aaa(bs_id); INSERT INTO aaa VALUES ('9-9');
                    CREATE TABLE events(id TEXT, copy INTEGER, payload TEXT);
                    INSERT INTO events VALUES ('1-0', 0, '{}'), ('1-0', 1, '{}');
                    """)
        }
        let receipts = try ForeignReceipts.read(path: own.path)
        #expect(receipts.received == 2)
        #expect(receipts.held.contains(id(1, 0)))
        let other = TemporaryFile()
        try DatabaseQueue(path: other.path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE log(id INTEGER PRIMARY KEY, payload BLOB);
                    CREATE TABLE rows(id INTEGER PRIMARY KEY, "BS_ID" TEXT);
                    INSERT INTO log(payload) VALUES ('x'); INSERT INTO rows("BS_ID") VALUES ('2-1'), ('2-2');
                    """)
        }
        #expect(try ForeignReceipts.read(path: other.path).held.contains(id(2, 2)))
        let none = TemporaryFile()
        try DatabaseQueue(path: none.path).write { try $0.execute(sql: "CREATE TABLE songs(title)") }
        #expect(
            throws: ForeignReceiptsError.noColumn(path: none.path, found: "the tables songs")
        ) { _ = try ForeignReceipts.read(path: none.path) }
    }

    @Test("says so when there is no file")
    func missing() {
        #expect(throws: ForeignReceiptsError.self) { _ = try ForeignReceipts.read(path: "/nowhere/at/all") }
    }
}
