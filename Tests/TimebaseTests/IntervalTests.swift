import Testing

@testable import Timebase

@Suite("Intervals as text")
struct IntervalTests {
    @Test(
        "reads what people write",
        arguments: [
            ("10s", 10_000_000_000), ("1m30s", 90_000_000_000), ("250ms", 250_000_000),
            ("7d", 604_800_000_000_000),
            ("1.5h", 5_400_000_000_000), ("0", 0), ("0s", 0), ("15us", 15_000),
        ] as [(String, Int64)])
    func reads(text: String, nanoseconds: Int64) {
        #expect(Interval(text: text)?.nanoseconds == nanoseconds)
    }

    @Test(
        "refuses everything else",
        arguments: [
            "", "10", "s", "-1s", "1x", "1 s", "1s ", "1e3s", "９s", "400000d", ".5s", "5.s", "1.s5s",
            "1.2.3s", ".s",
        ])
    func refuses(text: String) { #expect(Interval(text: text) == nil) }

    @Test("writes text that reads back as the same value")
    func roundTrip() {
        let seed: UInt64 = 7
        var stream = RandomStream(key: seed)
        for _ in 0..<2000 {
            let interval = Interval.microseconds(Int64(stream.below(1 << 50)))
            #expect(Interval(text: interval.text) == interval, "seed \(seed): \(interval.text)")
        }
    }
}

@Suite("Instants and calendar")
struct InstantTests {
    @Test(
        "knows the civil time of an instant",
        arguments: [
            (0, "1970-01-01 00:00:00.000"), (951_782_400_000, "2000-02-29 00:00:00.000"),
            (1_700_000_000_123, "2023-11-14 22:13:20.123"), (-1, "1969-12-31 23:59:59.999"),
            (4_102_444_800_000, "2100-01-01 00:00:00.000"),
        ] as [(Int64, String)])
    func civil(milliseconds: Int64, text: String) {
        #expect(CivilTime(Instant(milliseconds: milliseconds)).text == text)
    }

    @Test("shifts by the zone's offset before it takes the date")
    func zone() {
        let instant = Instant(milliseconds: 1_700_000_000_000)
        #expect(CivilTime(instant, offset: .hours(8)).text == "2023-11-15 06:13:20.000")
        #expect(CivilTime.dayNumber(instant, offset: .hours(8)) == CivilTime.dayNumber(instant) + 1)
    }

    @Test("reads RFC 3339 with a zone and writes it in UTC")
    func parse() throws {
        let instant = try #require(Instant(text: "2026-03-02T19:30:00+08:00"))
        #expect(instant.text == "2026-03-02T11:30:00.000Z")
        #expect(instant.compactText == "20260302T113000Z")
        #expect(Instant(text: "2026-01-05T00:00:00.250Z")?.milliseconds == 1_767_571_200_250)
    }

    @Test(
        "refuses dates and offsets that do not exist and times without a zone",
        arguments: [
            "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-05T00:00:00", "2026-01-05",
            "2026-01-05T24:00:00Z",
            "2026-01-05T00:00:00+8", "x", "2026-01-05T00:00:00Zx", "2026-01-05T00:00:00.Z",
            "2026-01-05T00:00:00+24:00", "2026-01-05T00:00:00-00:60", "2026-01-05T00:00:00+99:99",
            "7770-11-14T22:13:20Z", "0001-01-01T00:00:00Z", "2262-01-01T00:00:00Z",
        ])
    func refuses(text: String) { #expect(Instant(text: text) == nil) }

    @Test("reads the first and the last year that 64 bits hold, whatever the zone")
    func bounds() {
        #expect(Instant(text: "1678-01-01T00:00:00+23:59") != nil)
        #expect(Instant(text: "2261-12-31T23:59:59-23:59") != nil)
    }

    @Test("gives every day its own date from 1970 to 2200")
    func days() {
        var last = CivilTime(Instant(milliseconds: -86_400_000))
        for day in Int64(0)..<84_000 {
            let civil = CivilTime(Instant(milliseconds: day * 86_400_000))
            #expect(CivilTime.days(year: civil.year, month: civil.month, day: civil.day) == day)
            #expect((civil.year, civil.month, civil.day) > (last.year, last.month, last.day))
            last = civil
        }
    }
}
