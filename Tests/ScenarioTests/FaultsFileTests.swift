import CollectorModel
import Testing
import Timebase

@testable import Scenario

@Suite("File of faults")
struct FaultsFileTests {
    private let start = ScenarioDocument.virtualStart

    private func load(_ text: String) -> Result<CollectorPlan, ScenarioProblems> {
        FaultsFile.load(bytes: Array(text.utf8), name: "faults.json", start: start)
    }

    @Test("has a timeline whose times count from the collector's start")
    func plan() throws {
        let plan = try load(
            """
            {"seed": 4, "timeline": [
              {"at": "10s", "for": "5s", "share": 0.5, "collector": {"fault": "status", "status": 503}},
              {"at": "1h", "remoteConfig": {"disableSDK": true}}]}
            """
        ).get()
        #expect(plan.seed == 4)
        #expect(plan.faults.map(\.from) == [start + .seconds(10)])
        #expect(plan.faults.map(\.until) == [start + .seconds(15)])
        #expect(plan.faults.map(\.share) == [0.5])
        #expect(plan.configs.map(\.version) == ["0", "1"])
        #expect(plan.configs.last?.from == start + .hours(1))
    }

    @Test("says how a wrong checksum is answered, if it is")
    func checksum() throws {
        #expect(try load(#"{"timeline": [], "wrongChecksumStatus": 400}"#).get().wrongChecksumStatus == 400)
        #expect(try load(#"{"timeline": []}"#).get().wrongChecksumStatus == nil)
    }

    @Test(
        "tells what it cannot do",
        arguments: [
            ("", Problem.Kind.syntax, ""), ("[]", .wrongType, ""), ("{}", .missingKey, ""),
            (#"{"timeline": [], "seed": 1, "seed": 2}"#, .duplicateKey, "/seed"),
            (#"{"timeline": [], "populations": []}"#, .unknownKey, "/populations"),
            (
                #"{"timeline": [{"at": "1s", "device": {"network": "none"}}]}"#, .conflict,
                "/timeline/0/device"
            ),
            (#"{"timeline": [{"at": "1s", "push": {}}]}"#, .conflict, "/timeline/0/push"),
            (
                #"{"timeline": [{"at": "1s", "over": "2s", "remoteConfig": {}}]}"#, .conflict,
                "/timeline/0/over"
            ),
            (
                #"{"timeline": [{"at": "1s", "share": 0.2, "remoteConfig": {}}]}"#, .conflict,
                "/timeline/0/share"
            ),
            (
                #"{"timeline": [{"at": "1s", "client": {"fault": "drop"}}]}"#, .conflict,
                "/timeline/0/client"
            ),
            (
                #"{"timeline": [{"at": "1s", "population": "p", "collector": {"fault": "reset"}}]}"#,
                .conflict, "/timeline/0/population"
            ),
            (
                #"{"timeline": [{"at": "366d", "collector": {"fault": "reset"}}]}"#, .outOfRange,
                "/timeline/0/at"
            ),
            (
                #"{"timeline": [{"at": "1s", "collector": {"fault": "x"}}]}"#, .unknownName,
                "/timeline/0/collector/fault"
            ),
        ])
    func problems(text: String, kind: Problem.Kind, pointer: String) {
        guard case .failure(let failure) = load(text) else {
            Issue.record("\(text) passed")
            return
        }
        #expect(failure.problems.map(\.kind) == [kind])
        #expect(failure.problems.map(\.pointer) == [pointer])
    }

    @Test("an entry about devices is told what may stand there instead")
    func text() throws {
        guard case .failure(let failure) = load(#"{"timeline": [{"at": "1s", "push": {"share": 1}}]}"#) else {
            Issue.record("it passed")
            return
        }
        #expect(
            failure.problems.map { $0.text(file: "f.json") } == [
                #"f.json:1:36: /timeline/0/push: conflict: found "push"; allowed: entries for the collector, "#
                    + #""collector", "remoteConfig": there are no devices here"#
            ])
    }

    @Test(
        "nothing is said to be allowed that only a run has",
        arguments: [
            (#"{"at": "1s", "for": "5s"}"#, #"exactly one of: "collector", "remoteConfig""#),
            (
                #"{"at": "1s", "population": "a", "collector": {"fault": "reset"}}"#,
                #"no "population": there are no devices here"#
            ),
            (
                #"{"at": "1s", "region": "a", "collector": {"fault": "reset"}}"#,
                #"no "region": there are no devices here"#
            ),
            (
                #"{"at": "1s", "over": "2s", "collector": {"fault": "reset"}}"#,
                #"no "over": there are no devices here"#
            ),
        ])
    func allowed(entry: String, allowed: String) {
        guard case .failure(let failure) = load(#"{"timeline": [\#(entry)]}"#) else {
            Issue.record("it passed")
            return
        }
        #expect(failure.problems.map(\.allowed) == [allowed])
    }
}
