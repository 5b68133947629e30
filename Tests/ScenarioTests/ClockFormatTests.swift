import DeviceSDK
import Testing
import Timebase

@testable import Scenario

@Suite("Clocks of populations")
struct ClockFormatTests {
    private func clock(_ json: String) throws -> ClockRules? {
        let loaded = try document(scenario(population: "\"clockSkew\": \(json)"))
        return loaded.plans(start: Instant(milliseconds: 0)).populations[0].clock
    }

    @Test("a deviation, or one with outliers")
    func forms() throws {
        #expect(try clock("\"2s\"") == ClockRules(deviation: .seconds(2)))
        #expect(try clock(#"{"sd": "3s"}"#) == ClockRules(deviation: .seconds(3)))
        var expected = ClockRules(deviation: .seconds(2))
        expected.outlierShare = 0.01
        expected.outlierDeviation = .hours(48)
        #expect(try clock(#"{"sd": "2s", "outliers": {"share": 0.01, "sd": "2d"}}"#) == expected)
        let knob = try document(scenario(population: #""sdk": {"clockSkew": "2s"}"#))
        let plan = knob.plans(start: Instant(milliseconds: 0)).populations[0]
        #expect(plan.clock == nil && plan.clockRules == ClockRules(deviation: .seconds(2)))
    }

    @Test(
        "tells what is wrong, where it stands",
        arguments: [
            (#""clockSkew": 3"#, "/clockSkew"), (#""clockSkew": "-1s""#, "/clockSkew"),
            (#""clockSkew": {"outliers": {"sd": "2d"}}"#, "/clockSkew/outliers"),
            (#""clockSkew": {"outliers": {"share": 2, "sd": "2d"}}"#, "/clockSkew/outliers/share"),
            (#""clockSkew": {"mean": "2s"}"#, "/clockSkew/mean"),
            (#""clockSkew": "2s", "sdk": {"clockSkew": "2s"}"#, "/clockSkew"),
        ])
    func wrong(population: String, pointer: String) {
        #expect(problems(scenario(population: population)).map(\.pointer) == ["/populations/0" + pointer])
    }
}
