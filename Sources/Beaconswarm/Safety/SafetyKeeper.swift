import LiveEngine
import Reporting
import Synchronization

/// Keeps a ``SafetyWatch`` over live runs, one after another, and ends the one that has to be ended.
final class SafetyKeeper: Sendable {
    /// How often a run is looked at: what it passes is noticed within a tenth of a second.
    private static let period = Duration.milliseconds(100)

    private let maximumRate: Double?
    private let part: SafetyWatch.Part?
    private let redact: @Sendable (String) -> String
    private let watch = Mutex<SafetyWatch?>(nil)

    /// - Parameters:
    ///   - maximumRate: Of the whole run.
    ///   - part: What is watched; `nil` for the whole run.
    ///   - redact: Takes secrets out of a text.
    init(
        maximumRate: Double?, part: SafetyWatch.Part? = nil, redact: @escaping @Sendable (String) -> String
    ) {
        self.maximumRate = maximumRate
        self.part = part
        self.redact = redact
    }

    /// Watches a run until the task is cancelled, and ends it at once if it has to be.
    ///
    /// - Returns: why the run was ended, or would have been if it had not just reached its own end.
    func follow(_ run: LiveRun) async -> Report.EarlyEnd? {
        guard begin(run) else { return nil }
        while true {
            let isOver = Task.isCancelled
            let counts = run.tallies.map(\.counts)
            if let end = watch.withLock({ $0?.note(counts, at: Host.monotonic) }) {
                if !isOver { run.end() }
                return end
            }
            if isOver { return nil }
            try? await Task.sleep(for: SafetyKeeper.period)
        }
    }

    /// - Returns: whether there is anything to watch.
    private func begin(_ run: LiveRun) -> Bool {
        let targets = run.tallies.map { tally in
            SafetyWatch.Target(origin: redact(tally.origin), isGuarded: !TargetHost(tally.host).isHarmless)
        }
        return watch.withLock { watch in
            var begun = watch ?? SafetyWatch(targets, maximumRate: maximumRate, part: part)
            begun.beginRun()
            watch = begun
            return begun.isNeeded
        }
    }
}

extension LiveRun {
    /// Does something until the run is over, under a keeper's eyes.
    ///
    /// - Returns: what it came to, and why the run was ended, if it was.
    func kept<Value: Sendable>(
        by keeper: SafetyKeeper, while body: () async throws -> Value
    ) async rethrows -> (value: Value, endedBy: Report.EarlyEnd?) {
        let watching = Task { await keeper.follow(self) }
        defer { watching.cancel() }
        let value = try await body()
        watching.cancel()
        return (value, await watching.value)
    }
}
