import Dispatch
import Glibc
import Synchronization

/// Ctrl-C and SIGTERM: the first asks the swarm to end after the worlds that are being played, the second ends it at
/// once.
///
/// The program's own runs listen to the same signals and leave them ignored: this one hears them throughout.
final class StopSignal: Sendable {
    private final class Count: Sendable {
        let signals = Atomic<Int>(0)
    }

    private let count = Count()
    // SAFETY: made in the initialiser and only cancelled in the deinitialiser.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    init() {
        let (count, queue) = (count, DispatchQueue(label: "beaconswarm.explore.signals"))
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if count.signals.add(1, ordering: .relaxed).newValue > 1 { _exit(128 + number) }
                Console.print("explore: interrupted; it ends after the worlds that are being played")
            }
            source.resume()
            return source
        }
    }

    deinit { sources.forEach { $0.cancel() } }

    var isRequested: Bool { count.signals.load(ordering: .relaxed) > 0 }
}
