import Testing
import Timebase

@Suite("The clock of a device")
struct LocalClockTests {
    /// Berlin's autumn of 2026: back from 03:00 to 02:00 on 25 October.
    private static let change = Instant(text: "2026-10-25T01:00:00Z") ?? .distantFuture
    private static let berlin = UTCOffsets(first: .hours(2), changes: [(change, .hours(1))])

    @Test("shows its zone's time, before and after a change")
    func readings() {
        let clock = LocalClock(zone: Self.berlin)
        #expect(clock.reading(at: Self.change - .seconds(1)).text.hasPrefix("2026-10-25 02:59:59"))
        #expect(clock.reading(at: Self.change).text.hasPrefix("2026-10-25 02:00:00"))
    }

    @Test("a day with a change has 25 hours")
    func days() {
        let clock = LocalClock(zone: Self.berlin)
        let begins = Self.change - .hours(3)
        #expect(clock.day(of: begins) == clock.day(of: begins + .hours(25) - .seconds(1)))
        #expect(clock.day(of: begins - .seconds(1)) + 1 == clock.day(of: begins))
        #expect(clock.day(of: begins + .hours(25)) - 1 == clock.day(of: begins))
    }

    @Test("knows when the day began, also after a change", arguments: [0.0, 1, 2.9, 3, 12, 24.9])
    func midnight(hours: Double) {
        let clock = LocalClock(zone: Self.berlin)
        let begins = Self.change - .hours(3)
        #expect(clock.midnight(before: begins + .fractional(seconds: hours * 3600)) == begins)
    }

    @Test("one that is ahead changes when it shows the moment of the change")
    func skewed() {
        let clock = LocalClock(zone: Self.berlin, skew: .seconds(600))
        #expect(clock.offset(at: Self.change - .seconds(601)) == .hours(2) + .seconds(600))
        #expect(clock.offset(at: Self.change - .seconds(600)) == .hours(1) + .seconds(600))
    }
}
