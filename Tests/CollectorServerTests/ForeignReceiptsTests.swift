import Accounting
import Foundation
import GRDB
import Testing
import Timebase
import Wire

@testable import CollectorModel
@testable import CollectorServer

@Suite("ForeignReceipts")
struct ForeignReceiptsTests {
    private func read(_ text: String, suffix: String = "") throws -> Receipts {
        let file = TemporaryFile()
        let path = file.path + suffix
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try ForeignReceipts.read(path: path).receipts
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

    @Test("a store's own key of 32 digits gives way to the id in the payload, and to nothing else")
    func ownKeys() throws {
        let key = "00112233445566778899aabbccddeeff"
        let tagged = #"{"type":"track","event":"A","distinct_id":"u","time":1,"properties":{"bs_id":"1-3"}}"#
        let plain = #"{"type":"track","event":"A","distinct_id":"u","time":1,"properties":{}}"#
        let lines = [tagged, plain, "{}"].map { #"{"id":"\#(key)","payload":\#($0)}"# }
        for text in [lines.joined(separator: "\n"), "\(lines[0])\n\(key)\n{\"id\":\"\(key)\"}"] {
            let receipts = try read(text)
            #expect(receipts.held.count == 1 && receipts.held.contains(id(1, 3)))
            #expect(
                receipts.heldNatural == [NaturalKey(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)])
            #expect(receipts.received == 3)
        }
        let file = TemporaryFile()
        try DatabaseQueue(path: file.path).write { db in
            try db.execute(sql: "CREATE TABLE arrivals(id TEXT PRIMARY KEY, payload TEXT)")
            try db.execute(sql: "INSERT INTO arrivals VALUES (?, ?)", arguments: [key, tagged])
        }
        let receipts = try ForeignReceipts.read(path: file.path).receipts
        #expect(receipts.held.contains(id(1, 3)) && receipts.heldNatural.isEmpty)
    }

    @Test("names the line that it cannot read")
    func badLines() {
        #expect(problem("1-0\n\n{\"a\":1}\n").contains(":3: nothing that names an event: {\"a\":1}"))
        #expect(problem("1-0\n{\"id\":\n").contains(":2: an object that is no whole JSON"))
        #expect(problem("1-0\n[{\n").contains(":2: neither an id nor JSON"))
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

    @Test("reads CSV that ends within its last line end", arguments: ["1-1", "\"1-1\""])
    func cutLineEnd(last: String) throws {
        for end in ["", "\r", "\r\n", "\n"] {
            let receipts = try read("n,id\r\na,1-0\r\nb,\(last)\(end)", suffix: ".csv")
            #expect(receipts.received == 2 && receipts.held.contains(id(1, 1)))
        }
    }

    @Test("takes no empty line of a CSV for a row, however many columns it has")
    func emptyLines() throws {
        for end in ["\n", "\r\n"] {
            for lines in [["id", "1-0", "", "1-1", "", ""], ["id,n", "1-0,a", "", "1-1,b", ""]] {
                #expect(try read(lines.joined(separator: end) + end, suffix: ".csv").received == 2)
            }
        }
        #expect(problem("id\n1-0\n\n\"\"\n", suffix: ".csv").contains(":4: a row without an id"))
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
        #expect(problem("id,b\n1-0,2\n1-1\n").contains(":3: 1 field, the header has 2"))
        #expect(problem("id,b\n1-0,\"2\n\n").contains(":2: a quoted field without its end"))
        #expect(problem("id,b\n1-0,\"2\"x\n").contains(":2: text after a closing quote"))
        #expect(problem("id,b\n1-0,2\"x\n").contains(":2: a quote inside an unquoted field"))
        #expect(problem("id,b\n\"x\ny\",2\n,\n").contains(":4: a row without an id"))
    }

    /// A file that SQL makes.
    private func database(_ sql: String) throws -> TemporaryFile {
        let file = TemporaryFile()
        try DatabaseQueue(path: file.path).write { try $0.execute(sql: sql) }
        return file
    }

    @Test("reads the collector's own store and any table with a fitting column")
    func databases() throws {
        let own = try database(
            """
            CREATE TABLE aaa(bs_id); INSERT INTO aaa VALUES ('9-9');
            CREATE TABLE events(id TEXT, copy INTEGER, payload TEXT);
            INSERT INTO events VALUES ('1-0', 0, '{}'), ('1-0', 1, '{}');
            """)
        let receipts = try ForeignReceipts.read(path: own.path).receipts
        #expect(receipts.received == 2)
        #expect(receipts.held.contains(id(1, 0)))
        let other = try database(
            """
            CREATE TABLE log(id INTEGER PRIMARY KEY, payload BLOB);
            CREATE TABLE rows(id INTEGER PRIMARY KEY, "BS_ID" TEXT);
            INSERT INTO log(payload) VALUES ('x'); INSERT INTO rows("BS_ID") VALUES ('2-1'), ('2-2');
            """)
        #expect(try ForeignReceipts.read(path: other.path).receipts.held.contains(id(2, 2)))
        let none = try database("CREATE TABLE songs(title)")
        #expect(
            throws: ForeignReceiptsError.noColumn(
                path: none.path, found: "the table songs (title); a view that renames one will do")
        ) { _ = try ForeignReceipts.read(path: none.path) }
    }

    @Test("any name may have quotes in it")
    func quotedNames() throws {
        let file = TemporaryFile()
        try DatabaseQueue(path: file.path).write { db in
            try db.execute(
                sql: #"""
                    CREATE TABLE "a ""b"" 'c'"(x); CREATE TABLE "5"" screens"(bs_id TEXT, "in "" or cm" TEXT);
                    INSERT INTO "5"" screens" VALUES ('3-7', 'y');
                    """#)
        }
        #expect(try ForeignReceipts.read(path: file.path).receipts.held.contains(id(3, 7)))
    }

    @Test("a view that renames columns is a table; one whose ids are empty is said to have none")
    func views() throws {
        let file = try database(
            """
            CREATE TABLE incoming(n INTEGER PRIMARY KEY, uid TEXT);
            INSERT INTO incoming(uid) VALUES (NULL);
            CREATE VIEW receipts AS SELECT uid AS bs_id FROM incoming;
            """)
        #expect(throws: ForeignReceiptsError.noEvent(path: file.path, found: "the table receipts")) {
            _ = try ForeignReceipts.read(path: file.path)
        }
        try DatabaseQueue(path: file.path).write { try $0.execute(sql: "UPDATE incoming SET uid = '3-7'") }
        #expect(try ForeignReceipts.read(path: file.path).receipts.held.contains(id(3, 7)))
    }

    @Test("a view of what is gone is left out, and told only where nothing else can be read")
    func brokenViews() throws {
        let file = try database(
            """
            CREATE TABLE gone(bs_id TEXT); CREATE VIEW broken AS SELECT bs_id FROM gone; DROP TABLE gone;
            """)
        let all = #expect(throws: ForeignReceiptsError.self) { _ = try ForeignReceipts.read(path: file.path) }
        guard case .unreadable(_, let reason)? = all else {
            Issue.record("a broken view was read")
            return
        }
        #expect(reason.contains("gone"))
        for (device, name) in [(4, "receipts"), (5, "events")] as [(UInt32, String)] {
            try DatabaseQueue(path: file.path).write { db in
                try db.execute(
                    sql: "CREATE TABLE \(name)(bs_id TEXT); INSERT INTO \(name) VALUES ('\(device)-1')")
            }
            #expect(try ForeignReceipts.read(path: file.path).receipts.held.contains(id(device, 1)))
        }
    }

    @Test("JSON that was cut is told by where it ends")
    func cutPayloads() {
        let cut = #"{"eventType":"VISIT","attributes":{"bs_id":"1-"#
        let quoted = cut.replacing("\"", with: #"\""#)
        let end = #"is no whole JSON: its 46 bytes end with tType":"VISIT","attributes":{"bs_id":"1-"#
        #expect(problem("{\"payload\":\"\(quoted)\"}\n").hasSuffix(":1: a payload that \(end)"))
        #expect(problem(cut + "\n").hasSuffix(":1: an object that \(end)"))
        let field = cut.replacing("\"", with: "\"\"")
        #expect(problem("payload\n\"\(field)\"\n", suffix: ".csv").hasSuffix(":2: a payload that \(end)"))
    }

    @Test("says so when there is no file")
    func missing() {
        #expect(throws: ForeignReceiptsError.self) { _ = try ForeignReceipts.read(path: "/nowhere/at/all") }
    }

    // MARK: - Several runs in one store

    private let start = Instant(milliseconds: 1_700_000_000_000)

    private func read(_ text: String, suffix: String = "", hours: ClosedRange<Int64>) throws -> ForeignReading
    {
        let file = TemporaryFile()
        let path = file.path + suffix
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let range = (start + .hours(hours.lowerBound))...(start + .hours(hours.upperBound))
        return try ForeignReceipts.read(
            path: path, window: ReceiptsWindow(received: [range], captured: range))
    }

    @Test("rows of other times are left out and counted, by the surest time that they have")
    func window() throws {
        let text = """
            {"id":"0-0","received_at":1700000000000,"captured_at":1700003600000}
            {"id":"0-0","received_at":1700007200000}
            {"id":"0-1","captured_at":1700007200}
            {"id":"0-2","captured_at":"2023-11-14T22:13:20Z"}
            {"id":"0-3"}

            """
        let first = try read(text, hours: 0...1)
        #expect(first.receipts.held.count == 3)
        #expect(first.receipts.duplicates == 0)
        #expect(first.ofOtherRuns == 2 && first.undated == 1 && first.timeColumn == "received_at")
        let second = try read(text, hours: 2...3)
        #expect(second.receipts.held.contains(id(0, 0)) && second.receipts.held.contains(id(0, 1)))
        #expect(second.ofOtherRuns == 2)
        #expect(throws: ForeignReceiptsError.self, "a row of another run has to name its event too") {
            _ = try read("id,received_at\n,5\n", suffix: ".csv", hours: 0...1)
        }
    }

    @Test("reads CSV with blanks behind its commas, names and times included")
    func csvBlanks() throws {
        let text = "n, Id ,\treceived_at\n1, 1-0 , 1700000000000\n2, 1-1, 1700007200000\n"
        let content = try read(text, hours: 0...1)
        #expect(content.receipts.held.contains(id(1, 0)) && content.receipts.unique == 1)
        #expect(content.ofOtherRuns == 1 && content.timeColumn == "received_at")
    }

    @Test("a store that was loaded later is told by the times of capture")
    func loadedLater() throws {
        let text = "id,received_at,captured_at\n0-0,1700900000,1700000000\n0-1,1700900000,1690000000\n"
        let reading = try read(text, suffix: ".csv", hours: 0...1)
        #expect(reading.receipts.held.count == 1 && reading.receipts.held.contains(id(0, 0)))
        #expect(reading.ofOtherRuns == 1 && reading.timeColumn == "captured_at")
    }

    @Test(
        "rows without a time of their own are told by the event's in the payload, of any system",
        arguments: [
            #"{"type":"track","event":"A","distinct_id":"u","time":TIME,"lib":{},"properties":{"bs_id":"0-0"}}"#,
            #"{"eventType":"CUSTOM","eventName":"A","deviceId":"d","sessionId":"s","timestamp":TIME,"attributes":{"bs_id":"0-0"}}"#,
            #"{"event_name":"A","timestamp":TIME.5e-3,"parameters":{"bs_id":"0-0"}}"#,
            #"{"log":"l","line":3,"typeCode":1,"epochSeconds":SECONDS,"bs_id":"0-0"}"#,
            #"{"eventName":"ButtonClick","eventTime":TIME,"deviceId":"d","bsId":"0-0"}"#,
        ])
    func payloads(event: String) throws {
        func row(_ milliseconds: Int64) -> String {
            event.replacingOccurrences(of: "TIME", with: "\(milliseconds)")
                .replacingOccurrences(of: "SECONDS", with: "\(milliseconds / 1000)")
        }
        let (own, other) = (row(1_700_000_100_000), row(1_700_090_000_000))
        func quoted(_ json: String) -> String {
            "\"" + json.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }
        let table = "bs_id,payload\n0-0,\(quoted(own))\n0-0,\(quoted(other))\n"
        for (text, suffix) in [("\(own)\n\(other)\n", ""), (table, ".csv")] {
            let reading = try read(text, suffix: suffix, hours: 0...1)
            #expect(reading.receipts.held.contains(id(0, 0)) && reading.receipts.duplicates == 0)
            #expect(reading.ofOtherRuns == 1 && reading.undated == 0 && reading.timeColumn == "payload time")
        }
    }

    @Test(
        "reads times as stores write them",
        arguments: [
            ("1700000000", 1_700_000_000_000), ("1700000000.25", 1_700_000_000_250),
            ("1700000000250", 1_700_000_000_250), ("1700000000250.75", 1_700_000_000_250),
            ("1700000000250000", 1_700_000_000_250), ("1700000000250000000", 1_700_000_000_250),
            ("2023-11-14T22:13:20.250Z", 1_700_000_000_250), ("2023-11-14 22:13:20", 1_700_000_000_000),
            ("2023-11-14 22:13:20 UTC", 1_700_000_000_000), ("2023-11-15T06:13:20+08:00", 1_700_000_000_000),
            ("2023-11-15 06:13:20+08", 1_700_000_000_000), ("2023-11-15 06:13:20.25+0800", 1_700_000_000_250),
            ("2023-11-14 18:43:20.250-0330", 1_700_000_000_250),
            ("2023-11-14T22:13:20-00", 1_700_000_000_000),
        ] as [(String, Int64)])
    func times(text: String, milliseconds: Int64) throws {
        let instant = try #require(ReceiptTime.instant(Array(text.utf8)))
        #expect(instant.milliseconds == milliseconds)
    }

    @Test(
        "takes nothing else for a time",
        arguments: [
            "", "yesterday", "1e400", "-", "99999999999999999999", "2023-11-15 06:13:20+8",
            "2023-11-15 06:13:20+080", "2023-11-15 06:13:20+24", "2023-11-15+08",
        ])
    func noTimes(text: String) {
        #expect(ReceiptTime.instant(Array(text.utf8)) == nil)
    }

    @Test(
        "refuses a time that is there and cannot be read, and names its line",
        arguments: [
            ("{\"id\":\"0-0\"}\n{\"id\":\"0-1\",\"received_at\":\"yesterday\"}\n", "", "received_at"),
            (
                "id,received_at,captured_at\n0-0,,1700000000\n0-1,yesterday,1700000000\n", ".csv",
                "received_at"
            ),
            ("id,captured_at\n0-0,\n0-1,yesterday\n", ".csv", "captured_at"),
        ])
    func unreadableTimes(text: String, suffix: String, column: String) throws {
        let line = suffix.isEmpty ? 2 : 3
        #expect {
            _ = try read(text, suffix: suffix, hours: 0...1)
        } throws: {
            "\($0)".contains(":\(line): \(column) is no time: yesterday; allowed are ")
        }
    }

    @Test("a time that is not needed may be anything")
    func needlessTimes() throws {
        let reading = try read(
            "id,received_at,captured_at\n0-0,1700000000,yesterday\n", suffix: ".csv", hours: 0...1)
        #expect(reading.receipts.held.count == 1 && reading.undated == 0)
    }

    @Test("reads packed lines, and refuses damaged and empty files")
    func packed() throws {
        var packed = WireBuffer()
        GzipEncoder().compress(WireBuffer("\u{FEFF}1-0\n1-1\n"), into: &packed)
        let file = TemporaryFile()
        let path = file.path + ".ndjson.gz"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(packed.bytes).write(to: URL(fileURLWithPath: path))
        #expect(try ForeignReceipts.read(path: path).receipts.held.count == 2)
        try Data(packed.bytes.dropLast(5)).write(to: URL(fileURLWithPath: path))
        #expect(throws: ForeignReceiptsError.self) { _ = try ForeignReceipts.read(path: path) }
        #expect(problem("").contains("empty"))
    }
}
