import CollectorModel
import CollectorServer
import LiveEngine
import NIOPosix
import Timebase

/// The collector that comes up with a live run which has no other.
enum EmbeddedCollector {
    /// Starts a collector on a free port of the loopback.
    ///
    /// - Parameters:
    ///   - plan: What it does when, on the run's clock. Its own times (latencies, rates, bodies) are real.
    ///   - store: The file that keeps its events; `nil` drops them at the end.
    /// - Throws: ``CommandFailure`` with code 70 if it cannot be started.
    static func start(
        _ plan: CollectorPlan, store: String?, clock: RunClock, on group: MultiThreadedEventLoopGroup,
        console: RunConsole
    ) async throws -> CollectorServer {
        var configuration = CollectorServerConfiguration()
        if let store { configuration.storePath = store }
        // It lives by the clock of sockets; only its store tells the time of the run.
        configuration.plan = plan.moved(by: clock.realInstant(of:))
        let sockets = clock.unhurried
        configuration.clock = CollectorClock {
            sockets.now()
        } stamp: {
            clock.instant(ofReal: $0)
        }
        configuration.onWarning = { console.say("collector: \($0)") }
        do {
            return try await CollectorServer.start(configuration: configuration, on: group)
        } catch let error as CollectorServerError {
            throw CommandFailure(.internalError, "the embedded collector: \(error)")
        }
    }
}

extension CollectorPlan {
    /// The plan with every instant moved by a clock.
    func moved(by clock: (Instant) -> Instant) -> CollectorPlan {
        var plan = self
        for index in plan.faults.indices {
            let window = faults[index]
            plan.faults[index].from = clock(window.from)
            plan.faults[index].until = clock(window.until)
            plan.faults[index].fault = window.fault.moved(from: window.from, by: clock)
        }
        for index in plan.configs.indices { plan.configs[index].from = clock(configs[index].from) }
        return plan
    }
}
