import Accounting
import Measurement
import Reporting
import Timebase

/// What was measured of a load.
struct StepMeasurement: Sendable {
    var window: MeasuringWindow
    /// The whole step, second by second.
    var series: TimeSeries
    /// Why the generator could not keep its schedule, if it could not.
    var generatorProblem: String?
    /// captured − all fates, at the end of the step.
    var balance: Int64 = 0
    var audit: Audit?
    /// Connections closed early for want of descriptors.
    var recycledConnections: UInt64 = 0
    /// Whether the step was ended before its time.
    var wasCut = false
}

/// Judges a load by what was measured in its window.
struct CapacityJudge: Sendable {
    let conditions: [Threshold]
    let populations: [String]
    let length: StepLength

    /// The share of the offered requests that may be without an answer, and of the captured events by
    /// which stores may grow, before a load counts as unsteady.
    private static let unansweredShare = 0.01
    private static let growthShare = 0.02

    /// Fills a step with figures and a verdict.
    func judge(_ measurement: StepMeasurement, into step: inout CapacityReport.Step) {
        let window = measurement.window
        let total = window.total
        step.take(total.metrics(seconds: window.seconds))
        step.requests = total.requests
        let started = window.started.reduce(0, +)
        let captured = window.captured.reduce(0, +)
        step.requestsOffered = Double(started) / window.seconds
        step.requestsAnswered = Double(total.requests) / window.seconds
        step.eventsOffered = Double(captured) / window.seconds
        step.eventsDelivered = Double(total.ledger.delivered) / window.seconds
        step.lagP99 = window.scheduleLag.milliseconds(atPercentile: 99)
        let growth = StoreGrowth(measurement.series, window: window.range)
        step.storesGrow = growth.rowsPerSecond
        if let shortage = length.shortage(requests: total.requests, events: total.ledger.captured) {
            step.notes.append(shortage)
        }
        if measurement.recycledConnections > 0 {
            step.notes.append(
                "\(measurement.recycledConnections) connections were closed early for want of descriptors.")
        }
        if measurement.wasCut {
            step.verdict = .cut
        } else if let problem = measurement.generatorProblem {
            step.verdict = .generatorLimited
            step.reasons = [problem]
        } else {
            step.thresholds = results(window, isSilent: started + total.requests == 0)
            step.reasons =
                step.thresholds.filter { !$0.ok }.map(VerdictRules.sentence)
                + unsteadiness(step, started, growth)
                + bookReasons(measurement)
            step.verdict = step.reasons.isEmpty ? .held : .broke
        }
    }

    /// The conditions held against the window. Where no request was due in it, those without samples are
    /// passed over: nothing was asked of the target.
    private func results(_ window: MeasuringWindow, isSilent: Bool) -> [Report.ThresholdResult] {
        let overall = window.total.metrics(seconds: window.seconds)
        let each = zip(populations, window.populations).map { name, record in
            (name: name, metrics: record.metrics(seconds: window.seconds))
        }
        return conditions.map { $0.evaluate(overall: overall, populations: each) }
            .filter { !isSilent || $0.value != nil }
    }

    private func unsteadiness(
        _ step: CapacityReport.Step, _ started: UInt64, _ growth: StoreGrowth
    ) -> [String] {
        var reasons: [String] = []
        // Requests in the air differ at the two ends of a window by chance: by Little's law there are
        // rate · latency of them, give or take the square root.
        let inTheAir = step.requestsOffered * step.duration.average / 1000
        let missing = Double(started) - Double(step.requests)
        if missing > Self.unansweredShare * Double(started) + 3 * (2 * inTheAir).squareRoot() + 1 {
            reasons.append(
                "Answers fell behind: of \(Self.text(step.requestsOffered)) requests/s offered, "
                    + "\(Self.text(step.requestsAnswered))/s ended.")
        }
        if growth.certainRowsPerSecond > Self.growthShare * step.eventsOffered {
            reasons.append(
                "Not steady: stores grow by \(Self.text(growth.rowsPerSecond)) rows/s, with "
                    + "\(Self.text(step.eventsOffered)) events/s captured.")
        }
        return reasons
    }

    private static func text(_ value: Double) -> String {
        value >= 100 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
    }

    private func bookReasons(_ measurement: StepMeasurement) -> [String] {
        var reasons: [String] = []
        if measurement.balance != 0 {
            reasons.append("The books do not balance: \(measurement.balance) events without a fate.")
        }
        if let audit = measurement.audit, audit.ackedNotFound > 0 {
            reasons.append(
                "The collector acknowledged events that it does not hold: \(audit.ackedNotFound) of them.")
        }
        if let audit = measurement.audit, audit.unexpected > 0 {
            reasons.append("The collector holds events that no device made: \(audit.unexpected) of them.")
        }
        return reasons
    }
}

extension StepMeasurement {
    /// Whether the books or the audit say that something is wrong which no load excuses.
    var isUnaccounted: Bool {
        balance != 0 || (audit.map { $0.ackedNotFound > 0 || $0.unexpected > 0 } ?? false)
    }
}

/// How the devices' stores grew over a window: the slope of a line through the rows that were stored at
/// the end of each second, by least squares.
struct StoreGrowth: Hashable, Sendable {
    private static let pointsNeeded = 5
    private(set) var rowsPerSecond = 0.0
    /// What of the slope is not chance: three standard errors less, and less what the number of stored
    /// rows, being a sum of independent stores, wanders by itself.
    private(set) var certainRowsPerSecond = 0.0

    init(_ series: TimeSeries, window: Range<Instant>) {
        let width = series.width.fractionalSeconds
        let points = series.buckets.enumerated().compactMap { index, bucket -> (x: Double, y: Double)? in
            let end = series.start + series.width * Int64(index + 1)
            guard end > window.lowerBound, end <= window.upperBound else { return nil }
            return (Double(index) * width, Double(bucket.gauges.storedRows))
        }
        let count = Double(points.count)
        guard points.count > 2 else { return }
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
        let residual = points.reduce(0.0) { sum, point in
            let error = point.y - meanY - slope * (point.x - meanX)
            return sum + error * error
        }
        let error = (residual / (count - 2) / spread).squareRoot()
        rowsPerSecond = slope
        // With fewer points the error itself is chance.
        guard points.count >= StoreGrowth.pointsNeeded else { return }
        certainRowsPerSecond = slope - 3 * error - 2 * meanY.squareRoot() / (count * width)
    }
}
