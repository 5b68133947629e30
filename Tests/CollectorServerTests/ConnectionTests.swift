import Foundation
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import CollectorModel
@testable import CollectorServer

/// A connection without a socket, and its writer, which goes on when it is told to.
private final class ConnectionBench {
    let channel = EmbeddedChannel()
    let writer = HeldExecutor()
    let reads = ReadCounter()
    private let collector: ChannelCollector

    init() throws {
        var configuration = CollectorServerConfiguration()
        configuration.temporaryFolder = TestFolder.base
        collector = try ChannelCollector(configuration: configuration, executor: writer, merger: writer)
        try channel.pipeline.syncOperations.addHandler(reads)
        #expect(try collector.serve(channel))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    deinit {
        _ = try? channel.finish(acceptAlreadyClosed: true)
        collector.abandon()
    }

    var refusedRequests: UInt64 { collector.refusedRequests }

    func receive(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.syncOperations.fireChannelWritabilityChanged()
    }

    /// Lets everybody go on until nobody has anything to do.
    func run() {
        repeat { channel.embeddedEventLoop.run() } while writer.runOne()
    }

    /// What was written since the last call.
    func written() throws -> String {
        var text = ""
        while let part = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let bytes) = part { text += String(buffer: bytes) }
        }
        return text
    }
}

/// Counts how often the socket is asked for more.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}

@Suite("A connection of the collector")
struct ConnectionTests {
    @Test("reads no further requests of a client that does not read its answers")
    func unreadAnswers() throws {
        let bench = try ConnectionBench()
        try bench.receive(Requests.get("/healthz"))
        bench.run()
        #expect(try bench.written().hasSuffix("ok\n"))
        bench.setWritable(false)
        let before = bench.reads.count
        bench.channel.read()
        #expect(bench.reads.count == before)
        bench.setWritable(true)
        #expect(bench.reads.count == before + 1)
    }

    @Test("answers any number of requests that come together behind one that waits for the writer")
    func manyBehindOne() throws {
        let bench = try ConnectionBench()
        let count = 20_000
        let behind = repeatElement(Requests.get("/healthz"), count: count).joined()
        try bench.receive(Requests.get("/stats") + behind)
        bench.run()
        let answers = try bench.written().components(separatedBy: "HTTP/1.1 200 OK").count - 1
        #expect(answers == count + 1)
    }

    @Test("refuses what HTTP's rules for heads forbid, and asks nobody for a body who cannot be asked")
    func heads() throws {
        let chunked = "POST /sa HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
        for (request, status) in [
            ("GET /healthz HTTP/1.1\r\n\r\n", "400 Bad Request"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "400 Bad Request"),
            ("GET /healthz HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "400 Bad Request"),
            (chunked, "501 Not Implemented"),
            ("GET /healthz HTTP/1.1\r\nHost:\r\n\r\n", "200 OK"),
            ("GET /healthz HTTP/1.0\r\n\r\n", "200 OK"),
            (
                "POST /sa HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
                "100 Continue"
            ),
        ] {
            let bench = try ConnectionBench()
            try bench.receive(Array(request.utf8))
            bench.run()
            #expect(try bench.written().hasPrefix("HTTP/1.1 \(status)\r\n"), "\(request)")
        }
        let bench = try ConnectionBench()
        try bench.receive(
            Array("POST /sa HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n".utf8))
        bench.run()
        #expect(try bench.written().isEmpty)
    }

    /// Heads and bodies that are no HTTP.
    private static let broken = [
        "GARBAGE\r\n\r\n",
        "POST /sa HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 100_000))\r\n\r\n",
        "POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\n",
        "POST /sa HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n",
    ]

    @Test("counts what is no request among the refused, also behind one that is answered")
    func noRequests() throws {
        for text in Self.broken {
            let bench = try ConnectionBench()
            try bench.receive(Array(text.utf8))
            bench.run()
            #expect(try bench.written().hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(text.prefix(80))")
            #expect(bench.refusedRequests == 1, "\(text.prefix(80))")
            let other = try ConnectionBench()
            try other.receive(Requests.get("/healthz") + Array(text.utf8))
            other.run()
            let answers = try other.written().components(separatedBy: "HTTP/1.1 ").dropFirst().map {
                $0.prefix(3)
            }
            #expect(answers == ["200", "400"], "\(text.prefix(80))")
            #expect(other.refusedRequests == 1, "\(text.prefix(80))")
        }
    }

    @Test("lets a client finish what is no request, so that it can read why")
    func finishedBeforeReading() async throws {
        try await withServer { (server, port) async throws in
            let client = try await RawClient.connect(port: port)
            let head = "POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\nContent-Length: 3\r\n\r\n"
            try await client.send(Array(head.utf8) + Array(repeating: 0x78, count: 4_000_000))
            #expect(try await client.receive().status == 400)
            #expect(server.refusedRequests == 1)
        }
    }

    @Test("does not count a client that ends in the middle of a request")
    func endedInTheMiddle() async throws {
        try await withServer { (server, port) async throws in
            for start in ["POST /sa HT", "POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"] {
                let client = try await RawClient.connect(port: port)
                try await client.send(start)
                try await client.endSending()
                await #expect(throws: RawClient.Failure.closed) { try await client.receive() }
            }
            #expect(server.refusedRequests == 0)
        }
    }

    @Test("a body that has begun to come does not keep the memory that it was read into")
    func bodyMemory() throws {
        let bench = try ConnectionBench()
        var bytes = bench.channel.allocator.buffer(capacity: 1 << 16)
        bytes.writeString("POST /sa HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
        try bench.channel.writeInbound(bytes)
        let connection = try bench.channel.pipeline.syncOperations.handler(type: CollectorConnection.self)
        guard case .body(let request) = connection.phase else {
            Issue.record("no body is on its way")
            return
        }
        #expect(String(buffer: request.body) == "abc")
        #expect(request.body.storageCapacity < 1 << 12)
    }
}
