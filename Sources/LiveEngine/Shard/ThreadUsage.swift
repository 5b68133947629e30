import Timebase

/// How busy the shard's thread is: its CPU time, read once a second, over the time that passed. That
/// covers everything the loop does, system calls included, and costs nothing in between. Its instants
/// are of real time, whatever the run's clock does.
struct ThreadUsage {
    private var begun: (instant: Instant, cpu: UInt64)?
    private var last: (instant: Instant, cpu: UInt64)?
    private var hasEnded = false
    /// Over the whole time so far, 0…1.
    private(set) var share = 0.0
    /// In the busiest interval of about a second.
    private(set) var peak = 0.0
    /// CPU time so far, in nanoseconds.
    private(set) var total: UInt64 = 0

    /// Begins the measurement, if it has not begun.
    mutating func begin(at now: Instant) {
        guard begun == nil else { return }
        let cpu = MachineLimits.threadTime()
        begun = (now, cpu)
        last = (now, cpu)
    }

    /// Notes the present.
    mutating func sample(at now: Instant) {
        guard !hasEnded, let begun, let last else { return }
        let cpu = MachineLimits.threadTime()
        if now - last.instant >= .milliseconds(900) {
            peak = max(peak, ThreadUsage.share(from: last, to: (now, cpu)))
            self.last = (now, cpu)
        }
        total = cpu - begun.cpu
        share = ThreadUsage.share(from: begun, to: (now, cpu))
    }

    /// Ends the measurement: users act no more.
    mutating func end(at now: Instant) {
        sample(at: now)
        hasEnded = true
    }

    private static func share(from: (instant: Instant, cpu: UInt64), to: (instant: Instant, cpu: UInt64))
        -> Double
    {
        let elapsed = to.instant - from.instant
        guard elapsed > .zero else { return 0 }
        return min(1, Double(to.cpu - from.cpu) / Double(elapsed.nanoseconds))
    }
}
