import Measurement
import Reporting
import Timebase

/// How long a load has to be measured before it can be judged.
///
/// Every condition needs so many samples that chance alone does not decide it:
///
/// - a percentile p needs ten samples beyond it, 10 / (1 − p/100): a thousand for p(99);
/// - a share bounded by b needs a standard error of at most a third of b, 9 (1 − b) / b: 891 for
///   `rate<0.01`; with b = 0, a thousand;
/// - everything else needs a hundred.
///
/// On the way to the limit a window is cut short where that would take long: what is decided there is
/// played again next to it.
///
/// Where users have sessions every window is the same: the longer they come in, the more of them are there, so a
/// load in a longer window would be another load.
struct StepLength: Sendable {
    /// What a condition counts.
    private enum Subject { case requests, events }

    private let fixed: Interval?
    private let hasSessions: Bool
    private let flushInterval: Interval
    private let requests: Double
    private let events: Double

    private static let shortest = Interval.seconds(10)
    private static let longestOnTheWay = Interval.seconds(15)
    private static let longest = Interval.seconds(60)
    private static let session = Interval.seconds(20)

    /// - Parameters:
    ///   - fixed: The length that the user wants.
    ///   - flushInterval: Windows are whole multiples of it where it is short enough.
    ///   - hasSessions: Whether some users come and go.
    init(fixed: Interval?, flushInterval: Interval, hasSessions: Bool = false, conditions: [Threshold]) {
        self.fixed = fixed
        self.hasSessions = hasSessions
        self.flushInterval = flushInterval
        func most(_ subject: Subject) -> Double {
            conditions.filter { StepLength.subject($0) == subject }.map(StepLength.samples).max() ?? 0
        }
        requests = most(.requests)
        events = most(.events)
    }

    /// More than any window has.
    private static let mostSamples = 1e12

    /// The samples that a condition needs.
    static func samples(_ condition: Threshold) -> Double {
        switch condition.aggregation {
        case .percentile(let percentile):
            return 10 / max(1 - percentile / 100, 0.0001)
        case .rate where MetricCatalogue.entry(condition.metric)?.kind == .rate:
            let bound = min(condition.bound, 1 - condition.bound)
            return bound > 0 ? min(9 * (1 - bound) / bound, mostSamples) : 1000
        default: return 100
        }
    }

    private static func subject(_ condition: Threshold) -> Subject {
        condition.metric.hasPrefix("event") || condition.metric.hasPrefix("freshness") ? .events : .requests
    }

    /// The length of a window in whole seconds.
    ///
    /// Confirmations are twice as long: a burst that a server lets pass hides an overload for a while.
    ///
    /// - Parameters:
    ///   - requestRate: Expected requests per second, above 0.
    ///   - eventRate: Expected events per second, above 0.
    func window(_ purpose: CapacitySearch.Purpose, requestRate: Double, eventRate: Double) -> Interval {
        if hasSessions { return fixed ?? StepLength.session }
        let isLong = purpose == .confirm || purpose == .recheck
        if let fixed { return isLong ? fixed * 2 : fixed }
        let seconds = max(requests / max(requestRate, 1e-3), events / max(eventRate, 1e-3))
        let needed = Interval.fractional(seconds: min(seconds, 3600))
        let isOnTheWay = purpose == .climb || purpose == .descend
        let limit = isOnTheWay ? StepLength.longestOnTheWay : StepLength.longest
        let window = rounded(min(max(needed, StepLength.shortest), limit))
        return isLong ? window * 2 : window
    }

    /// Up to whole flush intervals, so that each device uploads as often as any other.
    private func rounded(_ window: Interval) -> Interval {
        guard flushInterval >= .seconds(1), flushInterval <= StepLength.longest else {
            return window.roundedUpToSeconds
        }
        let times = (window.nanoseconds + flushInterval.nanoseconds - 1) / flushInterval.nanoseconds
        return (flushInterval * times).roundedUpToSeconds
    }

    /// What to say of a window with too few samples; `nil` if there were enough.
    func shortage(requests: UInt64, events: UInt64) -> String? {
        var parts: [String] = []
        if Double(requests) < self.requests.rounded() {
            parts.append("\(Int(self.requests.rounded())) requests (there were \(requests))")
        }
        if Double(events) < self.events.rounded() {
            parts.append("\(Int(self.events.rounded())) events (there were \(events))")
        }
        return parts.isEmpty ? nil : "A certain verdict would want \(parts.joined(separator: " and "))."
    }
}
