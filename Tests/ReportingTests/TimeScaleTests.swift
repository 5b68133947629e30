import Testing
import Timebase

@testable import Rendering
@testable import Reporting

@Suite("Axes of time")
struct TimeScaleTests {
    /// A Monday, 00:00 UTC.
    private static let monday = Instant(milliseconds: 1_767_571_200_000)
    private static let day = 86_400.0

    private static func clock(_ minutes: Int) -> Report.Clock {
        Report.Clock(startsAt: monday, utcOffsetMinutes: minutes, zone: "Europe/Berlin")
    }

    private func scale(seconds: Double, minutes: Int? = 60, from: Instant = monday) -> TimeScale {
        var report = Fixtures.outage()
        report.simulatedSeconds = seconds
        report.clock = minutes.map(Self.clock)
        report.clock?.startsAt = from
        return TimeScale(report)
    }

    @Test("a week has its days, at local midnights")
    func week() {
        let scale = scale(seconds: 7 * Self.day)
        let ticks = scale.ticks(from: 0, to: 7 * Self.day)
        #expect(ticks.map(\.label) == ["Tue 6", "Wed 7", "Thu 8", "Fri 9", "Sat 10", "Sun 11", "Mon 12"])
        #expect(ticks.map(\.second) == (1...7).map { Double($0) * Self.day - 3600 })
        #expect(scale.title == "local time (Europe/Berlin)")
        #expect(scale.label(0) == "Mon 5 Jan 01:00" && scale.label(3605.5) == "Mon 5 Jan 02:00:05")
    }

    @Test("a day has its hours, and the date at midnight")
    func hours() {
        let scale = scale(seconds: Self.day)
        #expect(
            scale.ticks(from: 0, to: Self.day).map(\.label) == ["06:00", "12:00", "18:00", "Tue 6"])
        #expect(scale.ticks(from: 7200, to: 10_800).map(\.label) == ["03:00", "04:00"])
    }

    @Test("months have weeks that begin on Mondays")
    func months() {
        let ticks = scale(seconds: 40 * Self.day, minutes: 0).ticks(from: 0, to: 40 * Self.day)
        #expect(ticks.map(\.label) == ["5 Jan", "12 Jan", "19 Jan", "26 Jan", "2 Feb", "9 Feb"])
    }

    @Test("where a date could be of two years, it has its year; on an axis the first of each")
    func years() {
        let scale = scale(seconds: 400 * Self.day, minutes: 0)
        #expect(scale.label(0) == "Mon 5 Jan 2026 00:00")
        #expect(scale.label(365 * Self.day) == "Tue 5 Jan 2027 00:00")
        let labels = scale.ticks(from: 0, to: 400 * Self.day).map(\.label)
        #expect(labels.first == "16 Feb 2026" && labels.last == "18 Jan 2027")
        #expect(labels.filter { $0.hasSuffix(" 2026") }.count == 1)
        #expect(labels.filter { $0.hasSuffix(" 2027") }.count == 1)
        // Days within it have no room for one, and no need.
        #expect(scale.ticks(from: 0, to: 3 * Self.day).map(\.label).allSatisfy { !$0.contains("20") })
    }

    @Test("short runs, and runs of people who live nowhere, count from the start")
    func elapsed() {
        for scale in [scale(seconds: 3600), scale(seconds: 3 * Self.day, minutes: nil)] {
            #expect(scale.title == "time since the start" && scale.label(90) == "1m30s")
        }
        let ticks = scale(seconds: 3 * Self.day, minutes: nil).ticks(from: 0, to: 3 * Self.day)
        #expect(ticks.map(\.label) == ["0", "12h", "1d", "1d12h", "2d", "2d12h", "3d"])
    }

    @Test("a day of several is the mean of each hour, with the least and the greatest of them")
    func dayCurve() throws {
        // Half-hours over two days and a half from 18:00 on: what hour h captures on whole day d is 3600 · (h + 10 · d).
        let series = (0..<120).map { half in
            var point = Report.SeriesPoint()
            point.second = Double(half) * 1800
            point.seconds = 1800
            let local = 18 * 2 + half
            let (day, hour) = (local / 48 - 1, local % 48 / 2)
            point.captured = day < 0 ? 1_000_000 : UInt64(1800 * (hour + 10 * day))
            point.devicesActive = half % 2
            return point
        }
        let (points, means, days) = try #require(
            DayCurve.points(of: series, length: 60 * 3600, clock: Self.clock(18 * 60)))
        #expect(days == 2 && points.count == 24)
        for (hour, point) in points.enumerated() {
            #expect(point.second == Double(hour) * 3600 && point.seconds == 3600)
            #expect(means[hour].captured == Double(hour + 5) && means[hour].active == 0.5)
            #expect(point.capturedRate == .init(Double(hour), Double(hour + 10)))
            #expect(point.activeRange == .init(0.5, 0.5))
        }
        #expect(DayCurve.points(of: series, length: 47 * 3600, clock: nil) == nil)
        #expect(DayCurve.points(of: series, length: 48 * 3600, clock: nil)?.days == 2)
    }

    @Test("a mean of less than one is drawn and told as what it is, not as nothing")
    func smallMeans() throws {
        // One event in two days, and a device that is active for a quarter of each hour.
        let series = (0..<192).map { quarter in
            var point = Report.SeriesPoint()
            point.second = Double(quarter) * 900
            point.seconds = 900
            point.captured = quarter == 40 ? 1 : 0
            point.devicesActive = quarter % 4 == 0 ? 1 : 0
            return point
        }
        let (points, means, _) = try #require(DayCurve.points(of: series, length: 2 * Self.day, clock: nil))
        let charts = HTMLWriter.dayCharts(points, means, .hours("time"))
        let active = try #require(charts.first { $0.id == "d-fleet" })
        #expect(active.lines[0].values.allSatisfy { $0 == 0.25 })
        var html = Markup()
        active.write(into: &html)
        #expect(html.text.contains("active devices 0.25") && !html.text.contains("active devices 0<"))
        let captured = try #require(charts.first { $0.id == "d-events" }).lines[0].values.compactMap { $0 }
        #expect(captured.filter { $0 > 0 } == [0.5 / 3600])
    }
}
