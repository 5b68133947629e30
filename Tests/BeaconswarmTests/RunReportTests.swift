import Accounting
import Foundation
import Measurement
import Reporting
import Scenario
import Testing
import Timebase

@testable import Beaconswarm

@Suite("A run's report for programs")
struct RunReportTests {
    @Test("says what report.json says")
    func values() async throws {
        let bench = try ServicesBench()
        let result = try await bench.play()
        #expect(result.status == .success && result.report.verdict == "passed")
        let json = try #require(result.report.rendered(as: "json"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: result.folder + "/report.json")) == Data(json))
        let root = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        let events = try #require(root["events"] as? [String: Any])
        #expect(events["captured"] as? UInt64 == result.report.events.captured)
        #expect(events["pending"] as? [String: UInt64] == result.report.events.pending)
        let metrics = try #require(root["metrics"] as? [String: [String: Any]])
        #expect(metrics["batch_size"]?["max"] as? Double == result.report.value(of: "batch_size", "max"))
        #expect(metrics["http_reqs"]?["count"] as? Double == result.report.value(of: "http_reqs", "count"))
        #expect(result.report.value(of: "batch_size", "rate") == nil)
        #expect(result.report.value(of: "no_such_metric", "count") == nil)
        #expect(result.report.events(ofPopulation: "nobody") == nil)
        #expect(result.report.rendered(as: "pdf") == nil)
        #expect(RunReport.formats.contains("html"))
    }

    @Test("of a run that goes on, what has a fate was captured, whenever the devices were looked at last")
    func unfinished() throws {
        let bench = try ScenarioBench()
        let scenario = try withExtendedLifetime(bench) { try LoadedScenario(bench.source()) }
        let start = scenario.document.simulatedStart
        let builder = scenario.builder(
            mode: .virtual, command: [], target: Report.modelledTarget, marks: [], startedAt: start)
        func events(captured: UInt64, isPartial: Bool) -> Report.EventCounts {
            var recorder = RunRecorder(start: start, populationCount: 1)
            recorder.populations[0].ledger.captured = captured
            recorder.populations[0].ledger.seal(.delivered, times: 5)
            var progress = ReportBuilder.Progress(
                recorder: recorder, simulated: .seconds(1), wall: .seconds(1), devicesStarted: 2,
                fingerprint: 0)
            progress.isPartial = isPartial
            return builder.report(progress).events
        }
        let early = events(captured: 3, isPartial: true)
        #expect(early.captured == 5 && early.delivered == 5 && early.balance == 0)
        let late = events(captured: 9, isPartial: true)
        #expect(late.captured == 9 && late.pending.contains { $0.count == 4 } && late.balance == 0)
        #expect(events(captured: 3, isPartial: false).balance == -2, "at the end it is an error")
    }

    @Test("users acted until they were stopped, however long the run went on")
    func usersSeconds() throws {
        let bench = try ScenarioBench()
        let scenario = try withExtendedLifetime(bench) { try LoadedScenario(bench.source()) }
        let start = scenario.document.simulatedStart
        var builder = scenario.builder(
            mode: .live, command: [], target: "http://127.0.0.1:1", marks: [], startedAt: start)
        builder.duration = .seconds(60)
        func seconds(stopped: Interval?, of simulated: Interval, isPartial: Bool = false) -> Double? {
            var progress = ReportBuilder.Progress(
                recorder: RunRecorder(start: start, populationCount: 1), simulated: simulated,
                wall: .seconds(1), devicesStarted: 2, fingerprint: 0)
            progress.usersStoppedAt = stopped.map { start + $0 }
            progress.interrupted = true
            progress.isPartial = isPartial
            return builder.report(progress).usersSeconds
        }
        #expect(seconds(stopped: .seconds(5), of: .seconds(9)) == 5)
        #expect(seconds(stopped: .seconds(5), of: .seconds(6), isPartial: true) == 5)
        #expect(seconds(stopped: nil, of: .seconds(9), isPartial: true) == 9, "nobody has stopped them yet")
        #expect(seconds(stopped: nil, of: .seconds(70)) == 60, "interrupted in the drain")
        #expect(seconds(stopped: .milliseconds(-100), of: .zero) == 0, "stopped before the start")
    }

    @Test("a folder without a run is wrong usage, a broken report an invalid file")
    func failures() throws {
        let scratch = try Scratch()
        #expect { try RunReport(of: scratch.path) } throws: { ($0 as? CommandFailure)?.code == .usage }
        try Data("{\"schema\":".utf8).write(to: URL(fileURLWithPath: scratch.file("report.json")))
        #expect { try RunReport(of: scratch.path) } throws: {
            ($0 as? CommandFailure)?.code == .invalidScenario
        }
    }
}
