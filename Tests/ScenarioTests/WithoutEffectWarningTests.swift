import AppModel
import Testing

@testable import Scenario

@Suite("Warnings of what has no effect") struct WithoutEffectWarningTests {
    private func warnings(_ text: String) throws -> [String] {
        try document(text).warnings.map(\.pointer)
    }

    private func described(_ members: String) -> String {
        """
        {"duration": "1m", "populations": [{"name": "p", "devices": 1, "system": "declared", "sdk": {\(members),
         "events": {"key": ["/i"], "common": {"i": "{{id}}", "n": "{{name}}", "t": "{{time|iso}}", "v": "{{ used }}"},
                    "screen": {"name": "view"}, "business": {"name": "{{event}}"}}}}]}
        """
    }

    @Test("constants that no template has")
    func constants() throws {
        let found = try warnings(described(#""consts": {"used": "1", "spare": "{{used}}"}"#))
        #expect(found == ["/populations/0/sdk/consts/spare"])
    }

    @Test("events at once that the app does not send")
    func immediate() throws {
        let own = try #require(Presets.app(named: "shop")?.events.first?.name)
        let names = #"["\#(own)", "view", "Veiw"]"#
        let consts = #""consts": {"used": "1"}"#
        let found = try warnings(described(#"\#(consts), "upload": {"immediate": \#(names)}"#))
        #expect(found == ["/populations/0/sdk/upload/immediate/2"])
        let sensors =
            #""version": "4.9.1", "sdk": {"upload": {"immediate": ["\#(own)", "Nothing", "$SignUp"],"#
            + #" "instant": ["Neither"]}}"#
        let pointers = try warnings(scenario(population: sensors))
        #expect(
            pointers == ["/populations/0/sdk/upload/immediate/1", "/populations/0/sdk/upload/instant/0"])
    }

    @Test("events and properties that Sensors refuses for their names")
    func refusedNames() throws {
        let app = #"""
            "apps": {"a": {"screens": [{"name": "home", "class": "Home"}], "events": [
              {"name": "下单", "on": "launch"}, {"name": "Pay", "on": "launch", "properties": {"价格": {"constant": 3},
                "time": {"constant": 1}, "x": {"constant": 1}}},
              {"name": "Ok", "on": "launch", "properties": {"$price": {"constant": 1}}}]}}
            """#
        func texts(_ version: String) throws -> [String] {
            let population = #""app": "a", "version": "\#(version)""#
            return try document(scenario(app, population: population)).warnings
                .filter { $0.pointer == "/populations/0/app" }.map(\.text)
        }
        let old = try texts("1.10.17")
        #expect(old.count == 2)
        #expect(old.first?.contains(#"drops each "下单", because of its name:"#) == true)
        #expect(old.last?.contains(#"drops each "Pay", because of the name of its property "价格":"#) == true)
        let new = try texts("4.9.1")
        #expect(new.count == 1)
        #expect(new.first?.contains(#"sends "Pay" without "价格", "time", because of the name:"#) == true)
    }

    @Test("since when people have an app that nobody deletes")
    func installedOver() throws {
        let pointer = "/populations/0/persona"
        let since = #""persona": {"extends": "casual", "installedOver": "30d""#
        #expect(try warnings(scenario(population: since + "}")) == [pointer])
        #expect(try !warnings(scenario(population: since + #", "retention": "mobile"}"#)).contains(pointer))
    }

    @Test("users who never open the app, and none whom something makes open it")
    func silentUsers() throws {
        func found(_ persona: String, arrival: String = "", extra: String = "") throws -> [String] {
            let population = #""persona": {"extends": "casual", \#(persona)}\#(arrival)"#
            return try document(scenario(extra, population: population)).warnings
                .filter { $0.pointer == "/populations/0/persona" }.map(\.text)
        }
        let never = ["these users never open the app"]
        let silent = #""opensAtArrival": false, "sessionsPerDay": 0, "returnChance": 0"#
        let appears = #", "arrival": {"over": "1s"}"#
        #expect(try found(silent) == never)
        #expect(try found(silent, arrival: appears) == never)
        #expect(try found(#""opensAtArrival": false, "returnChance": 1"#, arrival: appears) == never)
        #expect(try found(#""opensAtArrival": false, "returnChance": 1"#) == [])
        #expect(try found(#""sessionsPerDay": 0, "returnChance": 0"#) == [])
        #expect(
            try found(silent + #", "retention": "mobile", "reinstall": {"share": 1, "after": "1h"}"#) == [])
        let push = #""timeline": [{"at": "1s", "push": {"share": 0.5}}]"#
        #expect(try found(silent, extra: push) == [])
        #expect(try found(silent, extra: push.replacing("0.5", with: "0")) == never)
        let campaign = #""patterns": [{"pattern": "campaign", "share": 0.5, "at": "1s", "for": "9s"}]"#
        #expect(try found(silent, extra: campaign) == [])
    }

    @Test("how often users come who only ever come back")
    func returns() throws {
        func found(_ persona: String, extra: String = "") throws -> [String] {
            try warnings(scenario(extra, population: #""persona": {\#(persona)}"#))
        }
        let own = #""extends": "casual", "sessionsPerDay": 5"#
        #expect(
            try found(own + #", "returnChance": 1"#) == ["/populations/0/persona/sessionsPerDay"])
        #expect(try found(own + #", "returnChance": 0.9"#) == [])
        #expect(try found(#""extends": "micro", "returnChance": 1"#) == [])
        #expect(
            try found(#""extends": "eager", "returnChance": 1"#, extra: #""personas": {"eager": {\#(own)}}"#)
                == ["/personas/eager/sessionsPerDay"])
    }

    @Test("more sessions than returns leave time for")
    func longReturns() throws {
        func found(_ gap: String, _ chance: Double = 0.5) throws -> [String] {
            let persona =
                #"{"extends": "casual", "sessionsPerDay": 100, "returnChance": \#(chance), "returnGap": "\#(gap)"}"#
            return try warnings(scenario(population: #""persona": \#(persona)"#))
        }
        // A day has 864 s for each.
        #expect(try found("1h") == ["/populations/0/persona/sessionsPerDay"])
        #expect(try found("28m") == [] && found("1h", 0.2) == [])
        // Nothing but returns: what is told is that the number has no effect.
        #expect(try found("1h", 1) == ["/populations/0/persona/sessionsPerDay"])
    }

    @Test(
        "knobs that do nothing beside the values of others",
        arguments: [
            (#""upload": {"networks": []}"#, "upload/networks"),
            (#""upload": {"maxBatchesPerFlush": {"count": 1}}"#, "upload/maxBatchesPerFlush/count"),
            (#""upload": {"maxBatchesPerFlush": {"retry": 1}}"#, "upload/maxBatchesPerFlush/retry"),
            (#""upload": {"flushBulkSize": 5, "countOf": "idle"}"#, "upload/countOf"),
            (#""upload": {"rounds": true}"#, "upload/rounds"),
            (#""upload": {"maxBatchesPerFlush": 1, "concurrency": 3}"#, "upload/concurrency"),
            (
                #""retry": {"attempts": 2, "backoff": {"initial": "1s", "from": 3}}"#,
                "retry/backoff/from"
            ),
            (
                #""retry": {"backoff": {"initial": "5s", "max": "5s", "jitter": "1s"}}"#,
                "retry/backoff/jitter"
            ),
            (#""retry": {"retryAfter": {"combine": "max"}}"#, "retry/retryAfter/combine"),
            (
                #""upload": {"whenOffline": "wait"}, "retry": {"latch": {"on": ["dns", "offline"]}}"#,
                "retry/latch/on/1"
            ),
        ])
    func idleKnobs(groups: String, path: String) throws {
        let found = try warnings(described(#""consts": {"used": "1"}, "# + groups))
        #expect(found == ["/populations/0/sdk/" + path])
    }

    @Test(
        "the same knobs where they do something",
        arguments: [
            #""upload": {"networks": ["wifi"], "maxBatchesPerFlush": {"timer": 1}}"#,
            #""upload": {"flushBulkSize": 5, "countOf": "idle", "overlaps": true, "concurrency": 2}"#,
            #""upload": {"rounds": true, "maxBytes": 1000}"#,
            #""upload": {"maxBatchesPerFlush": {"timer": 1}, "concurrency": 3}"#,
            #""retry": {"attempts": 2, "backoff": {"initial": "1s", "max": "5s", "from": 2, "jitter": "1s"}}"#,
            #""retry": {"retryAfter": {"combine": "max", "on": [200]}, "latch": {"on": ["offline"]}}"#,
            #""upload": {"whenOffline": "wait", "concurrency": 5}, "retry": {"latch": {"on": ["offline"]}}"#,
        ])
    func busyKnobs(groups: String) throws {
        #expect(try warnings(described(#""consts": {"used": "1"}, "# + groups)) == [])
    }

    @Test("what a preset brings along is not warned of where the user changes what it goes with")
    func presets() throws {
        func found(_ members: String) throws -> [String] {
            try warnings(
                """
                {"duration": "1m", "populations": [{"name": "p", "devices": 1, "system": "declared",
                 "sdk": {"preset": "mixpanel-ios", \(members)}}]}
                """)
        }
        #expect(try found(#""upload": {"onBackground": false}"#) == [])
        let own = #""upload": {"onBackground": false, "maxBatchesPerFlush": {"background": 2}}"#
        #expect(try found(own) == ["/populations/0/sdk/upload/maxBatchesPerFlush/background"])
    }

    @Test("a knob without effect that a roll-out brings is warned of where the roll-out says it")
    func rollOut() throws {
        let change =
            #""timeline": [{"at": "10s", "sdk": {"upload": {"flushBulkSize": 7, "countOf": "idle"}}}], "#
        let text = described(#""consts": {"used": "1"}"#).replacing(
            #""populations":"#, with: change + #""populations":"#)
        #expect(try warnings(text).contains("/timeline/0/sdk/upload/countOf"))
    }

    @Test("a lane that waits for somebody whom the SDK never knows")
    func lane() throws {
        let text = described(
            #""consts": {"used": "1"}, "identity": {"login": "none"}, "lanes": {"l": {"waitsFor": "login"}}"#
        )
        .replacing(#""business": {"#, with: #""business": {"lane": "l", "#)
        #expect(try warnings(text) == ["/populations/0/sdk/lanes/l/waitsFor"])
    }

    @Test("an event whose time is where others have it, and is none")
    func untimed() throws {
        let text = described(#""consts": {"used": "1"}"#).replacing(
            #""screen": {"name": "view"}"#, with: #""screen": {"name": "view", "fields": {"t": "abc"}}"#)
        #expect(try warnings(text) == ["/populations/0/sdk/events/screen/fields"])
    }

    @Test("an array's problem tells of what")
    func elements() {
        let text = described(
            #""consts": {"used": "1"}, "retry": {"latch": {"on": ["offline"], "until": "network"}}"#)
        #expect(
            problems(text).map(\.allowed) == [#"an array of 0 to 3 ends: "network", "foreground", "launch""#])
    }
}
