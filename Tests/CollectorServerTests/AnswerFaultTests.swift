import TestSupport
import Testing
import Timebase

@testable import CollectorModel
@testable import CollectorServer

/// Answers that leave in another form than the collector gave them.
@Suite("CollectorServer's answers under faults", .serialized, .realClock(), .timeLimit(.minutes(2)))
struct ServerAnswerFaultTests {
    private func configuration(_ fault: CollectorFault) -> CollectorServerConfiguration {
        var configuration = CollectorServerConfiguration()
        let start = Instant(milliseconds: 0)
        configuration.clock = CollectorClock { start }
        configuration.plan.faults = [
            FaultWindow(from: start, until: Instant(milliseconds: 1_000_000), fault: fault)
        ]
        return configuration
    }

    @Test("a slow body comes whole, in many writes, and the connection stays")
    func slowBody() async throws {
        let fault = CollectorFault.slowBody(SlowBodyFault(bytesPerSecond: 5000, bytes: 1001))
        try await withServer(configuration(fault)) { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            for sequence in 0..<2 {
                let answer = try await client.exchange(Requests.upload([Requests.event(0, sequence)]))
                #expect(answer.status == 200)
                #expect(answer.body == String(repeating: " ", count: 1001))
                #expect(answer.headers["connection"] == nil)
            }
            #expect(server.snapshot().0.unique == 2)
        }
    }

    @Test("who leaves in the middle of a slow body does no harm")
    func abandonedSlowBody() async throws {
        let fault = CollectorFault.slowBody(SlowBodyFault(bytesPerSecond: 100, bytes: 100_000))
        try await withServer(configuration(fault)) { (server, port) async throws in
            do {
                let client = try await RawClient.connect(port: port)
                try await client.send(Requests.upload([Requests.event(0, 0)]))
                #expect(try await eventually { server.snapshot().0.unique == 1 })
            }
            #expect(try await eventually { server.connectionCount == 0 })
            #expect(try await RawClient.connect(port: port).exchange(Requests.get("/healthz")).status == 200)
        }
    }

    @Test(
        "a cut answer closes in order, before its body is whole; the events are stored", arguments: [1, 1000])
    func truncate(bytes: Int) async throws {
        try await withServer(configuration(.truncate(bytes: bytes))) { (server, port) async throws in
            await #expect(throws: RawClient.Failure.closed) {
                try await upload([Requests.event(0, 0)], to: port)
            }
            #expect(server.snapshot().0.unique == 1)
        }
    }

    @Test("a portal's page is HTML and swallows the events")
    func wrongContent() async throws {
        let fault = CollectorFault.wrongContent(status: 200, page: Array("<p>Sign in</p>".utf8))
        try await withServer(configuration(fault)) { (server, port) async throws in
            let answer = try await upload([Requests.event(0, 0)], to: port)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            #expect(answer.body == "<p>Sign in</p>")
            #expect(server.snapshot().0.swallowed == 1)
            #expect(server.snapshot().0.received == 0)
        }
    }

    @Test("Retry-After is a header")
    func retryAfter() async throws {
        try await withServer(configuration(.status(429, retryAfter: .milliseconds(1500)))) {
            (_, port) async throws in
            let answer = try await upload([Requests.event(0, 0)], to: port)
            #expect(answer.status == 429)
            #expect(answer.headers["retry-after"] == "2")
        }
    }

    @Test("a full queue turns away at once, while those within wait for their turn")
    func capacity() async throws {
        // The clock stands: two of the three are within for ever, and answered after 50 ms and 100 ms.
        let rules = CapacityFault(rate: 20, queue: 1, status: 503, retryAfter: .seconds(3))
        try await withServer(configuration(.capacity(rules))) { (server, port) async throws in
            var answers: [RawClient.Response] = []
            for sequence in 0..<3 {
                answers.append(try await upload([Requests.event(0, sequence)], to: port))
            }
            #expect(answers.map(\.status) == [200, 200, 503])
            #expect(answers.last?.headers["retry-after"] == "3")
            #expect(server.snapshot().0.unique == 2)
        }
    }
}
