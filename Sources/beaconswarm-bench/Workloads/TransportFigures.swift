import DeviceSDK
import Foundation
import LiveEngine
import NIOCore
import NIOPosix
import SensorsSDK
import Wire

/// The transport alone: prepared requests to nginx, beside other load tools that send the same bytes.
enum TransportFigures {
    static func measure(_ rounds: Rounds, server: WebServer) async -> [Figure] {
        let body = preparedBody()
        guard let file = server.write(body, as: "batch.form") else {
            return [.skip("transport", "POST", because: "its body cannot be written for the rivals")]
        }
        let rivals: [Contender] = [
            .wrk(server, body: file), .h2load(server, body: file),
            .locust(server, mode: "prepared", input: file),
        ]
        var figures: [Figure] = []
        for connections in [100, 2000] {
            let contest = Contest(
                group: "transport, \(connections) connections", unit: "requests/s",
                note: "\(body.count) bytes, keep-alive", own: .own(server, body: file), rivals: rivals,
                goals: ["wrk": "≥ 0.9, then 1.0", "h2load": "> 1"])
            figures += await contest.measure(rounds, server: server, connections: connections)
        }
        figures += await measureStreams(rounds, server: server, body: file, size: body.count)
        figures.append(allocations(server: server, body: file))
        return figures
    }

    /// The same requests as streams of HTTP/2.
    private static func measureStreams(
        _ rounds: Rounds, server: WebServer, body file: String, size: Int
    ) async -> [Figure] {
        let streams = 10
        let contest = Contest(
            group: "transport, HTTP/2, 100 connections", unit: "requests/s",
            note: "\(size) bytes, \(streams) streams each, no TLS",
            own: .own(server, body: file, streams: streams),
            rivals: [.h2load(server, body: file, streams: streams)], goals: ["h2load": "> 1"])
        return await contest.measure(rounds, server: server, connections: 100)
    }

    /// The body of a request, of as many events as are asked for.
    static func body(events: Int) -> [UInt8] {
        var body = WireBuffer()
        Fixture.Events(.v4, count: events).writeBody(into: &body)
        return body.bytes
    }

    /// The body that all requests carry: the largest batch of at most 3.6 kB.
    private static func preparedBody() -> [UInt8] {
        var best = body(events: 1)
        for events in 2...Fixture.batchSize {
            let larger = body(events: events)
            guard larger.count <= 3600 else { break }
            best = larger
        }
        return best
    }

    /// The client's part, in a process of its own.
    ///
    /// - Parameter streams: Requests at once on each connection of HTTP/2; `nil` for HTTP/1.1.
    /// - Returns: what it prints: rate and number of requests.
    static func client(
        port: Int, connections: Int, seconds: Double, body path: String, streams: Int?
    ) async -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "cannot read \(path)" }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var target = Fixture.plan(.v4, port: port).target
        target.http = streams == nil ? .one : .two
        let outcome = try? await TransportBench.run(
            target: target, connections: connections, seconds: seconds, body: Array(data),
            streams: streams ?? 1, on: loops.next())
        try? await loops.shutdownGracefully()
        guard let outcome, outcome.otherAnswers == 0 else { return "failed: \(String(describing: outcome))" }
        return "rate \(outcome.requestsPerSecond)\nrequests \(outcome.succeeded)\nfailed \(outcome.failed)"
    }

    /// Heap allocations per request in the steady state: heaptrack counts them in a short and in a long
    /// run, and the difference is free of what happens once.
    private static func allocations(server: WebServer, body: String) -> Figure {
        let name = "heap allocations per request"
        guard let heaptrack = Programs.find("heaptrack"), let own = Bundle.main.executablePath else {
            return .skip("transport", name, because: "it takes heaptrack")
        }
        let record = NSTemporaryDirectory() + "beaconswarm-heap-\(server.port)"
        func count(_ seconds: Int) -> (allocations: Double, requests: Double)? {
            let output =
                Programs.run(
                    heaptrack, ["-o", record, own, "client", "\(server.port)", "20", "\(seconds)", body])?
                .output ?? ""
            try? FileManager.default.removeItem(atPath: record + ".zst")
            // Its summary also tells of leaked and of temporary ones: the first line is of all.
            guard let allocations = Contender.number(after: "\tallocations:", in: output),
                let requests = Contender.number(after: "requests", in: output)
            else { return nil }
            return (allocations, requests)
        }
        guard let short = count(4), let long = count(12), long.requests > short.requests else {
            return .skip("transport", name, because: "heaptrack gave no count")
        }
        let figure = Figure(
            group: "transport", name: name, unit: "",
            values: [(long.allocations - short.allocations) / (long.requests - short.requests)],
            goal: "≤ 1", note: "heaptrack, \(Int(long.requests)) requests")
        Output.note(figure.line)
        return figure
    }
}
