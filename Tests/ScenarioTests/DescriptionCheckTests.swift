import SDKDescription
import Testing
import Wire

@testable import Scenario

@Suite("Parts of a description that do not fit together")
struct DescriptionCheckTests {
    private static let events =
        #""events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}"#

    /// The problems of a description that stands by itself.
    private func problems(_ members: String, events: String = Self.events) -> [String] {
        let json = "{\(members.isEmpty ? "" : members + ", ")\(events)}"
        guard case .failure(let found) = DescriptionReader.read(bytes: Array(json.utf8)) else { return [] }
        return found.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.found)" }
    }

    @Test("a table whose success no answer comes to, since a rule before takes all of them")
    func answers() {
        func problems(_ rules: String) -> [String] {
            self.problems(#""answers": [\#(rules), ["*", "retry"]]"#)
        }
        #expect(
            problems(#"["2xx/ok=1", "retry"], ["2xx/ok=1", "delivered"]"#) == [
                #"/answers: conflict: "delivered" that no answer comes to"#
            ])
        #expect(problems(#"["200/ok=1", "retry"], ["2xx/ok=1", "delivered"]"#) == [])
        #expect(problems(#"["4xx", "drop"]"#) == [], "a table may know no success")
    }
}
