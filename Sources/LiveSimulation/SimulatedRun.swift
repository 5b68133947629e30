import CollectorServer
package import LiveEngine
import Measurement
import NIOCore
package import NIOEmbedded
package import Timebase

/// Drives live runs on a loop whose clock jumps from one due moment to the next.
package enum SimulatedRun {
    /// A loop whose clock does not show zero, which stands for "never" in a connection's times.
    package static func makeLoop() -> EmbeddedEventLoop {
        let loop = EmbeddedEventLoop()
        loop.advanceTime(by: .seconds(1))
        return loop
    }

    /// A run's clock on such a loop, which shows `instant` now.
    package static func clock(
        showing instant: Instant, on loop: EmbeddedEventLoop, pace: Int = 1
    ) -> RunClock {
        RunClock(showing: instant, atUptime: loop.now.uptimeNanoseconds, pace: pace)
    }

    /// Plays a run to its end.
    ///
    /// - Parameters:
    ///   - configuration: Its clock is one of the loop's; its transport a network on it.
    ///   - shards: Shards of the devices, 1 or more, all on this loop.
    ///   - limit: How far the loop's clock goes at most.
    ///   - isEnough: Asked every half second of the loop's clock whether to end the run at once.
    /// - Returns: `nil` if the run did not end within the limit.
    /// - Throws: `LiveEngineError` if a target cannot be used.
    package static func play(
        _ configuration: LiveConfiguration, shards: Int, on loop: EmbeddedEventLoop, limit: Interval,
        isEnough: () -> Bool = { false }
    ) throws -> (result: LiveResult, run: LiveRun)? {
        let run = try LiveRun.startInPlace(configuration, on: Array(repeating: loop, count: shards))
        let end = Box<LiveResult>()
        run.outcome.whenSuccess { end.value = $0 }
        let last = loop.now + TimeAmount(limit)
        while end.value == nil, loop.now < last {
            loop.advanceTime(by: .milliseconds(500))
            if isEnough() { run.end() }
        }
        return end.value.map { ($0, run) }
    }

    /// Holds what a future gives; confined to the thread that drives the loop.
    private final class Box<Value>: @unchecked Sendable { var value: Value? }
}
