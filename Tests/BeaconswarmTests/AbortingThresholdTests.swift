import Foundation
import Reporting
import Testing

@testable import Beaconswarm

@Suite("Thresholds that end a run")
struct AbortingThresholdTests {
    private func play(
        _ members: String, for duration: String, in bench: ScenarioBench, out: String
    ) async throws -> RunResult {
        var options = try bench.options(
            ScenarioBench.text(members).replacing(#""3s""#, with: "\"\(duration)\""))
        options.out = bench.scratch.file(out)
        return try await Beaconswarm.play(options, in: .virtual)
    }

    @Test("end it when they are broken, not before their time, and leave a report that says so")
    func aborted() async throws {
        let bench = try ScenarioBench()
        func play(_ condition: String, out: String) async throws -> RunResult {
            try await self.play(
                #""thresholds": {"events_captured": [\#(condition)]},"#, for: "10m", in: bench, out: out)
        }
        let early = try await play(#"{"threshold": "count<5", "abortOnFail": true}"#, out: "early")
        let late = try await play(
            #"{"threshold": "count<5", "abortOnFail": true, "delayAbortEval": "5m"}"#, out: "late")
        let never = try await play(#"{"threshold": "count<5"}"#, out: "never")
        for result in [early, late, never] {
            #expect(result.status == .thresholdFailed && result.report.verdict == "failed")
            #expect(result.report.events.balance == 0)
        }
        let seconds = [early, late, never].map(\.report.report.simulatedSeconds)
        #expect(seconds[0] < 30 && seconds[1] >= 300 && seconds[1] < 330 && seconds[2] >= 600, "\(seconds)")
        #expect(early.report.report.thresholds.first?.aborted == true)
        #expect(never.report.report.thresholds.first?.aborted != true)
        let held = try await play(#"{"threshold": "count>=0", "abortOnFail": true}"#, out: "held")
        #expect(held.status == .success && held.report.report.simulatedSeconds >= 600)
    }

    @Test("are not judged before what they are about has lasted")
    func notBefore() async throws {
        let entry =
            #""timeline": [{"name": "o", "at": "20s", "for": "20s", "collector": {"fault": "latency", "latency": "1ms"}}]"#
        let worlds = [(#""measureFrom": "10s""#, "events_captured"), (entry, "events_captured{entry:o}")]
        for (index, (members, metric)) in worlds.enumerated() {
            let bench = try ScenarioBench()
            func play(_ condition: String, out: String) async throws -> RunResult {
                let condition = #"{"threshold": "\#(condition)", "abortOnFail": true}"#
                return try await self.play(
                    #"\#(members), "thresholds": {"\#(metric)": [\#(condition)]},"#, for: "1m", in: bench,
                    out: out)
            }
            let held = try await play("count>=0", out: "held")
            #expect(held.status == .success && held.report.report.simulatedSeconds >= 60, "\(metric)")
            let broken = try await play("count<0", out: "broken")
            let begin = index == 0 ? 10.0 : 20
            let seconds = broken.report.report.simulatedSeconds
            #expect(seconds >= begin + 1 && seconds < begin + 5, "\(metric): \(seconds)")
        }
    }
}
