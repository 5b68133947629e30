import ArgumentParser
import Exploration
import Timebase
import Wire

/// The swarm.
@main
struct BeaconswarmExplore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beaconswarm-explore",
        abstract: "Looks for bugs with random scenarios.",
        subcommands: subcommands, defaultSubcommand: Worlds.self)

    private static var subcommands: [any ParsableCommand.Type] {
        #if PLANTED
            [Worlds.self, PlantedBugs.self]
        #else
            [Worlds.self]
        #endif
    }
}

/// Plays random scenarios over everything that the format can say, and judges each by the same invariants.
struct Worlds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays random scenarios and judges each by the same invariants.",
        discussion: """
            A seed names a world: the same seed gives the same scenario and the same outcome. Each is played in virtual \
            time; a third of them also with the live engine and the collector on a simulated machine on which much goes \
            wrong, and a third on one on which nothing does, which has to come to the same as virtual time. A failure is \
            printed with the command that repeats it, and shrunk to a small scenario. From 5,000 worlds on, what the \
            format can say and no world said fails the run, too.
            """)

    @Option(help: "Stop after so many minutes.")
    var minutes: Double?

    @Option(help: "The seed of the first world; the others follow it. A random one if it is missing.")
    var seed: UInt64?

    @Option(help: "Stop after so many worlds.")
    var worlds: Int?

    @Option(help: "Play the world of this seed alone, and print its scenario.")
    var onlySeed: UInt64?

    @Option(help: "Judge this scenario file alone.")
    var scenario: String?

    @Flag(help: "Draw the worlds and play none: counts what of the format they say.")
    var drawOnly = false

    @Flag(inversion: .prefixedNo, help: "Make a scenario that fails smaller.")
    var shrink = true

    @Option(help: "The folder for scenarios that fail.")
    var corpus = "Tests/Exploration"

    @Option(help: "Worlds played side by side.")
    var jobs = 1

    #if PLANTED
        @Option(help: "The built-in bug that is in force.")
        var plant: Planted?
    #endif

    func validate() throws {
        if jobs < 1 { throw ValidationError("--jobs: a whole number from 1 on") }
        if let worlds, worlds < 1 { throw ValidationError("--worlds: a whole number from 1 on") }
        if let minutes, !(minutes > 0) { throw ValidationError("--minutes: a number above 0") }
        // The worlds of a session have seeds in a row.
        if let seed, seed > UInt64.max / 2 {
            throw ValidationError("--seed: a whole number up to \(UInt64.max / 2)")
        }
        if onlySeed != nil, scenario != nil {
            throw ValidationError("--only-seed and --scenario: one of the two")
        }
    }

    func run() async throws {
        #if PLANTED
            Planted.bug = plant
        #endif
        if let scenario { return try await judge(file: scenario) }
        if let onlySeed { return try await replay(onlySeed) }
        var session = Session(
            first: seed ?? UInt64.random(in: 1...UInt64(UInt32.max)), minutes: minutes, worlds: worlds,
            jobs: jobs, corpus: corpus, shrinks: shrink, plays: !drawOnly)
        guard try await session.run() else { throw ExitCode.failure }
    }

    /// Plays one world again.
    private func replay(_ seed: UInt64) async throws {
        let finding = Explorer().explore(seed: seed)
        var violations = finding.violations
        if let scenario = finding.scenario {
            Console.print(scenario.prettyText())
            if Session.runsProgram(finding) {
                violations += await ProgramRuns.judgement(of: scenario).violations
            }
        }
        try tell(violations)
    }

    private func judge(file: String) async throws {
        let scenario = try Corpus.read(file)
        guard let violations = Explorer().violations(of: scenario) else {
            throw ValidationError("\(file) is no sound scenario: beaconswarm validate \(file)")
        }
        try tell(violations + (await ProgramRuns.judgement(of: scenario).violations))
    }

    private func tell(_ violations: [Violation]) throws {
        for violation in violations { Console.print("\(violation.invariant): \(violation.text)") }
        Console.print(violations.isEmpty ? "every invariant holds" : "")
        if !violations.isEmpty { throw ExitCode.failure }
    }
}
