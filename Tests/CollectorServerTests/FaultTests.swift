import Accounting
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing
import Timebase

@testable import CollectorModel
@testable import CollectorServer

/// A run's clock that a test turns by hand.
private final class ManualClock: Sendable {
    private let time = Mutex(Instant(milliseconds: 0))
    var clock: CollectorClock { CollectorClock { self.time.withLock { $0 } } }
    func set(_ milliseconds: Int64) { time.withLock { $0 = Instant(milliseconds: milliseconds) } }
}

@Suite("CollectorServer's faults", .serialized, .realClock(), .timeLimit(.minutes(2)))
struct ServerFaultTests {
    private func configuration(
        _ fault: CollectorFault, from: Int64 = 0, until: Int64 = 1_000_000, clock: CollectorClock
    ) -> CollectorServerConfiguration {
        var configuration = CollectorServerConfiguration()
        configuration.clock = clock
        configuration.plan.faults = [
            FaultWindow(from: Instant(milliseconds: from), until: Instant(milliseconds: until), fault: fault)
        ]
        return configuration
    }

    @Test("accept-then-die keeps the events and resets the connection")
    func acceptThenDie() async throws {
        let clock = ManualClock()
        try await withServer(configuration(.acceptThenDie, until: 10, clock: clock.clock)) {
            (server, port) async throws in
            await #expect(throws: RawClient.Failure.reset) {
                try await upload([Requests.event(0, 0)], to: port)
            }
            #expect(server.snapshot().0.unique == 1)
            clock.set(10)
            let answer = try await upload([Requests.event(0, 0)], to: port)
            #expect(answer.status == 200)
            #expect(server.snapshot().0.duplicates == 1)
        }
    }

    @Test("a reset before reading keeps nothing, and leaves health and statistics alone")
    func resetBeforeReading() async throws {
        let clock = ManualClock()
        try await withServer(configuration(.resetBeforeReading, clock: clock.clock)) {
            (server, port) async throws in
            let healthy = try await RawClient.connect(port: port)
            #expect(try await healthy.exchange(Requests.get("/healthz")).status == 200)
            #expect(try await healthy.exchange(Requests.get("/stats")).status == 200)
            await #expect(throws: RawClient.Failure.reset) {
                try await healthy.exchange(Requests.get("/config/iOS.conf"))
            }
            await #expect(throws: RawClient.Failure.reset) {
                try await upload([Requests.event(0, 0)], to: port)
            }
            #expect(server.snapshot().0.requests == 0)
        }
    }

    @Test("a false 200 keeps nothing and is noted; a 503 is not")
    func status() async throws {
        for (status, swallowed) in [(200, 1), (503, 0)] as [(UInt16, UInt64)] {
            let clock = ManualClock()
            try await withServer(configuration(.status(status), clock: clock.clock)) {
                (server, port) async throws in
                let answer = try await upload([Requests.event(0, 0)], to: port)
                #expect(answer.status == Int(status))
                let (statistics, receipts) = server.snapshot()
                #expect(statistics.received == 0)
                #expect(statistics.swallowed == swallowed)
                #expect(receipts.swallowed.count == Int(swallowed))
            }
        }
    }

    @Test("a stall holds the answer back until its end; the events are stored at once")
    func stall() async throws {
        let clock = ManualClock()
        try await withServer(configuration(.stall(nil), until: 150, clock: clock.clock)) {
            (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            try await client.send(Requests.upload([Requests.event(0, 0)]))
            async let answer = client.receive()
            #expect(try await eventually { server.snapshot().0.received == 1 })
            #expect(try await answer.status == 200)
        }
    }

    @Test("a request that is stored and waits for its fault's end takes no room from others")
    func heldBytes() async throws {
        var configuration = self.configuration(.stall(nil), clock: ManualClock().clock)
        configuration.limits.stopGrace = .milliseconds(0)
        let request = Requests.upload([Requests.event(0, 0)])
        // Room for one at a time.
        configuration.limits.heldBytes = request.count * 3 / 2
        try await withServer(configuration) { (server, port) async throws in
            var clients: [RawClient] = []
            for number in 1...3 as ClosedRange<UInt64> {
                let client = try await RawClient.connect(port: port)
                try await client.send(request)
                #expect(try await eventually { server.snapshot().0.received == number })
                #expect(try await eventually { server.heldBytes == 0 })
                clients.append(client)
            }
            #expect(server.refusedRequests == 0 && server.connectionCount == clients.count)
        }
    }

    @Test("who has closed its side is not waited for as long as a stall lasts")
    func abandonedStall() async throws {
        var configuration = self.configuration(.stall(nil), clock: ManualClock().clock)
        configuration.limits.bodyTimeout = .milliseconds(200)
        try await withServer(configuration) { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            try await client.send(Requests.upload([Requests.event(0, 0)]))
            // On a late machine, the body's own time is over by now.
            try? await client.endSending()
            await #expect(throws: RawClient.Failure.closed) { try await client.receive() }
            #expect(try await eventually { server.connectionCount == 0 })
        }
    }

    @Test("an outage resets open connections, refuses new ones, and ends on the same port")
    func outage() async throws {
        let clock = ManualClock()
        try await withServer(configuration(.outage, from: 100, until: 200, clock: clock.clock)) {
            (server, port) async throws in
            let early = try await RawClient.connect(port: port)
            #expect(try await early.exchange(Requests.upload([Requests.event(0, 0)])).status == 200)
            clock.set(100)
            await #expect(throws: RawClient.Failure.reset) {
                try await early.exchange(Requests.upload([Requests.event(0, 1)]))
            }
            #expect(try await becomes(false, port: port))
            clock.set(200)
            #expect(try await becomes(true, port: port))
            #expect(try await upload([Requests.event(0, 1)], to: port).status == 200)
            #expect(server.snapshot().0.unique == 2)
            #expect(server.address.port == port)
        }
    }

    @Test("an outage at the start has an address all the same, and a stop during one ends it")
    func outageAtStart() async throws {
        let clock = ManualClock()
        try await withServer(configuration(.outage, until: 100, clock: clock.clock)) {
            (_, port) async throws in
            #expect(port > 0)
            let isRefused = try await becomes(false, port: port)
            #expect(isRefused)
        }
    }

    /// Whether connects come to succeed, or to be refused.
    private func becomes(_ reachable: Bool, port: Int) async throws -> Bool {
        for _ in 0..<2000 {
            let connected = (try? await RawClient.connect(port: port)) != nil
            if connected == reachable { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}
