import Accounting
import CollectorModel
import CollectorServer
import LiveEngine
import Measurement
import NIOCore
import NIOPosix
import Reporting
import Scenario
import Timebase
import Wire

extension Beaconswarm {
    /// Runs the collector until Ctrl-C or SIGTERM, or until the task that waits is cancelled: then it stops in the same way.
    ///
    /// - Throws: ``CommandFailure`` for a wrong option, or an address beyond loopback that nobody allowed (64), a wrong
    ///   file of faults or description (104), an address that cannot be listened on or a store that cannot be used (70).
    public static func collect(_ options: CollectOptions) async throws -> CommandStatus {
        var configuration = try configuration(options)
        let interruption = Interruption(
            early: .success, outcome: "; what waits in the log, the next collector brings into the table",
            listens: options.listensToSignals)
        // Who sees it answer may end it; until then nothing was taken.
        configuration.willListen = { interruption.begin() }
        // Some are for the store, the listener and the program itself.
        let descriptors = MachineLimits.raiseDescriptorLimit()
        configuration.limits.connections = min(configuration.limits.connections, max(1, descriptors - 64))
        let asked = configuration
        let status = try await interruption.heedingCancellation {
            try await serve(asked, until: interruption)
        }
        // A signal that comes while it stops is heard as one.
        return withExtendedLifetime(interruption) { status }
    }

