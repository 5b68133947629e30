/// The value of a metric, in k6's four kinds.
package enum MetricValue: Sendable {
    /// A distribution of times or sizes.
    case trend(Trend)
    /// A count and its rate per second of the run.
    case counter(count: Double, perSecond: Double)
    /// The share of samples that were true.
    case rate(passes: UInt64, fails: UInt64)
    /// The last value, with the extremes that were seen.
    case gauge(value: Double, minimum: Double, maximum: Double)
}

/// A metric under its contract name, such as `http_req_duration`.
package struct Metric: Sendable {
    package var name: String
    package var value: MetricValue

    package init(_ name: String, _ value: MetricValue) {
        self.name = name
        self.value = value
    }
}

/// A distribution that can be asked for any percentile.
package enum Trend: Sendable {
    /// Times, told in milliseconds.
    case time(LatencyHistogram)
    /// Plain numbers such as batch sizes.
    case size(SizeHistogram)
    /// What is left of a distribution that was read back from a report.
    case summary(TrendSummary)

    package var summary: TrendSummary {
        switch self {
        case .summary(let summary): summary
        case .time(let histogram): TrendSummary(histogram)
        case .size(let histogram): TrendSummary(histogram)
        }
    }

    /// The value at a percentile 0…100, or `nil` where only a summary is left that does not hold it.
    package func value(atPercentile percentile: Double) -> Double? {
        switch self {
        case .time(let histogram): histogram.milliseconds(atPercentile: percentile)
        case .size(let histogram): histogram.value(atPercentile: percentile)
        case .summary(let summary): summary.value(atPercentile: percentile)
        }
    }
}

/// The figures of a trend that reports print.
package struct TrendSummary: Hashable, Sendable {
    package var count: UInt64 = 0
    package var minimum = 0.0
    package var average = 0.0
    package var median = 0.0
    package var maximum = 0.0
    package var p90 = 0.0
    package var p95 = 0.0
    package var p99 = 0.0
    package var p999 = 0.0

    package init() {}

    package init(_ histogram: LatencyHistogram) {
        count = histogram.count
        minimum = histogram.minimumMilliseconds
        average = histogram.meanMilliseconds
        median = histogram.milliseconds(atPercentile: 50)
        maximum = histogram.maximumMilliseconds
        p90 = histogram.milliseconds(atPercentile: 90)
        p95 = histogram.milliseconds(atPercentile: 95)
        p99 = histogram.milliseconds(atPercentile: 99)
        p999 = histogram.milliseconds(atPercentile: 99.9)
    }

    package init(_ histogram: SizeHistogram) {
        count = histogram.count
        minimum = histogram.minimum
        average = histogram.mean
        median = histogram.value(atPercentile: 50)
        maximum = histogram.maximum
        p90 = histogram.value(atPercentile: 90)
        p95 = histogram.value(atPercentile: 95)
        p99 = histogram.value(atPercentile: 99)
        p999 = histogram.value(atPercentile: 99.9)
    }

    /// One of the percentiles that it keeps, 0 and 100 included; `nil` for another.
    package func value(atPercentile percentile: Double) -> Double? {
        switch percentile {
        case 0: minimum
        case 50: median
        case 90: p90
        case 95: p95
        case 99: p99
        case 99.9: p999
        case 100: maximum
        default: nil
        }
    }
}
