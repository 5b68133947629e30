import Measurement
package import Wire

/// Two policies side by side: every figure with its difference over the seeds that both have, and a verdict.
package struct Comparison: Sendable {
    /// One of the two.
    package struct Side: Sendable {
        /// What the user named it by.
        package var label: String
        package var variant: String
        package var toolVersion: String
        package var scenario: Report.ScenarioReference
        /// Null where it is not known.
        package var resolved: JSONNode
        package var mode: Report.Mode
        package var bodies: String?
        package var cells: [LabReport.Cell]
        /// The run that it is part of, where that has several sides; `nil` for a run of its own.
        package var run: String?
        /// Where its events went, if several targets took turns.
        package var target: String?

        package init(
            label: String, variant: String, toolVersion: String, scenario: Report.ScenarioReference,
            resolved: JSONNode, mode: Report.Mode, bodies: String?, cells: [LabReport.Cell],
            run: String? = nil
        ) {
            self.run = run
            self.label = label
            self.variant = variant
            self.toolVersion = toolVersion
            self.scenario = scenario
            self.resolved = resolved
            self.mode = mode
            self.bodies = bodies
            self.cells = cells
        }
    }

    /// What a difference comes to.
    package enum Word: String, CaseIterable, Sendable {
        case worse, better, same
        case cannotTell = "cannot tell"
        /// Of a figure of which more is neither good nor bad.
        case higher, lower
        /// Bytes of a model cannot be held against bytes that were made.
        case refused
    }

    /// A figure.
    package struct Row: Sendable {
        package var figure: Figure
        /// Means over the seeds; `nil` where one has no samples.
        package var base: Double?
        package var candidate: Double?
        package var difference: MeanDifference?
        /// The least difference that matters, in the figure's unit.
        package var leastEffect: Double
        package var word: Word
        /// Of how many seeds it is, such as `of 3 of 6 seeds`; `nil` for all.
        package var shortfall: String?
    }

    /// What a gate came to.
    package struct GateResult: Sendable {
        package enum Outcome: String, CaseIterable, Sendable {
            case holds, fails
            case cannotTell = "cannot tell"
        }
        package var text: String
        /// The figure's name.
        package var figure: String
        package var outcome: Outcome
        /// One sentence.
        package var reason: String
    }

    package var base: Side
    package var candidate: Side
    /// The seeds that both have.
    package var seeds: [UInt64]
    /// Whether the two were measured seed by seed, under the same conditions.
    package var isPaired: Bool
    package var differences: [ScenarioDifference]
    package var rows: [Row]
    package var gates: [GateResult]
    /// Whether the gates are those that apply where none is given.
    package var hasDefaultGates: Bool
    package var isStrict: Bool
    package var warnings: [String]

    /// 0, or 99.
    package var exitCode: Int32 {
        gates.contains { $0.outcome == .fails || isStrict && $0.outcome == .cannotTell } ? 99 : 0
    }

    /// How it was found, for readers.
    package var method: String {
        let how =
            isPaired
            ? "candidate minus base, seed by seed; intervals hold with 95 % (paired t over the seeds)"
            : "the candidate's mean minus the base's; intervals hold with 95 % (Welch's t, unpaired)"
        return
            "Differences are \(how). Worse or better: the interval excludes 0 and the mean exceeds the least effect "
            + "that matters. Same: the whole interval lies within that effect. Otherwise: cannot tell."
    }
}

/// What a comparison is asked for.
package struct ComparisonRequest: Sendable {
    package var gates: [Gate] = []
    /// By figure: a share of the base's mean, or for shares the difference itself.
    package var leastEffects: [(figure: Figure, value: Double)] = []
    package var isStrict = false

    package init() {}

    /// What must not get worse where no gate is given.
    static let defaultGates = ["events_lost", "event_freshness.p(95)", "freshness_within_1h"]
    /// 0.1 points for shares, 2 % for all else.
    static let leastShare = 0.001
    static let leastRatio = 0.02
}

extension Figure {
    /// Whether it must not get worse where no gate is given.
    fileprivate var decidesByDefault: Bool { ComparisonRequest.defaultGates.contains(name) }
}

