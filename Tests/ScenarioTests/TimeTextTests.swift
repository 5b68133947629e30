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

    @Test(
        "a start is from 1970 to 2099 by UTC, whatever its own zone shows",
        arguments: [
            ("1970-01-01T00:00:00Z", true), ("1970-01-01T08:00:00+08:00", true),
            ("1969-12-31T23:00:00-01:00", true), ("1970-01-01T00:00:00+08:00", false),
            ("1969-12-31T23:59:59Z", false), ("2099-12-31T23:59:59Z", true),
            ("2100-01-01T07:59:59+08:00", true), ("2099-12-31T23:00:00-01:00", false),
            ("2100-01-01T00:00:00Z", false), ("1600-01-01T00:00:00Z", false),
        ])
    func years(text: String, isAllowed: Bool) {
        let found = problems(scenario(#""start": "\#(text)""#))
        #expect(found.isEmpty == isAllowed)
        #expect(
            found.allSatisfy { $0.pointer == "/start" && $0.allowed.hasPrefix("a time from 1970 to 2099") })
    }
}
