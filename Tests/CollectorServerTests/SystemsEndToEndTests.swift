import Accounting
import Foundation
import GRDB
import NIOCore
import TestSupport
import Testing
import Timebase

@testable import CollectorModel
@testable import CollectorServer

@Suite("All systems end to end", .serialized, .realClock(), .timeLimit(.minutes(2)))
struct SystemsEndToEndTests {
    private struct Row: Equatable {
        var id: String
        var copy: Int
        var device: Int?
        var type: String
        var name: String
        var capturedAt: Int64
    }

    private func acceptance(of system: CollectorSystem) -> [UInt8] {
        CollectedSystems(CollectorPlan())[system].acceptance(for: UploadClient()).body
    }

    private func rows(_ path: String, _ system: CollectorSystem) throws -> [Row] {
        try rows(path, name: system.rawValue)
    }

    private func rows(_ path: String, name: String) throws -> [Row] {
        try DatabaseQueue(path: path).read { db in
            try GRDB.Row.fetchAll(
                db, sql: "SELECT * FROM events WHERE system = ? ORDER BY rowid", arguments: [name]
            ).map {
                Row(
                    id: $0["id"], copy: $0["copy"], device: $0["device"], type: $0["type"], name: $0["name"],
                    capturedAt: $0["captured_at"])
            }
        }
    }

    /// A store with two uploads of each system of the documentation: devices 0 to 4, in their order.
    private func fill(_ path: String) async throws {
        var configuration = CollectorServerConfiguration()
        configuration.storePath = path
        configuration.clock = CollectorClock { Instant(milliseconds: 1_700_000_007_000) }
        try await withServer(configuration) { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            for (device, (system, request)) in SystemRequests.documented.enumerated() {
                for _ in 0..<2 {
                    let answer = try await client.exchange(request(device))
                    #expect(answer.status == 200, "\(system)")
                    #expect(answer.body == (system == .kit ? #"{"statusCode":200}"# : ""))
                    #expect(answer.headers["content-type"] == (system == .kit ? "application/json" : nil))
                }
            }
            let statistics = try await client.exchange(Requests.get("/stats")).body
            #expect(
                statistics.hasPrefix(
                    #"{"requests":10,"received":22,"unique":11,"duplicates":11,"undecodable":0,"#))
        }
    }

    @Test("one store holds the events of all systems in the same columns")
    func store() async throws {
        let file = TemporaryFile()
        try await fill(file.path)
        let expected: [CollectorSystem: (type: String, name: String)] = [
            .sensors: ("track", "Buy"), .growing: ("VIEW_CLICK", ""), .trackingSDK: ("event", "PageView"),
            .kit: ("100", "UIButton点击事件"), .codeless: ("ButtonClick", ""),
        ]
        for (device, (system, _)) in SystemRequests.documented.enumerated() {
            let (type, name) = try #require(expected[system])
            let time: Int64 = system == .trackingSDK ? 1_700_000_000_500 : 1_700_000_000_000
            let named = try rows(file.path, system).filter { $0.device != nil }
            #expect(
                named
                    == [0, 1].flatMap { copy in
                        [0, 1].map {
                            Row(
                                id: "\(device)-\($0)", copy: copy, device: device, type: type, name: name,
                                capturedAt: time)
                        }
                    })
        }
        let starts = try rows(file.path, .kit).filter { $0.device == nil }
        #expect(starts.map(\.type) == ["0", "0"])
        #expect(starts.map(\.copy) == [0, 1])
        #expect(starts.allSatisfy { $0.id.count == 32 })
    }

