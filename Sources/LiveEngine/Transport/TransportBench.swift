package import DeviceSDK
package import NIOCore
import NIOPosix
import Wire
import World

/// The load path alone: prepared POST requests over the engine's own connections, each connection
/// sending its next request when the answer is read. For comparison with other load tools.
package enum TransportBench {
    /// What a measurement gave.
    package struct Outcome: Sendable {
        /// Whole answers with a status of 2xx, and others.
        package var succeeded: Int
        package var otherAnswers: Int
        /// Requests without a whole answer; their connection is opened anew.
        package var failed: Int
        package var seconds: Double
        /// CPU time of the loop's thread meanwhile.
        package var cpuSeconds = 0.0
        /// Whole answers per second.
        package var requestsPerSecond: Double { Double(succeeded + otherAnswers) / seconds }
    }

    /// Measures.
    ///
    /// - Parameters:
    ///   - target: Where to, by `http` or `https`; its headers are not sent. With
    ///     ``PopulationPlan/Target/Connections/perRequest`` each request has a connection of its own.
    ///   - connections: Connections kept busy, 1 or more.
    ///   - seconds: How long, from the first connect on.
    ///   - body: The body of each request.
    ///   - streams: Requests at once on each connection that speaks HTTP/2.
    ///   - loop: The event loop that does all of it.
    /// - Throws: ``LiveEngineError`` if the target cannot be used.
    package static func run(
        target: PopulationPlan.Target, connections: Int, seconds: Double, body: [UInt8],
        streams: Int = 1, on loop: any EventLoop
    ) async throws -> Outcome {
        let endpoint = try await NIOThreadPool.singleton.runIfActive { try Endpoint(target) }
        return try await loop.flatSubmit {
            let hammer = Hammer(
                endpoint: endpoint, path: target.pathAndQuery, body: body,
                closesAfterAnswer: target.connections == .perRequest, streams: streams, loop: loop)
            return hammer.run(connections: connections, seconds: seconds)
        }.get()
    }
}

/// Keeps a number of connections busy; confined to its loop.
private final class Hammer: ConnectionOwner {
    private let endpoint: Endpoint
    private let loop: any EventLoop
    private let transport = SocketTransport()
    private let resolver: NameResolver
    private let closesAfterAnswer: Bool
    private let buffers = BufferPool()
    private let streams: Int
    private let head: RequestHead
    private let body: WireBuffer
    private var request = ByteBuffer()
    private var connections: ContiguousArray<Connection> = []
    private var outcome = TransportBench.Outcome(succeeded: 0, otherAnswers: 0, failed: 0, seconds: 0)
    private var isDone = false

    init(
        endpoint: Endpoint, path: String, body: [UInt8], closesAfterAnswer: Bool, streams: Int,
        loop: any EventLoop
    ) {
        self.streams = streams
        self.endpoint = endpoint
        self.closesAfterAnswer = closesAfterAnswer
        self.loop = loop
        resolver = NameResolver(on: loop, transport: transport)
        var wire = WireBuffer(capacity: body.count)
        wire.append(contentsOf: body)
        self.body = wire
        head = RequestHead(method: .post, path: path, headerLines: "")
        endpoint.write(head, body: wire, into: &request)
    }

    func run(connections count: Int, seconds: Double) -> EventLoopFuture<TransportBench.Outcome> {
        let promise = loop.makePromise(of: TransportBench.Outcome.self)
        let begun = NIODeadline.now()
        let cpuBegun = MachineLimits.threadTime()
        for _ in 0..<count { connect() }
        loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
            self.isDone = true
            self.outcome.seconds = Double((NIODeadline.now() - begun).nanoseconds) / 1e9
            self.outcome.cpuSeconds = Double(MachineLimits.threadTime() - cpuBegun) / 1e9
            for connection in self.connections { connection.close() }
            promise.succeed(self.outcome)
        }
        return promise.futureResult
    }

    private func connect() {
        let connection = Connection(owner: self, loop: loop, transport: transport, buffers: buffers)
        connection.entry.slot = Int32(connections.count)
        connections.append(connection)
        connection.connect(to: endpoint, through: resolver)
    }

    private func send(on connection: Connection) {
        connection.send(request, wants: AnswerWants())
    }

    /// Keeps a connection of HTTP/2 as full as is wanted, and as its server allows.
    private func fill(_ connection: Connection) {
        while connection.hasRoom, connection.session.map({ $0.streams.count < streams }) ?? false {
            connection.send(
                head, body: body, to: endpoint, on: connection.makeStream(), wants: AnswerWants())
        }
    }

    func opened(_ connection: Connection) {
        if connection.isShared { fill(connection) } else { send(on: connection) }
    }

    func limitChanged(_ connection: Connection) {
        if connection.isLeaving, connection.isQuiet {
            connection.close()
            renew(connection)
        } else {
            fill(connection)
        }
    }

    func answered(_ carrier: Carrier) {
        guard !isDone else { return }
        if carrier.parser.status / 100 == 2 { outcome.succeeded += 1 } else { outcome.otherAnswers += 1 }
        if let stream = carrier as? HTTP2Stream {
            stream.connection.putBack(stream)
            limitChanged(stream.connection)
        } else if let connection = carrier as? Connection {
            answered(on: connection)
        }
    }

    private func answered(on connection: Connection) {
        if closesAfterAnswer {
            connection.close()
            renew(connection)
        } else if connection.state == .idle {
            send(on: connection)
        } else {
            replace(connection)
        }
    }

    func ended(_ carrier: Carrier, failure: RequestFailure?) {
        guard !isDone else { return }
        if failure != nil { outcome.failed += 1 }
        if let stream = carrier as? HTTP2Stream {
            stream.connection.putBack(stream)
        } else if let connection = carrier as? Connection {
            replace(connection)
        }
    }

    /// Opens another connection in the place of one that is gone, a little later: a server that
    /// refuses must not keep the loop from everything else.
    private func replace(_ connection: Connection) {
        loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { self.renew(connection) }
    }

    private func renew(_ connection: Connection) {
        guard !isDone else { return }
        let fresh = Connection(owner: self, loop: loop, transport: transport, buffers: buffers)
        fresh.entry.slot = connection.entry.slot
        connections[Int(fresh.entry.slot)] = fresh
        fresh.connect(to: endpoint, through: resolver)
    }
}
