import Dispatch
import Glibc
import Synchronization
import Timebase

/// Ctrl-C, SIGTERM and the end of the terminal (SIGHUP): the first asks for a graceful end, the second wants the
/// end at once; ``SignalEcho`` tells what counts as one.
///
/// Signals are heard on a thread of their own, so the process reacts whatever its other threads do: before the
/// work has begun (``begin(_:)``) the first signal ends it there and then; afterwards the second one does, after a
/// few seconds at most for what the work itself still has to say.
///
/// A program may do several things at once: each has one of these, and each hears every signal. The process is then not
/// that of one alone, and what has not begun ends when it does.
final class Interruption: Sendable {
    /// What signals do; guarded by the lock in ``Shared``.
    private struct Actions {
        var hasBegun = false
        /// Nobody listens any more: the program that embeds the run goes on.
        var isOver = false
        /// The second signal is answered: the process ends soon.
        var isEnding = false
        /// Runs once, at the first signal.
        var first: (@Sendable () -> Void)?
        /// Runs once, at the second signal.
        var second: (@Sendable () -> Void)?
        /// Runs before the process ends without its main thread's help.
        var lastWords: (@Sendable () -> Void)?
    }

    /// What the signal handlers share with the rest of the process.
    private final class Shared: Sendable {
        let signals = Atomic<Int>(0)
        let actions = Mutex(Actions())
        let echo = Mutex(SignalEcho())
        let early: CommandStatus
        let outcome: String
        let grace: DispatchTimeInterval

        init(early: CommandStatus, outcome: String, grace: DispatchTimeInterval) {
            (self.early, self.outcome, self.grace) = (early, outcome, grace)
        }

        /// Runs one of the actions, if it is there, and forgets it.
        func run(_ action: WritableKeyPath<Actions, (@Sendable () -> Void)?>) {
            let body = actions.withLock { actions -> (@Sendable () -> Void)? in
                defer { actions[keyPath: action] = nil }
                return actions[keyPath: action]
            }
            body?()
        }

        /// A signal was heard; the echo of another asks for nothing.
        func received(_ signal: HeardSignal) {
            if echo.withLock({ $0.isRequest(signal) }) { requested(isShared: signal.isShared) }
        }

        /// - Parameter isShared: Whether others of the process are told too.
        func requested(isShared: Bool) {
            let count = signals.add(1, ordering: .relaxed).newValue
            let (hasBegun, knowsSecond) = actions.withLock { ($0.hasBegun, $0.second != nil) }
            if !hasBegun {
                // The others have something to say before the process ends; whoever asks a third time does not want it.
                if isShared, count < 3 { return }
                Console.error("interrupted before the work began; nothing was run")
                end(early)
            }
            switch count {
            case 1: run(\.first)
            // Others of the process may be about to end by themselves, each with a report of its own.
            case 2 where knowsSecond || isShared: endSoon()
            case 2:
                Console.error(endWords)
                end(.interrupted)
            default: end(.interrupted)
            }
        }

        private var endWords: String { "interrupted again: ended at once\(outcome)" }

        /// Answers the second signal: the process ends after the time that the work may take for what it still has to say.
        func endSoon() {
            let isFirst = actions.withLock { actions in
                defer { actions.isEnding = true }
                return !actions.isEnding
            }
            if isFirst { Console.error(endWords) }
            // Work that begins only now has one of its own.
            run(\.second)
            guard isFirst else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + grace) { [self] in end(.interrupted) }
        }

        /// Asks for a graceful end, unless that was asked for already. Where the work has not begun, it ends when it does:
        /// the process is not ours to end.
        func cancelled() {
            let isFirst = signals.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged
            if isFirst, actions.withLock({ $0.hasBegun }) { run(\.first) }
        }

