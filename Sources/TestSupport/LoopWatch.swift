package import NIOCore
import NIOPosix
import Synchronization
package import Timebase

/// Measures how late event loops come to what is due, and to what they send each other over the loopback interface.
///
/// An answer waits for the loop that asks, for the collector's, and for the kernel's own threads, which a busy machine
/// keeps waiting though every loop is punctual. What is late at this moment counts, too.
package final class LoopWatch: Sendable {
    private static let period = TimeAmount.milliseconds(5)

    private let expectations: [Expectation]
    private let tasks: [RepeatedTask]
    private let channels: [any Channel]

    private init(expectations: [Expectation], tasks: [RepeatedTask], channels: [any Channel]) {
        self.expectations = expectations
        self.tasks = tasks
        self.channels = channels
    }

    /// Begins to watch loops, and the way from each of them to the first and back.
    ///
    /// - Throws: What keeps an echo from being listened for, or connected to.
    package static func start(on loops: [any EventLoop]) async throws -> LoopWatch {
        let timers = loops.map { _ in Expectation() }
        let tasks = zip(loops, timers).map { loop, timer in watch(loop, timer) }
        let echoes = loops.map { _ in Expectation() }
        let server = try await listen(on: loops[0])
        guard let address = server.localAddress else { throw ChannelError.unknownLocalAddress }
        var channels: [any Channel] = [server]
        for (loop, echo) in zip(loops, echoes) {
            channels.append(try await connect(from: loop, to: address, echo))
        }
        return LoopWatch(expectations: timers + echoes, tasks: tasks, channels: channels)
    }

    /// Ends the watch.
    ///
    /// - Returns: the longest that anything was late.
    @discardableResult
    package func stop() -> Interval {
        defer {
            tasks.forEach { $0.cancel() }
            channels.forEach { $0.close(promise: nil) }
        }
        return latest
    }

    /// The longest that anything was late so far, while the watch lasts.
    package var latest: Interval { expectations.map(\.latest).max() ?? .zero }

    private static func watch(_ loop: any EventLoop, _ timer: Expectation) -> RepeatedTask {
        timer.expect(at: .now() + period)
        return loop.scheduleRepeatedTask(initialDelay: period, delay: period) { _ in
            timer.meet()
            timer.expect(at: .now() + period)
        }
    }

    private static func listen(on loop: any EventLoop) async throws -> any Channel {
        try await ServerBootstrap(group: loop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Echo())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private static func connect(
        from loop: any EventLoop, to address: SocketAddress, _ echo: Expectation
    ) async throws -> any Channel {
        try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Caller(echo, every: period))
                }
            }
            .connect(to: address).get()
    }
}

/// Something that is expected again and again, and how late it came at most.
private final class Expectation: Sendable {
    /// In nanoseconds of the loops' clock; the end of time while nothing is expected.
    private let due = Atomic<Int64>(.max)
    private let longest = Atomic<Int64>(0)

    func expect(at deadline: NIODeadline) {
        due.store(Int64(clamping: deadline.uptimeNanoseconds), ordering: .relaxed)
    }

    func meet() {
        longest.max(lateNow, ordering: .relaxed)
        due.store(.max, ordering: .relaxed)
    }

    var latest: Interval { Interval(nanoseconds: max(longest.load(ordering: .relaxed), lateNow)) }

    private var lateNow: Int64 {
        max(0, Int64(clamping: NIODeadline.now().uptimeNanoseconds) - due.load(ordering: .relaxed))
    }
}

/// Sends back what comes.
private final class Echo: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(data, promise: nil)
    }
}

/// Sends a byte, and the next a while after it has come back.
private final class Caller: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let echo: Expectation
    private let period: TimeAmount
    private var next: Scheduled<Void>?

    init(_ echo: Expectation, every period: TimeAmount) {
        self.echo = echo
        self.period = period
    }

    func channelActive(context: ChannelHandlerContext) { call(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        echo.meet()
        next = context.eventLoop.assumeIsolated().scheduleTask(in: period) { self.call(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        next?.cancel()
        echo.meet()
    }

    private func call(_ context: ChannelHandlerContext) {
        echo.expect(at: .now())
        context.writeAndFlush(NIOAny(ByteBuffer(bytes: [0])), promise: nil)
    }
}
