import DeviceSDK
import Measurement
import NIOCore
import NIOPosix
import Synchronization
import Testing
import Timebase
import World

@testable import LiveEngine

@Suite("Names and addresses")
struct ResolverTests {
    private static func address(_ text: String) throws -> SocketAddress {
        try SocketAddress(ipAddress: text, port: 80)
    }

    private static let host = HostName(name: "collector.example", port: 80)

    /// Asks for the host so often, one after the other.
    private static func ask(
        _ times: Int, lifetime: Interval, _ lookup: @escaping SocketTransport.Lookup
    ) async throws -> [[String]] {
        try await withGroup(threads: 1) { group in
            let loop = group.next()
            let resolver = try await loop.submit {
                NIOLoopBound(
                    NameResolver(on: loop, transport: SocketTransport(lookup: lookup)), eventLoop: loop)
            }.get()
            var answers: [[String]] = []
            for _ in 0..<times {
                let answer = try await loop.flatSubmit { () -> EventLoopFuture<[String]> in
                    let promise = loop.makePromise(of: [String].self)
                    func take(_ addresses: [SocketAddress]?) {
                        promise.succeed((addresses ?? []).compactMap(\.ipAddress))
                    }
                    if let known = resolver.value.known(host, lifetime: lifetime) {
                        take(known)
                    } else {
                        resolver.value.lookUp(host, then: take)
                    }
                    return promise.futureResult
                }.get()
                answers.append(answer)
            }
            return answers
        }
    }

    @Test("asks once while the answer is young, and uses several addresses in turn")
    func turns() async throws {
        let count = Atomic<Int>(0)
        let counter = Counter(count)
        let answers = try await Self.ask(4, lifetime: .minutes(5)) { _ in
            counter.count.add(1, ordering: .relaxed)
            return try ["10.0.0.1", "::1", "10.0.0.2"].map(Self.address)
        }
        #expect(counter.count.load(ordering: .relaxed) == 1)
        #expect(
            answers == [
                ["10.0.0.1", "10.0.0.2", "::1"], ["10.0.0.2", "10.0.0.1", "::1"],
                ["10.0.0.1", "10.0.0.2", "::1"], ["10.0.0.2", "10.0.0.1", "::1"],
            ])
    }

    @Test("asks each time where nothing is to be kept, and after a failure")
    func lifetime() async throws {
        let counter = Counter(Atomic<Int>(0))
        _ = try await Self.ask(3, lifetime: .zero) { _ in
            counter.count.add(1, ordering: .relaxed)
            return [try Self.address("10.0.0.1")]
        }
        #expect(counter.count.load(ordering: .relaxed) == 3)
        let failing = Counter(Atomic<Int>(0))
        let answers = try await Self.ask(3, lifetime: .minutes(5)) { host in
            guard failing.count.add(1, ordering: .relaxed).newValue > 1 else {
                throw LiveEngineError.unresolvedHost(host.name)
            }
            return [try Self.address("10.0.0.1")]
        }
        #expect(answers == [[], ["10.0.0.1"], ["10.0.0.1"]])
        #expect(failing.count.load(ordering: .relaxed) == 2)
    }

    private final class Counter: Sendable {
        let count: Atomic<Int>
        init(_ count: consuming Atomic<Int>) { self.count = count }
    }

    @Test("knows this machine by its name, and no host of a name that cannot be")
    func system() throws {
        let found = try NameResolver.systemLookup(HostName(name: "localhost", port: 81))
        #expect(found.contains { $0.ipAddress == "127.0.0.1" && $0.port == 81 } || !found.isEmpty)
        let dotted = try NameResolver.systemLookup(HostName(name: "LocalHost.", port: 81))
        #expect(dotted.map(\.ipAddress) == found.map(\.ipAddress))
        #expect(throws: LiveEngineError.unresolvedHost("nowhere.invalid")) {
            try NameResolver.systemLookup(HostName(name: "nowhere.invalid", port: 80))
        }
    }

    @Test("fails a request whose host has no address, and looks again for the next")
    func failing() async throws {
        var run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.zero, .upload(number: 1))]
        }
        run.targets = [.init(scheme: "http", host: "collector.example", port: 0, pathAndQuery: "/")]
        let counter = Counter(Atomic<Int>(0))
        run.lookup = { host in
            // Each play looks twice, and on a late machine there are several.
            guard counter.count.add(1, ordering: .relaxed).newValue.isMultiple(of: 2) else {
                throw LiveEngineError.unresolvedHost(host.name)
            }
            // Nobody listens at the first: the second takes its place within the same request.
            return try ["127.255.255.254", "127.0.0.1"].map {
                try SocketAddress(ipAddress: $0, port: host.port)
            }
        }
        let (result, log, requests) = try await run.play { _, _ in [.write(ScriptedServer.ok)] }
        #expect(log.outcomes == [.failed(.dns), .answered(status: 200, body: [])])
        #expect(requests.first?.contains("Host: collector.example:") == true)
        #expect(result.recorder.populations[0].answers.map(\.name).sorted() == ["200", "dns"])
        let metrics = result.recorder.populations[0].metrics(seconds: 1)
        guard case .trend(let lookups)? = metrics.first(where: { $0.name == "http_req_looking_up" })?.value
        else {
            Issue.record("http_req_looking_up is a trend")
            return
        }
        #expect(lookups.summary.count == 2)
    }
}
