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
    private var pace: SearchPace
    private var users = TrialUsers()
    /// By load, one for each condition that allows it.
    private var margins: [Double: [HoldMargin]] = [:]
    /// Per unit of load, from the last step that measured any: what lengths of windows are made from.
    private var requestsPerLoad: Double
    private var eventsPerLoad: Double
    private var nextDevice: UInt32 = 0
    private let numbersGoOn: Bool
    private var isUnaccounted = false

    /// - Parameters:
    ///   - forecast: What a unit of load is expected to offer, per second.
    ///   - numbersGoOn: Whether devices of later steps have numbers of their own, for a store that outlives
    ///     the step.
    init(
        settings: CapacitySettings, document: ScenarioDocument, conditions: CapacityConditions,
        report: CapacityReport, forecast: (requests: Double, events: Double), numbersGoOn: Bool
    ) {
        scenario = StepScenario(document, scaling: settings.scaling)
        length = StepLength(
            fixed: settings.step, flushInterval: scenario.flushInterval, hasSessions: scenario.hasSessions,
            conditions: conditions.thresholds)
        var bounds = settings.search
        bounds.raiseFloor(
            requests: forecast.requests
                * length.window(.descend, requestRate: 1, eventRate: 1).fractionalSeconds)
        search = CapacitySearch(bounds)
        judge = CapacityJudge(conditions: conditions, populations: document.publicNames, length: length)
        self.report = report
        self.report.warnings += scenario.warnings + conditions.warnings
        self.report.arrivalSeconds =
            scenario.hasSessions
            ? (scenario.warmUp(.climb) + length.window(.climb, requestRate: 1, eventRate: 1))
                .fractionalSeconds : nil
        pace = SearchPace(isVirtual: report.mode == .virtual)
        requestsPerLoad = forecast.requests
        eventsPerLoad = forecast.events
        self.numbersGoOn = numbersGoOn
    }

    /// The step to play next; `nil` when the search is over.
    ///
    /// - Parameter remaining: The time that is left for the search; `nil` for any.
    func next(remaining: Interval? = nil) -> StepPlan? {
        guard !hasLostTarget, case .play(let first, let why) = search.next else { return nil }
        var (load, purpose) = (first, why)
        if let remaining {
            let own = pace.cost(of: time(load, purpose), load: load)
            let usual = pace.cost(of: time(load, .confirm), load: load)
            let steps =
                remaining < own
                ? 0 : max(1, Int(remaining.fractionalSeconds / max(1e-3, usual.fractionalSeconds)))
            guard case .play(let load2, let purpose2) = search.next(steps: steps) else { return nil }
            (load, purpose) = (load2, purpose2)
        }
        let window = window(load, purpose)
        let warmUp = scenario.warmUp(purpose)
        return StepPlan(
            number: report.steps.count + 1, purpose: purpose, load: load, warmUp: warmUp,
            window: window, firstDevice: nextDevice,
            document: scenario.document(
                load: load, window: window, purpose: purpose, trial: users.next(of: load)))
    }

    private func window(_ load: Double, _ purpose: CapacitySearch.Purpose) -> Interval {
        length.window(purpose, requestRate: requestsPerLoad * load, eventRate: eventsPerLoad * load)
    }

    /// How long a step takes in its own time.
    private func time(_ load: Double, _ purpose: CapacitySearch.Purpose) -> Interval {
        scenario.warmUp(purpose) + window(load, purpose)
    }

    /// What a search will take, in a sentence.
    func estimate(limit: Interval) -> String {
        guard let plan = next() else { return "" }
        let most = search.settings.trialLimit
        let step = plan.warmUp + plan.window
        let text = "A step takes \(step.text) (\(plan.warmUp.text) to warm up, \(plan.window.text) measured)"
        let end = "the search ends after \(limit.text) at the latest (--max-time), or \(most) steps."
        if report.mode == .virtual { return "\(text) of simulated time; \(end)" }
        let fit = Int(limit.fractionalSeconds / pace.cost(of: step, load: plan.load).fractionalSeconds)
        // Steps next to the limit are longer than this one.
        return "\(text); at most \(fit) fit\(fit == 1 ? "s" : "") in: \(end)"
    }

    /// Takes what was measured of a step.
    ///
    /// - Parameters:
    ///   - wall: How long it took.
    ///   - control: The same step against a collector without limits.
    /// - Returns: the step as it was judged.
    mutating func note(
        _ measurement: StepMeasurement, of plan: StepPlan, wall: Interval = .zero,
        control: CapacityJudge.Control = { () throws(CommandFailure) -> StepMeasurement? in nil }
    ) throws(CommandFailure) -> CapacityReport.Step {
        var step = CapacityReport.Step(
            number: plan.number, purpose: plan.purpose.rawValue, load: plan.load,
            devices: plan.document.deviceCount, warmUpSeconds: plan.warmUp.fractionalSeconds,
            windowSeconds: measurement.window.seconds)
        step.seed = plan.document.seed
        let served = try judge.judge(measurement, control: control, into: &step)
        step.isClose = step.verdict == .held && margin(measurement, of: plan, &step)
        report.steps.append(step)
        report.endedBy = measurement.endedBy
        pace.note(wall, of: plan.warmUp + plan.window, load: plan.load)
        if numbersGoOn { nextDevice += UInt32(plan.document.deviceCount) }
        isUnaccounted = isUnaccounted || measurement.isUnaccounted
        if step.requests > 0 {
            requestsPerLoad = step.requestsOffered / plan.load
            eventsPerLoad = step.eventsOffered / plan.load
        }
        var outcome = CapacitySearch.Outcome.held
        switch step.verdict {
        case .held: break
        case .broke: outcome = .broke
        case .generatorLimited: outcome = .generatorLimited
        case .cut, .unreachable: return step
        }
        if outcome != .generatorLimited { users.note(plan.load, held: outcome == .held) }
        search.note(
            CapacitySearch.Trial(
                load: plan.load, purpose: plan.purpose, outcome: outcome, estimate: served,
                isClose: step.isClose && scenario.hasSessions))
        return step
    }

    /// Takes a step that could not be played: the load is one that the generator cannot offer.
    ///
    /// - Parameter problem: Why.
    /// - Returns: the step.
    mutating func note(unplayed plan: StepPlan, because problem: String) -> CapacityReport.Step {
        var step = CapacityReport.Step(
            number: plan.number, purpose: plan.purpose.rawValue, load: plan.load,
            devices: plan.document.deviceCount, warmUpSeconds: plan.warmUp.fractionalSeconds,
            windowSeconds: plan.window.fractionalSeconds)
        step.seed = plan.document.seed
        step.verdict = .generatorLimited
        step.reasons = [problem]
        report.steps.append(step)
        let trial = CapacitySearch.Trial(load: plan.load, purpose: plan.purpose, outcome: .generatorLimited)
        // As if tried twice: a second look at the memory would find the same.
        search.note(trial)
        search.note(trial)
        return step
    }

    /// Whether a load that held stayed so near to a bound that it may not hold again.
    ///
    /// Users with sessions make another load of every window, so such a one is no result. At a set rate windows ask
    /// for the same: there a load that held each time is the result, and the report tells how close it was.
    private mutating func margin(
        _ measurement: StepMeasurement, of plan: StepPlan, _ step: inout CapacityReport.Step
    ) -> Bool {
        let conditions = judge.conditions.thresholds.filter { HoldMargin($0) != nil }
        var margins = margins[plan.load] ?? conditions.compactMap { HoldMargin($0) }
        for (index, condition) in conditions.enumerated() {
            margins[index].add(condition, measurement.series, window: measurement.window.range)
        }
        self.margins[plan.load] = margins
        // One window tells little of what is seldom; the load's other trials will.
        let trials = search.settings.confirmations
        let close = margins.filter { $0.isClose && ($0.windows > trials || $0.share * 2 >= $0.bound) }
        for margin in close { step.notes.append(CapacityReasons.close(margin)) }
        return !close.isEmpty
    }

    /// Takes what the target told of itself meanwhile.
    mutating func take(_ metrics: Report.TargetMetrics?) {
        report.targetMetrics = metrics
        if let warning = metrics?.warning { report.warnings.append(warning) }
    }

    /// Whether the last step left the target something to recover from.
    var lastBroke: Bool { report.steps.last.map { $0.verdict != .held } ?? false }

    /// Whether there is nobody any more to be asked.
    private var hasLostTarget: Bool { report.steps.last?.verdict == .unreachable }

    /// The loads that the limit lies between, as far as the search has come: `120…480`.
    var range: String {
        let ends = search.bracket
        let text = { (load: Double) in CapacityText.load(load, report.scaling) }
        return "\(ends.holds.map { text($0.load) } ?? "?")…\(ends.breaking.map(text) ?? "?")"
    }

    // MARK: - The end

    /// The report as the search stands; interrupted, unless the search is over.
    ///
    /// - Parameter timeIsUp: Whether it was the time that ended it, where it was not the search itself.
    func finished(wallSeconds: Double, timeIsUp: Bool = false) -> CapacityReport {
        var report = report
        report.wallSeconds = wallSeconds
        let bracket = search.bracket
        var holds = bracket.holds?.load
        var breaks = bracket.breaking
        var unoffered: Double?
        report.ending = timeIsUp ? .time : .interrupted
        if case .end(let ending) = search.next {
            switch ending {
            case .knee: report.ending = .knee
            case .holdsAtMaximum: report.ending = .maximum
            case .breaksAtFloor: report.ending = .floor
            case .generatorLimit(let limit, let low, let high):
                report.ending = .generator
                (unoffered, holds, breaks) = (limit, low, high)
            case .unsettled: report.ending = .unsettled
            case .timeIsUp: report.ending = .time
            }
        }
        if hasLostTarget { report.ending = .unreachable }
        if report.endedBy != nil { report.ending = .stopped }
        report.setLevels(holds: holds, breaks: breaks)
        report.exitCode = exitCode(report).rawValue
        report.reasons = CapacityReasons.of(
            report, tallies: search.tallies, unoffered: unoffered, isUnaccounted: isUnaccounted)
        return report
    }

    private func exitCode(_ report: CapacityReport) -> CommandStatus {
        if isUnaccounted { return .unaccounted }
        return switch report.ending {
        case .knee, .maximum: .success
        // The uploads of its last step were without success, as those of a run that fails for it.
        case .floor, .unsettled, .unreachable: .thresholdFailed
        case .time: report.holds != nil ? .success : report.breaks != nil ? .thresholdFailed : .invalidRun
        case .generator: .invalidRun
        case .stopped: report.endedBy?.cause == .guard ? .thresholdFailed : .invalidRun
        case .interrupted: .interrupted
        }
    }
}

