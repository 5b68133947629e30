/// How active people are over the hours of a week of local time, as a clock: the time change by which a process of
/// rate 1 on the clock becomes one that follows the curve.
///
/// The same inversion as of ``ActivityClock``; the cumulative weight is monotone, so nothing is dropped and the order
/// of a device's draws stays. The mean speed over a week is 1.
package struct WeekCurve: Sendable, Hashable {
    /// Hours of a week, from Monday's first.
    package static let hours = 168
    private static let week = 604_800.0
    private static let weekNanoseconds: Int64 = 604_800_000_000_000
    private static let hourNanoseconds: Int64 = 3_600_000_000_000
    /// 1970-01-01 was a Thursday.
    private static let monday: Int64 = 3 * 86_400_000_000_000

    /// Seconds of activity up to the beginning of each hour, and of the week's end.
    private let cumulative: [Double]
    /// For each of 256 equal parts of the activity the hour in which it begins: the look-up's first step.
    private let guide: [UInt8]

    /// Makes a curve of the weights of 168 hours, from Monday's first on.
    ///
    /// - Returns: `nil` for another number of weights, a negative or infinite one, or if all are 0.
    package init?(_ weights: [Double]) {
        let sum = weights.reduce(0, +)
        guard weights.count == WeekCurve.hours, weights.allSatisfy({ $0 >= 0 && $0.isFinite }), sum > 0,
            sum.isFinite
        else { return nil }
        var cumulative = [0.0]
        for weight in weights {
            cumulative.append(cumulative[cumulative.count - 1] + weight / sum * WeekCurve.week)
        }
        cumulative[WeekCurve.hours] = WeekCurve.week
        self.cumulative = cumulative
        guide = (0..<256).map { part in
            let activity = Double(part) / 256 * WeekCurve.week
            return UInt8((0..<WeekCurve.hours).last { cumulative[$0] <= activity } ?? 0)
        }
    }

    /// Makes a curve of 24 weights of working days and 24 of Saturdays and Sundays.
    package init?(weekday: [Double], weekend: [Double]) {
        guard weekday.count == 24, weekend.count == 24 else { return nil }
        self.init((0..<7).flatMap { $0 < 5 ? weekday : weekend })
    }

    /// Makes a curve of the weights of a day's 24 hours and of the seven days from Monday on.
    package init?(hours: [Double], days: [Double]) {
        guard hours.count == 24, days.count == 7 else { return nil }
        self.init(days.flatMap { day in hours.map { $0 * day } })
    }

    /// All hours alike: time goes by evenly.
    package var isFlat: Bool {
        (0..<WeekCurve.hours).allSatisfy { abs(cumulative[$0] - Double($0) * 3600) < 1e-6 }
    }

    /// The mean number of seconds of activity in a second of an hour of the week.
    package func weight(ofHour hour: Int) -> Double { (cumulative[hour + 1] - cumulative[hour]) / 3600 }

    /// How fast the clock runs at an instant, for people in a zone.
    ///
    /// - Complexity: O(log n) in the number of the zone's changes.
    package func speed(at instant: Instant, in zone: UTCOffsets) -> Double {
        let (_, inWeek) = WeekCurve.position(instant + zone.offset(at: instant).offset)
        return weight(ofHour: Int(inWeek / WeekCurve.hourNanoseconds))
    }

    /// The instant at which `activity` has gone by on this clock since `instant`, for people in a zone.
    ///
    /// An hour that the zone skips is skipped, and one that it repeats comes twice.
    ///
    /// - Complexity: O(1), and O(log n) in the number of the zone's changes for each that is passed.
    package func instant(after instant: Instant, activity: Interval, in zone: UTCOffsets) -> Instant {
        var from = instant
        var rest = activity.fractionalSeconds
        while true {
            let (offset, until) = zone.offset(at: from)
            let found = local(after: from + offset, activity: rest) - offset
            // Rounding may not turn time back.
            if found < until { return max(instant, found) }
            rest = max(0, rest - activityBetween(from + offset, until + offset))
            from = until
        }
    }

    /// The number of the week, and the nanoseconds in it, of a local time.
    private static func position(_ local: Instant) -> (week: Int64, inWeek: Int64) {
        let sinceMonday = local.nanoseconds + monday
        let week = CivilTime.floorDivide(sinceMonday, weekNanoseconds)
        return (week, sinceMonday - week * weekNanoseconds)
    }

    private func area(_ inWeek: Int64) -> Double {
        let hour = Int(inWeek / WeekCurve.hourNanoseconds)
        let share =
            Double(inWeek - Int64(hour) * WeekCurve.hourNanoseconds) / Double(WeekCurve.hourNanoseconds)
        return cumulative[hour] + (cumulative[hour + 1] - cumulative[hour]) * share
    }

    private func activityBetween(_ from: Instant, _ until: Instant) -> Double {
        let (first, last) = (WeekCurve.position(from), WeekCurve.position(until))
        return Double(last.week - first.week) * WeekCurve.week + area(last.inWeek) - area(first.inWeek)
    }

    /// The local time at which so many seconds of activity have gone by since another.
    private func local(after local: Instant, activity: Double) -> Instant {
        let (week, inWeek) = WeekCurve.position(local)
        let target = area(inWeek) + activity
        let weeks = (target / WeekCurve.week).rounded(.down)
        let rest = min(max(0, target - weeks * WeekCurve.week), WeekCurve.week)
        var hour = Int(guide[min(255, Int(rest / WeekCurve.week * 256))])
        while hour < WeekCurve.hours - 1 && cumulative[hour + 1] < rest { hour += 1 }
        let width = cumulative[hour + 1] - cumulative[hour]
        let share = width > 0 ? (rest - cumulative[hour]) / width : 0
        let found = (Double(hour) + min(1, max(0, share))) * Double(WeekCurve.hourNanoseconds)
        let start = (week + Int64(weeks)) * WeekCurve.weekNanoseconds - WeekCurve.monday
        return Instant(nanoseconds: start + Int64(found.rounded()))
    }
}
