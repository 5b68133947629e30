package import NIOCore
package import Timebase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The clock of a live run: set once, it then goes on at the real pace of the machine's monotonic
/// clock, whatever happens to the wall clock.
package struct RunClock: Hashable, Sendable {
    /// What the run's clock showed when the monotonic clock showed ``uptimeNanoseconds``.
    package let origin: Instant
    package let uptimeNanoseconds: UInt64

    /// Makes a clock that shows `instant` at this moment.
    package init(showing instant: Instant) {
        origin = instant
        uptimeNanoseconds = NIODeadline.now().uptimeNanoseconds
    }

    /// Makes a clock that shows what the wall clock shows at this moment.
    package static func wall() -> RunClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return RunClock(
            showing: Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)))
    }

    /// The time now. Takes about 30 ns.
    package func now() -> Instant { instant(atUptime: NIODeadline.now().uptimeNanoseconds) }

    /// The run's time at a reading of the monotonic clock.
    package func instant(atUptime uptime: UInt64) -> Instant {
        origin + Interval(nanoseconds: Int64(bitPattern: uptime &- uptimeNanoseconds))
    }

    /// The event loop's deadline for an instant of the run; one in the past is due at once.
    package func deadline(of instant: Instant) -> NIODeadline {
        let ahead = max(0, instant.nanoseconds - origin.nanoseconds)
        return .uptimeNanoseconds(uptimeNanoseconds &+ UInt64(ahead))
    }

    /// How long before `schedule.start` a run should be set up, so that making its devices does not
    /// show as lag: a tenth of a second and 20 µs for each device.
    package static func lead(devices: Int) -> Interval {
        .milliseconds(100) + .microseconds(20) * Int64(devices)
    }
}
