import CollectorModel
import CollectorServer
import LiveEngine
import NIOPosix

/// The collector that comes up with a live run which has no other.
enum EmbeddedCollector {
    /// Starts a collector on a free port of the loopback.
    ///
    /// - Parameters:
    ///   - plan: What it does when, on the run's clock.
    ///   - store: The file that keeps its events; `nil` drops them at the end.
    /// - Throws: ``CommandFailure`` with code 70 if it cannot be started.
    static func start(
        _ plan: CollectorPlan, store: String?, clock: RunClock, on group: MultiThreadedEventLoopGroup,
        console: RunConsole
    ) async throws -> CollectorServer {
        var configuration = CollectorServerConfiguration()
        if let store { configuration.storePath = store }
        configuration.plan = plan
        configuration.clock = CollectorClock { clock.now() }
        configuration.onTrouble = { console.say("collector: \($0)") }
        do {
            return try await CollectorServer.start(configuration: configuration, on: group)
        } catch let error as CollectorServerError {
            throw CommandFailure(.internalError, "the embedded collector: \(error)")
        }
    }
}
