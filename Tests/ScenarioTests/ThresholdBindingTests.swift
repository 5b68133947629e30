import Testing

@testable import Scenario

@Suite("Conditions in a scenario that cannot decide them")
struct ThresholdBindingTests {
    private static let timeline = """
        "timeline": [
          {"at": "5m", "for": "1m", "name": "reject", "collector": {"fault": "status", "status": 400}},
          {"at": "1s", "for": "1s", "device": {"network": "none"}}]
        """

    private func text(_ metric: String, _ condition: String = #""rate<1""#, population: String = "") -> String
    {
        scenario(
            Self.timeline + #", "thresholds": {"\#(metric)": [\#(condition)]}"#, population: population)
    }

    /// Warnings about conditions, by place.
    private func warnings(_ text: String) throws -> [String: String] {
        let all = try document(text).warnings.filter { $0.pointer.hasPrefix("/thresholds/") }
        return Dictionary(uniqueKeysWithValues: all.map { ($0.pointer, $0.text) })
    }

    @Test("of an entry that does not take place is left out, and told", arguments: ["reject", "0"])
    func lateEntry(name: String) throws {
        let metric = "events_lost{entry:\(name)}"
        func text(_ metric: String) -> String {
            // One without a name is known by its index.
            self.text(metric).replacing(name == "0" ? #""name": "reject", "# : "", with: "")
        }
        let found = try document(text(metric))
        #expect(found.thresholds.isEmpty)
        #expect(found.timeline.map(\.pointer) == ["/timeline/1"])
        let told = try #require(try warnings(text(metric))["/thresholds/\(metric)/0"])
        #expect(told.contains("\"\(name)\" is at 5m") && told.contains("(1m)"), "\(told)")
        let long = try document(text(metric), options: sets("duration=10m"))
        #expect(long.thresholds.map(\.metric) == [metric])
        #expect(long.warnings.isEmpty)
    }

    @Test("of a roll-out that does not begin is left out, and told")
    func lateRollOut() throws {
        let metric = "rollout_reached"
        let text = scenario(
            #""timeline": [{"at": "5m", "sdk": {"upload": {"flushInterval": "30s"}}}], "#
                + #""thresholds": {"\#(metric)": ["rate>0.5"]}"#)
        #expect(try document(text).thresholds.isEmpty)
        let told = try #require(try warnings(text)["/thresholds/\(metric)/0"])
        #expect(told.contains("\"0\" is at 5m") && told.contains("(1m)"), "\(told)")
        #expect(try document(text, options: sets("duration=10m")).thresholds.map(\.metric) == [metric])
    }

    @Test("of an entry that does is kept, and of none is refused")
    func otherEntries() throws {
        #expect(try document(text("events_lost{entry:1}")).thresholds.count == 1)
        let found = problems(text("events_lost{entry:rejct}"))
        #expect(found.map(\.kind) == [.unknownName])
        #expect(found.first?.nearest == "reject")
    }

    @Test("a delay of what never ends the run, or beyond its end, is told where it stands")
    func delays() throws {
        func warned(_ rest: String) throws -> [String] {
            Array(try warnings(text("events_lost", #"{"threshold": "rate<1", \#(rest)}"#)).keys)
        }
        let place = ["/thresholds/events_lost/0/delayAbortEval"]
        #expect(try warned(#""abortOnFail": true, "delayAbortEval": "5h""#) == place)
        #expect(try warned(#""abortOnFail": false, "delayAbortEval": "5s""#) == place)
        #expect(try warned(#""delayAbortEval": "5s""#) == place)
        #expect(try warned(#""abortOnFail": true, "delayAbortEval": "5s""#).isEmpty)
        #expect(try warned(#""abortOnFail": true"#).isEmpty)
    }

    @Test("on what nothing in the scenario makes is told", arguments: ["rollout_reached", "radio_seconds"])
    func samples(metric: String) throws {
        let told = try warnings(text(metric))["/thresholds/\(metric)/0"]
        #expect(told?.contains("has no samples") == true)
        #expect(try warnings(text("\(metric){population:ios}")).count == 1)
    }

    @Test("radios of modelled networks, and roll-outs, have samples")
    func sampled() throws {
        #expect(try warnings(text("radio_wakeups", population: #""network": "4g""#)).isEmpty)
        for change in [#""sdk": {"upload": {"batch": 20}}"#, #""share": 0.5, "remoteConfig": {}"#] {
            let text = scenario(
                """
                "timeline": [{"at": "1s", \(change)}], "thresholds": {"rollout_reached": ["rate>0.1"]}
                """)
            #expect(try warnings(text).isEmpty, "\(change)")
        }
    }

    @Test(
        "what comes after an entry has samples where it ends before the run, with or without a `for`",
        arguments: [
            (#""for": "10s", "device": {"network": "none"}"#, true),
            (#""for": "5m", "device": {"network": "none"}"#, false),
            (#""device": {"network": "none"}"#, false),
            (#""push": {"share": 0.5, "within": "20s"}"#, true),
            (#""push": {"share": 0.5, "within": "5m"}"#, false),
            (#""over": "20s", "sdk": {"upload": {"batch": 20}}"#, true),
            (#""over": "5m", "sdk": {"upload": {"batch": 20}}"#, false),
        ])
    func afterwards(change: String, isSampled: Bool) throws {
        for name in [#""name": "x", "#, ""] {
            let metric = "herd_peak{entry:\(name.isEmpty ? "0" : "x")}"
            let text = scenario(
                """
                "timeline": [{"at": "1s", \(name)\(change)}], "thresholds": {"\(metric)": ["value<100"]}
                """)
            #expect(try warnings(text).isEmpty == isSampled, "\(metric), \(change)")
        }
    }
}
