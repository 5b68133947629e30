import Measurement
import Reporting
import World

/// What a search came to, in sentences.
enum CapacityReasons {
    /// - Parameters:
    ///   - tallies: What became of each load.
    ///   - unoffered: The load that the generator could not offer, where that ended the search.
    static func of(
        _ report: CapacityReport, tallies: [CapacitySearch.Tally], unoffered: Double?, isUnaccounted: Bool
    ) -> [String] {
        var reasons = [headline(report, unoffered: unoffered)] + details(report)
        let mixed = tallies.filter(\.isMixed)
        if !mixed.isEmpty {
            let loads = mixed.map {
                "\(noun($0.load, report.scaling)) (held in \($0.held) of \($0.held + $0.broke) trials)"
            }
            reasons.append("Mixed verdicts, taken for not holding: \(loads.joined(separator: ", ")).")
        }
        let low = report.holds?.load ?? 0
        let close = tallies.filter { $0.isClose && !$0.isMixed && $0.load > low && report.breaks != nil }
        if !close.isEmpty {
            let loads = close.map { noun($0.load, report.scaling) }.joined(separator: ", ")
            reasons.append(
                "Held, but by too little to hold again for sure, so the result is below: \(loads).")
        }
        let narrow = report.steps.filter { $0.isClose && $0.load == low && report.breaks != nil }
        if let last = narrow.last {
            reasons.append(
                "It held each time, but not by much: see step \(last.number). Another window may break.")
        }
        if isUnaccounted {
            reasons.append(
                "In some step the books did not balance, or the collector's store was not what it acknowledged: "
                    + "look at the steps' reasons.")
        }
        return reasons
    }

    /// Of a load that held by too little.
    static func close(_ margin: HoldMargin) -> String {
        let share = CapacityText.share(margin.share)
        let expected = CapacityText.share(margin.expected)
        return
            "Close to its bound: \(margin.name); what has to stay below \(CapacityText.share(margin.bound)) was "
            + "\(share), and may be \(expected) in another window."
    }

    /// Of a step after which nobody could be connected to.
    ///
    /// - Parameter problem: Whom, and why.
    static func lost(_ problem: String, in step: CapacityReport.Step) -> String {
        "The target cannot be connected to any more: \(problem); it went away during or before step \(step.number)."
    }

    /// How uploads failed that got no whole answer, in a sentence, if there are any: a share of failed requests does
    /// not tell a target that is not there from one that refuses. What ended with its app is no failure of a target.
    static func failures(_ uploads: PopulationRecord) -> [String] {
        let counts = RequestFailure.allCases.filter { $0 != .processDied && $0 != .unanswered }
            .map { (name: $0.name, count: uploads.count(of: $0)) }
        let failures = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        return failures.isEmpty
            ? [] : ["Uploads without a whole answer: \(failures.joined(separator: ", "))."]
    }

    private static func headline(_ report: CapacityReport, unoffered: Double?) -> String {
        func text(_ level: CapacityReport.Level?) -> String {
            level.map { CapacityText.level($0, report.scaling) } ?? "no load"
        }
        let unbroken = report.holds.map { " It held at \(CapacityText.level($0, report.scaling))." } ?? ""
        let broken = report.breaks.map { " It broke at \(CapacityText.level($0, report.scaling))." } ?? ""
        switch report.ending {
        case .knee: return "Holds at \(text(report.holds)), breaks at \(text(report.breaks))."
        case .maximum:
            return "Holds up to the maximum of the search, so no limit was found: \(text(report.holds))."
        case .floor: return "Even the smallest load breaks: \(text(report.breaks))."
        case .generator:
            let limit = unoffered.map { noun($0, report.scaling) } ?? "some load"
            return
                "The generator is the limit, at \(limit): this search says nothing of what the target does "
                + "there.\(unbroken)"
        case .time: return timeHeadline(report)
        case .stopped: return "\(report.endedBy?.text ?? "The search was ended.")\(unbroken)"
        case .unsettled:
            return
                "Unsettled within \(CapacityText.steps(report.steps.count)): loads held and broke by turns, between \(text(report.holds)) and "
                + "\(text(report.breaks))."
        case .interrupted:
            let over = report.steps.count { $0.verdict != .cut }
            let when = over == 0 ? "before any step was over" : "after \(CapacityText.steps(over))"
            return "The search was interrupted \(when).\(unbroken)\(broken)"
        case .unreachable:
            let lost = report.steps.last?.reasons.first ?? "The target cannot be connected to any more."
            return "\(lost)\(unbroken)\(broken)"
        }
    }

    private static func timeHeadline(_ report: CapacityReport) -> String {
        let holds = report.holds.map { CapacityText.level($0, report.scaling) }
        let breaks = report.breaks.map { CapacityText.level($0, report.scaling) }
        switch (holds, breaks) {
        case (let holds?, let breaks?):
            guard (report.breaks?.trials ?? 0) < 2 else {
                return "Holds at \(holds), breaks at \(breaks); the time was up before more was known."
            }
            // A step on the way has a short warm-up: the work of launches may have broken it.
            return
                "Holds at \(holds); the time was up before it was known whether more does: \(breaks) broke once, and a load "
                + "has to break twice, for the work of launches may break the first step at it. Give more with --max-time."
        case (let holds?, nil):
            return
                "No limit found within the time: holds at \(holds), and nothing above was tried to the end."
        case (nil, let breaks?):
            return
                "Nothing held within the time: it breaks at \(breaks), and nothing below was tried to the end."
        case (nil, nil): return "The time was up before any step was over: give more with --max-time."
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
        if report.ending == .knee || report.ending == .time, let holds = report.holds,
            let breaks = report.breaks
        {
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
