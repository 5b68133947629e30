import NIOCore
import NIOPosix

/// All ways in which work that goes on can be watched, as options ask for them.
struct WatchOutlets {
    private let watch: Watch
    private let loops: MultiThreadedEventLoopGroup
    private var server: WatchServer?
    private var pusher: (own: NIOLoopBound<OTLPPusher>, ticks: RepeatedTask)?

    /// Opens them, and says where.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for an address that is none, or that cannot be listened on.
    static func open(_ watch: Watch, _ options: RunOptions) async throws -> WatchOutlets {
        let address = try options.ui.map { text throws(CommandFailure) in try ListenAddress(text, of: .ui) }
        let token = try WatchToken(Host.environment)
        let endpoint = try options.otlp.map { text throws(CommandFailure) in
            try OTLPEndpoint(text, environment: Host.environment)
        }
        var outlets = WatchOutlets(watch: watch)
        do {
            if let address { try await outlets.serve(at: address, token: token) }
            if let endpoint { try await outlets.push(to: endpoint) }
        } catch {
            try? await outlets.loops.shutdownGracefully()
            throw error
        }
        return outlets
    }

    private init(watch: Watch) {
        self.watch = watch
        loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    private mutating func serve(at address: ListenAddress, token: WatchToken) async throws {
        let server = try await WatchServer.start(watch, at: address, token: token, on: loops.next())
        self.server = server
        Console.error("watch it on \(server.url)")
        guard !address.isLoopback else { return }
        Console.error(
            "warning: --ui \(address.urlHost): other machines may reach this page; whoever learns its address can read the "
                + "run's figures and end the run, and nothing on the way is encrypted")
    }

    private mutating func push(to endpoint: OTLPEndpoint) async throws {
        let loop = loops.next()
        let own = try await loop.submit { [watch] in
            NIOLoopBound(try OTLPPusher(watch, to: endpoint, on: loop), eventLoop: loop)
        }.get()
        let ticks = loop.scheduleRepeatedTask(initialDelay: OTLPPusher.period, delay: OTLPPusher.period) {
            _ in
            _ = own.value.push()
        }
        pusher = (own, ticks)
    }

    /// Says the last word everywhere, and closes.
    func close() async {
        if let (own, ticks) = pusher {
            ticks.cancel()
            let loop = loops.next()
            try? await loop.flatSubmit { own.value.finish() }.get()
            if let complaint = try? await loop.submit({ own.value.complaint }).get() {
                Console.error(complaint)
            }
        }
        await server?.finish()
        try? await loops.shutdownGracefully()
    }
}

extension RunOptions {
    /// Does work that can be watched, if the options ask for that.
    ///
    /// - Parameters:
    ///   - title: What is done.
    ///   - body: The work, by options that know who watches.
    /// - Throws: what the body throws, and ``CommandFailure`` with code 64 if there can be no page.
    func watched(
        as title: String, _ body: (RunOptions) async throws -> CommandStatus
    ) async throws -> CommandStatus {
        guard ui != nil || otlp != nil else { return try await body(self) }
        let watch = Watch(title: title)
        let outlets = try await WatchOutlets.open(watch, self)
        var options = self
        options.watch = watch
        let result: Result<CommandStatus, any Error>
        do { result = .success(try await body(options)) } catch { result = .failure(error) }
        switch result {
        case .success(let status): watch.end(status)
        case .failure(let error): watch.end((error as? CommandFailure)?.code ?? .internalError)
        }
        await outlets.close()
        return try result.get()
    }
}
