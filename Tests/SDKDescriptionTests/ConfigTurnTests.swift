import Testing
import Timebase
import Wire

@testable import SDKDescription

@Suite("What a configuration turns")
struct ConfigTurnTests {
    private func turned(
        _ place: String, _ knob: DescribedSDK.Config.Knob, by body: String
    ) throws -> DescribedSDK.Turned {
        let path = try #require(JSONPath(text: place))
        var config = DescribedSDK.Config()
        config.turns = [DescribedSDK.Config.Turn(path, knob)]
        return try #require(config.turn(DescribedSDK.Turned(), by: Array(body.utf8)))
    }

    @Test("a place may lead through a list, as every other place of a description")
    func lists() throws {
        let off = #"{"features": [{"on": true}, {"on": false}]}"#
        #expect(try !turned("/features/1/on", .capture, by: off).captures)
        #expect(try turned("/features/0/on", .capture, by: off).captures)
        #expect(try turned("/features/2/on", .capture, by: off).captures, "it is not there")
        #expect(try turned("/features/1", .captureIfThere, by: off).captures)
        #expect(try !turned("/features/2", .captureIfThere, by: off).captures)
        #expect(try !turned("/features/on", .capture, by: #"{"features": {"on": false}}"#).captures)
    }

    @Test("of several places that turn one knob each forbids, and the first number holds, in any order")
    func severalPlaces() throws {
        func turned(_ knob: DescribedSDK.Config.Knob, _ places: [String], by body: String) throws
            -> DescribedSDK.Turned
        {
            var config = DescribedSDK.Config()
            config.turns = try places.map { .init(try #require(JSONPath(text: $0)), knob) }
            let before = try #require(
                config.turn(DescribedSDK.Turned(), by: Array(#"{"a": false, "n": 9}"#.utf8)))
            return try #require(config.turn(before, by: Array(body.utf8)))
        }
        for places in [["/a", "/b"], ["/b", "/a"]] {
            #expect(try !turned(.upload, places, by: #"{"a": false}"#).uploads, "\(places)")
            #expect(
                try turned(.upload, places, by: #"{"b": true}"#).uploads,
                "an answer takes the place of the one before")
            #expect(try !turned(.capture, places, by: #"{"a": false, "b": true}"#).captures)
            #expect(try turned(.batch, places, by: #"{"a": 3}"#).batch == 3)
            #expect(
                try turned(.flushInterval, places, by: #"{"a": 3}"#).flushInterval?.fractionalSeconds == 3)
        }
        #expect(try turned(.flushBulkSize, ["/a", "/b"], by: #"{"a": 3, "b": 4}"#).flushBulkSize == 3)
        #expect(try turned(.flushBulkSize, ["/n"], by: "{}").flushBulkSize == nil)
    }

    @Test("a number of events may be written in any way", arguments: ["2", "2.0", "2e0", "0.2E1"])
    func numbers(digits: String) throws {
        #expect(try turned("/n", .batch, by: #"{"n": \#(digits)}"#).batch == 2)
        #expect(try turned("/n", .flushBulkSize, by: #"{"n": \#(digits)}"#).flushBulkSize == 2)
    }

    @Test(
        "what is no number of events leaves the description's own",
        arguments: ["0", "2.5", "1e7", "-3", #""2""#])
    func noNumbers(written: String) throws {
        #expect(try turned("/n", .batch, by: #"{"n": \#(written)}"#).batch == nil)
    }
}
