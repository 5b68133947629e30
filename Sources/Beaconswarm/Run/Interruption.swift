import Dispatch
import Glibc
import Synchronization

/// Ctrl-C and SIGTERM: the first asks for a graceful end, the second ends the process at once.
final class Interruption: Sendable {
    private let signals = Atomic<Int>(0)
    private let sources: Mutex<[any DispatchSourceSignal]>
    private let handler: Mutex<(@Sendable () -> Void)?>

    /// Begins to listen. One of these lives at a time.
    init() {
        sources = Mutex([])
        handler = Mutex(nil)
        let queue = DispatchQueue(label: "beaconswarm.signals")
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in self?.received() }
            source.resume()
            sources.withLock { $0.append(source) }
        }
    }

    deinit { sources.withLock { $0.forEach { $0.cancel() } } }

    private func received() {
        let count = signals.add(1, ordering: .relaxed).newValue
        if count > 1 { _exit(CommandStatus.interrupted.rawValue) }
        handler.withLock { $0 }?()
    }

    /// Whether a signal came.
    var isRequested: Bool { signals.load(ordering: .relaxed) > 0 }

    /// What the first signal does; runs at once if it has come already.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        handler.withLock { $0 = action }
        if isRequested { action() }
    }
}