    /// Takes uploads until somebody asks for the end.
    private static func serve(
        _ configuration: CollectorServerConfiguration, until interruption: Interruption
    ) async throws -> CommandStatus {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server: CollectorServer
        do {
            server = try await CollectorServer.start(configuration: configuration, on: group)
        } catch {
            try? await group.shutdownGracefully()
            throw CommandFailure(.internalError, "\(error)")
        }
        announce(server, configuration)
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
            interruption.onRequest { ended.resume() }
        }
        await server.stop()
        try? await group.shutdownGracefully()
        let failure = server.storeFailure
        Console.error(summary(of: server.snapshot().0, refused: server.refusedRequests, failure))
        if let failure, failure.isGone {
            throw CommandFailure(
                .internalError,
                "the store \(failure.path) was removed or replaced while the collector had it open: no file of this name "
                    + "holds the events that it took")
        }
        return .success
    }

    /// The options, read and checked.
    private static func configuration(
        _ options: CollectOptions
    ) throws(CommandFailure) -> CollectorServerConfiguration {
        try options.checkFileNames()
        var configuration = CollectorServerConfiguration()
        let address = try ListenAddress(options.listen, of: .listen)
        (configuration.host, configuration.port) = (address.host, address.port)
        guard options.allowsRemote || TargetHost(configuration.host).isLoopback else {
            throw CommandFailure(
                .usage,
                "--listen \(options.listen): other machines may reach this address, and a collector stores whatever "
                    + "strangers send to it; if that is what you want, say so with --allow-remote")
        }
        configuration.storePath = try storePath(of: options)
        configuration.logging = try logging(options.log)
        if let names = options.systems { configuration.systems = try systems(names) }
        if let faults = options.faults { configuration.plan = try plan(faults, start: Host.now) }
        configuration.plan.uploadPaths = try uploadPaths(options.paths)
        try checkUse(of: configuration.plan.uploadPaths, options, configuration.systems)
        for path in options.descriptions {
            configuration.plan.descriptions.append(try DescriptionFile.read(path))
        }
        configuration.onWarning = { Console.error("collector: \($0)") }
        return configuration
    }

    /// Where the events go: to what the option says, else the environment.
    private static func storePath(of options: CollectOptions) throws(CommandFailure) -> String {
        try RunOptions.name("STORE", or: options.store, in: Host.environment) ?? CollectOptions.defaultStore
    }

    /// Says where it listens, and that events of earlier runs are in its store.
    private static func announce(
        _ server: CollectorServer, _ configuration: CollectorServerConfiguration
    ) {
        let store = configuration.storePath ?? ""
        let port = server.address.port ?? configuration.port
        let served = words(for: configuration)
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        let held = server.snapshot().0.received
        if held > 0 {
            Console.error(
                "\(store) holds \(held.of("event")) of earlier runs; a new run's ids repeat "
                    + "theirs and count as copies")
        }
        Console.output("collecting on http://\(host):\(port) into \(store): \(served)\n")
    }

    /// The systems that a collector reads, with the clients that it knows by description.
    private static func words(for configuration: CollectorServerConfiguration) -> String {
        let described = configuration.plan.descriptions + UploadDescription.products
        let names = described.map(\.name).joined(separator: ", ")
        return configuration.systems.map { $0 == .declared ? "\($0.rawValue) (\(names))" : $0.rawValue }
            .joined(separator: ", ")
    }

    private static func summary(
        of statistics: CollectorStatistics, refused: UInt64, _ failure: StoreFailure?
    ) -> String {
        // Devices whose URL has a wrong path would else look like devices that send nothing.
        let strays =
            statistics.notFound == 0
            ? ""
            : ", and \(statistics.notFound.of("request")) for paths or methods that it does not know (404)"
        let unread =
            refused == 0
            ? ""
            : ", and \(refused) refused before \(refused == 1 ? "it was" : "they were") whole (400, 413, 501, 503)"
        let failed =
            failure.map(\.requests).flatMap {
                $0 == 0 ? nil : ", \($0) answered 500 because the store could not be written"
            } ?? ""
        let holds = failure?.isGone == true ? "held" : "holds"
        return
            "took \(statistics.requests.of("upload"))\(strays)\(unread); the store \(holds) "
            + "\(statistics.received.of("event")): \(statistics.unique) unique, "
            + "\(statistics.duplicates.of("duplicate")); not kept of these uploads: "
            + "\(statistics.undecodable) undecodable, "
            + "\(statistics.dryRun) of \(statistics.dryRun == 1 ? "a dry run" : "dry runs"), "
            + "\(statistics.swallowed) swallowed by faults\(failed)"
    }

    private static func logging(_ text: String) throws(CommandFailure) -> StoreLogging {
        switch text {
        case "auto": return .whenBehind
        case "always": return .always
        case "never": return .never
        default:
            let names = CollectOptions.logNames.joined(separator: ", ")
            throw CommandFailure(.usage, "--log \(text): expected one of: \(names)")
        }
    }

    private static func systems(_ text: String) throws(CommandFailure) -> [CollectorSystem] {
        var result: [CollectorSystem] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let system = CollectorSystem(rawValue: String(name)) else {
                throw CommandFailure(
                    .usage,
                    "--systems \(text): \"\(name)\" is no system; allowed: \(CollectOptions.systemNames)")
            }
            if !result.contains(system) { result.append(system) }
        }
        return result
    }

    private static func uploadPaths(_ texts: [String]) throws(CommandFailure) -> [UploadPath] {
        var paths: [UploadPath] = []
        for text in texts {
            let path = try uploadPath(text)
            if let other = paths.first(where: { $0.path == path.path && $0.system != path.system }) {
                throw CommandFailure(
                    .usage,
                    "--path \(text): \(other.system.rawValue) has that path already; nothing in a request tells whose it is"
                )
            }
            paths.append(path)
        }
        return paths
    }

    /// Refuses what could have no effect: uploads that would be waited for in vain.
    private static func checkUse(
        of paths: [UploadPath], _ options: CollectOptions, _ systems: [CollectorSystem]
    ) throws(CommandFailure) {
        for path in paths {
            let option = "--path \(path.system.rawValue)=\(path.path)"
            guard !CollectorServer.ownPaths.contains(path.path) else {
                throw CommandFailure(.usage, "\(option): the collector itself answers there")
            }
            guard systems.contains(path.system) else {
                throw CommandFailure(
                    .usage,
                    "\(option): nothing is read there, since --systems \(options.systems ?? "") leaves out "
                        + path.system.rawValue)
            }
        }
        if let file = options.descriptions.first, !systems.contains(.declared) {
            throw CommandFailure(
                .usage,
                "--sdk \(file): nothing of it is read, since --systems \(options.systems ?? "") leaves out "
                    + CollectorSystem.declared.rawValue)
        }
    }

    private static func uploadPath(_ text: String) throws(CommandFailure) -> UploadPath {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("/"), !parts[1].contains("?"),
            let system = CollectorSystem(rawValue: String(parts[0]))
        else {
            throw CommandFailure(
                .usage,
                "--path \(text): expected SYSTEM=/PATH without a query, the system one of: \(CollectOptions.systemNames)"
            )
        }
        guard parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !parts[1].contains("#") else {
            throw CommandFailure(
                .usage,
                "--path \(text.debugDescription): no request has such a path; spaces, control characters, \"#\" and "
                    + "what is not ASCII are percent-encoded in it, such as %20")
        }
        return UploadPath(path: String(parts[1]), system: system)
    }

    private static func plan(_ path: String, start: Instant) throws(CommandFailure) -> CollectorPlan {
        let bytes = try OutputFile.read(
            path, failing: .invalidScenario, limit: JSONReader.sizeLimit, mayBePipe: true)
        switch FaultsFile.load(bytes: bytes, name: path, start: start) {
        case .success(let plan): return plan
        case .failure(let problems):
            throw CommandFailure(
                .invalidScenario, problems.problems.map { $0.text(file: path) }.joined(separator: "\n"))
        }
    }
}
