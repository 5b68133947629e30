import Foundation

/// How much of the writer's time the table takes.
struct StoreLoad {
    /// What one of the system's clocks shows, in nanoseconds.
    typealias Clock = @Sendable (clockid_t) -> Int64

    private let clock: Clock
    private var windowStart: Int64
    private var busy: Int64 = 0
    /// Whether rows had better go another way.
    private(set) var isBehind = false

    /// What is looked at together, in nanoseconds.
    private static let window: Int64 = 200_000_000
    /// The processor time within a window that is too much, in nanoseconds: a collector that spends a third of a core on
    /// its table is on its way to being limited by it. Time that other processes take does not count.
    private static let limit: Int64 = 66_000_000

    /// - Parameter clock: By default, the system's own.
    init(clock: @escaping Clock = SystemClock.nanoseconds) {
        self.clock = clock
        windowStart = clock(CLOCK_MONOTONIC)
    }

    /// Runs a transaction, and counts the processor time that it takes.
    mutating func measure<Result>(_ body: () -> Result) -> Result {
        let begin = clock(CLOCK_MONOTONIC)
        if begin - windowStart > StoreLoad.window { (windowStart, busy) = (begin, 0) }
        let start = clock(CLOCK_THREAD_CPUTIME_ID)
        let result = body()
        busy += clock(CLOCK_THREAD_CPUTIME_ID) - start
        if busy > StoreLoad.limit { isBehind = true }
        return result
    }

    /// The table has all that went another way: it is to be tried again.
    mutating func noteDrained() {
        guard isBehind else { return }
        (windowStart, busy, isBehind) = (clock(CLOCK_MONOTONIC), 0, false)
    }
}
