import NIOCore
import Timebase

/// The one timer of a shard. Turns keep their distance; one that took longer is followed at once.
struct TurnTimer {
    /// Between the beginnings of two turns, on the run's clock.
    private let spacing: Interval
    private var lastTurn: Instant?
    private var armed: NIOScheduledCallback?
    private var armedFor = Instant.distantFuture

    init(spacing: Interval) { self.spacing = spacing }

    /// The timer has fired.
    mutating func beginTurn(at now: Instant) {
        armed = nil
        armedFor = .distantFuture
        lastTurn = now
    }

    /// Has a turn begin when something is due, or as soon after as the distance allows. An earlier turn that was
    /// asked for before stays: one that comes too early does no harm.
    mutating func arm(
        for due: Instant, clock: RunClock, on loop: any EventLoop, handler: some NIOScheduledCallbackHandler
    ) {
        let next = lastTurn.map { max(due, $0 + spacing) } ?? due
        guard next < armedFor else { return }
        armed?.cancel()
        armedFor = next
        armed = try? loop.assumeIsolated().scheduleCallback(at: clock.deadline(of: next), handler: handler)
    }

    mutating func cancel() {
        armed?.cancel()
        armed = nil
    }
}
