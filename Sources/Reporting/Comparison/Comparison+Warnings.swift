import Rendering
import Wire

extension Comparison {
    /// What to know before one believes the figures.
    func ownWarnings(refusesBytes: Bool) -> [String] {
        var warnings: [String] = []
        if let words = differences.foreignWords {
            warnings.append(
                "the scenarios differ in more than their policies (\(words)): a difference of figures says nothing of a policy"
            )
        }
        if base.toolVersion != candidate.toolVersion {
            warnings.append(
                "made by different versions of beaconswarm, \(base.toolVersion) and \(candidate.toolVersion): a "
                    + "difference may be the tool's")
        }
        if refusesBytes {
            warnings.append(
                "bodies were treated differently (\(base.bodies ?? "encode") and \(candidate.bodies ?? "encode")): "
                    + "figures in bytes are not compared")
        }
        if isPaired ? seeds.count < 2 : min(base.cells.count, candidate.cells.count) < 2 {
            warnings.append(
                isPaired
                    ? "a single pair has no interval: only gates can fail, by its difference alone"
                    : "one run on a side has no interval: only gates can fail, by the difference alone")
        }
        if seeds.isEmpty { warnings.append("the two share no seed: their users are not the same") }
        let left = base.cells.count + candidate.cells.count - 2 * seeds.count
        if left > 0, isPaired, !seeds.isEmpty {
            let what = Numbers.count(left, of: base.mode.run) + (left == 1 ? " of a seed" : " of seeds")
            warnings.append("\(what) that only one of the two has \(left == 1 ? "is" : "are") left out")
        }
        warnings += [warningOfSameScenario, warningOfNotKept, warningOfWaiting].compactMap(\.self)
        for side in [base, candidate] {
            let bad = side.cells.filter { $0.verdict != .passed }
            if let first = bad.first {
                let why = first.reason.map { ": \($0)" } ?? ""
                warnings.append(
                    "\(side.label): \(bad.count) of \(Numbers.count(side.cells.count, of: side.mode.run)) did not pass (seed "
                        + "\(first.seed): \(first.verdict.rawValue), exit code \(first.exitCode)\(why))")
            }
        }
        return warnings
    }

    /// A variant that plays what its base plays compares nothing, however many seeds it has. Targets that take turns may do so.
    private var warningOfSameScenario: String? {
        guard base.mode == .virtual, let run = base.run, run == candidate.run, base.resolved != .null,
            base.variant != candidate.variant, differences.isEmpty
        else { return nil }
        let given = candidate.scenario.typedOverrides.filter { !$0.hasPrefix("--seed ") }
        return "\(candidate.variant) is the same scenario as \(base.variant): no policy is compared"
            + (given.isEmpty ? "" : "; the run was played with \(given.joined(separator: ", "))")
    }

    /// How much more of what was acknowledged the candidate's collector does not hold, if that matters. A single pair has no
    /// interval, but its audits are no estimates.
    var keepsLess: Row? {
        rows.first { row in
            guard row.figure.name == CostMeasures.notKept.name, let difference = row.difference else {
                return false
            }
            return row.word == .worse || difference.interval == nil && difference.mean > row.leastEffect
        }
    }

    /// Devices take these events for delivered, and so do the figures that the default gates look at.
    private var warningOfNotKept: String? {
        guard let row = keepsLess else { return nil }
        let name = row.figure.name
        let isHeld = gates.contains { $0.figure == name }
        return
            "\(name): the collector acknowledged \(ComparisonText.value(row.candidate, row.figure)) of the candidate's events "
            + "without keeping them, and \(ComparisonText.value(row.base, row.figure)) of the base's; events_lost and freshness "
            + "count these as delivered"
            + (isHeld ? "" : "; no gate looks at it, as --gate '\(name)<=base' would")
    }

    /// Where a verdict on freshness may be one on the end of the run: who is still waiting then is not fresh, however young.
    private var warningOfWaiting: String? {
        let judged = rows.contains { row in
            row.figure.name.hasPrefix("freshness_within_") && [.worse, .better].contains(row.word)
        }
        let (one, other) = (base.cells.waitingShare, candidate.cells.waitingShare)
        guard judged, (one - other).magnitude > ComparisonRequest.leastShare else { return nil }
        return
            "\(Numbers.percent(other)) of the candidate's events were still waiting when the run ended, and "
            + "\(Numbers.percent(one)) of the base's: freshness_within_… counts them as not fresh, even where they were only "
            + "young. A drain that is longer than the slowest flush tells the two apart"
    }
}

extension Report.Mode {
    /// What one of several is called.
    fileprivate var run: String { self == .live ? "live run" : "simulation" }
}

extension [LabReport.Cell] {
    /// The share of the events that have no fate at the end, the mean of all simulations.
    var waitingShare: Double {
        let shares = map { cell in
            let waiting = cell.events.pending.reduce(0) { $0 + $1.count }
            return Double(waiting) / Double(Swift.max(1, cell.events.captured))
        }
        return shares.isEmpty ? 0 : shares.reduce(0, +) / Double(shares.count)
    }
}
