package import Measurement
import Timebase
package import Wire

/// What several simulations came to that belong together: variants of a scenario, each over the same seeds. Field for
/// field `report.json` of such a run (`beaconswarm.comparison/1`), and small enough to be committed as a baseline: it
/// holds no time of day, no host and no series.
package struct LabReport: Sendable {
    package var toolVersion: String
    package var scenario: Report.ScenarioReference
    /// The scenario itself as it was played, without its seed; null where that is not known.
    package var resolved = JSONNode.null
    package var mode: Report.Mode
    /// How bodies were treated (`encode`, `measure`); `nil` where the reports do not say.
    package var bodies: String?
    package var verdict = Report.Verdict.passed
    /// The highest-ranking of all cells.
    package var exitCode: Int32 = 0
    /// Whether some cells are missing, because it was broken off or a part of it is not there.
    package var isPartial = false
    /// Of one that was joined from parts: which of them are missing, in words; `nil` if none is.
    package var missingParts: String?
    /// The live run that was under way then; `nil` if there was none.
    package var unfinished: Unfinished?
    /// What Beaconswarm itself ended the last live run by, and with it the series; `nil` if it did not.
    package var endedBy: Report.EarlyEnd?
    /// What there was to beware of before anything was played, each once, without secrets.
    package var warnings: [String] = []
    /// In ascending order.
    package var seeds: [UInt64]
    /// In the order of the scenario, `base` first.
    package var variants: [Variant]

    /// A policy.
    package struct Variant: Sendable {
        package var name: String
        /// Where it differs from the scenario itself; null for what it lacks. What is null itself stands in its object.
        package var changes: [Change] = []
        /// Where its events went, if several targets took turns.
        package var target: String?
        /// In ascending order of their seeds.
        package var cells: [Cell] = []

        package init(name: String, changes: [Change] = [], target: String? = nil, cells: [Cell] = []) {
            self.name = name
            self.target = target
            self.changes = changes
            self.cells = cells
        }

        /// The cell of a seed.
        package func cell(_ seed: UInt64) -> Cell? { cells.first { $0.seed == seed } }

        /// Takes a cell in, in the order of the seeds.
        package mutating func insert(_ cell: Cell) {
            cells.insert(cell, at: cells.firstIndex { $0.seed > cell.seed } ?? cells.endIndex)
        }
    }

    /// A live run that was ended before its time. What it measured is kept in its own folder: it is of another
    /// length than the others, so it stands beside none of them, and in no mean.
    package struct Unfinished: Hashable, Sendable {
        package var variant: String
        package var seed: UInt64
        package var verdict = Report.Verdict.interrupted
        package var exitCode: Int32 = 105

        package init(variant: String, seed: UInt64) {
            self.variant = variant
            self.seed = seed
        }
    }

    /// A value of a scenario.
    package struct Change: Hashable, Sendable {
        package var pointer: String
        package var value: JSONNode

        package init(pointer: String, value: JSONNode) {
            self.pointer = pointer
            self.value = value
        }
    }

    /// One simulation.
    package struct Cell: Sendable {
        package var seed: UInt64
        package var verdict = Report.Verdict.passed
        package var exitCode: Int32 = 0
        /// Of one that did not pass, the headline of its report.
        package var reason: String?
        package var fingerprint = ""
        package var devices = 0
        package var simulatedSeconds = 0.0
        package var events = Report.EventCounts()
        package var metrics: [Metric] = []
        /// What is derived from them: ``CostMeasures``.
        package var measures: [NamedValue] = []
        /// Where there are several.
        package var populations: [Report.Population] = []
        /// The name of a population that is the whole fleet, whose figures are the fleet's; `nil` where there are several,
        /// or where nobody knows. No file of several simulations has it: their scenario says it.
        package var onlyPopulation: String?
        /// Of the timeline.
        package var entries: [Report.Entry] = []

        package init(seed: UInt64) { self.seed = seed }
    }

    /// A number by its name; `nil` where there is nothing to make it from.
    package struct NamedValue: Hashable, Sendable {
        package var name: String
        package var value: Double?

        package init(_ name: String, _ value: Double?) {
            self.name = name
            self.value = value
        }
    }

    /// Whether runs are still to come.
    var goesOn: Bool { !isPartial && variants.contains { $0.cells.count < seeds.count } }

    package init(
        toolVersion: String, scenario: Report.ScenarioReference, mode: Report.Mode, seeds: [UInt64],
        variants: [Variant]
    ) {
        self.toolVersion = toolVersion
        self.scenario = scenario
        self.mode = mode
        self.seeds = seeds
        self.variants = variants
    }

    /// Tells the runs of a single population its name, which their scenario has.
    mutating func nameOnlyPopulations() {
        guard resolved != .null else { return }
        for variant in variants.indices {
            let scenario = ScenarioDifference.apply(variants[variant].changes, to: resolved)
            guard let populations = scenario["populations"]?.elements, populations.count == 1 else {
                continue
            }
            let name = populations[0]["name"]?.string
            for cell in variants[variant].cells.indices {
                variants[variant].cells[cell].onlyPopulation = name
            }
        }
    }

    /// Takes the verdict of all runs over, an unfinished one included: the weightiest counts. What is missing makes it
    /// interrupted, unless the last run says by its own verdict why no other followed it.
    package mutating func judge() {
        var codes = variants.flatMap(\.cells).map { ($0.exitCode, $0.verdict) }
        if let unfinished { codes.append((unfinished.exitCode, unfinished.verdict)) }
        let heaviest = codes.max { VerdictRules.weight(of: $0.0) < VerdictRules.weight(of: $1.0) }
        exitCode = heaviest?.0 ?? 0
        verdict = heaviest?.1 ?? .passed
        if isPartial, endedBy == nil, VerdictRules.weight(of: exitCode) < VerdictRules.weight(of: 105) {
            exitCode = 105
            verdict = .interrupted
        }
    }
}

extension VerdictRules {
    /// What an exit code weighs among several: 70 before 95 before 105 before 96 before 99.
    package static func weight(of code: Int32) -> Int {
        let order: [Int32] = [0, 99, 96, 105, 95, 70]
        return order.firstIndex(of: code) ?? order.count
    }
}

extension LabReport.Cell {
    /// What of a run's report is compared.
    package init(_ report: Report) {
        self.init(seed: report.seed)
        verdict = report.verdict
        exitCode = report.exitCode
        reason = report.exitCode == 0 ? nil : report.reasons.first
        fingerprint = report.fingerprint
        devices = report.devices
        simulatedSeconds = report.simulatedSeconds
        events = report.events
        metrics = report.summarised.metrics
        measures = CostMeasures.of(report)
        populations = report.populations.count > 1 ? report.summarised.populations : []
        onlyPopulation = report.populations.count == 1 ? report.populations[0].name : nil
        entries = report.summarised.entries
    }
}
