import SDKDescription
import Testing
import Wire

@testable import Scenario

@Suite("Requests of lanes")
struct DescriptionLaneTests {
    @Test("what is wrong in the request that they are made of is told once")
    func once() {
        let text = """
            {"request": {"method": 7, "path": "/a", "body": "{{events}}"}, "answers": [["*", "drop"]],
             "lanes": {"l": {"request": {"path": "/y"}}, "m": {"request": {"method": 8}}},
             "events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}}
            """
        guard case .failure(let failure) = DescriptionReader.read(bytes: Array(text.utf8)) else {
            Issue.record("it passed")
            return
        }
        #expect(failure.problems.map(\.pointer) == ["/request/method", "/lanes/m/request/method"])
    }
}
