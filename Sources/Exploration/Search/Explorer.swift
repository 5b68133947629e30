package import Scenario
import Timebase
package import Wire

/// Plays one scenario and judges it.
package struct Explorer: Sendable {
    /// What of a trial is asked for beyond playing it once.
    package struct Depth: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        /// Play it again and compare.
        package static let again = Depth(rawValue: 1)
        /// Play it in the other worlds and compare.
        package static let others = Depth(rawValue: 2)
        package static let all: Depth = [.again, .others, .machine]

        /// Play it on a simulated machine, with the live engine and the collector as they are.
        package static let machine = Depth(rawValue: 4)

        /// Of the world of a seed: each fourth is played again, each third on a simulated
        /// machine, and stores in files are compared wherever there are some.
        package init(seed: UInt64) {
            self = seed % 4 == 0 ? .all : .others
            if seed % 3 == 0 { insert(.machine) }
        }
    }

    private let world: any ExploredWorld
    private let others: [any ExploredWorld]

    /// - Parameter others: Worlds whose outcome has to be the same, besides that with all stores in memory.
    package init(world: any ExploredWorld = VirtualWorld(), others: [any ExploredWorld] = []) {
        self.world = world
        self.others = others
    }

    /// What was found in the world of a seed.
    package struct Finding: Sendable {
        package var seed: UInt64
        /// `nil` where the seed gives no sound scenario.
        package var scenario: JSONNode?
        package var violations: [Violation] = []
        package var coverage = Coverage()
        package var events = 0
        package var wasCut = false
        package var document: ScenarioDocument?
        package var outcome: Outcome?
    }

    /// Plays the world of a seed.
    package func explore(seed: UInt64) -> Finding {
        var finding = Finding(seed: seed)
        guard let scenario = ScenarioGenerator().scenario(seed: seed) else {
            finding.violations = [
                Violation(invariant: "generator", text: "no sound scenario came of seed \(seed)")
            ]
            return finding
        }
        finding.scenario = scenario
        guard case .success(let document) = ScenarioPruner.load(scenario) else { return finding }
        finding.coverage.note(scenario, document)
        do {
            let trial = try trial(document, depth: Depth(seed: seed))
            finding.violations = Invariants.violations(in: trial)
            if Depth(seed: seed).contains(.machine) {
                finding.violations += try machineViolations(document, seed: seed)
            }
            finding.events = trial.outcome.sealed.count
            finding.wasCut = trial.outcome.wasCut
            finding.outcome = trial.outcome
            finding.document = document
        } catch {
            finding.violations = [Violation(invariant: "world", text: "\(error)")]
        }
        return finding
    }

    /// What a scenario of one's own breaks.
    /// - Parameter seed: Of the simulated machine.
    package func violations(
        of scenario: JSONNode, depth: Depth = .all, seed: UInt64 = 1
    ) -> [Violation]? {
        guard case .success(let document) = ScenarioPruner.load(scenario) else { return nil }
        do {
            let found = Invariants.violations(in: try trial(document, depth: depth))
            return depth.contains(.machine) ? found + (try machineViolations(document, seed: seed)) : found
        } catch {
            return [Violation(invariant: "world", text: "\(error)")]
        }
    }

    /// What two whole runs of the program show of the world of a finding.
    package static func violations(
        of finding: Finding, files: (first: RunFiles, second: RunFiles)
    ) -> [Violation] {
        guard let document = finding.document, let outcome = finding.outcome else { return [] }
        var trial = Trial(document: document, outcome: outcome)
        trial.files = files
        return SameSeedSameBytes.violations(in: trial).map {
            Violation(invariant: SameSeedSameBytes.name, text: $0)
        }
    }

    /// What a scenario breaks on a simulated machine.
    private func machineViolations(_ document: ScenarioDocument, seed: UInt64) throws -> [Violation] {
        guard let fitting = SimulatedLiveWorld.fitting(document) else { return [] }
        let world = SimulatedLiveWorld(seed: seed)
        var trial = Trial(document: fitting, outcome: try world.play(fitting))
        if seed % 12 == 0 { trial.again = try world.play(fitting) }
        return Invariants.violations(in: trial).map {
            Violation(invariant: $0.invariant, text: "\(world.name): \($0.text)")
        }
    }

    private func trial(_ document: ScenarioDocument, depth: Depth) throws -> Trial {
        var trial = Trial(document: document, outcome: try world.play(document))
        if depth.contains(.again) { trial.again = try world.play(document) }
        guard depth.contains(.others) else { return trial }
        if document.populations.contains(where: \.storesInFiles) {
            let memory = VirtualWorld(stores: .memory)
            trial.others.append((memory.name, try memory.play(document)))
        }
        for other in others { trial.others.append((other.name, try other.play(document))) }
        return trial
    }
}
