import Foundation
import Measurement
import Reporting
import Scenario
import Testing
import Timebase

@testable import Beaconswarm

@Suite("What is to be compared, and cannot be read")
struct ComparedSideTests {
    private let bench: ScenarioBench
    init() throws { bench = try ScenarioBench() }

    private func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: bench.scratch.file(name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// The report of a run in which nothing happened.
    private func report() throws -> String {
        let scenario = try LoadedScenario(bench.source())
        let start = scenario.document.simulatedStart
        let builder = scenario.builder(
            mode: .virtual, command: [], target: Report.modelledTarget, marks: [], startedAt: start)
        let progress = ReportBuilder.Progress(
            recorder: RunRecorder(start: start, populationCount: 1), simulated: .seconds(1),
            wall: .seconds(1),
            devicesStarted: 2, fingerprint: 0)
        return String(decoding: ReportJSON.write(builder.report(progress)), as: UTF8.self)
    }

    private func read(_ name: String) throws {
        _ = try ComparedSide.read(bench.scratch.file(name), variant: nil, option: "--base")
    }

    @Test("a variant of a run whose report is damaged is told with that report, and what is wrong with it")
    func damagedRun() async throws {
        try write("{\"schema\": \"beaconswarm.comparison/1\",", to: "lab/report.json")
        try write("", to: "lab/variants/small/seeds/1/report.json")
        let one = try await failure { try read("lab/variants/small") }
        #expect(one.code == .invalidScenario)
        #expect(one.message.contains(bench.scratch.file("lab/report.json: ")), "\(one.message)")
        #expect(one.message.contains("line 1"), "\(one.message)")
        let alone = try await failure {
            try ComparedSide.pair(bench.scratch.file("lab/variants/small"), base: nil, candidate: nil)
        }
        #expect(alone.message == one.message)
        // A run of its own in such a place has nothing to do with what lies above it.
        try write(try report(), to: "lab/variants/own/report.json")
        try read("lab/variants/own")
    }

    @Test("a run's own report and scenario are told by their files")
    func damagedParts() async throws {
        try write("{", to: "bad/report.json")
        let report = try await failure { try read("bad") }
        #expect(report.message.contains(bench.scratch.file("bad/report.json: ")), "\(report.message)")
        try write(try self.report(), to: "run/report.json")
        try read("run")
        try write("{\"seed\": 1,", to: "run/scenario.json")
        for name in ["run", "run/", "run/report.json"] {
            let scenario = try await failure { try read(name) }
            #expect(scenario.code == .invalidScenario)
            #expect(scenario.message.contains("run/scenario.json: line 1, column "), "\(scenario.message)")
        }
        try write("[]", to: "run/scenario.json")
        let list = try await failure { try read("run") }
        #expect(
            list.message.hasSuffix("run/scenario.json: no scenario: expected an object"), "\(list.message)")
        // Beside a report with a name of its own lies whatever its user has there.
        try write(try self.report(), to: "run/baseline.json")
        try read("run/baseline.json")
    }
}