/// Which users a load is played by: each time others, those of a seed after the scenario's.
///
/// A load has to hold with all of them, so those whom another load did not survive come first: where they break
/// the next one as well, that is known after one step.
struct TrialUsers: Sendable {
    private var played: [Double: [Int]] = [:]
    private var held: Set<Double> = []
    /// Users who broke a load that held with others; those who did so last come first.
    private var hardest: [Int] = []

    /// How far the seed of the load's next trial is from the scenario's.
    func next(of load: Double) -> Int {
        let known = played[load] ?? []
        return (hardest + (0...known.count)).first { !known.contains($0) } ?? known.count
    }

    /// Notes how the trial went for which ``next(of:)`` told the users.
    mutating func note(_ load: Double, held: Bool) {
        let users = next(of: load)
        played[load, default: []].append(users)
        if held {
            self.held.insert(load)
        } else if self.held.contains(load) {
            hardest = [users] + hardest.filter { $0 != users }
        }
    }
}

extension CapacitySearch.Settings {
    /// Requests that a window of the smallest load is to have: below that nothing is asked of a target.
    private static let leastRequests = 10.0

    /// Leaves out loads that ask for nearly nothing.
    ///
    /// - Parameter requests: What a unit of load asks for in a window.
    mutating func raiseFloor(requests: Double) {
        guard requests > 0 else { return }
        let least = multiple((Self.leastRequests / requests / quantum).rounded(.up))
        floor = min(maximum, max(floor, least))
        from = max(from, floor)
    }
}
