import Scenario
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
        package static let all: Depth = [.again, .others, .troubled, .sound, .carried]

        /// Play it with the live engine and the collector as they are, on a machine on which much goes wrong.
        package static let troubled = Depth(rawValue: 4)
        /// The same on a machine on which nothing does, and compare it with virtual time.
        package static let sound = Depth(rawValue: 8)
        /// Play it with events that pass by reference, and compare.
        package static let carried = Depth(rawValue: 16)

        /// Of the world of a seed: each fourth is played again, each third on a troubled machine and each third on a
        /// sound one, and stores in files are compared wherever there are some.
        package init(seed: UInt64) {
            self = seed % 4 == 0 ? [.again, .others] : .others
            if seed % 3 == 0 { insert(.troubled) }
            if seed % 3 == 1 { insert(.sound) }
            if seed % 3 == 2 { insert(.carried) }
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
    }

    /// Draws the world of a seed, and does not play it: what it says counts, and that it can be drawn.
    package func draw(seed: UInt64) -> Finding { drawn(seed).finding }

    private func drawn(_ seed: UInt64) -> (finding: Finding, document: ScenarioDocument?) {
        var finding = Finding(seed: seed)
        guard let scenario = ScenarioGenerator().scenario(seed: seed) else {
            finding.violations = [
                Violation(invariant: "generator", text: "no sound scenario came of seed \(seed)")
            ]
            return (finding, nil)
        }
        finding.scenario = scenario
        guard case .success(let document) = ScenarioPruner.load(scenario) else { return (finding, nil) }
        finding.coverage.note(scenario, document)
        return (finding, document)
    }

    /// Plays the world of a seed.
    package func explore(seed: UInt64) -> Finding {
        var (finding, drawn) = drawn(seed)
        guard let document = drawn else { return finding }
        do {
            let trial = try trial(document, depth: Depth(seed: seed))
            finding.violations = Invariants.violations(in: trial)
            finding.violations += try machineViolations(document, depth: Depth(seed: seed), seed: seed)
            finding.events = trial.outcome.sealed.count
            finding.wasCut = trial.outcome.wasCut
        } catch {
            finding.violations = [Violation(invariant: "world", text: "\(error)")]
        }
        return finding
    }

    /// What a scenario of one's own breaks; `nil` for one that is not sound.
    ///
    /// - Parameter seed: Of the simulated machines; that of a scenario of the corpus is the number in its name.
    package func violations(
        of scenario: JSONNode, depth: Depth = .all, seed: UInt64? = nil
    ) -> [Violation]? {
        guard case .success(let document) = ScenarioPruner.load(scenario) else { return nil }
        let seed = seed ?? document.name.split(separator: "-").last.flatMap { UInt64($0) } ?? 1
        do {
            let found = Invariants.violations(in: try trial(document, depth: depth))
            return found + (try machineViolations(document, depth: depth, seed: seed))
        } catch {
            return [Violation(invariant: "world", text: "\(error)")]
        }
    }

    /// How often the loader warns of what devices do in a scenario; `nil` for one that is not sound. That an app or a
    /// persona is left over counts for nothing.
    package func warningCount(of scenario: JSONNode) -> Int? {
        guard case .success(let document) = ScenarioPruner.load(scenario) else { return nil }
        return document.warnings.count {
            $0.pointer.hasPrefix("/populations") || $0.pointer.hasPrefix("/timeline")
        }
    }

    /// What whole runs of the program show of a scenario.
    ///
    /// - Parameter run: Plays the scenario twice, and in parts.
    package func violations(
        of scenario: JSONNode, running run: (JSONNode) async throws -> ProgramTrial
    ) async -> [Violation] {
        guard case .success(let document) = ScenarioPruner.load(scenario) else { return [] }
        do {
            var trial = try trial(document, depth: [])
            trial.program = try await run(scenario)
            return [SameSeedSameBytes.self, PartsAreTheWhole.self].flatMap {
                (invariant: any Invariant.Type) in
                invariant.violations(in: trial).map { Violation(invariant: invariant.name, text: $0) }
            }
        } catch {
            return [Violation(invariant: "program", text: "\(error)")]
        }
    }

    /// What a scenario breaks on simulated machines.
    private func machineViolations(
        _ document: ScenarioDocument, depth: Depth, seed: UInt64
    ) throws -> [Violation] {
        var found: [Violation] = []
        if depth.contains(.troubled), let fitting = SimulatedLiveWorld.fitting(document) {
            let world = SimulatedLiveWorld(.troubled, seed: seed)
            var trial = Trial(document: fitting, outcome: try world.play(fitting))
            if seed % 12 == 0 { trial.again = try world.play(fitting) }
            found += violations(in: trial, of: world)
        }
        if depth.contains(.sound), let modelled = SimulatedLiveWorld.modelled(document) {
            let world = SimulatedLiveWorld(.sound, seed: seed)
            var trial = Trial(document: modelled, outcome: try world.play(modelled))
            let virtual = VirtualWorld(stores: .memory, serviceTime: .zero)
            trial.others = [(virtual.name, try virtual.play(modelled))]
            found += violations(in: trial, of: world)
        }
        return found
    }

    private func violations(in trial: Trial, of world: SimulatedLiveWorld) -> [Violation] {
        Invariants.violations(in: trial).map {
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
        if depth.contains(.carried) {
            let carried = VirtualWorld(stores: .memoryByReference)
            trial.others.append((carried.name, try carried.play(document)))
        }
        for other in others { trial.others.append((other.name, try other.play(document))) }
        return trial
    }
}
