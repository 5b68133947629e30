import Measurement
import Reporting
import Scenario
import Timebase

/// A search under way: makes the search's loads into steps, judges what was measured of them, and keeps
/// the report. Without clock and sockets: who plays the steps is somebody else's business.
struct CapacitySession: Sendable {
    private var search: CapacitySearch
    private let scenario: StepScenario
    private let length: StepLength
    private let judge: CapacityJudge
    private(set) var report: CapacityReport
    /// Per unit of load, from the last step that measured any: what lengths of windows are made from.
    private var requestsPerLoad: Double
    private var eventsPerLoad: Double
    private var nextDevice: UInt32 = 0
    private let numbersGoOn: Bool
    private var isUnaccounted = false

    /// - Parameters:
    ///   - forecast: What the first load is expected to offer, per second.
    ///   - numbersGoOn: Whether devices of later steps have numbers of their own, for a store that outlives
    ///     the step.
    init(
        settings: CapacitySettings, document: ScenarioDocument, conditions: CapacityConditions,
        report: CapacityReport, forecast: (requests: Double, events: Double), numbersGoOn: Bool
    ) {
        search = CapacitySearch(settings.search)
        scenario = StepScenario(document, scaling: settings.scaling)
        length = StepLength(
            fixed: settings.step, flushInterval: scenario.flushInterval, conditions: conditions.thresholds)
        judge = CapacityJudge(
            conditions: conditions.thresholds, populations: document.publicNames, length: length)
        self.report = report
        self.report.warnings += scenario.warnings + conditions.warnings
        requestsPerLoad = forecast.requests / settings.search.from
        eventsPerLoad = forecast.events / settings.search.from
        self.numbersGoOn = numbersGoOn
    }

    /// The step to play next; `nil` when the search is over.
    func next() -> StepPlan? {
        guard case .play(let load, let purpose) = search.next else { return nil }
        let window = length.window(
            purpose, requestRate: requestsPerLoad * load, eventRate: eventsPerLoad * load)
        return StepPlan(
            number: report.steps.count + 1, purpose: purpose, load: load, warmUp: scenario.warmUp,
            window: window, firstDevice: nextDevice,
            document: scenario.document(load: load, window: window))
    }

    /// What a search will take, in a sentence.
    ///
    /// The number of steps is a bound that the search keeps; times are for a limit at eight times the first
    /// load, since the length of a window depends on the rate, and without the pauses between steps.
    var estimate: String {
        guard let plan = next() else { return "" }
        func step(_ purpose: CapacitySearch.Purpose) -> Interval {
            let load = plan.load * 8
            return plan.warmUp
                + length.window(purpose, requestRate: requestsPerLoad * load, eventRate: eventsPerLoad * load)
        }
        let most = search.settings.trialLimit
        let (first, narrowing, confirming) = (plan.warmUp + plan.window, step(.bisect), step(.confirm) * 3)
        let usual = first * 8 + narrowing * 7 + confirming
        return
            "A step takes about \(first.text) (\(plan.warmUp.text) to warm up, \(plan.window.text) measured). "
            + "A search takes some 9 to 18 of them, \(Self.minutes(first * 6 + confirming)) to "
            + "\(Self.minutes(usual)), and at most \(most), about "
            + "\(Self.minutes(usual + narrowing * Int64(max(0, most - 18))))."
    }

