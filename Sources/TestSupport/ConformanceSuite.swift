package import Accounting
import DeviceSDK
import Foundation
package import Scenario
package import Timebase

/// Plays one scenario in every world and demands equal books.
package enum ConformanceSuite {
    /// How much later than its time an answer may come, or a shard may act, without changing anything
    /// in a scenario of the suite.
    package static let slack = Interval.milliseconds(90)
    /// The most that an event loop may be late in a live run, or what it sends on its way. An answer may wait for a
    /// shard that writes, for the collector, and for the shard that reads: a later run says more about the machine
    /// than about the engines, and where it disagrees it is played again, or inconclusive in the end.
    package static let patience = slack / 3
    /// How often a scenario is played at most until a run agrees or is punctual.
    /// Where every run is late, as under a sanitizer, CONFORMANCE_ATTEMPTS=1 saves the repetitions.
    package static let attempts =
        ProcessInfo.processInfo.environment["CONFORMANCE_ATTEMPTS"].flatMap { Int($0) } ?? 6

    /// Every scenario of the suite.
    package static let scenarios: [ConformanceScenario] =
        SystemFixtures.all.flatMap { $0.fixture.scenarios } + mixedScenarios

    /// Those with Sensors alone, whose devices can keep their events in files, too.
    package static let sensorsScenarios: [ConformanceScenario] =
        faultScenarios + answerScenarios + clientScenarios + deviceScenarios
        + lifeScenarios + diskScenarios + networkScenarios

    /// Those that are played live with stores in files too: kills, evictions, debug mode, sign-ups, disks. In
    /// the others it is the collector that acts, and the stores are compared in virtual time alone.
    package static let liveInFiles = deviceScenarios + lifeScenarios + diskScenarios

    /// One of each kind, for real sockets, on which a few milliseconds of the kernel's decide which of two connections is
    /// heard first.
    package static let onSockets: [ConformanceScenario] =
        [faultScenarios, answerScenarios, clientScenarios, deviceScenarios, lifeScenarios].compactMap {
            $0.first(where: isUnordered)
        } + SystemFixtures.all.compactMap { $0.fixture.scenarios.last(where: isUnordered) }
        + mixedScenarios.suffix(1).filter(isUnordered)

    /// The same with stores in files.
    package static let inFilesOnSockets = Array(liveInFiles.lazy.filter(isUnordered).prefix(2))

    /// Those in which connections may pass each other.
    package static let unordered = scenarios.filter(isUnordered)

    /// Whether connections may pass each other: no fault meets the nth upload of a device where devices have several on
    /// their way at once.
    private static func isUnordered(_ scenario: ConformanceScenario) -> Bool {
        guard let document = try? Worlds.load(scenario.json, name: scenario.name) else { return false }
        let countsUploads = document.timeline.contains { entry in
            if case .collector(_, _, _, .some) = entry.change { true } else { false }
        }
        return !(countsUploads && UploadRaces.happen(in: document, within: slack))
    }

    /// Those whose collector keeps its word beyond its own life: it neither swallows nor only checks events.
    package static let deathProof = scenarios.filter { scenario in
        guard let document = try? Worlds.load(scenario.json, name: scenario.name) else { return false }
        return Worlds.virtual(document).facts.isDisjoint(with: ["audit/swallowed", "audit/dry_run"])
    }

    /// Whether some scenario plays a system in a version.
    package static func plays(_ row: SystemMatrix.Row) throws -> Bool {
        try scenarios.contains { scenario in
            try Worlds.load(scenario.json, name: scenario.name).populations.contains {
                $0.system.systemName == row.system && $0.system.versionName == row.version
            }
        }
    }

    /// How late shards come where a scenario's fitness is tried: as an idle machine has it, and as late as a
    /// live run may be without being played again.
    private static let lateness: [Interval] = [.milliseconds(3), .milliseconds(10), patience]

    /// Whether a scenario is fit for the suite: it shows what it says, its books are right, and neither
    /// answers that take up to ``slack`` nor devices that are woken up to ``patience`` late change anything.
    ///
    /// - Returns: what is wrong, in sentences.
    package static func unfitness(_ scenario: ConformanceScenario) throws -> [String] {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let outcome = Worlds.virtual(document)
        var problems = outcome.problems
        // Knobs beyond what the SDK would allow are what makes a run short.
        problems += document.warnings.filter { $0.pointer.hasPrefix("/timeline") }.map(\.text)
        let missing = scenario.shows.subtracting(outcome.facts)
        if !missing.isEmpty {
            problems.append("does not show \(missing.sorted()), only \(outcome.facts.sorted())")
        }
        for time in [Interval.milliseconds(15), slack] {
            let slow = Worlds.virtual(document, serviceTime: time)
            problems += Differences.between(outcome, slow, tolerating: scenario.tolerates).map {
                "with answers after \(time): \($0)"
            }
        }
        for time in lateness {
            let late = Worlds.virtual(document, makeFleet: Worlds.late(by: time))
            problems += Differences.between(outcome, late, tolerating: scenario.tolerates).map {
                "with devices woken \(time) late: \($0)"
            }
        }
        return problems
    }

    /// Plays a scenario in virtual time with the devices' events in memory and in files, and compares
    /// everything, down to the bytes of each request.
    ///
    /// - Parameter connections: Files that may be open at once.
    /// - Returns: what is wrong, in sentences; empty if the stores agree.
    package static func storeDisagreement(
        _ scenario: ConformanceScenario, connections: Int
    ) throws -> [String] {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let folder = try StoreFolder(connections: connections)
        let (sentFromMemory, sentFromFiles) = (BodyRecorder(), BodyRecorder())
        let expected = Worlds.virtual(document, makeFleet: sentFromMemory.recording(Worlds.inMemory))
        let found = Worlds.virtual(document, makeFleet: sentFromFiles.recording(folder.makeFleet))
        var problems = found.problems + folder.warnings + Differences.between(expected, found, tolerating: [])
        let (left, right) = (sentFromMemory.bodies, sentFromFiles.bodies)
        if left.count != right.count { problems.append("\(left.count) bodies there, \(right.count) here") }
        if let (there, here) = zip(left, right).first(where: { $0 != $1 }) {
            problems.append("body of \(there) there, \(here) here")
        }
        return problems
    }

    /// Plays a scenario in virtual time with requests that are written and read, and with events by reference.
    ///
    /// - Returns: what is wrong, in sentences; empty if both are one.
    package static func bodyDisagreement(_ scenario: ConformanceScenario) throws -> [String] {
        BodyComparison.disagreement(try Worlds.load(scenario.json, name: scenario.name))
    }

    /// The events of a scenario's tolerated populations that travel more or less often when answers take another time
    /// within the slack, or devices are woken late; how often all others travel is determined.
    package static func undetermined(
        _ scenario: ConformanceScenario, _ document: ScenarioDocument, _ expected: WorldOutcome
    ) -> Set<EventID> {
        guard !scenario.tolerates.isEmpty else { return [] }
        var events: Set<EventID> = []
        func compare(_ other: WorldOutcome) {
            for (id, line) in expected.lines where other.lines[id]?.attempts != line.attempts {
                events.insert(id)
            }
        }
        for time in [2, 4, 8, 15, 30, 60].map(Interval.milliseconds) + [slack] {
            compare(Worlds.virtual(document, serviceTime: time))
        }
        for time in lateness { compare(Worlds.virtual(document, makeFleet: Worlds.late(by: time))) }
        return events
    }

    /// Plays a scenario with the live engine in a simulated world and compares it with virtual time.
    ///
    /// - Returns: what is wrong, in sentences; empty if the worlds agree.
    package static func simulatedDisagreement(
        _ scenario: ConformanceScenario, _ world: SimulatedWorld
    ) throws -> [String] {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let expected = Worlds.virtual(document)
        let found = try world.play(document)
        return found.problems
            + Differences.between(
                expected, found, tolerating: scenario.tolerates,
                undetermined: undetermined(scenario, document, expected))
    }

    /// Plays a scenario live and compares it with virtual time.
    ///
    /// - Parameter inFiles: Whether devices keep their events in files, live; the other world has memory.
    /// - Returns: what is wrong, in sentences; empty if the worlds agree.
    package static func disagreement(
        _ scenario: ConformanceScenario, shards: Int, inFiles: Bool = false
    ) async throws -> [String] {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let expected = Worlds.virtual(document)
        let undetermined = undetermined(scenario, document, expected)
        for attempt in 1... {
            let folder = inFiles ? try StoreFolder(fleets: 3 * shards) : nil
            let found = try await Worlds.live(
                document, shards: shards, makeFleet: folder?.makeFleet ?? Worlds.inMemory)
            let problems = Differences.between(
                expected, found, tolerating: scenario.tolerates, undetermined: undetermined)
            // Books must be right however late the generator was.
            let unsound = found.problems + (folder?.warnings ?? [])
            ClockedCase.current?.note(
                unsound.isEmpty ? found.lag : .zero, of: "\(scenario.name), shards: \(shards)")
            if !unsound.isEmpty { return unsound + problems }
            if problems.isEmpty || found.lag <= patience { return problems }
            if attempt == attempts {
                return problems + [
                    "an event loop, or what it sent, was \(found.lag) late in the last of \(attempts) runs"
                ]
            }
        }
        return []
    }
}
