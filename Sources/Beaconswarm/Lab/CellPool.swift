import Dispatch
import NIOPosix
import Synchronization
import Timebase

/// Plays simulations side by side, each on one thread: what comes of one depends on no other.
final class CellPool: Sendable {
    private struct State {
        var failure: CommandFailure?
        var isEnding = false
    }

    private let interruption: Interruption
    private let progress: CellProgress
    private let state = Mutex(State())

    init(interruption: Interruption, progress: CellProgress) {
        self.interruption = interruption
        self.progress = progress
    }

    /// Whether simulations are to end: somebody wants it, or one of them failed.
    private var isEnding: Bool { interruption.isRequested || state.withLock { $0.isEnding } }

    /// Plays all of them in order, so many at a time.
    ///
    /// - Parameter play: Plays one; it looks at the control, and gives `nil` if it was ended.
    /// - Returns: What came of each; `nil` for those that were ended or never began.
    /// - Throws: ``CommandFailure`` of the first that failed.
    func run<Result: Sendable>(
        _ count: Int, threads: Int,
        _ play: @escaping @Sendable (Int, CellControl, @escaping @Sendable (Double) -> Void) throws -> Result?
    ) throws(CommandFailure) -> [Result?] {
        let results = Mutex([Result?](repeating: nil, count: count))
        let pool = NIOThreadPool(numberOfThreads: max(1, min(threads, count)))
        pool.start()
        let group = DispatchGroup()
        let control = CellControl(isEnding: { [self] in isEnding })
        for index in 0..<count {
            group.enter()
            pool.submit { [self] _ in
                defer { group.leave() }
                guard !isEnding else { return }
                progress.began(index)
                let result = attempt {
                    try play(index, control) { [self] share in
                        if !isEnding { progress.note(index, share) }
                    }
                }
                results.withLock { $0[index] = result }
                progress.ended(index, isDone: result != nil)
            }
        }
        group.wait()
        // Nothing is left to be done by it.
        pool.shutdownGracefully { _ in }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return results.withLock { $0 }
    }

    private func attempt<Result>(_ body: () throws -> Result?) -> Result? {
        do {
            return try body()
        } catch {
            let failure =
                error as? CommandFailure ?? CommandFailure(.internalError, Beaconswarm.words(for: error))
            state.withLock { state in
                state.failure = state.failure ?? failure
                state.isEnding = true
            }
            return nil
        }
    }
}

/// How far many simulations have come, and how long the others will take.
final class CellProgress: Sendable {
    private struct State {
        /// 0…1 of those that go on.
        var running: [Int: Double] = [:]
        var done = 0
    }

    private let count: Int
    private let console: RunConsole
    private let began = Host.monotonic
    private let state = Mutex(State())

    /// - Parameter count: Simulations in all.
    init(count: Int, console: RunConsole) {
        self.count = count
        self.console = console
    }

    func began(_ index: Int) { state.withLock { $0.running[index] = 0 } }

    func note(_ index: Int, _ share: Double) {
        state.withLock { $0.running[index] = share }
        tell()
    }

    /// - Parameter isDone: Whether something came of it. One that was broken off is dropped, and where there is one, no
    ///   progress is to be told any more.
    func ended(_ index: Int, isDone: Bool) {
        state.withLock { state in
            state.running[index] = nil
            if isDone { state.done += 1 }
        }
        if isDone { tell() }
    }

    private func tell() {
        let (share, line) = standing
        console.progress(share: share) { line }
    }

    /// `█████░░░░░ 12 of 40 simulations, 2 running, about 1m 20s left`.
    private var standing: (share: Double, line: String) {
        let (done, running) = state.withLock { state in
            // In a fixed order: sums of fractions depend on it.
            (state.done, state.running.sorted { $0.key < $1.key }.map(\.value))
        }
        let share = (Double(done) + running.reduce(0, +)) / Double(max(1, count))
        let line = CellProgress.line(
            done: done, running: running.count, count: count, share: share, elapsed: Host.monotonic - began)
        return (share, line)
    }

    static func line(done: Int, running: Int, count: Int, share: Double, elapsed: Interval) -> String {
        "\(ProgressWords.bar(share)) \(done) of \(count.of("simulation")), \(running) running"
            + ProgressWords.timeLeft(share, elapsed: elapsed, from: 0.01)
    }
}
