import Beaconswarm
import Exploration
import Foundation
import Wire

/// Whole runs of the program: the files that `beaconswarm simulate` writes.
enum ProgramRuns {
    /// What no two runs have in common.
    private static let ownKeys = ["started_at", "wall_seconds", "generator", "run"]

    /// What two of them show of a scenario.
    static func violations(of scenario: JSONNode) async -> [Violation] {
        await Explorer().violations(of: scenario, running: two)
    }

    /// Simulates a scenario twice.
    ///
    /// - Throws: what keeps the program from running, or its files from being read.
    private static func two(of scenario: JSONNode) async throws -> (RunFiles, RunFiles) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("beaconswarm-explore-\(getpid())-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("scenario.json")
        try Data(scenario.prettyText().utf8).write(to: path)
        let first = try await one(path.path, folder.appendingPathComponent("first"))
        return (first, try await one(path.path, folder.appendingPathComponent("second")))
    }

    private static func one(_ scenario: String, _ out: URL) async throws -> RunFiles {
        var options = RunOptions(source: ScenarioSource(path: scenario))
        options.out = out.path
        options.events = out.path + ".ndjson"
        options.quiet = true
        let status = try await Beaconswarm.simulate(options)
        var report = try JSONReader.read(bytes(out.appendingPathComponent("report.json"))).0
        report = JSONNode(.object((report.members ?? []).filter { !ownKeys.contains($0.key) }))
        return RunFiles(
            report: report.compactText, events: try bytes(URL(fileURLWithPath: out.path + ".ndjson")),
            series: try bytes(out.appendingPathComponent("timeseries.csv")), exitCode: status.rawValue)
    }

    private static func bytes(_ path: URL) throws -> [UInt8] { Array(try Data(contentsOf: path)) }
}
