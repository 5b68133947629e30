import LiveEngine
import NIOCore
import NIOEmbedded
import Testing
import Timebase

@testable import LiveSimulation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A simulated network")
struct SimulatedNetworkTests {
    @Test("carries every byte in order, however it cuts and delays", arguments: 1...20 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        var conditions = NetworkConditions()
        conditions.latency = .microseconds(1) ... .milliseconds(30)
        conditions.segment = 1...700
        conditions.window = 1_000
        let pair = try Pair(conditions, seed: seed)
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        pair.client.send(Array(bytes.prefix(20_001)))
        pair.client.send(Array(bytes.dropFirst(20_001)))
        pair.server?.send(Array(bytes.reversed()))
        pair.loop.advanceTime(by: .seconds(60))
        #expect(pair.server?.received == bytes, "seed \(seed)")
        #expect(pair.client.received == bytes.reversed(), "seed \(seed)")
        #expect(pair.client.reads > 70, "seed \(seed)")
    }

    @Test("takes no more than its window until somebody reads")
    func window() throws {
        var conditions = NetworkConditions()
        conditions.window = 1_000
        let pair = try Pair(conditions)
        pair.server?.readsByItself(false)
        // One read was asked for when the connection came to be.
        pair.client.send([1])
        pair.loop.advanceTime(by: .seconds(1))
        let written = pair.client.send([UInt8](repeating: 7, count: 1_500))
        pair.loop.advanceTime(by: .seconds(1))
        #expect(!written.isDone && pair.server?.received.count == 1)
        pair.server?.read()
        pair.loop.advanceTime(by: .seconds(1))
        #expect(written.isDone && pair.server?.received.count == 1_001)
        pair.server?.read()
        pair.loop.advanceTime(by: .seconds(1))
        #expect(pair.server?.received.count == 1_501)
    }

    @Test("tells the other end of a close, behind the last byte")
    func close() throws {
        let pair = try Pair()
        pair.client.send([1, 2, 3])
        pair.client.close()
        pair.loop.advanceTime(by: .seconds(1))
        #expect(pair.server?.received == [1, 2, 3] && pair.server?.ends == ["inactive"])
    }

    @Test("resets where nobody lingers, and where bytes were left unread")
    func reset() throws {
        let pair = try Pair()
        pair.client.lingerNot()
        pair.client.close()
        pair.loop.advanceTime(by: .seconds(1))
        #expect(pair.server?.ends == ["reset", "inactive"])
        let other = try Pair()
        other.server?.readsByItself(false)
        for _ in 1...2 {
            other.client.send([1])
            other.loop.advanceTime(by: .seconds(1))
        }
        other.server?.close()
        other.loop.advanceTime(by: .seconds(1))
        #expect(other.client.ends == ["reset", "inactive"])
    }

    @Test("answers bytes for an end that is closed with a reset")
    func late() throws {
        let pair = try Pair()
        pair.server?.close()
        pair.client.send([1])
        // The bytes and the end pass each other; what comes back meets an end that is gone.
        pair.loop.advanceTime(by: .seconds(1))
        #expect(pair.client.ends == ["inactive"])
    }

    @Test("breaks connections as its conditions say")
    func faults() throws {
        func ends(_ change: (inout NetworkConditions) -> Void) throws -> (client: [String], server: [String]?)
        {
            var conditions = NetworkConditions()
            conditions.faultAfter = 5...5
            change(&conditions)
            let pair = try Pair(conditions)
            pair.client.send([UInt8](repeating: 1, count: 10))
            pair.server?.send([UInt8](repeating: 2, count: 10))
            pair.loop.advanceTime(by: .seconds(1))
            return (pair.client.ends, pair.server?.ends)
        }
        #expect(try ends { $0.refused = 1 }.client == ["refused"])
        #expect(try ends { $0.unanswered = 1 } == ([], nil))
        let reset = try ends { $0.reset = 1 }
        #expect(reset.client == ["reset", "inactive"] && reset.server == ["reset", "inactive"])
        let ended = try ends { $0.ended = 1 }
        #expect(ended.client.last == "inactive" && ended.server?.last == "inactive")
        #expect(try ends { $0.stalled = 1 } == ([], []))
    }

    @Test("refuses where nobody listens, and gives names an address")
    func refusal() throws {
        let pair = try Pair(accepts: false)
        #expect(pair.client.ends == ["refused"] && pair.server == nil)
        let found = Found()
        pair.network.lookUp(HostName(name: "collector.example", port: 81), on: pair.loop)
            .whenSuccess { found.ports = $0.map(\.port) }
        pair.loop.advanceTime(by: .seconds(1))
        #expect(found.ports == [81])
    }

    private final class Found: @unchecked Sendable { var ports: [Int?] = [] }
}

/// A client and a host that were connected, or tried to be.
private final class Pair: SimulatedHost {
    let loop = SimulatedRun.makeLoop()
    private(set) var network: SimulatedNetwork!
    let client = Witness()
    private(set) var server: Witness?
    let accepts: Bool

    init(_ conditions: NetworkConditions = NetworkConditions(), seed: UInt64 = 1, accepts: Bool = true) throws
    {
        self.accepts = accepts
        network = SimulatedNetwork(on: loop, conditions: conditions, seed: seed, host: self)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 80)
        let client = client
        network.connect(to: address, on: loop) { try $0.pipeline.syncOperations.addHandler(client) }
            .whenFailure { client.connectFailed($0) }
        loop.advanceTime(by: .seconds(1))
    }

    func serve(_ channel: any Channel) throws -> Bool {
        let witness = Witness()
        server = witness
        try channel.pipeline.syncOperations.addHandler(witness)
        return true
    }
}

/// A handler that remembers what came. Unchecked: everything happens on the loop of the test's thread.
private final class Witness: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    private var context: ChannelHandlerContext?
    private(set) var received: [UInt8] = []
    private(set) var reads = 0
    private(set) var ends: [String] = []

    final class Write: @unchecked Sendable { var isDone = false }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reads += 1
        received += Array(unwrapInboundIn(data).readableBytesView)
    }

    func channelInactive(context: ChannelHandlerContext) { ends.append("inactive") }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ends.append((error as? IOError)?.errnoCode == ECONNRESET ? "reset" : "\(error)")
    }

    func connectFailed(_ error: any Error) {
        ends.append((error as? IOError)?.errnoCode == ECONNREFUSED ? "refused" : "\(error)")
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Write {
        let write = Write()
        context?.channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess { write.isDone = true }
        return write
    }

    func read() { context?.read() }

    func readsByItself(_ reads: Bool) {
        _ = context?.channel.setOption(.autoRead, value: reads)
    }

    func lingerNot() {
        (context?.channel as? any SocketOptionProvider)?
            .setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
    }

    func close() { context?.close(promise: nil) }
}
