import Accounting
import Measurement
import Rendering
import Reporting
import Timebase
import World

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
    /// Why Beaconswarm itself ended it, if it did.
    var endedBy: Report.EarlyEnd?
    /// Why the target could not be connected to after the step, if it could not.
    var lostTarget: String?
}

/// Judges a load by what was measured in its window.
///
/// What users and policies do by themselves is no overload: stores that grow because users still come in, rows that
/// wait for their next trigger, events that die with a process. So before a load is said to break for one of these,
/// it is held against its *control*: the same users, seed and window in virtual time, against a collector without
/// limits. Only what goes beyond the control counts.
struct CapacityJudge: Sendable {
    let conditions: CapacityConditions
    let populations: [String]
    let length: StepLength

    /// The control of a step; `nil` where there is none to be had.
    typealias Control = () throws(CommandFailure) -> StepMeasurement?

    /// The share of the offered requests that may be without an answer, and of the captured events by
    /// which stores may grow, before a load counts as unsteady.
    private static let unansweredShare = 0.01
    private static let growthShare = 0.02

    /// Fills a step with figures and a verdict.
    ///
    /// - Parameter control: Asked for only where the load did not hold by itself.
    /// - Returns: of a load that broke, the load that the target served of it, as far as answers tell.
    func judge(
        _ measurement: StepMeasurement, control: Control, into step: inout CapacityReport.Step
    ) throws(CommandFailure) -> Double? {
        fill(measurement, &step)
        if measurement.wasCut {
            step.verdict = .cut
            return nil
        }
        if let problem = measurement.lostTarget {
            step.verdict = .unreachable
            step.reasons = [CapacityReasons.lost(problem, in: step)]
            return nil
        }
        if let problem = measurement.generatorProblem {
            step.verdict = .generatorLimited
            step.reasons = [problem]
            return nil
        }
        let books = bookReasons(measurement)
        var found = findings(measurement, nil, &step)
        var served: Double?
        if !found.isEmpty {
            let control = try control()
            if control?.wasCut ?? false {
                step.verdict = .cut
                return nil
            }
            if let control { found = findings(measurement, control, &step) }
            served = self.served(measurement, control, of: step.load)
        }
        step.reasons = found + books
        step.verdict = step.reasons.isEmpty ? .held : .broke
        if step.verdict == .broke { step.reasons += CapacityReasons.failures(measurement.window.total) }
        return step.verdict == .broke ? served : nil
    }

    /// The figures that a step tells, whatever comes of it.
    private func fill(_ measurement: StepMeasurement, _ step: inout CapacityReport.Step) {
        let window = measurement.window
        let total = window.total
        step.take(total.metricsOfTarget(seconds: window.seconds))
        step.requests = total.requests
        step.requestsOffered = Double(measurement.started) / window.seconds
        step.requestsAnswered = Double(total.requests) / window.seconds
        step.eventsOffered = Double(measurement.captured) / window.seconds
        step.eventsDelivered = Double(total.ledger.delivered) / window.seconds
        step.lagP99 = window.scheduleLag.milliseconds(atPercentile: 99)
        step.storesGrow = StoreGrowth(measurement.series, window: window.range).rowsPerSecond
        if let shortage = length.shortage(requests: total.requests, events: total.ledger.captured) {
            step.notes.append(shortage)
        }
        if measurement.recycledConnections > 0 {
            step.notes.append(
                "\(measurement.recycledConnections) connections were closed early for want of descriptors.")
        }
    }

    /// What speaks against a load, a sentence each.
    private func findings(
        _ measurement: StepMeasurement, _ control: StepMeasurement?, _ step: inout CapacityReport.Step
    ) -> [String] {
        step.thresholds = results(measurement, control)
        return step.thresholds.filter { !$0.ok }.map(VerdictRules.sentence)
            + unsteadiness(measurement, control, &step)
    }

