import Testing
import Timebase
import Wire

@testable import Scenario

/// What an editor accepts by the schema, the program reads, and the other way round.
@Suite("Texts of times")
struct TimeTextTests {
    private func pattern(of key: String) throws -> Regex<AnyRegexOutput> {
        try Regex(try #require(ScenarioSchema.node["properties"]?[key]?["pattern"]?.string))
    }

    @Test("durations are those of the schema's pattern")
    func durations() throws {
        let pattern = try pattern(of: "duration")
        let pieces = ["0", "7", ".", "d", "h", "m", "s", "ms", "us", "-", " ", "x"]
        let seed: UInt64 = 11
        var stream = RandomStream(key: seed)
        // No number has more than five digits: days beyond 292 years are refused for their length, not their form.
        let random = (0..<20_000).map { _ in
            (0...stream.below(6)).map { _ in pieces[Int(stream.below(UInt64(pieces.count)))] }.joined()
        }
        for text in ["", ".5s", "5.s", "1.s5s", "0.5s", "1m.5s", "1.5m30s", "00s", "00"] + random {
            let isOfPattern = text.firstMatch(of: pattern) != nil
            #expect(isOfPattern == (Interval(text: text) != nil), "seed \(seed): \"\(text)\"")
        }
    }

    @Test(
        "a start has an offset that clocks can have, for both",
        arguments: [
            ("Z", true), ("z", true), ("+00:00", true), ("-00:30", true), ("+14:00", true), ("-23:59", true),
            (".5Z", true), (".Z", false), ("+24:00", false), ("+25:00", false), ("+00:60", false),
            ("+99:99", false), ("+8:00", false), ("", false),
        ])
    func offsets(end: String, isAllowed: Bool) throws {
        let text = "2026-01-01T00:00:00" + end
        #expect((text.firstMatch(of: try pattern(of: "start")) != nil) == isAllowed)
        #expect((Instant(text: text) != nil) == isAllowed)
        #expect(problems(scenario(#""start": "\#(text)""#)).isEmpty == isAllowed)
    }
}
