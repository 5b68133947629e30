package import NIOCore
package import Timebase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The clock of a live run: set once, it then goes on with the machine's monotonic clock, whatever
/// happens to the wall clock, at its pace or a whole number of times as fast.
///
/// People and devices live by this clock. What belongs to sockets (limits of requests, delays, measured
/// times) is real time; ``runTime(_:)`` and ``realTime(_:)`` convert.
package struct RunClock: Hashable, Sendable {
    /// What the run's clock showed when the monotonic clock showed ``uptimeNanoseconds``.
    package let origin: Instant
    package let uptimeNanoseconds: UInt64
    /// Seconds of the run in a second of the machine, 1 or more.
    package let pace: Int64

    /// Makes a clock that shows `instant` at this moment.
    ///
    /// - Parameter pace: Seconds of the run in a second of the machine, 1...86,400.
    package init(showing instant: Instant, pace: Int = 1) {
        self.init(showing: instant, atUptime: NIODeadline.now().uptimeNanoseconds, pace: pace)
    }

    /// Makes a clock that will show `instant` when `lead` of real time has passed.
    package init(reaching instant: Instant, in lead: Interval, pace: Int = 1) {
        let begun = RunClock(showing: instant, pace: pace)
        self.init(
            showing: instant - begun.runTime(lead), atUptime: begun.uptimeNanoseconds, pace: pace)
    }

    /// Makes a clock that shows `instant` when the monotonic clock shows `uptime` nanoseconds.
    ///
    /// - Parameter pace: Seconds of the run in a second of the machine, 1...86,400.
    package init(showing instant: Instant, atUptime uptime: UInt64, pace: Int) {
        precondition(pace >= 1, "a run's clock does not stand still")
        origin = instant
        uptimeNanoseconds = uptime
        self.pace = Int64(pace)
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
        origin + Interval(nanoseconds: Int64(bitPattern: uptime &- uptimeNanoseconds)) * pace
    }

    /// The event loop's deadline for an instant of the run; one in the past is due at once.
    package func deadline(of instant: Instant) -> NIODeadline {
        let ahead = max(0, instant.nanoseconds - origin.nanoseconds)
        // Rounded up: at the deadline the clock shows the instant or later, never just before it.
        let real = ahead / pace + (ahead % pace == 0 ? 0 : 1)
        return .uptimeNanoseconds(uptimeNanoseconds &+ UInt64(real))
    }

    /// How far the run's clock goes in a length of real time; at most a hundred years.
    package func runTime(_ real: Interval) -> Interval { real.stretched(by: pace) }

    /// How long the run's clock really takes for a length of its time, rounded towards zero.
    package func realTime(_ run: Interval) -> Interval { run / pace }

    /// The same clock at the machine's own pace: sockets live by it.
    package var unhurried: RunClock {
        RunClock(showing: origin, atUptime: uptimeNanoseconds, pace: 1)
    }

    /// What ``unhurried`` shows when this clock shows `instant`.
    package func realInstant(of instant: Instant) -> Instant {
        instant == .distantFuture ? instant : origin + realTime(instant - origin)
    }

    /// What this clock shows when ``unhurried`` shows `real`.
    package func instant(ofReal real: Instant) -> Instant { origin + (real - origin) * pace }

    /// How long before `schedule.start` a run should be set up, so that making its devices does not
    /// show as lag: a tenth of a second and 20 µs for each device.
    package static func lead(devices: Int) -> Interval {
        .milliseconds(100) + .microseconds(20) * Int64(devices)
    }
}
