import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on the loopback that reads whole requests and does what a script says.
final class ScriptedServer: Sendable {
    enum Action: Sendable {
        case write(String)
        /// One byte after the other, each in a packet of its own.
        case drip(String)
        case close
        case reset
        /// Closes in order, but without TLS's notice.
        case cut
        /// Waits for as many milliseconds.
        case wait(Int64)
        /// Waits until a condition holds.
        case hold(until: @Sendable () -> Bool)
    }

    typealias Script = @Sendable (_ ordinal: Int, _ request: String) -> [Action]

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private let channel: any Channel
    private let log = Mutex<[String]>([])
    private let counts = Mutex((accepted: 0, open: 0, peak: 0))
    var port: Int { channel.localAddress?.port ?? 0 }
    /// Whole requests in order of arrival.
    var requests: [String] { log.withLock { $0 } }
    /// Connections that were accepted, and the most of them at once.
    var accepted: Int { counts.withLock { $0.accepted } }
    var peak: Int { counts.withLock { $0.peak } }

    private init(channel: any Channel) { self.channel = channel }

    /// - Parameters:
    ///   - tls: Makes the server speak TLS.
    ///   - speaksHTTP2: Whether it speaks HTTP/2 from the first byte; the script answers in HTTP/1.1 all the same.
    static func start(
        on group: MultiThreadedEventLoopGroup, tls: NIOSSLContext? = nil, speaksHTTP2: Bool = false,
        _ script: @escaping Script
    ) async throws -> ScriptedServer {
        let holder = Mutex<ScriptedServer?>(nil)
        let box = Box(holder)
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { child in
                box.count(child)
                return child.eventLoop.makeCompletedFuture {
                    if let tls {
                        try child.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    if speaksHTTP2 {
                        try child.pipeline.syncOperations.addHandler(HTTP2Bridge(limit: 3))
                    }
                    try child.pipeline.syncOperations.addHandler(
                        ScriptedHandler(script: script) { request in box.note(request) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = ScriptedServer(channel: channel)
        box.holder.withLock { $0 = server }
        return server
    }

    func stop() async throws { try await channel.close().get() }

    private final class Box: Sendable {
        let holder: Mutex<ScriptedServer?>
        init(_ holder: consuming sending Mutex<ScriptedServer?>) { self.holder = holder }
        func count(_ child: any Channel) {
            guard let server = holder.withLock({ $0 }) else { return }
            server.counts.withLock {
                $0.accepted += 1
                $0.open += 1
                $0.peak = max($0.peak, $0.open)
            }
            child.closeFuture.whenComplete { _ in server.counts.withLock { $0.open -= 1 } }
        }
        func note(_ request: String) -> Int {
            guard let server = holder.withLock({ $0 }) else { return 0 }
            return server.log.withLock {
                $0.append(request)
                return $0.count - 1
            }
        }
    }
}

private final class ScriptedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: ScriptedServer.Script
    private let note: @Sendable (String) -> Int
    private var received = ""
    private var actions: [ScriptedServer.Action] = []
    private var isActing = false

    init(script: @escaping ScriptedServer.Script, note: @escaping @Sendable (String) -> Int) {
        self.script = script
        self.note = note
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        while let end = received.range(ofHead: "\r\n\r\n") {
            let head = received[..<end]
            var length = 0
            for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
                length = Int(line.dropFirst(15).drop { $0 == " " }) ?? 0
            }
            let rest = received[end...]
            guard rest.utf8.count >= length else { return }
            let request = String(head) + String(rest.prefix(length))
            received = String(rest.dropFirst(length))
            actions += script(note(request), request)
        }
        act(context)
    }

    private func act(_ context: ChannelHandlerContext) {
        guard !isActing else { return }
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .write(let text):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            case .drip(let text):
                for byte in text.utf8 {
                    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [byte])), promise: nil)
                }
            case .close:
                context.close(promise: nil)
            case .reset:
                // Closing with nothing to linger for resets the connection.
                _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(
                    linger(l_onoff: 1, l_linger: 0))
                ScriptedHandler.outermost(context).close(promise: nil)
            case .cut:
                ScriptedHandler.outermost(context).close(promise: nil)
            case .wait(let milliseconds): return pause(milliseconds, context)
            case .hold(let holds):
                if !holds() {
                    actions.insert(.hold(until: holds), at: 0)
                    return pause(1, context)
                }
            }
        }
    }

    /// Goes on after as many milliseconds.
    private func pause(_ milliseconds: Int64, _ context: ChannelHandlerContext) {
        isActing = true
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
            self.isActing = false
            self.act(context)
        }
    }

    /// What closes the socket itself, past TLS.
    private static func outermost(_ context: ChannelHandlerContext) -> ChannelHandlerContext {
        (try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)) ?? context
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension String {
    /// The index after the first occurrence of a separator.
    fileprivate func range(ofHead separator: String) -> String.Index? {
        let bytes = utf8
        let wanted = Array(separator.utf8)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            if bytes[index...].starts(with: wanted) { return bytes.index(index, offsetBy: wanted.count) }
            index = bytes.index(after: index)
        }
        return nil
    }
}
