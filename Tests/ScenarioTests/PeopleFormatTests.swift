import AppModel
import Testing
import Timebase

@testable import Scenario

@Suite("People of a scenario")
struct PeopleFormatTests {
    private func population(_ keys: String, duration: String) throws -> ScenarioPopulation {
        var options = ScenarioOptions()
        options.duration = duration
        return try document(scenario(population: keys), options: options).populations[0]
    }

    @Test("start in the steady state where a run of days says nothing of arrivals")
    func steadyState() throws {
        for (keys, duration, expected) in [
            ("", "24h", true), ("", "23h", false), (#""arrival": {"over": "0s"}"#, "7d", false),
            (#""arrival": {"steadyState": true}"#, "1m", true),
            (#""arrival": {"steadyState": false}"#, "7d", false),
            (#""persona": {"opensAtArrival": true}"#, "7d", false),
            (#""persona": {"opensAtArrival": false}"#, "1m", true),
            (#""persona": {"opensAtArrival": false}, "arrival": {"over": "1s"}"#, "1m", false),
            (#""persona": "steady""#, "7d", false),
        ] {
            let bound = try population(keys, duration: duration)
            #expect(bound.startsInSteadyState == expected, "\(keys), \(duration)")
            #expect((bound.week != nil) == expected, "\(keys), \(duration)")
        }
    }

    @Test("have the hours that they are given")
    func hours() throws {
        let ones = "[" + [String](repeating: "1", count: 24).joined(separator: ",") + "]"
        for (keys, expected) in [
            (#""hours": "b2b""#, Presets.businessHours), (#""hours": "flat""#, nil),
            (#""hours": {"weekday": \#(ones)}"#, nil),
            (
                #""hours": {"hours": \#(ones), "days": [1,1,1,1,1,0,0]}"#,
                WeekCurve(
                    hours: [Double](repeating: 1, count: 24), days: [1, 1, 1, 1, 1, 0, 0])
            ),
        ] as [(String, WeekCurve?)] {
            #expect(try population(#""persona": {\#(keys)}"#, duration: "1m").week == expected, "\(keys)")
        }
        #expect(try population(#""persona": "b2b""#, duration: "1m").week == Presets.businessHours)
        #expect(try population(#""persona": {"hours": "flat"}"#, duration: "7d").week == nil)
    }

    @Test("live where they are said to")
    func zones() throws {
        #expect(
            try population(#""timeZones": "UTC""#, duration: "1m").zones
                == TimeZones([(UTCOffsets(first: .zero), 1)], names: ["UTC"]))
        #expect(try population("", duration: "1m").zones == TimeZones(offset: .hours(8)))
    }

    @Test("wrong people are told with their places")
    func problemsOfPeople() {
        let few = "[1,2]"
        for (keys, pointer) in [
            (#""timeZones": {"Europe/Berlin": 1, "UTC": 1}"#, "/populations/0/timeZones/Europe~1Berlin"),
            (#""timeZones": {"UTC": 0}"#, "/populations/0/timeZones"),
            (#""timeZones": {}"#, "/populations/0/timeZones"),
            (#""timeZones": 3"#, "/populations/0/timeZones"),
            (#""timeZones": "UTC", "utcOffset": "Z""#, "/populations/0/utcOffset"),
            (#""persona": {"hours": "nights"}"#, "/populations/0/persona/hours"),
            (#""persona": {"hours": {"weekday": \#(few)}}"#, "/populations/0/persona/hours/weekday"),
            (#""persona": {"hours": {"weekend": [1]}}"#, "/populations/0/persona/hours/weekend"),
            (#""persona": {"hours": {}}"#, "/populations/0/persona/hours"),
            (#""arrival": {"steadyState": true, "over": "1m"}"#, "/populations/0/arrival"),
        ] {
            let found = problems(scenario(population: keys)).map(\.pointer)
            #expect(found == [pointer], "\(keys): \(found)")
        }
    }
}
