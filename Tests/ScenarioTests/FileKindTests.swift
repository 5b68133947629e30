import Testing
import Timebase
import Wire

@testable import Scenario

/// A file in the place of another is told in one sentence.
@Suite("Kinds of files")
struct FileKindTests {
    private static let whole = scenario(#""timeline": [], "name": "shop""#)
    private static let description = #"{"preset": "segment-ios", "upload": {"batch": 20}}"#
    private static let faults = #"{"seed": 4, "timeline": [], "wrongChecksumStatus": 400}"#
    private static let report = """
        {"schema": 1, "tool": {}, "seed": 1, "mode": "virtual", "fingerprint": "", "verdict": "passed", "exit_code": 0, \
        "events": {}, "metrics": {}, "populations": {}, "thresholds": []}
        """

    @Test(
        "are known by the keys at their roots",
        arguments: zip([whole, description, faults, report], FileKind.allCases))
    func kinds(text: String, kind: FileKind) throws {
        #expect(FileKind(of: try JSONReader.read(Array(text.utf8)).0) == kind)
    }

    @Test(
        "are not told of a file with nothing, or as much of one as of another",
        arguments: [
            "{}", "[]", #"{"name": "x"}"#,
            #"{"title": "", "uid": "", "tags": [], "schemaVersion": 39, "version": 1, "panels": []}"#,
        ])
    func unknown(text: String) throws {
        #expect(FileKind(of: try JSONReader.read(Array(text.utf8)).0) == nil)
    }

    @Test("in the place of a scenario", arguments: [description, report])
    func notAScenario(text: String) {
        expectOneSentence(problems(text), allowed: "a scenario")
    }

    @Test("in the place of a description", arguments: [whole, report, faults])
    func notADescription(text: String) {
        guard case .failure(let found) = DescriptionReader.read(bytes: Array(text.utf8)) else {
            Issue.record("taken as a description")
            return
        }
        expectOneSentence(found.problems, allowed: "the description of an SDK")
    }

    @Test("in the place of faults", arguments: [whole, report, description])
    func notFaults(text: String) {
        let start = ScenarioDocument.virtualStart
        guard case .failure(let found) = FaultsFile.load(bytes: Array(text.utf8), name: "f", start: start)
        else {
            Issue.record("taken as faults")
            return
        }
        expectOneSentence(found.problems, allowed: "a file of faults")
    }

    @Test("say nothing where a key was misspelled")
    func misspelled() {
        #expect(problems(#"{"duraton": "1m", "populatons": []}"#).allSatisfy { $0.kind != .wrongType })
    }

    private func expectOneSentence(_ problems: [Problem], allowed: String) {
        #expect(problems.count == 1)
        #expect(problems.first?.kind == .wrongType)
        #expect(problems.first?.allowed.hasPrefix(allowed) == true, "\(problems)")
    }
}