    /// The conditions held against the window. Where no request was due in it, those without samples are
    /// passed over: nothing was asked of the target.
    private func results(
        _ measurement: StepMeasurement, _ control: StepMeasurement?
    ) -> [Report.ThresholdResult] {
        let isSilent = measurement.started + measurement.window.total.requests == 0
        let lossByItself = conditions.usesDefaults ? control.map(\.lossAllowed) ?? 0 : 0
        return conditions.evaluate(measurement.window, populations)
            .filter { !isSilent || $0.value != nil }
            .map { result in
                guard result.metric == "events_lost", let value = result.value, value <= lossByItself else {
                    return result
                }
                var acquitted = result
                acquitted.ok = true
                return acquitted
            }
    }

    private func unsteadiness(
        _ measurement: StepMeasurement, _ control: StepMeasurement?, _ step: inout CapacityReport.Step
    ) -> [String] {
        var reasons: [String] = []
        // Requests in the air differ at the two ends of a window by chance: by Little's law there are
        // rate · latency of them, give or take the square root.
        let inTheAir = step.requestsOffered * step.duration.average / 1000
        let missing = measurement.missing - max(0, control?.missing ?? 0)
        if missing > Self.unansweredShare * Double(measurement.started) + 3 * (2 * inTheAir).squareRoot() + 1
        {
            reasons.append(
                "Answers fell behind: of \(Self.text(step.requestsOffered)) requests/s offered, "
                    + "\(Self.text(step.requestsAnswered))/s ended.")
        }
        let growth = StoreGrowth(
            measurement.series, beyond: control?.series, window: measurement.window.range)
        step.storesGrowBeyond = control == nil ? nil : growth.rowsPerSecond
        if growth.certainRowsPerSecond > Self.growthShare * step.eventsOffered {
            let than = control == nil ? "" : " more than they would with a collector without limits"
            reasons.append(
                "Not steady: stores grow by \(Self.text(growth.rowsPerSecond)) rows/s\(than), with "
                    + "\(Self.text(step.eventsOffered)) events/s captured.")
        }
        return reasons
    }

    /// The load that a target served of a larger one: what it answered well, as a part of what the same users ask of a
    /// target without limits. `nil` where nearly everything was served and hardly anything failed, so that something
    /// else broke.
    private func served(
        _ measurement: StepMeasurement, _ control: StepMeasurement?, of load: Double
    ) -> Double? {
        let total = measurement.window.total
        let asked = Double((control ?? measurement).started)
        let well = Double(total.requests - min(total.requests, total.failedRequests))
        let turnedAway = Double(total.failedRequests) > 0.01 * Double(total.requests)
        guard asked > 0, well > 0, well < asked * (turnedAway ? 1 : 0.95) else { return nil }
        return load * well / asked
    }

    private static func text(_ value: Double) -> String {
        value >= 100 ? Numbers.fixed(value, 0) : "\((value * 10).rounded() / 10)"
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

extension StepMeasurement {
    /// Uploads whose planned start lay in the window, and those of them for which no answer came in it.
    var started: UInt64 { window.started.reduce(0, +) }
    var missing: Double { Double(started) - Double(window.total.requests) }
    /// Whether there may be no target any more: a connection was not accepted, or no upload got a whole answer.
    var mayHaveLostTarget: Bool {
        let total = window.total
        let isSilent = started + total.requests > 0 && total.wholeAnswers == 0
        return !wasCut && (isSilent || total.count(of: .refused) > 0)
    }
    /// Events captured in the window.
    var captured: UInt64 { window.captured.reduce(0, +) }

    /// The share of events that may be lost where this was lost without any overload: three standard errors more.
    var lossAllowed: Double {
        let ledger = window.total.ledger
        guard ledger.captured > 0, ledger.lostInAnyWay > 0 else { return 0 }
        let lost = Double(ledger.lostInAnyWay)
        return (lost + 3 * (2 * lost).squareRoot()) / Double(ledger.captured)
    }
}
