import Timebase

/// The mean day of a run of several: what happens in each hour, and how far its days differ in that.
enum DayCurve {
    /// The least number of whole days that make a curve.
    private static let leastDays = 2.0
    private static let mostDays = 10_000.0
    private static let day = 86_400.0
    private static let hour = 3600.0

    /// What happened in one hour of one day or, of the mean day, what happens in a second of that hour. Not in whole
    /// numbers: a mean of less than one is not nothing.
    struct Hour {
        var seconds = 0.0
        var captured = 0.0
        var requests = 0.0
        var failures = 0.0
        var active = 0.0
    }

    /// Each hour: the means over the run's whole days, and a point that has the least and the greatest of any day alone.
    ///
    /// - Parameters:
    ///   - series: Of the run, from its start on.
    ///   - length: Seconds that count: what comes after them is left out.
    ///   - clock: Of the people: days begin at their midnights, an hour that their clocks skip has one day less, and
    ///     one that comes twice is the mean of both. `nil`: days begin with the run.
    /// - Returns: the points, the means, and of how many days; `nil` for fewer than two whole days, and where intervals are
    ///   longer than an hour.
    static func points(
        of series: [Report.SeriesPoint], length: Double, clock: Report.Clock?
    ) -> (points: [Report.SeriesPoint], means: [Hour], days: Int)? {
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
            hours[index].requests += Double(point.requests)
            hours[index].failures += Double(point.failures)
            hours[index].active += Double(point.devicesActive) * point.seconds
        }
        let curve = (0..<24).map { mean(of: hours, at: $0, days) }
        return (curve.map(\.point), curve.map(\.mean), days)
    }

    private static func mean(
        of hours: [Hour], at hour: Int, _ days: Int
    ) -> (point: Report.SeriesPoint, mean: Hour) {
        let own = (0..<days).map { hours[$0 * 24 + hour] }.filter { $0.seconds > 0 }
        var point = Report.SeriesPoint()
        point.second = Double(hour) * self.hour
        point.seconds = self.hour
        var mean = Hour()
        func take(_ path: WritableKeyPath<Hour, Double>, _ spread: inout Report.Spread) {
            let rates = own.map { $0[keyPath: path] / $0.seconds }
            guard let low = rates.min(), let high = rates.max() else { return }
            mean[keyPath: path] = rates.reduce(0, +) / Double(rates.count)
            spread = .init(low, high)
        }
        take(\.captured, &point.capturedRate)
        take(\.requests, &point.requestRate)
        take(\.failures, &point.failureRate)
        take(\.active, &point.activeRange)
        return (point, mean)
    }
}