        /// Ends the process here and now.
        func end(_ status: CommandStatus) {
            guard !actions.withLock({ $0.isOver }) else { return }
            // A disk that takes no more shall not keep the process alive.
            DispatchQueue.global().asyncAfter(deadline: .now() + grace) {
                _exit(status.rawValue)
            }
            run(\.lastWords)
            _exit(status.rawValue)
        }
    }

    private let shared: Shared
    /// Where signals are heard, one after the other.
    private let queue: DispatchQueue
    private let pipe: SignalPipe?

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - early: The code to exit with if a signal comes before the work has begun.
    ///   - outcome: What a second signal leaves, as words after "ended at once".
    ///   - listens: Whether to listen at all; else only ``request(atOnce:)`` asks for an end.
    ///   - numbers: The signals that ask for it.
    ///   - grace: How long the process may take to end by itself after the second signal.
    init(
        early: CommandStatus = .interrupted, outcome: String = ", with what was measured so far",
        listens: Bool = true, to numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP],
        grace: DispatchTimeInterval = .seconds(3)
    ) {
        let shared = Shared(early: early, outcome: outcome, grace: grace)
        self.shared = shared
        let queue = DispatchQueue(label: "beaconswarm.signals")
        self.queue = queue
        pipe = listens ? SignalPipe(numbers, on: queue) { shared.received($0) } : nil
    }

    /// Asks for what a signal asks for, unless that was asked for already: the first wants a graceful end, the second
    /// the end at once.
    func request(atOnce: Bool) {
        let shared = shared
        queue.async {
            while shared.signals.load(ordering: .relaxed) < (atOnce ? 2 : 1) {
                shared.requested(isShared: false)
            }
        }
    }

    /// Does work in a task of its own. If the task that waits for it is cancelled, the work ends gracefully, as after a
    /// first signal.
    ///
    /// In a cancelled task all that a run waits for would return at once, and what watches its targets would end.
    func heedingCancellation<Success: Sendable>(
        _ work: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let task = Task { try await work() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            shared.cancelled()
        }
    }

    /// The echo of the signal that asked for the end is waited for: it would meet a program that listens no more, and
    /// end it by the signal when its work is done.
    deinit {
        shared.actions.withLock { $0.isOver = true }
        let rest = shared.echo.withLock { $0.rest(at: Host.monotonic) }
        if rest > .zero { usleep(useconds_t(rest.nanoseconds / 1000)) }
    }

    /// Whether a signal came.
    var isRequested: Bool { shared.signals.load(ordering: .relaxed) > 0 }

    /// Whether a second signal came: nothing is to be waited for.
    var isRepeated: Bool { shared.signals.load(ordering: .relaxed) > 1 }

    /// What happens if the process has to end before its work is over: what was measured is written down.
    func onEnd(_ lastWords: @escaping @Sendable () -> Void) {
        shared.actions.withLock { $0.lastWords = lastWords }
    }

    /// The work begins: from now on the first signal only asks for its end.
    ///
    /// - Parameter second: What the second signal does, at once if that has come already; without it that ends the process
    ///   at once, or where others are told too, when the time is over that these may take.
    func begin(second: (@Sendable () -> Void)? = nil) {
        shared.actions.withLock { actions in
            actions.hasBegun = true
            actions.second = second
        }
        if isRepeated { shared.endSoon() }
    }

    /// What the first signal does; runs at once if it has come already. The work has begun.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        shared.actions.withLock { actions in
            actions.hasBegun = true
            actions.first = action
        }
        if isRequested { shared.run(\.first) }
        if isRepeated { shared.endSoon() }
    }

    /// Waits for some time, or until somebody asks for the end. The work has begun.
    ///
    /// - Returns: Whether nobody asked.
    func wait(for time: Interval) async -> Bool {
        let sleep = Task { try? await Task.sleep(nanoseconds: UInt64(max(0, time.nanoseconds))) }
        onRequest { sleep.cancel() }
        _ = await sleep.value
        return !isRequested
    }

    /// The work is over and its results are being written: a first signal is only answered by `action`.
    func onRequestFromNowOn(_ action: @escaping @Sendable () -> Void) {
        guard !isRequested else { return }
        shared.actions.withLock { actions in
            actions.hasBegun = true
            actions.first = action
        }
    }
}
