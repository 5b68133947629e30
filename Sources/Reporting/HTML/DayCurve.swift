import Timebase

/// The mean day of a run of several: what happens in each hour, and how far its days differ in that.
enum DayCurve {
    /// The least number of whole days that make a curve.
    private static let leastDays = 2.0
    private static let mostDays = 10_000.0
    private static let day = 86_400.0
    private static let hour = 3600.0

    /// What happened in one hour of one day.
    private struct Hour {
        var seconds = 0.0
        var captured = 0.0
        var delivered = 0.0
        var requests = 0.0
        var failures = 0.0
        var active = 0.0
    }

    /// A point for each hour: means over the run's whole days, with the least and the greatest of any.
    ///
    /// - Parameters:
    ///   - series: Of the run, from its start on.
    ///   - length: Seconds that count: what comes after them is left out.
    ///   - clock: Of the people: days begin at their midnights, an hour that their clocks skip has one day less, and
    ///     one that comes twice is the mean of both. `nil`: days begin with the run.
    /// - Returns: the points, and of how many days; `nil` for fewer than two whole days, and where intervals are
    ///   longer than an hour.
    static func points(
        of series: [Report.SeriesPoint], length: Double, clock: Report.Clock?
    ) -> (points: [Report.SeriesPoint], days: Int)? {
        guard series.allSatisfy({ $0.seconds <= hour }) else { return nil }
        let clock =
            clock ?? Report.Clock(startsAt: Instant(nanoseconds: 0), utcOffsetMinutes: 0, zone: "")
        let midnight = (clock.local(0) / day).rounded(.up) * day
        let end = min(length, series.last.map { $0.second + $0.seconds } ?? 0)
        // A damaged file may say anything.
        guard end - clock.second(ofLocal: midnight) < mostDays * day else { return nil }
        var days = 0
        while clock.second(ofLocal: midnight + Double(days + 1) * day) <= end { days += 1 }
        guard Double(days) >= leastDays else { return nil }
        var hours = [Hour](repeating: Hour(), count: days * 24)
        for point in series {
            let middle = clock.local(point.second + point.seconds / 2) - midnight
            guard middle >= 0, middle < Double(days) * day else { continue }
            let index = min(Int(middle / hour), hours.count - 1)
            hours[index].seconds += point.seconds
            hours[index].captured += Double(point.captured)
            hours[index].delivered += Double(point.delivered)
            hours[index].requests += Double(point.requests)
            hours[index].failures += Double(point.failures)
            hours[index].active += Double(point.devicesActive) * point.seconds
        }
        return ((0..<24).map { mean(of: hours, at: $0, days) }, days)
    }

    private static func mean(of hours: [Hour], at hour: Int, _ days: Int) -> Report.SeriesPoint {
        let own = (0..<days).map { hours[$0 * 24 + hour] }.filter { $0.seconds > 0 }
        var point = Report.SeriesPoint()
        point.second = Double(hour) * self.hour
        point.seconds = self.hour
        func rate(_ path: KeyPath<Hour, Double>) -> (mean: Double, spread: Report.Spread) {
            let rates = own.map { $0[keyPath: path] / $0.seconds }
            guard let low = rates.min(), let high = rates.max() else { return (0, .init()) }
            return (rates.reduce(0, +) / Double(rates.count), .init(low, high))
        }
        func count(_ path: KeyPath<Hour, Double>) -> (UInt64, Report.Spread) {
            let (mean, spread) = rate(path)
            return (UInt64(min(max(0, mean * self.hour), 1e15).rounded()), spread)
        }
        (point.captured, point.capturedRate) = count(\.captured)
        (point.delivered, point.deliveredRate) = count(\.delivered)
        (point.requests, point.requestRate) = count(\.requests)
        (point.failures, point.failureRate) = count(\.failures)
        let active = rate(\.active)
        point.devicesActive = Int(min(max(0, active.mean), 1e15).rounded())
        point.activeRange = active.spread
        return point
    }
}
