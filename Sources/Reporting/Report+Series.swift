package import Measurement
package import Timebase

extension Report {
    /// The series around one entry of the timeline.
    package struct CloseUp: Hashable, Sendable {
        /// Which of ``Report/marks``.
        package var mark: Int
        package var points: [SeriesPoint]
        package init(mark: Int, points: [SeriesPoint]) {
            self.mark = mark
            self.points = points
        }
    }

    /// The least and the greatest of what an interval hides.
    package struct Spread: Hashable, Sendable {
        package var low = 0.0
        package var high = 0.0
        package init() {}
        package init(_ low: Double, _ high: Double) {
            self.low = low
            self.high = high
        }

        mutating func add(_ other: Spread) {
            low = min(low, other.low)
            high = max(high, other.high)
        }
    }

    /// One interval of the time series. Counts are of the interval alone.
    package struct SeriesPoint: Hashable, Sendable {
        /// Seconds since the run's start at which the interval begins, and its length.
        package var second = 0.0
        package var seconds = 1.0
        package var captured: UInt64 = 0
        package var delivered: UInt64 = 0
        package var requests: UInt64 = 0
        package var failures: UInt64 = 0
        package var bytesSent: UInt64 = 0
        /// Milliseconds, of what was answered in the interval; 0 without samples.
        package var freshnessP50 = 0.0
        package var freshnessP95 = 0.0
        package var durationP50 = 0.0
        package var durationP95 = 0.0
        package var durationP99 = 0.0
        /// At the end of the interval.
        package var storedRows: UInt64 = 0
        package var devicesActive = 0
        package var connections = 0
        package var devicesUpdated = 0
        /// The generator's own lag, p99 of the interval, milliseconds.
        package var lagP99 = 0.0
        /// Extremes within the interval: per second over its parts (a 32nd of it, but no less than a second),
        /// and of gauges at the ends of those.
        package var capturedRate = Spread()
        package var deliveredRate = Spread()
        package var requestRate = Spread()
        package var failureRate = Spread()
        package var sentRate = Spread()
        package var storedRange = Spread()
        package var activeRange = Spread()
        package var connectionRange = Spread()
        package init() {}

        /// Takes the interval's means and ends for its extremes: all that is known of it, or all there is.
        package mutating func spreadEvenly() {
            func rate(_ count: UInt64) -> Spread {
                // Less than a nanosecond is no interval, and has no rate.
                let rate = seconds >= 1e-9 ? Double(count) / seconds : 0
                return Spread(rate, rate)
            }
            capturedRate = rate(captured)
            deliveredRate = rate(delivered)
            requestRate = rate(requests)
            failureRate = rate(failures)
            sentRate = rate(bytesSent)
            storedRange = Spread(Double(storedRows), Double(storedRows))
            activeRange = Spread(Double(devicesActive), Double(devicesActive))
            connectionRange = Spread(Double(connections), Double(connections))
        }

        /// Takes in the interval that follows. Counts add up; percentiles are the largest, so that no peak
        /// vanishes; what is counted at an interval's end is the last; extremes stay extremes.
        mutating func join(_ next: SeriesPoint) {
            seconds = next.second + next.seconds - second
            captured += next.captured
            delivered += next.delivered
            requests += next.requests
            failures += next.failures
            bytesSent += next.bytesSent
            freshnessP50 = max(freshnessP50, next.freshnessP50)
            freshnessP95 = max(freshnessP95, next.freshnessP95)
            durationP50 = max(durationP50, next.durationP50)
            durationP95 = max(durationP95, next.durationP95)
            durationP99 = max(durationP99, next.durationP99)
            lagP99 = max(lagP99, next.lagP99)
            storedRows = next.storedRows
            devicesActive = next.devicesActive
            connections = next.connections
            devicesUpdated = next.devicesUpdated
            for path in SeriesPoint.spreads { self[keyPath: path].add(next[keyPath: path]) }
        }

        private static var spreads: [WritableKeyPath<SeriesPoint, Spread>] {
            [
                \.capturedRate, \.deliveredRate, \.requestRate, \.failureRate, \.sentRate, \.storedRange,
                \.activeRange, \.connectionRange,
            ]
        }
    }
}

extension Report {
    /// Adds what was recorded closely around the first marks, where it tells more than the series does.
    package mutating func addCloseUps(_ recorder: RunRecorder) {
        closeUps = recorder.closeUps.enumerated().compactMap { index, closeUp in
            guard index < marks.count, closeUp.series.width < recorder.series.width,
                !closeUp.series.buckets.isEmpty
            else { return nil }
            let points = SeriesPoint.points(of: closeUp.series, runStart: recorder.series.start)
            return CloseUp(mark: index, points: points)
        }
    }
}

extension Report.SeriesPoint {
    /// The intervals of a series.
    ///
    /// - Parameter runStart: What times are told from; the series' own start unless given.
    package static func points(of series: TimeSeries, runStart: Instant? = nil) -> [Report.SeriesPoint] {
        let width = series.width.fractionalSeconds
        let offset = (series.start - (runStart ?? series.start)).fractionalSeconds
        return series.buckets.enumerated().map { index, bucket in
            var point = Report.SeriesPoint()
            point.second = offset + Double(index) * width
            point.seconds = width
            point.captured = bucket.captured
            point.delivered = bucket.delivered
            point.requests = bucket.requests
            point.failures = bucket.failures
            point.bytesSent = bucket.bytesSent
            point.freshnessP50 = bucket.freshness.milliseconds(atPercentile: 50)
            point.freshnessP95 = bucket.freshness.milliseconds(atPercentile: 95)
            point.durationP50 = bucket.duration.milliseconds(atPercentile: 50)
            point.durationP95 = bucket.duration.milliseconds(atPercentile: 95)
            point.durationP99 = bucket.duration.milliseconds(atPercentile: 99)
            point.storedRows = bucket.gauges.storedRows
            point.devicesActive = Int(bucket.gauges.devicesActive)
            point.connections = Int(bucket.gauges.connections)
            point.devicesUpdated = Int(bucket.gauges.devicesUpdated)
            point.lagP99 = bucket.lag.milliseconds(atPercentile: 99)
            point.spreadEvenly()
            if let extremes = series.extremes(of: index) { point.take(extremes) }
            return point
        }
    }

    private mutating func take(_ extremes: SeriesExtremes) {
        let seconds = extremes.width.fractionalSeconds
        func rate(_ path: KeyPath<Tally, UInt64>) -> Report.Spread {
            Report.Spread(
                Double(extremes.low[keyPath: path]) / seconds,
                Double(extremes.high[keyPath: path]) / seconds)
        }
        func gauge(_ path: KeyPath<TimeSeries.Gauges, UInt64>) -> Report.Spread {
            Report.Spread(
                Double(extremes.lowGauges[keyPath: path]), Double(extremes.highGauges[keyPath: path]))
        }
        capturedRate = rate(\.captured)
        deliveredRate = rate(\.delivered)
        requestRate = rate(\.requests)
        failureRate = rate(\.failures)
        sentRate = rate(\.bytesSent)
        storedRange = gauge(\.storedRows)
        activeRange = gauge(\.devicesActive)
        connectionRange = gauge(\.connections)
    }
}
