import Foundation
import Testing

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