    @Test("the store has what the collector took, whatever the system", arguments: CollectorSystem.allCases)
    func rows(system: CollectorSystem) async throws {
        let file = TemporaryFile()
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        try await withServer(configuration) { (server, port) async throws in
            for _ in 0..<2 {
                let answer = try await RawClient.connect(port: port).exchange(
                    SystemRequests.of(system, device: 7))
                #expect(answer.status == 200)
                #expect(answer.body == String(decoding: acceptance(of: system), as: UTF8.self))
            }
        }
        var (model, sink) = (CollectorModel(), RecordingSink())
        let upload = SystemUpload.of(system, ids: ["7-0", "7-1"])
        var headers = CollectedHeaders()
        for (header, value) in upload.headers { headers[header] = value }
        for _ in 0..<2 {
            upload.body.withUnsafeBytes { body in
                let request = CollectedRequest(
                    method: .post, path: upload.path, query: upload.query, headers: headers, body: body)
                _ = model.receive(request, at: Instant(nanoseconds: 0), fault: .none, sink: &sink)
            }
        }
        #expect(sink.rows.count == 4)
        #expect(
            try rows(file.path, name: sink.rows[0].systemName)
                == sink.rows.map {
                    Row(
                        id: $0.id, copy: $0.copy, device: 7, type: $0.type, name: $0.name,
                        capturedAt: $0.capturedAt)
                })
    }

    @Test("copies go on counting after a restart, and the store is its own receipt")
    func receipts() async throws {
        let file = TemporaryFile()
        try await fill(file.path)
        let store = try EventStore(path: file.path)
        let held = try store.loadReceipts()
        store.close()
        #expect(held.unique == 11)
        #expect(held.duplicates == 11)
        #expect(try ForeignReceipts.read(path: file.path).receipts == held)
        // The payloads alone name the same events, from SQLite and as lines.
        let payloads = try await DatabaseQueue(path: file.path).write { db in
            try db.execute(sql: "CREATE TABLE mine AS SELECT payload FROM events; DROP TABLE events")
            return try String.fetchAll(db, sql: "SELECT payload FROM mine")
        }
        #expect(try ForeignReceipts.read(path: file.path).receipts == held)
        let lines = TemporaryFile()
        try lines.write(payloads.joined(separator: "\n"))
        #expect(try ForeignReceipts.read(path: lines.path).receipts == held)
    }

    @Test("only the systems that are asked for are served; a path of a target's own is one system's")
    func systems() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.systems = [.kit, .trackingSDK]
        configuration.plan.uploadPaths = [UploadPath(path: "/ingest", system: .trackingSDK)]
        try await withServer(configuration) { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            for system in CollectorSystem.allCases {
                let answer = try await client.exchange(SystemRequests.of(system, device: 0))
                #expect(answer.status == (configuration.systems.contains(system) ? 200 : 404), "\(system)")
            }
            #expect(try await client.exchange(SystemRequests.tracking(1, path: "/ingest?a=b")).status == 200)
            #expect(server.snapshot().0.notFound == UInt64(CollectorSystem.allCases.count - 2))
            #expect(server.snapshot().1.held.contains(EventID(device: 1, sequence: 1)))
        }
    }

    @Test("faults meet every system: swallowed, dying, cut", arguments: CollectorSystem.allCases)
    func faults(system: CollectorSystem) async throws {
        let faults: [(UInt32, CollectorFault)] = [
            (0, .status(200)), (1, .status(503, retryAfter: .seconds(3))), (2, .acceptThenDie),
            (3, .resetBeforeReading), (4, .truncate(bytes: 64)),
            (5, .wrongContent(status: 200, page: CollectorFault.portalPage)),
        ]
        var configuration = CollectorServerConfiguration()
        configuration.plan.faults = faults.map { device, fault in
            var window = FaultWindow(from: Instant(nanoseconds: 0), until: .distantFuture, fault: fault)
            window.device = device
            return window
        }
        try await withServer(configuration) { (server, port) async throws in
            func answer(_ device: Int) async throws -> RawClient.Response {
                try await RawClient.connect(port: port).exchange(SystemRequests.of(system, device: device))
            }
            let lie = try await answer(0)
            #expect(lie.status == 200)
            #expect(lie.body == String(decoding: acceptance(of: system), as: UTF8.self))
            let busy = try await answer(1)
            #expect(busy.status == 503)
            #expect(busy.headers["retry-after"] == "3")
            await #expect(throws: RawClient.Failure.reset) { _ = try await answer(2) }
            await #expect(throws: RawClient.Failure.reset) { _ = try await answer(3) }
            await #expect(throws: RawClient.Failure.closed) { _ = try await answer(4) }
            #expect(try await answer(5).body == String(decoding: CollectorFault.portalPage, as: UTF8.self))
            #expect(try await answer(6).status == 200)
            let receipts = server.snapshot().1
            let held = (0..<7).map { receipts.held.contains(EventID(device: $0, sequence: 1)) }
            #expect(held == [false, false, true, false, true, false, true])
            let swallowed = (0..<7).map { receipts.swallowed.contains(EventID(device: $0, sequence: 1)) }
            let portal = CollectorReply(
                status: 200, disposition: .notStored, body: CollectorFault.portalPage,
                contentType: "text/html; charset=utf-8")
            let isBelieved = CollectedSystems(CollectorPlan())[system].takesForSuccess(portal, UploadClient())
            #expect(swallowed == [true, false, false, false, false, isBelieved, false])
        }
    }

    // MARK: The documentation's queries

    /// The queries of the article about the store, by the heading above them.
    private func queries() throws -> [(heading: String, sql: String)] {
        var article = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { article.deleteLastPathComponent() }
        article.append(path: "Sources/Beaconswarm/Documentation.docc/Store.md")
        var heading = ""
        var sql: [String]?
        var found: [(heading: String, sql: String)] = []
        for line in try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
            if line == "```sql" {
                sql = []
            } else if line == "```", let lines = sql {
                found.append((heading, lines.joined(separator: "\n")))
                sql = nil
            } else {
                sql?.append(line)
            }
        }
        return found.filter { !$0.sql.hasPrefix("CREATE ") }
    }

    @Test("each query of the documentation answers what its heading asks")
    func documentation() async throws {
        let file = TemporaryFile()
        try await fill(file.path)
        try await DatabaseQueue(path: file.path).write { db in
            try db.execute(sql: "DELETE FROM events WHERE id = '4-0'")
        }
        let queries = try queries()
        #expect(queries.count == 5)
        let answers = try await DatabaseQueue(path: file.path).read { db in
            var answers: [String: [String]] = [:]
            for query in queries {
                answers[query.heading] = try GRDB.Row.fetchAll(db, sql: query.sql).map { row in
                    row.databaseValues.map { $0.isNull ? "-" : "\($0)".replacing("\"", with: "") }
                        .joined(separator: " ")
                }
            }
            return answers
        }
        #expect(
            answers["What arrived, and how much of it again"] == [
                "codeless ButtonClick 2 1 50.0", "growing VIEW_CLICK 4 2 50.0", "kit 100 4 2 50.0",
                "kit 0 2 1 50.0", "sensors track 4 2 50.0", "trackingsdk event 4 2 50.0",
            ])
        #expect(
            answers["How old events were on arrival"] == [
                "codeless 5 1", "growing 5 2", "kit 5 3", "sensors 5 2", "trackingsdk 5 2",
            ])
        #expect(
            answers["Which requests brought nothing new"] == [
                "codeless 2 1 1.0 1", "growing 2 1 2.0 2", "kit 2 1 3.0 3", "sensors 2 1 2.0 2",
                "trackingsdk 2 1 2.0 2",
            ])
        #expect(
            answers["Which devices have holes"] == [
                "codeless 4 1 2 1", "sensors 0 2 2 0", "growing 1 2 2 0", "trackingsdk 2 2 2 0",
                "kit 3 2 2 0",
            ])
        #expect(
            answers["Who sent them"] == [
                "kit iPhone 6s 1 3", "growing iPhone10,3 1 2", "sensors ? 1 2", "trackingsdk ? 1 2",
                "codeless ? 1 1",
            ])
    }
}
