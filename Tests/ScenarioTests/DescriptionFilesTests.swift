import SDKDescription
import Testing

@testable import Scenario

@Suite("Descriptions of files")
struct DescriptionFilesTests {
    /// The problems of a description whose store has some seal, and whose answers to 413 some verdict.
    private func problems(_ seal: String, _ verdict: String) -> [String] {
        let json = """
            {"storage": {"seal": \(seal)}, "answers": [["2xx", "delivered"], ["413", "\(verdict)"], ["*", "retry"]],
             "events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}}
            """
        guard case .failure(let found) = DescriptionReader.read(bytes: Array(json.utf8)) else { return [] }
        return found.problems.map { "\($0.pointer): \($0.allowed)" }
    }

    @Test("a file is sent as it is: nothing halves it, and none of a day is split")
    func verdicts() {
        let (flush, day) = (#"{"events": 20}"#, #"{"at": "day"}"#)
        for verdict in ["drop", "retry"] {
            #expect(problems(flush, verdict) == [] && problems(day, verdict) == [])
        }
        #expect(problems(flush, "split") == [] && problems(#""none""#, "halve") == [])
        for seal in [flush, day] {
            #expect(
                problems(seal, "halve").map { String($0.prefix(33)) } == [
                    #"/answers: no "halve" with storage"#
                ])
        }
        #expect(problems(day, "split").map { String($0.prefix(28)) } == [#"/answers: no "split" with "a"#])
    }
}
