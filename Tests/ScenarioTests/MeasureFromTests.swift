import DeviceSDK
import Testing
import Timebase

@testable import Scenario

@Suite("Where a run is measured from")
struct MeasureFromTests {
    @Test("is its start unless the scenario says otherwise")
    func start() throws {
        let found = try document(scenario(#""measureFrom": "5s""#))
        let begin = Instant(milliseconds: 1_000)
        #expect(found.plans(start: begin).schedule.measured?.lowerBound == begin + .seconds(5))
        let whole = try document(scenario())
        #expect(whole.measureFrom == nil && whole.plans(start: begin).schedule.measured == nil)
    }

    @Test("is a whole second before the users' end", arguments: ["500ms", "1500ms", "0s", "30d"])
    func bounds(_ text: String) throws {
        let problem = try #require(problems(scenario(#""measureFrom": "\#(text)""#)).first)
        #expect(problem.pointer == "/measureFrom")
    }
}
