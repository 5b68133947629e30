package import Glibc

/// The clocks of the operating system.
package enum SystemClock {
    /// What a clock shows, in nanoseconds.
    @Sendable
    package static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