extension Comparison {
    /// Holds a candidate against a base.
    package init(base: Side, candidate: Side, request: ComparisonRequest) {
        self.base = base
        self.candidate = candidate
        isStrict = request.isStrict
        differences = ScenarioDifference.between(base, candidate)
        hasDefaultGates = request.gates.isEmpty
        seeds = base.cells.map(\.seed).filter { seed in candidate.cells.contains { $0.seed == seed } }
        isPaired = Comparison.arePaired(base, candidate, seeds)
        let cells = Cells(
            base: base.cells, candidate: candidate.cells,
            pairs: isPaired ? Comparison.pairs(base, candidate, seeds) : nil)
        // What does not say so was made before there was a choice.
        let refusesBytes = (base.bodies ?? "encode") != (candidate.bodies ?? "encode")
        var figures = Figure.all(in: base.cells + candidate.cells)
        for extra in request.gates.map(\.figure) + request.leastEffects.map(\.figure)
        where !figures.contains(where: { $0.source == extra.source }) {
            figures.append(extra)
        }
        rows = figures.map { figure in
            Row(figure, cells, request: request, isRefused: refusesBytes && figure.isBytes)
        }
        gates = []
        warnings = []
        // What neither side tells of has no row, and yet decides: nothing was measured.
        gates =
            request.gates.isEmpty
            ? ComparisonRequest.defaultGates.compactMap { name -> GateResult? in
                let row =
                    rows.first { $0.figure.name == name }
                    ?? (try? Figure.parse(name)).map { Row($0, cells, request: request, isRefused: false) }
                return row.map { Comparison.judge($0) }
            }
            : request.gates.map { Comparison.judge($0, cells, isRefused: refusesBytes && $0.figure.isBytes) }
        warnings = ownWarnings(refusesBytes: refusesBytes)
    }
}

extension Comparison.Row {
    init(_ figure: Figure, _ cells: Comparison.Cells, request: ComparisonRequest, isRefused: Bool) {
        self.figure = figure
        let value = figure.value(in:)
        if let found = cells.difference(value, value) {
            (base, candidate, difference) = (found.base, found.candidate, found.difference)
        } else {
            (base, candidate) = (cells.mean(of: \.base, value), cells.mean(of: \.candidate, value))
        }
        shortfall = cells.shortfall(value)
        let own = request.leastEffects.last { $0.figure.source == figure.source }?.value
        leastEffect =
            figure.isShare
            ? own ?? ComparisonRequest.leastShare
            : (own ?? ComparisonRequest.leastRatio) * (base?.magnitude ?? 0)
        word = .cannotTell
        word = isRefused ? .refused : judged
    }

    /// Whether neither has samples in any seed.
    var isWithoutSamples: Bool { base == nil && candidate == nil }

    private var judged: Comparison.Word {
        guard let difference else {
            // What neither has at all is the same; but where that was to decide, nothing was measured.
            return isWithoutSamples && !figure.decidesByDefault ? .same : .cannotTell
        }
        guard let interval = difference.interval else { return difference.mean == 0 ? .same : .cannotTell }
        if !interval.contains(0), difference.mean.magnitude > leastEffect {
            switch figure.direction {
            case .neutral: return difference.mean > 0 ? .higher : .lower
            case .higherIsWorse: return difference.mean > 0 ? .worse : .better
            case .lowerIsWorse: return difference.mean < 0 ? .worse : .better
            }
        }
        let isWithin = max(interval.lowerBound.magnitude, interval.upperBound.magnitude) <= leastEffect
        return isWithin ? .same : .cannotTell
    }
}

extension Comparison {
    /// A default gate: the figure must not be worse.
    static func judge(_ row: Row) -> GateResult {
        let outcome: GateResult.Outcome =
            switch row.word {
            case .worse: .fails
            case .cannotTell, .refused: .cannotTell
            default: .holds
            }
        let amount = row.isWithoutSamples ? ", for neither has samples" : ComparisonText.amount(row)
        return GateResult(
            text: "\(row.figure.name) is not worse", figure: row.figure.name, outcome: outcome,
            reason: "\(row.figure.name): \(row.word.rawValue)" + amount)
    }

    /// A gate of the user's: how far the candidate is beyond its limit.
    static func judge(_ gate: Gate, _ cells: Cells, isRefused: Bool) -> GateResult {
        if isRefused {
            return GateResult(
                text: gate.text, figure: gate.figure.name, outcome: .cannotTell,
                reason: "\(gate.text): bytes were made in one of the two, and come from a model in the other")
        }
        guard let difference = cells.distance(beyond: gate) else {
            return GateResult(
                text: gate.text, figure: gate.figure.name, outcome: .fails,
                reason: "\(gate.text): \(gate.figure.name) has no samples to hold against it")
        }
        let holds = gate.comparison.holds(difference.mean, 0)
        var outcome: GateResult.Outcome = holds ? .holds : .fails
        if let interval = difference.interval, interval.lowerBound < 0, interval.upperBound > 0 {
            outcome = .cannotTell
        }
        let reason =
            ComparisonText.reason(gate, difference, isPaired: cells.pairs != nil)
            + (cells.shortfall(of: gate).map { ", \($0)" } ?? "")
        return GateResult(text: gate.text, figure: gate.figure.name, outcome: outcome, reason: reason)
    }
}