    private static func minutes(_ interval: Interval) -> String {
        let seconds = interval.fractionalSeconds
        return seconds < 90 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds / 60).rounded())) minutes"
    }

    /// Takes what was measured of a step.
    ///
    /// - Returns: the step as it was judged.
    mutating func note(_ measurement: StepMeasurement, of plan: StepPlan) -> CapacityReport.Step {
        var step = CapacityReport.Step(
            number: plan.number, purpose: plan.purpose.rawValue, load: plan.load,
            devices: plan.document.deviceCount, warmUpSeconds: plan.warmUp.fractionalSeconds,
            windowSeconds: measurement.window.seconds)
        judge.judge(measurement, into: &step)
        report.steps.append(step)
        if numbersGoOn { nextDevice += UInt32(plan.document.deviceCount) }
        isUnaccounted = isUnaccounted || measurement.isUnaccounted
        if step.requests > 0 {
            requestsPerLoad = step.requestsOffered / plan.load
            eventsPerLoad = step.eventsOffered / plan.load
        }
        switch step.verdict {
        case .held: search.note(.held)
        case .broke: search.note(.broke)
        case .generatorLimited: search.note(.generatorLimited)
        case .cut: break
        }
        return step
    }

    /// Whether the last step left the target something to recover from.
    var lastBroke: Bool { report.steps.last.map { $0.verdict != .held } ?? false }

    // MARK: - The end

    /// The report as the search stands; interrupted, unless the search is over.
    func finished(wallSeconds: Double) -> CapacityReport {
        var report = report
        report.wallSeconds = wallSeconds
        let bracket = search.bracket
        var holds = bracket.holds?.load
        var breaks = bracket.limit
        var unoffered: Double?
        report.ending = .interrupted
        if case .end(let ending) = search.next {
            switch ending {
            case .knee: report.ending = .knee
            case .holdsAtMaximum: report.ending = .maximum
            case .breaksAtFloor: report.ending = .floor
            case .generatorLimit(let limit, let low, let high):
                report.ending = .generator
                (unoffered, holds, breaks) = (limit, low, high)
            case .unsettled: report.ending = .unsettled
            }
        }
        report.holds = holds.flatMap { report.level($0, .held) }
        report.breaks = breaks.flatMap { report.level($0, .broke) ?? report.level($0, .held) }
        report.exitCode = exitCode(report.ending).rawValue
        report.reasons = CapacityReasons.of(
            report, mixed: search.tallies.filter(\.isMixed), unoffered: unoffered,
            isUnaccounted: isUnaccounted)
        return report
    }

    private func exitCode(_ ending: CapacityReport.Ending) -> CommandStatus {
        if isUnaccounted { return .unaccounted }
        return switch ending {
        case .knee, .maximum: .success
        case .floor, .unsettled: .thresholdFailed
        case .generator: .invalidRun
        case .interrupted: .interrupted
        }
    }
}

/// What a search came to, in sentences.
enum CapacityReasons {
    /// - Parameters:
    ///   - mixed: The loads that held and broke.
    ///   - unoffered: The load that the generator could not offer, where that ended the search.
    static func of(
        _ report: CapacityReport, mixed: [CapacitySearch.Tally], unoffered: Double?, isUnaccounted: Bool
    ) -> [String] {
        var reasons = [headline(report, unoffered: unoffered)] + details(report)
        if !mixed.isEmpty {
            let loads = mixed.map {
                "\(noun($0.load, report.scaling)) (held in \($0.held) of \($0.held + $0.broke) trials)"
            }
            reasons.append("Mixed verdicts, taken for not holding: \(loads.joined(separator: ", ")).")
        }
        if isUnaccounted {
            reasons.append(
                "In some step the books did not balance, or the collector's store was not what it acknowledged: "
                    + "look at the steps' reasons.")
        }
        return reasons
    }

    private static func headline(_ report: CapacityReport, unoffered: Double?) -> String {
        func text(_ level: CapacityReport.Level?) -> String {
            level.map { CapacityText.level($0, report.scaling) } ?? "no load"
        }
        let unbroken = report.holds.map { " It held at \(CapacityText.level($0, report.scaling))." } ?? ""
        switch report.ending {
        case .knee: return "Holds at \(text(report.holds)), breaks at \(text(report.breaks))."
        case .maximum: return "Holds up to the maximum of the search: \(text(report.holds))."
        case .floor: return "Even the smallest load breaks: \(text(report.breaks))."
        case .generator:
            let limit = unoffered.map { noun($0, report.scaling) } ?? "some load"
            return
                "The generator is the limit, at \(limit): this search says nothing of what the target does "
                + "there.\(unbroken)"
        case .unsettled:
            return
                "Unsettled within \(report.steps.count) steps: loads held and broke by turns, between \(text(report.holds)) and "
                + "\(text(report.breaks))."
        case .interrupted:
            let known = report.breaks.map { " It broke at \(CapacityText.level($0, report.scaling))." } ?? ""
            return "The search was interrupted after \(report.steps.count) steps.\(unbroken)\(known)"
        }
    }

    private static func noun(_ load: Double, _ scaling: CapacityReport.Scaling) -> String {
        "\(CapacityText.load(load, scaling)) \(scaling == .devices ? "devices" : "the scenario's rate")"
    }

    private static func details(_ report: CapacityReport) -> [String] {
        var details: [String] = []
        let broke = report.brokeFirst
        if let first = broke.first {
            details.append("What broke first: \(first)")
            details += broke.dropFirst().map { "Also at that load: \($0)" }
        }
        if report.ending == .knee, let holds = report.holds, let breaks = report.breaks {
            details.append(
                "The load that holds did so in \(holds.trials) of \(holds.trialsInAll) trials; the one that breaks "
                    + "broke in \(breaks.trials) of \(breaks.trialsInAll).")
        }
        if report.ending == .generator {
            details += report.steps.last { $0.verdict == .generatorLimited }?.reasons ?? []
        }
        return details
    }
}
