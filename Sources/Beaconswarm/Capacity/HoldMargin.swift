import Measurement
import Reporting
import Timebase

/// How far a load that held stayed from its bounds, against how far chance carries a window.
///
/// A window has a share of bad samples (failed requests, or for a bound on a percentile the samples beyond it).
/// Seconds differ by more than a coin's chance would let them, since uploads come in bursts; so the share is taken in
/// batches of a window's eighth, and what another window will show lies below
///
///     P + t · √(S² · (1 + 1/n))
///
/// in 19 of 20 cases: P is the share over all of the load's windows, n of them, S the standard error of one window's
/// share, from the batches' residuals about P (a ratio estimate: Cochran, *Sampling Techniques*, 6), and never below
/// that of independent samples; t is Student's, with as many degrees of freedom as batches had anything bad. Where that lies beyond the bound the load held, but would not do so
/// again for sure.
struct HoldMargin: Hashable, Sendable {
    /// What a part of a window holds of a condition's samples.
    struct Batch: Hashable, Sendable {
        var bad = 0.0
        var all = 0.0
    }

    private static let batchesPerWindow = 8

    /// The batches of the load's windows.
    private(set) var batches: [Batch] = []
    private(set) var windows = 0
    /// The largest share that is allowed.
    let bound: Double
    /// The condition, for people.
    let name: String

    /// - Returns: `nil` for a condition that is no bound on a share of the whole fleet's samples.
    init?(_ condition: Threshold) {
        guard condition.population == nil, condition.comparison == .less || condition.comparison == .atMost,
            let bound = HoldMargin.bound(condition), bound > 0
        else { return nil }
        self.bound = bound
        name = "\(condition.metric) \(condition.expression)"
    }

    private static func bound(_ condition: Threshold) -> Double? {
        switch (condition.metric, condition.aggregation) {
        case ("http_req_failed", .rate): condition.bound
        case ("http_req_duration", .percentile(let p)), ("http_req_service", .percentile(let p)),
            ("event_freshness", .percentile(let p)):
            1 - p / 100
        case ("http_req_duration", .median), ("http_req_service", .median), ("event_freshness", .median): 0.5
        default: nil
        }
    }

    /// Takes the batches of a window.
    mutating func add(_ condition: Threshold, _ series: TimeSeries, window: Range<Instant>) {
        let seconds = series.buckets.enumerated().filter { index, _ in
            window.contains(series.start + series.width * Int64(index))
        }.map(\.element)
        guard !seconds.isEmpty else { return }
        windows += 1
        let size = max(1, (seconds.count + Self.batchesPerWindow - 1) / Self.batchesPerWindow)
        for start in stride(from: 0, to: seconds.count, by: size) {
            var batch = Batch()
            for second in seconds[start..<min(start + size, seconds.count)] {
                let samples = Self.samples(condition, second)
                batch.bad += samples.bad
                batch.all += samples.all
            }
            batches.append(batch)
        }
    }

    private static func samples(_ condition: Threshold, _ second: TimeSeries.Bucket) -> Batch {
        func beyond(_ histogram: IntervalHistogram) -> Batch {
            let limit = condition.bound * 1000
            let bad = histogram.recorded.reduce(UInt64(0)) { sum, counter in
                Double(IntervalHistogram.microseconds(of: counter.index).lowerBound) >= limit
                    ? sum + UInt64(counter.count) : sum
            }
            return Batch(bad: Double(bad), all: Double(histogram.count))
        }
        return switch condition.metric {
        case "http_req_duration": beyond(second.duration)
        case "http_req_service": beyond(second.service)
        case "event_freshness": beyond(second.freshness)
        default:
            Batch(
                bad: Double(second.failures - second.abandoned),
                all: Double(second.requests - second.abandoned))
        }
    }

    /// The share of bad samples.
    var share: Double {
        let sum = total
        return sum.all > 0 ? sum.bad / sum.all : 0
    }

    private var total: Batch {
        batches.reduce(into: Batch()) { sum, batch in
            sum.bad += batch.bad
            sum.all += batch.all
        }
    }

    /// The share below which another window stays in 19 of 20 cases; 0 where nothing bad was seen.
    var expected: Double {
        let sum = total
        guard sum.bad > 0, windows > 0, batches.count > 1 else { return 0 }
        let perWindow = sum.all / Double(windows)
        let residuals = batches.reduce(0.0) { $0 + ($1.bad - share * $1.all) * ($1.bad - share * $1.all) }
        let count = Double(batches.count)
        let scattered = residuals / (count - 1) * count / Double(windows) / (perWindow * perWindow)
        let independent = share * (1 - share) / perWindow
        let variance = max(scattered, independent) * (1 + 1 / Double(windows))
        // Where all that was bad came in a few batches, little is known of how far they differ.
        let freedom = min(count - 1, Double(batches.count { $0.bad > 0 }))
        let quantile = HoldMargin.quantile(freedom)
        return share + quantile * variance.squareRoot()
    }

    /// Student's t for 95 % on one side, within 1 %.
    private static func quantile(_ freedom: Double) -> Double {
        switch freedom {
        case ..<2: 6.31
        case ..<3: 2.92
        case ..<4: 2.35
        default: 1.645 + 1.55 / freedom + 1.5 / (freedom * freedom)
        }
    }

    /// Whether another window may well pass the bound.
    var isClose: Bool { expected >= bound }
}
