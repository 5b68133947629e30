import DeviceSDK
import NIOCore
import NIOPosix
import Testing

@testable import LiveEngine

@Suite("Transport benchmark")
struct TransportBenchTests {
    @Test("counts whole answers, and opens anew what fails")
    func counts() async throws {
        // A machine that keeps the loops waiting may need longer for a hundred requests than a fifth of a second.
        for seconds in [0.2, 2, 20] {
            let (outcome, requests) = try await Self.measured(seconds: seconds)
            guard requests.count >= 100 || seconds == 20 else { continue }
            #expect(outcome.failed == 1)
            #expect(outcome.succeeded > 4)
            #expect(outcome.otherAnswers == 0)
            #expect(requests.allSatisfy { $0.hasSuffix("Content-Length: 4\r\n\r\nbody") })
            break
        }
    }

    /// A measurement of a server that leaves its fourth request unanswered, and what that server got.
    private static func measured(
        seconds: Double
    ) async throws -> (outcome: TransportBench.Outcome, requests: [String]) {
        try await withGroup(threads: 2) { group in
            let server = try await ScriptedServer.start(on: group) { ordinal, _ in
                ordinal == 3 ? [.close] : [.write(ScriptedServer.ok)]
            }
            let target = PopulationPlan.Target(
                scheme: "http", host: "127.0.0.1", port: server.port, pathAndQuery: "/")
            let outcome = try await TransportBench.run(
                target: target, connections: 4, seconds: seconds, body: Array("body".utf8), on: group.next())
            let requests = server.requests
            try await server.stop()
            return (outcome: outcome, requests: requests)
        }
    }
}
