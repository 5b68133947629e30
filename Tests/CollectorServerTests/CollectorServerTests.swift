import Accounting
import Foundation
import GRDB
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Timebase

@testable import CollectorModel
@testable import CollectorServer

@Suite("CollectorServer", .serialized, .realClock(), .timeLimit(.minutes(2)))
struct CollectorServerTests {
    @Test("acknowledges what it has committed, in the columns of the contract")
    func columns() async throws {
        let file = TemporaryFile()
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        configuration.clock = CollectorClock { Instant(milliseconds: 1_800_000_000_123) }
        try await withServer(configuration) { (_, port) async throws in
            #expect(try await upload([Requests.event(7, 0), Requests.event(7, 1)], to: port).status == 200)
            // Read beside the running server: the rows are committed before the answer.
            #expect(try self.rows(file.path).count == 2)
            #expect(try await upload([Requests.event(7, 1)], to: port).status == 200)
        }
        let rows = try self.rows(file.path)
        #expect(rows.map { $0["id"] } == ["7-0", "7-1", "7-1"])
        #expect(rows.map { $0["copy"] } == [0, 0, 1])
        #expect(rows.map { $0["batch"] } == [1, 1, 2])
        let row = try #require(rows.first)
        #expect(row["system"] == "sensors")
        #expect(row["device"] == 7)
        #expect(row["type"] == "track")
        #expect(row["name"] == "Buy")
        #expect(row["captured_at"] == 1_700_000_000_000)
        #expect(row["received_at"] == 1_800_000_000_123)
        #expect(row["payload"] == Requests.event(7, 0))
        #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    }

    @Test("serves health, statistics, configuration and 404")
    func routes() async throws {
        try await withServer { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            #expect(try await client.exchange(Requests.get("/healthz")).status == 200)
            #expect(try await client.exchange(Requests.upload([Requests.event(0, 0)])).status == 200)
            #expect(try await client.exchange(Requests.upload([Requests.event(0, 0)])).status == 200)
            let dry = Requests.upload([Requests.event(0, 1)], path: "/debug", headers: "Dry-Run: true\r\n")
            #expect(try await client.exchange(dry).status == 200)
            #expect(try await client.exchange(Requests.get("/nothing")).status == 404)
            let config = try await client.exchange(Requests.get("/config/iOS.conf"))
            #expect(config.status == 200)
            #expect(config.headers["content-type"] == "application/json")
            #expect(try await client.exchange(Requests.get("/config/iOS.conf?v=0")).status == 304)
            let statistics = try await client.exchange(Requests.get("/stats"))
            let expected =
                #"{"requests":3,"received":2,"unique":1,"duplicates":1,"undecodable":0,"dry_run":1,"#
            #expect(statistics.body.hasPrefix(expected))
            let (counted, receipts) = server.snapshot()
            #expect(counted.configFetches == 2)
            #expect(receipts.held.contains(EventID(device: 0, sequence: 0)))
            #expect(receipts.dryRun.contains(EventID(device: 0, sequence: 1)))
        }
    }

    @Test("answers HEAD as GET without the body", arguments: ["/healthz", "/stats", "/nothing"])
    func heads(path: String) async throws {
        try await withServer { (_, port) async throws in
            let whole = try await RawClient.connect(port: port).exchange(Requests.get(path))
            #expect(whole.status == (path == "/nothing" ? 404 : 200))
            let client = try await RawClient.connect(port: port)
            try await client.send("HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try await client.receive(hasBody: false)
            #expect(head.status == whole.status)
            for name in ["content-length", "content-type"] {
                #expect(head.headers[name] == whole.headers[name], "\(name)")
            }
            await #expect(throws: RawClient.Failure.closed) { try await client.receive() }
        }
    }

    @Test("keeps HTTP/1.0 connections only when asked")
    func oldVersion() async throws {
        try await withServer { (_, port) async throws in
            let kept = try await RawClient.connect(port: port)
            let request = Requests.upload(
                [Requests.event(0, 0)], version: "1.0", headers: "Connection: keep-alive\r\n")
            for _ in 0..<2 {
                #expect(try await kept.exchange(request).headers["connection"] == "keep-alive")
            }
            let single = try await RawClient.connect(port: port)
            let answer = try await single.exchange(Requests.upload([Requests.event(0, 0)], version: "1.0"))
            #expect(answer.headers["connection"] == "close")
            await #expect(throws: RawClient.Failure.closed) { try await single.receive() }
        }
    }

    @Test("answers pipelined requests in order")
    func pipelining() async throws {
        try await withServer { (_, port) async throws in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                Requests.upload([Requests.event(0, 0)]) + Requests.get("/nothing")
                    + Requests.upload([Requests.event(0, 1)]) + Requests.get("/healthz"))
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await client.receive().status) }
            #expect(statuses == [200, 404, 200, 200])
        }
    }

    @Test("a client that closes its side gets the answers to what it sent, and then the end")
    func halfClosed() async throws {
        try await withServer { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            let upload = Requests.upload([Requests.event(0, 0)])
            try await client.send(upload + Requests.get("/healthz") + upload)
            try await client.endSending()
            for _ in 0..<3 { #expect(try await client.receive().status == 200) }
            await #expect(throws: RawClient.Failure.closed) { try await client.receive() }
            for start in [[], Array(upload.dropLast(5)), Array(upload.prefix(20))] {
                let other = try await RawClient.connect(port: port)
                try await other.send(start)
                try await other.endSending()
                await #expect(throws: (any Error).self) {
                    while try await other.receive().status == 400 {}
                }
            }
            #expect(try await eventually { server.connectionCount == 0 })
            #expect(server.snapshot().0.received == 2 && server.heldBytes == 0)
        }
    }

    @Test("takes a request in single bytes, and chunked")
    func fragments() async throws {
        try await withServer { (server, port) async throws in
            let slow = try await RawClient.connect(port: port)
            for byte in Requests.upload([Requests.event(0, 0)]) { try await slow.send([byte]) }
            #expect(try await slow.receive().status == 200)
            let chunked = try await RawClient.connect(port: port)
            try await chunked.send("POST /sa HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for part in stride(from: 0, to: 1000, by: 10).map({
                Requests.form([Requests.event(0, 1)]).dropFirst($0).prefix(10)
            })
            where !part.isEmpty {
                try await chunked.send(Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10])
            }
            try await chunked.send("0\r\n\r\n")
            #expect(try await chunked.receive().status == 200)
            #expect(server.snapshot().0.unique == 2)
        }
    }

    @Test("refuses bodies beyond the limit, announced or not")
    func oversized() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.limits.bodyBytes = 1000
        try await withServer(configuration) { (server, port) async throws in
            let announced = try await RawClient.connect(port: port)
            try await announced.send("POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
            #expect(try await announced.receive().status == 413)
            await #expect(throws: RawClient.Failure.closed) { try await announced.receive() }
            let chunked = try await RawClient.connect(port: port)
            try await chunked.send("POST /sa HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await chunked.send("3e9\r\n" + String(repeating: "x", count: 1001))
            #expect(try await chunked.receive().status == 413)
            #expect(server.snapshot().0.requests == 0)
        }
    }

    @Test("a client that writes its whole body before it reads gets the refusal")
    func refusalIsRead() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.limits.bodyBytes = 1000
        try await withServer(configuration) { (server, port) async throws in
            let size = 9 << 20
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: size)
            let head = "POST /sa HTTP/1.1\r\nHost: x\r\n"
            let announced = try await RawClient.connect(port: port)
            try await announced.send("\(head)Content-Length: \(size)\r\n\r\n")
            try await announced.send(body)
            #expect(try await announced.receive().status == 413)
            let chunked = try await RawClient.connect(port: port)
            try await chunked.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
            try await chunked.send("\(String(size, radix: 16))\r\n")
            try await chunked.send(body)
            try await chunked.send("\r\n0\r\n\r\n")
            #expect(try await chunked.receive().status == 413)
            #expect(server.heldBytes == 0)
            let statistics = try await RawClient.connect(port: port).exchange(Requests.get("/stats"))
            #expect(statistics.body.contains(#""refused":2,"#))
            #expect(server.snapshot().0.requests == 0)
        }
    }

    @Test("what follows a refusal is not read for ever")
    func refusalIsBounded() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.limits.bodyBytes = 1000
        configuration.limits.droppedBytes = 100_000
        try await withServer(configuration) { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            try await client.send("POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 900000000\r\n\r\n")
            let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            await #expect(throws: RawClient.Failure.reset) {
                for _ in 0..<800 { try await client.send(part) }
            }
            #expect(try await eventually { server.connectionCount == 0 })
        }
    }

    @Test("closes on junk and on headers beyond the limit")
    func badHeaders() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.limits.headerBytes = 4096
        try await withServer(configuration) { (_, port) async throws in
            let junk = try await RawClient.connect(port: port)
            try await junk.send("\u{1}\u{2}nonsense\r\n\r\n")
            #expect(try await junk.receive().status == 400)
            let long = try await RawClient.connect(port: port)
            let line = "X: \(String(repeating: "y", count: 1000))\r\n"
            try await long.send(
                "GET /healthz HTTP/1.1\r\nHost: x\r\n\(String(repeating: line, count: 6))\r\n")
            #expect(try await long.receive().status == 400)
        }
    }

    @Test("closes connections that are slow with headers or body, or idle")
    func timeouts() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.limits.headerTimeout = .milliseconds(50)
        configuration.limits.bodyTimeout = .milliseconds(50)
        configuration.limits.idleTimeout = .milliseconds(100)
        try await withServer(configuration) { (server, port) async throws in
            for start in ["", "POST /sa HT", "POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"]
            {
                let client = try await patient(sending: start, to: port, within: .milliseconds(50))
                await #expect(throws: RawClient.Failure.closed, "\(start)") { try await client.receive() }
            }
            #expect(try await eventually { server.connectionCount == 0 })
        }
    }

    /// A client that has sent something before the server's patience with it can have ended.
    private func patient(
        sending start: String, to port: Int, within limit: Duration
    ) async throws -> RawClient {
        while true {
            let begun = ContinuousClock.now
            let client = try await RawClient.connect(port: port)
            // What comes later may meet a connection that is closed already, and is answered with a reset.
            let isSent = (try? await client.send(start)) != nil
            if isSent, ContinuousClock.now - begun < limit { return client }
        }
    }

    @Test("half a request that ends stores nothing and harms nobody")
    func halfRequest() async throws {
        try await withServer { (server, port) async throws in
            do {
                let client = try await RawClient.connect(port: port)
                try await client.send(Array(Requests.upload([Requests.event(0, 0)]).dropLast(5)))
            }
            #expect(try await eventually { server.connectionCount == 0 })
            #expect(server.snapshot().0.requests == 0)
            #expect(try await upload([Requests.event(0, 0)], to: port).status == 200)
        }
    }

    @Test("of too many connections, the one that has waited longest for its client gives way")
    func connectionLimit() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.limits.connections = 2
        try await withServer(configuration) { (server, port) async throws in
            let first = try await RawClient.connect(port: port)
            let second = try await RawClient.connect(port: port)
            #expect(try await first.exchange(Requests.get("/healthz")).status == 200)
            #expect(try await second.exchange(Requests.get("/healthz")).status == 200)
            // Headers that do not get on are no business of their own.
            let start = "GET /healthz HTTP/1.1\r\nHost: "
            try await first.send(start)
            #expect(try await eventually { server.heldBytes == start.utf8.count })
            #expect(try await second.exchange(Requests.get("/healthz")).status == 200)
            let third = try await RawClient.connect(port: port)
            #expect(try await third.exchange(Requests.get("/healthz")).status == 200)
            await #expect(throws: RawClient.Failure.self) { try await first.receive() }
            #expect(try await second.exchange(Requests.get("/healthz")).status == 200)
        }
    }

    @Test("of requests that hold too many bytes, those that have been coming in longest give way")
    func heldBytesLimit() async throws {
        var configuration = CollectorServerConfiguration()
        configuration.limits.heldBytes = 16_000
        try await withServer(configuration) { (server, port) async throws in
            let head = "POST /sa?project=p HTTP/1.1\r\nHost: x\r\nContent-Length: 12000\r\n\r\n"
            let other = try await RawClient.connect(port: port)
            let slow = try await RawClient.connect(port: port)
            try await slow.send(head + String(repeating: "a", count: 9000))
            #expect(try await eventually { server.heldBytes == head.utf8.count + 9000 })
            #expect(try await other.exchange(Requests.get("/healthz")).status == 200)
            let fresh = try await RawClient.connect(port: port)
            #expect(
                try await fresh.exchange(Array((head + String(repeating: "b", count: 12_000)).utf8)).status
                    != 503)
            await #expect(throws: RawClient.Failure.self) { try await slow.receive() }
            #expect(try await other.exchange(Requests.get("/healthz")).status == 200)
            // What nobody can give way for is refused, and takes nobody along.
            let huge = "POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n"
            let refused = try await RawClient.connect(port: port)
            #expect(
                try await refused.exchange(Array((huge + String(repeating: "c", count: 20_000)).utf8)).status
                    == 503)
            #expect(try await fresh.exchange(Requests.get("/healthz")).status == 200)
            // The refused one's books are closed with it.
            let last = try await RawClient.connect(port: port)
            #expect(
                try await last.exchange(Array((head + String(repeating: "d", count: 12_000)).utf8)).status
                    != 503)
        }
    }

    @Test("concurrent clients get every event stored once, and numbered copies of the same event")
    func concurrency() async throws {
        let file = TemporaryFile()
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        try await withServer(configuration) { (server, port) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in 0..<2 {
                    group.addTask {
                        let client = try await RawClient.connect(port: port)
                        for round in 0..<40 {
                            let events = [Requests.event(device, round), Requests.event(9, round)]
                            #expect(try await client.exchange(Requests.upload(events)).status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let statistics = server.snapshot().0
            #expect(statistics.requests == 80)
            #expect(statistics.received == 160)
            #expect(statistics.unique == 120)
        }
        let pairs = try self.rows(file.path).map { "\($0["id"] as String)#\($0["copy"] as Int)" }
        #expect(Set(pairs).count == 160)
    }

    @Test("a stop answers the request in hand, then ends the connections")
    func gracefulStop() async throws {
        // On a late machine the answer may be out before the stop: then it was in nobody's hand.
        while try await !stopsInTime() {}
    }

    /// Stops a server that has a request in hand.
    ///
    /// - Returns: whether the stop certainly came before the answer.
    private func stopsInTime() async throws -> Bool {
        var plan = CollectorPlan()
        plan.faults = [
            FaultWindow(
                from: Instant(nanoseconds: 0), until: .distantFuture, fault: .latency(.constant(300)))
        ]
        var configuration = CollectorServerConfiguration()
        configuration.plan = plan
        let server = try await CollectorServer.start(
            configuration: configuration, on: MultiThreadedEventLoopGroup.singleton)
        let port = server.address.port ?? 0
        let client = try await RawClient.connect(port: port)
        let idle = try await RawClient.connect(port: port)
        let begun = ContinuousClock.now
        try await client.send(Requests.upload([Requests.event(0, 0)]))
        #expect(try await eventually { server.snapshot().0.received == 1 })
        async let stopped: Void = server.stop()
        // Nobody is refused before the stop has begun.
        while (try? await RawClient.connect(port: port)) != nil {}
        let isInTime = ContinuousClock.now - begun < .milliseconds(300)
        let answer = try await client.receive()
        #expect(answer.status == 200)
        #expect(!isInTime || answer.headers["connection"] == "close")
        await #expect(throws: RawClient.Failure.closed) { try await idle.receive() }
        await stopped
        await #expect(throws: RawClient.Failure.refused) { try await RawClient.connect(port: port) }
        #expect(server.snapshot().0.received == 1)
        return isInTime
    }

    @Test("says why it cannot listen")
    func addressInUse() async throws {
        try await withServer { (_, port) async throws in
            var configuration = CollectorServerConfiguration()
            configuration.port = port
            await #expect {
                _ = try await CollectorServer.start(
                    configuration: configuration, on: MultiThreadedEventLoopGroup.singleton)
            } throws: { error in
                guard case CollectorServerError.cannotListen(_, port, _) = error else { return false }
                return true
            }
        }
    }

    @Test("cuts targets at the question mark, with and without scheme and host")
    func targets() {
        let target = RequestTarget("/sa?a=b?c")
        #expect(target.path == "/sa")
        #expect(target.query == "a=b?c")
        #expect(RequestTarget("http://h:1/x/sa?q").path == "/x/sa")
        #expect(RequestTarget("http://h:1").path == "")
        #expect(RequestTarget("/p?u=http://x/y").path == "/p")
    }

    private func rows(_ path: String) throws -> [Row] {
        try DatabaseQueue(path: path).read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM events ORDER BY rowid")
        }
    }
}
