import Testing
import Timebase

@testable import Reporting

/// Instants computed by hand: Germany puts its clocks forward on 2026-03-29 at 01:00 UTC, from 02:00 to 03:00, and back on
/// 2026-10-25 at 01:00 UTC, from 03:00 to 02:00.
@Suite("Axes of time where clocks change")
struct ClockChangeTests {
    private static let hour = 3600.0
    private static let day = 86_400.0

    /// From Saturday, 2026-03-28, 00:00 in Berlin on: 2026-03-27T23:00:00Z.
    private static let spring = Report.Clock(
        startsAt: Instant(milliseconds: 1_774_652_400_000), utcOffsetMinutes: 60, zone: "Europe/Berlin",
        changes: [.init(second: 26 * hour, utcOffsetMinutes: 120)])
    /// From Saturday, 2026-10-24, 00:00 in Berlin on: 2026-10-23T22:00:00Z.
    private static let autumn = Report.Clock(
        startsAt: Instant(milliseconds: 1_792_792_800_000), utcOffsetMinutes: 120, zone: "Europe/Berlin",
        changes: [.init(second: 27 * hour, utcOffsetMinutes: 60)])
    /// From Friday, 2026-03-27, 00:00 in Beirut on: 2026-03-26T22:00:00Z. There, Sunday begins at 01:00.
    private static let beirut = Report.Clock(
        startsAt: Instant(milliseconds: 1_774_562_400_000), utcOffsetMinutes: 120, zone: "Asia/Beirut",
        changes: [.init(second: 48 * hour, utcOffsetMinutes: 180)])

    private func ticks(_ clock: Report.Clock, _ from: Double, _ end: Double) -> [String] {
        var report = Fixtures.outage()
        report.simulatedSeconds = 3 * Self.day
        report.clock = clock
        return TimeScale(report).ticks(from: from * Self.hour, to: end * Self.hour)
            .map { "\($0.second / Self.hour) \($0.label)" }
    }

    private func label(_ clock: Report.Clock, _ hours: Double) -> String {
        var report = Fixtures.outage()
        report.simulatedSeconds = 3 * Self.day
        report.clock = clock
        return TimeScale(report).label(hours * Self.hour)
    }

    @Test("in spring, an hour is left out, and midnights are midnights on both sides")
    func forward() {
        #expect(
            ticks(Self.spring, 0, 72) == [
                "0.0 Sat 28", "12.0 12:00", "24.0 Sun 29", "35.0 12:00", "47.0 Mon 30", "59.0 12:00",
                "71.0 Tue 31",
            ])
        #expect(
            ticks(Self.spring, 24, 30) == [
                "24.0 Sun 29", "25.0 01:00", "26.0 03:00", "27.0 04:00", "28.0 05:00", "29.0 06:00",
                "30.0 07:00",
            ])
        // 02:00, which would be next on this axis, does not exist.
        #expect(
            ticks(Self.spring, 24, 35) == [
                "24.0 Sun 29", "27.0 04:00", "29.0 06:00", "31.0 08:00", "33.0 10:00", "35.0 12:00",
            ])
        #expect(
            label(Self.spring, 25.5) == "Sun 29 Mar 01:30" && label(Self.spring, 26) == "Sun 29 Mar 03:00")
    }

    @Test("in autumn, an hour comes twice")
    func back() {
        #expect(
            ticks(Self.autumn, 0, 73) == [
                "0.0 Sat 24", "12.0 12:00", "24.0 Sun 25", "37.0 12:00", "49.0 Mon 26", "61.0 12:00",
                "73.0 Tue 27",
            ])
        #expect(
            ticks(Self.autumn, 24, 30) == [
                "24.0 Sun 25", "25.0 01:00", "26.0 02:00", "27.0 02:00", "28.0 03:00", "29.0 04:00",
                "30.0 05:00",
            ])
        #expect(
            ticks(Self.autumn, 24, 37) == [
                "24.0 Sun 25", "26.0 02:00", "29.0 04:00", "31.0 06:00", "33.0 08:00", "35.0 10:00",
                "37.0 12:00",
            ])
        #expect(
            label(Self.autumn, 26.5) == "Sun 25 Oct 02:30" && label(Self.autumn, 27.5) == "Sun 25 Oct 02:30")
        #expect(label(Self.autumn, 28.5) == "Sun 25 Oct 03:30")
    }

    @Test("a day without a midnight begins when the clocks are put forward")
    func withoutMidnight() {
        #expect(
            ticks(Self.beirut, 0, 120) == [
                "0.0 Fri 27", "24.0 Sat 28", "48.0 Sun 29", "71.0 Mon 30", "95.0 Tue 31", "119.0 Wed 1",
            ])
        #expect(label(Self.beirut, 48) == "Sun 29 Mar 01:00")
    }

    @Test("no tick is out of order, and each shows what clocks show", arguments: [spring, autumn, beirut])
    func order(_ clock: Report.Clock) {
        for from in stride(from: 0.0, to: 60, by: 0.5) {
            for length in [3.0, 6, 11, 20, 30, 50, 90, 200] {
                let labels = ticks(clock, from, from + length)
                let hours = labels.compactMap { Double($0.prefix { $0 != " " }) }
                #expect(hours.count >= 2 && hours == hours.sorted() && Set(hours).count == hours.count)
                #expect(hours.allSatisfy { $0 >= from && $0 <= from + length })
                let gaps = zip(hours, hours.dropFirst()).map { $1 - $0 }
                // One hour more or less than the other steps, and a step more where a round hour is skipped.
                #expect((gaps.max() ?? 0) <= 2 * (gaps.min() ?? 0) + 1, "\(labels)")
            }
        }
    }

    /// Half-hours of which each captured as many events a second as its local hour says, by the time that clocks show.
    private func series(hours: Int, _ local: (Double) -> Double) -> [Report.SeriesPoint] {
        (0..<2 * hours).map { half in
            var point = Report.SeriesPoint()
            point.second = Double(half) * 1800
            point.seconds = 1800
            let hour = Int(local(Double(half) / 2)) % 24
            point.captured = UInt64(1800 * hour)
            return point
        }
    }

    @Test("days of 23 and of 25 hours are days")
    func days() throws {
        let short = series(hours: 72) { $0 < 26 ? $0 : $0 + 1 }
        let long = series(hours: 74) { $0 < 27 ? $0 : $0 - 1 }
        for (series, clock, hours) in [(short, Self.spring, 71.0), (long, Self.autumn, 73.0)] {
            let (points, means, days) = try #require(
                DayCurve.points(of: series, length: hours * Self.hour, clock: clock))
            #expect(days == 3)
            #expect(DayCurve.points(of: series, length: hours * Self.hour - 1, clock: clock)?.days == 2)
            for (hour, point) in points.enumerated() {
                #expect(means[hour].captured == Double(hour))
                #expect(point.capturedRate == .init(Double(hour), Double(hour)))
            }
        }
    }

    @Test("changes are kept in a report's JSON, and a report without any has none")
    func json() throws {
        var report = Fixtures.outage()
        for clock in [
            Self.spring, Report.Clock(startsAt: Self.spring.startsAt, utcOffsetMinutes: 0, zone: "UTC"),
        ] {
            report.clock = clock
            let bytes = ReportJSON.write(report)
            #expect(try ReportJSON.read(bytes).clock == clock)
            #expect(String(decoding: bytes, as: UTF8.self).contains("\"changes\"") == !clock.changes.isEmpty)
        }
    }
}
