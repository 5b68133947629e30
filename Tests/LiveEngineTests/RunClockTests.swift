import DeviceSDK
import NIOCore
import Testing
import Timebase

@testable import LiveEngine

@Suite("The clock of a live run")
struct RunClockTests {
    private static let origin = ScriptedRun.start
    private static let uptime: UInt64 = 5_000_000_000

    private static func clock(pace: Int) -> RunClock {
        RunClock(showing: origin, atUptime: uptime, pace: pace)
    }

    @Test("goes on by its pace", arguments: [1, 7, 3600, 86_400])
    func pace(_ pace: Int) {
        let clock = Self.clock(pace: pace)
        #expect(clock.instant(atUptime: Self.uptime) == Self.origin)
        #expect(
            clock.instant(atUptime: Self.uptime + 1_500_000_000) - Self.origin == .milliseconds(1500)
                * Int64(pace))
        // A reading from before the clock was set.
        #expect(Self.origin - clock.instant(atUptime: Self.uptime - 2000) == .microseconds(2) * Int64(pace))
    }

    @Test(
        "shows an instant at its deadline, and did not a nanosecond before", arguments: [1, 7, 3600, 86_400])
    func deadline(_ pace: Int) {
        let clock = Self.clock(pace: pace)
        for ahead in [1, 6, 7, 8, 3599, 3601, 86_399, 1_000_000_007, 604_800_000_000_001] as [Int64] {
            let instant = Self.origin + Interval(nanoseconds: ahead)
            let deadline = clock.deadline(of: instant).uptimeNanoseconds
            #expect(clock.instant(atUptime: deadline) >= instant)
            #expect(clock.instant(atUptime: deadline - 1) < instant)
        }
        #expect(clock.deadline(of: Self.origin).uptimeNanoseconds == Self.uptime)
        #expect(clock.deadline(of: Self.origin - .hours(1)).uptimeNanoseconds == Self.uptime)
        #expect(clock.deadline(of: .distantFuture).uptimeNanoseconds > Self.uptime)
    }

    @Test("turns real times into times of the run and back", arguments: [1, 7, 3600, 86_400])
    func lengths(_ pace: Int) {
        let clock = Self.clock(pace: pace)
        #expect(clock.runTime(.seconds(8)) == .seconds(8 * Int64(pace)))
        for length in [Interval.zero, .microseconds(1), .milliseconds(50), .seconds(8), .minutes(10)] {
            #expect(clock.realTime(clock.runTime(length)) == length)
        }
    }

    @Test("keeps what it gives within what instants can hold")
    func bounds() {
        let clock = Self.clock(pace: 86_400)
        #expect(clock.runTime(.hours(24 * 365)) == Interval.century)
        #expect(clock.runTime(Interval(nanoseconds: .max)) == Interval.century)
        // After the ten years that a scenario may last.
        let late = Self.origin + .hours(24 * 3650) + clock.runTime(.hours(24)) + clock.runTime(.hours(24))
        #expect(late > Self.origin)
    }

    @Test("reaches an instant after its lead")
    func lead() {
        let clock = RunClock(reaching: Self.origin, in: .milliseconds(400), pace: 3600)
        #expect(clock.pace == 3600)
        #expect(Self.origin - clock.origin == .milliseconds(400) * 3600)
        #expect(clock.instant(atUptime: clock.uptimeNanoseconds + 400_000_000) == Self.origin)
    }

    @Test("has a clock of the sockets beside it")
    func sockets() {
        let clock = Self.clock(pace: 3600)
        let sockets = clock.unhurried
        let later = Self.uptime + 2_000_000_000
        #expect(sockets.instant(atUptime: later) == Self.origin + .seconds(2))
        #expect(clock.realInstant(of: clock.instant(atUptime: later)) == sockets.instant(atUptime: later))
        #expect(clock.instant(ofReal: sockets.instant(atUptime: later)) == clock.instant(atUptime: later))
        #expect(clock.realInstant(of: .distantFuture) == .distantFuture)
    }

    @Test(
        "has the fleets' state noted no more than ten times in a real second",
        arguments: [(1, 1), (10, 1), (11, 2), (60, 8), (3600, 512), (7200, 1024), (86_400, 16_384)])
    func notes(_ pace: Int64, _ seconds: Int64) {
        #expect(Shard.noteInterval(pace: pace) == .seconds(seconds))
    }
}
