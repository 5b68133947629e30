import Dispatch
import Glibc
import Synchronization

/// Ctrl-C and SIGTERM: the first asks for a graceful end, the second ends the process at once.
final class Interruption: Sendable {
    /// What the signal handlers share with the rest of the process.
    private final class Shared: Sendable {
        let signals = Atomic<Int>(0)
        let handler = Mutex<(@Sendable () -> Void)?>(nil)

        func received() {
            let count = signals.add(1, ordering: .relaxed).newValue
            if count > 1 {
                Console.error("interrupted again: ended at once, with what was written so far")
                _exit(CommandStatus.interrupted.rawValue)
            }
            runHandler()
        }

        /// Runs the handler, if there is one, and forgets it: it runs once.
        func runHandler() {
            let action = handler.withLock { handler -> (@Sendable () -> Void)? in
                defer { handler = nil }
                return handler
            }
            action?()
        }
    }

    private let shared = Shared()
    // SAFETY: made in the initialiser and only cancelled in the deinitialiser.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Begins to listen. One of these lives at a time.
    init() {
        let queue = DispatchQueue(label: "beaconswarm.signals")
        sources = [SIGINT, SIGTERM].map { [shared] number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { shared.received() }
            source.resume()
            return source
        }
    }

    deinit { sources.forEach { $0.cancel() } }

    /// Whether a signal came.
    var isRequested: Bool { shared.signals.load(ordering: .relaxed) > 0 }

    /// What the first signal does; runs at once if it has come already.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        shared.handler.withLock { $0 = action }
        if isRequested { shared.runHandler() }
    }
}
