import Rendering
import Timebase

/// How charts tell the times of a run: since its start, or, of a long run whose people's zone is known, by their
/// calendar. A day that stands for several has its hours alone.
struct TimeScale: Sendable {
    private enum Kind: Sendable {
        case elapsed
        /// - Parameter tellsYears: Whether a date alone could be of more than one year.
        case local(Report.Clock, tellsYears: Bool)
        case hours(String)
    }

    private let kind: Kind

    /// From which length on hours and days tell more than a time since the start.
    private static let leastSeconds = 21_600.0

    static let elapsed = TimeScale(kind: .elapsed)

    private init(kind: Kind) { self.kind = kind }

    init(_ report: Report) {
        let isLong = report.simulatedSeconds >= TimeScale.leastSeconds
        guard isLong, let clock = report.clock else {
            kind = .elapsed
            return
        }
        let years = [0, report.simulatedSeconds].map { TimeScale.civil($0, clock).year }
        kind = .local(clock, tellsYears: years[0] != years[1])
    }

    /// The hours of a day.
    ///
    /// - Parameter title: Whose day.
    static func hours(_ title: String) -> TimeScale { TimeScale(kind: .hours(title)) }

    /// What stands below an axis.
    var title: String {
        switch kind {
        case .elapsed: "time since the start"
        case .local(let clock, _): "local time (\(clock.zone))"
        case .hours(let title): title
        }
    }

    /// Round values of an axis, in seconds since the run's start, each with its label.
    func ticks(from: Double, to end: Double) -> [(second: Double, label: String)] {
        switch kind {
        case .elapsed: return Ticks.clock(from: from, to: end).map { ($0, Ticks.clockLabel($0)) }
        case .local(let clock, let tellsYears):
            return TimeScale.calendar(from, end, clock, tellsYears: tellsYears)
        case .hours:
            return stride(from: 0.0, through: 86_400, by: 10_800).map { ($0, TimeScale.hour($0)) }
        }
    }

    /// A time, as precisely as people want it.
    func label(_ second: Double) -> String {
        switch kind {
        case .elapsed: return Ticks.clockLabel(second)
        case .local(let clock, let tellsYears):
            let local = TimeScale.civil(second, clock)
            return "\(TimeScale.weekday(second, clock)) \(local.day) \(TimeScale.month(local)) "
                + (tellsYears ? "\(local.year) " : "")
                + String(local.timeText.prefix(second.truncatingRemainder(dividingBy: 60) == 0 ? 5 : 8))
        case .hours: return TimeScale.hour(second)
        }
    }

    /// When something without an end began: `0` alone would be a figure of nothing.
    func label(from second: Double) -> String {
        if case .elapsed = kind, second == 0 { return "from the start on" }
        return label(second)
    }

    // MARK: - The calendar

    private static let steps: [Double] = [
        3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600, 2_419_200, 4_838_400,
        9_676_800, 31_449_600,
    ]
    /// The first Monday that clocks know, 1970-01-05: weeks begin with one.
    private static let firstMonday = 4 * 86_400.0

    private static func calendar(
        _ from: Double, _ end: Double, _ clock: Report.Clock, tellsYears: Bool
    ) -> [(second: Double, label: String)] {
        // Seven days, and the drain after them.
        let step = steps.first { (end - from) / $0 <= 7.5 } ?? (end - from) / 7
        let shift = step > 172_800 ? firstMonday : 0
        var seconds: [Double] = []
        var last = -Double.infinity
        for part in clock.parts where part.from <= end && part.until > from {
            let begin = max(from, part.from)
            if begin > from { skippedDay(begin, clock, step, shift).map { seconds.append($0) } }
            let first = ((part.localStart + begin - shift) / step).rounded(.up) * step + shift
            for local in stride(from: first, through: part.localStart + min(end, part.until), by: step) {
                let second = local - part.localStart
                // Of hours that come twice each tells itself; what is further apart than hours is told once.
                guard second < part.until, step <= 3600 || local > last else { continue }
                seconds.append(second)
                last = max(last, local)
            }
        }
        let ticks = seconds.map { (second: $0, label: label(ofTick: $0, step, clock)) }
        return tellsYears && step > 172_800 ? withYears(ticks, clock) : ticks
    }

    /// Dates, of which the first in each year tells it.
    private static func withYears(
        _ ticks: [(second: Double, label: String)], _ clock: Report.Clock
    ) -> [(second: Double, label: String)] {
        var told: Int?
        return ticks.map { tick in
            let year = Int(civil(tick.second, clock).year)
            defer { told = year }
            return (tick.second, year == told ? tick.label : "\(tick.label) \(year)")
        }
    }

    /// Where a day, or a week, begins whose midnight the clocks skip: the moment at which they are put forward.
    private static func skippedDay(
        _ change: Double, _ clock: Report.Clock, _ step: Double, _ shift: Double
    ) -> Double? {
        guard step >= 86_400 else { return nil }
        let before = clock.local(change.nextDown)
        let midnight = ((before - shift) / step).rounded(.up) * step + shift
        return midnight < clock.local(change) ? change : nil
    }

    private static func label(ofTick second: Double, _ step: Double, _ clock: Report.Clock) -> String {
        let civil = civil(second, clock)
        guard step >= 86_400 else {
            let isMidnight = civil.hour == 0 && civil.minute == 0
            return isMidnight ? "\(weekday(second, clock)) \(civil.day)" : String(civil.timeText.prefix(5))
        }
        let isDays = step <= 172_800
        return isDays ? "\(weekday(second, clock)) \(civil.day)" : "\(civil.day) \(month(civil))"
    }

    /// Local time as if it were UTC. What a damaged file says of years beyond reason is told as their bounds.
    private static func local(_ second: Double, _ clock: Report.Clock) -> Instant {
        let bound = 9e9
        let local = min(max(clock.local(second), -bound), bound)
        return Instant(milliseconds: Int64((local * 1000).rounded(.down)))
    }

    private static func civil(_ second: Double, _ clock: Report.Clock) -> CivilTime {
        CivilTime(local(second, clock))
    }

    private static func weekday(_ second: Double, _ clock: Report.Clock) -> String {
        // 1970-01-01 was a Thursday.
        let days = CivilTime.dayNumber(local(second, clock))
        return ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int((days % 7 + 7) % 7)]
    }

    private static func month(_ civil: CivilTime) -> String {
        [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][civil.month - 1]
    }

    private static func hour(_ second: Double) -> String {
        let minutes = Int(second / 60)
        let (hour, minute) = (minutes / 60, minutes % 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }
}
