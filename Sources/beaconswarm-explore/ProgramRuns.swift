import Beaconswarm
import Exploration
import Foundation
import Wire

/// Whole runs of the program: the files that `beaconswarm simulate` writes.
enum ProgramRuns {
    /// What no two runs have in common.
    private static let ownKeys = ["started_at", "wall_seconds", "generator", "run"]

    /// What they show of a scenario, and whether it could be played in parts.
    static func judgement(of scenario: JSONNode) async -> (violations: [Violation], inParts: Bool) {
        var inParts = false
        let violations = await Explorer().violations(of: scenario) { scenario in
            let trial = try await trial(of: scenario)
            inParts = trial.joined != nil
            return trial
        }
        return (violations, inParts)
    }

    /// Simulates a scenario twice, and in parts.
    ///
    /// - Throws: what keeps the program from running, or its files from being read.
    private static func trial(of scenario: JSONNode) async throws -> ProgramTrial {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("beaconswarm-explore-\(getpid())-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("scenario.json")
        try Data(scenario.prettyText().utf8).write(to: path)
        var trial = ProgramTrial(
            first: try await one(path.path, folder.appendingPathComponent("first")),
            second: try await one(path.path, folder.appendingPathComponent("second")))
        trial.joined = try await joined(path.path, folder)
        return trial
    }

    /// Parts are so many: each has some devices of most populations, and none of the smallest.
    private static let parts = 3

    /// Simulates a scenario in parts, and joins them; `nil` where the program refuses to, or warns that the parts keep too
    /// little of the scenario's secrets to be the whole to the byte.
    private static func joined(_ scenario: String, _ folder: URL) async throws -> RunFiles? {
        let shared = folder.appendingPathComponent("parts").path
        for number in 0..<parts {
            var options = RunOptions(source: ScenarioSource(path: scenario))
            options.out = shared
            options.shard = "\(number)/\(parts)"
            options.events = shared + ".ndjson"
            options.quiet = true
            options.listensToSignals = false
            try checkForStop()
            do {
                _ = try await Beaconswarm.simulate(options)
            } catch let failure as CommandFailure where [.usage, .invalidScenario].contains(failure.code) {
                return nil
            }
        }
        let whole = folder.appendingPathComponent("whole")
        var options = MergeOptions(folders: [shared], out: whole.path)
        options.events = whole.path + ".ndjson"
        options.quiet = true
        options.listensToSignals = false
        try checkForStop()
        let merged = try files(of: whole, try Beaconswarm.merge(options))
        return merged.report.contains("had to be played again") ? nil : merged
    }

    /// The search hears signals itself, also while the program runs, and goes no further than the run that is under way.
    private static func checkForStop() throws {
        if StopSignal.isRequested { throw CancellationError() }
    }

    private static func one(_ scenario: String, _ out: URL) async throws -> RunFiles {
        var options = RunOptions(source: ScenarioSource(path: scenario))
        options.out = out.path
        options.events = out.path + ".ndjson"
        options.quiet = true
        options.listensToSignals = false
        try checkForStop()
        return try files(of: out, try await Beaconswarm.simulate(options))
    }

    /// What a run has written, but for what no two have in common.
    private static func files(of out: URL, _ status: CommandStatus) throws -> RunFiles {
        var report = try JSONReader.read(bytes(out.appendingPathComponent("report.json"))).0
        report = JSONNode(.object((report.members ?? []).filter { !ownKeys.contains($0.key) }))
        return RunFiles(
            report: report.compactText, events: try bytes(URL(fileURLWithPath: out.path + ".ndjson")),
            series: try bytes(out.appendingPathComponent("timeseries.csv")), exitCode: status.rawValue)
    }

    private static func bytes(_ path: URL) throws -> [UInt8] { Array(try Data(contentsOf: path)) }
}
