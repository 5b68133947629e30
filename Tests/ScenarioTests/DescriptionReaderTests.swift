import SDKDescription
import Testing
import Timebase
import Wire

@testable import Scenario

@Suite struct DescriptionReaderTests {
    private func problems(_ json: String) -> [String] {
        guard case .failure(let found) = DescriptionReader.read(bytes: Array(json.utf8)) else { return [] }
        return found.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.found)" }
    }

    private let events = #""events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}"#

    @Test(arguments: SDKPreset.all.map { [$0.name, $0.version] })
    func everyPresetIsADescription(_ preset: [String]) throws {
        let json = #"{"preset": "\#(preset[0])", "version": "\#(preset[1])"}"#
        let sdk = try DescriptionReader.read(bytes: Array(json.utf8)).get()
        #expect([sdk.name, sdk.version] == preset)
        #expect(sdk.events.tag != nil && !sdk.events.key.isEmpty)
        #expect(!sdk.events.actions.isEmpty)
    }

    @Test func aPresetIsChangedKeyByKey() throws {
        let json = #"{"preset": "posthog-ios", "upload": {"batch": 7}, "events": {"tap": {"off": false}}}"#
        let sdk = try DescriptionReader.read(bytes: Array(json.utf8)).get()
        #expect(sdk.upload.batch == 7)
        #expect(sdk.upload.flushBulkSize == 20)
        #expect(sdk.upload.flushInterval == .seconds(30))
        #expect(sdk.retry.attempts == 3 && sdk.retry.exhausted == .clear)
        #expect(sdk.storage.limit == 1000 && sdk.storage.removeBy == .position)
        #expect(sdk.events.actions[.tap]?.isOff == false)
        #expect(sdk.events.actions[.launch]?.name == .constant("Application Opened"))
        #expect(sdk.answers.verdict(status: 413) == .halve)
    }

    @Test func whatIsNoDescriptionIsToldThatItMayNameOne() {
        let text =
            #"{"duration": "1m", "populations": [{"name": "p", "devices": 1, "system": "declared", "sdk": "posthog-ios"}]}"#
        guard case .failure(let failure) = load(text) else {
            Issue.record("it passed")
            return
        }
        #expect(failure.problems.map(\.pointer) == ["/populations/0/sdk"])
        #expect(failure.problems[0].allowed.hasPrefix(#"an object with keys of: "preset", "file", "name""#))
    }

    /// What a return captures by default is not missed where somebody said something else, or nothing that can be read.
    @Test func theFirstForegroundListsActionsThatAreThere() {
        func problems(_ list: String) -> [String] {
            self.problems(
                #"{"request": {"path": "/a", "body": "{{events}}"}, "answers": [["*", "drop"]], "events": {"firstForeground": "#
                    + #"\#(list), "key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}}"#)
        }
        let place = "/events/firstForeground"
        #expect(problems(#"["screen"]"#) == [] && problems("[]") == [])
        #expect(problems(#""screen""#) == [#"\#(place): wrong type: "screen""#])
        #expect(problems(#"["screne"]"#) == [#"\#(place)/0: unknown name: "screne""#])
        #expect(problems(#"["screen", "reopen"]"#) == [#"\#(place)/1: conflict: "reopen""#])
    }

    /// A slip of the pen in what is taken away would change nothing, and nobody would notice.
    @Test func whatNullTakesAwayHasToBeAKey() {
        func problems(_ sdk: String, _ file: String? = nil, timeline: String = "") -> [String] {
            let text = """
                {"duration": "1m", "timeline": [\(timeline)], "populations": [
                {"name": "p", "devices": 1, "system": "declared", "sdk": \(sdk)}]}
                """
            let loaded = ScenarioLoader.load(
                bytes: Array(text.utf8), name: "s", readFile: { _ in file.map { Array($0.utf8) } })
            guard case .failure(let failure) = loaded else { return [] }
            return failure.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.nearest ?? "")" }
        }
        let place = "/populations/0/sdk"
        func preset(_ changes: String) -> [String] { problems(#"{"preset": "mixpanel-ios", \#(changes)}"#) }
        #expect(
            preset(#""retry": {"exhasted": null}"#) == [place + "/retry/exhasted: unknown key: exhausted"])
        #expect(preset(#""uplod": null"#) == [place + "/uplod: unknown key: upload"])
        #expect(preset(#""events": {"tapp": null}"#) == [place + "/events/tapp: unknown key: tap"])
        #expect(
            preset(#""lanes": {"people": {"request": {"compres": null}}}"#)
                == [place + "/lanes/people/request/compres: unknown key: compress"])
        // What is one may be missing, and maps have any keys.
        #expect(preset(#""retry": {"latch": null, "exhausted": null}"#).isEmpty)
        #expect(preset(#""request": {"headers": {"X-None": null}}"#).isEmpty)
        let file = SDKPreset.all.first { $0.name == "mixpanel-ios" }?.description.compactText ?? ""
        #expect(
            problems(#"{"file": "a.json", "uplod": null}"#, file) == [place + "/uplod: unknown key: upload"])
        #expect(
            problems(
                #"{"preset": "mixpanel-ios"}"#, timeline: #"{"at": "1s", "sdk": {"upload": {"bach": null}}}"#)
                == ["/timeline/0/sdk/upload/bach: unknown key: batch"])
    }

    @Test func eventsWithoutAnIDOfTheHarnessNeedAKey() {
        func problems(_ tagged: Bool, _ keys: String...) -> [String] {
            let populations = keys.enumerated().map { index, key in
                """
                {"name": "p\(index)", "devices": 1, "system": "declared",
                 "sdk": {"preset": "posthog-ios", "events": {"key": \(key)}}}
                """
            }
            let text = """
                {"duration": "1m", "tagEvents": \(tagged), "populations": [\(populations.joined(separator: ","))]}
                """
            guard case .failure(let failure) = load(text) else { return [] }
            return failure.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.found)" }
        }
        #expect(problems(true, "null").isEmpty)
        #expect(problems(false, #"["/uuid"]"#).isEmpty)
        #expect(
            problems(false, "null") == [
                #"/populations/0/sdk/events: conflict: no "key", and "tagEvents" is false"#
            ])
        #expect(problems(true, "[]") == ["/populations/0/sdk/events/key: out of range: 0 elements"])
        let (left, right) = (#"["/uuid"]"#, #"["/distinct_id", "/timestamp"]"#)
        #expect(problems(true, left, right).isEmpty && problems(false, left, left).isEmpty)
        #expect(
            problems(false, left, right) == [
                #"/populations/1/sdk/events: conflict: another "key" than in "p0" at the same path, and "tagEvents" is false"#
            ])
    }

    /// Without a place for the id of the harness it is as if there were none.
    @Test func eventsWithoutATagNeedOneProductAtOnePath() {
        func problems(_ sdks: String...) -> [String] {
            let populations = sdks.enumerated().map { index, own in
                """
                {"name": "p\(index)", "devices": 1, "system": "declared",
                 "sdk": {"preset": "posthog-ios", \(own)}}
                """
            }
            let text = #"{"duration": "1m", "populations": [\#(populations.joined(separator: ","))]}"#
            guard case .failure(let failure) = load(text) else { return [] }
            return failure.problems.map { "\($0.pointer): \($0.found)" }
        }
        let plain = #""events": {"tag": null}"#
        #expect(problems(plain, plain).isEmpty && problems(plain, #""name": "b""#).isEmpty)
        #expect(
            problems(plain, #""name": "b", "# + plain)
                == [#"/populations/1/sdk/name: the path of "posthog", and no "tag""#])
        #expect(
            problems(plain, #""events": {"tag": null, "key": ["/distinct_id", "/timestamp"]}"#)
                == [#"/populations/1/sdk/events: another "key" than in "p0" at the same path, and no "tag""#])
    }

    @Test func aConfigurationTurnsNoBatchOfSingleEvents() {
        let one =
            #""upload": {"batch": 1, "flushBulkSize": 9}, "request": {"framing": "one"}, "config": [{"path": "/c","#
        #expect(problems(#"{\#(one) "apply": {"/n": "flushBulkSize"}}], \#(events)}"#).isEmpty)
        #expect(
            problems(#"{\#(one) "apply": {"/n/m": "batch"}}], \#(events)}"#)
                == [#"/config/0/apply/~1n~1m: conflict: "batch""#])
        // A lane follows it, unless it has a batch of its own.
        let turned = #"{\#(one) "apply": {"/n": "batch"}}], "lanes": {"l": {"request": {"framing": "list"}"#
        let actions = #"}}, "events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"},"#
        let tap = #""tap": {"name": "t", "lane": "l"}}}"#
        #expect(problems("\(turned)\(actions)\(tap)").isEmpty)
        #expect(
            problems(#"\#(turned), "batch": 9\#(actions)\#(tap)"#)
                == [#"/config/0/apply/~1n: conflict: "batch""#])
    }

    @Test func whatNoCollectorCouldReadIsAWarning() throws {
        func warnings(_ json: String) throws -> [String] {
            var found: [String] = []
            let warn: (ScenarioWarning) -> Void = {
                found.append("\($0.pointer): \($0.text.prefix { $0 != ":" })")
            }
            _ = try DescriptionReader.read(bytes: Array(json.utf8), warn: warn).get()
            return found
        }
        for preset in SDKPreset.all { #expect(try warnings(#"{"preset": "\#(preset.name)"}"#).isEmpty) }
        let screens = #""screen": {"name": "s"}, "tap": {"name": "u"}, "crash": {"name": "c", "off": true}"#
        let whole = #""i": "{{id}}", "n": "{{name}}", "t": "{{time|iso}}""#
        #expect(try warnings(#"{"events": {"key": ["/i"], "common": {\#(whole)}, \#(screens)}}"#).isEmpty)
        #expect(
            try warnings(#"{"events": {"key": ["/i"], "common": {"i": "{{id}}"}, \#(screens)}}"#)
                == ["/events/common: screen, tap", "/events/common: screen, tap"])
        // What the app hands over is in a member that is called otherwise.
        let held =
            #"{"events": {"key": ["/i"], "common": {"i": "{{id}}", "t": "{{time|ms}}", "p": "{{properties}}"},"#
        #expect(try warnings(held + #""tap": {"name": "u"}}}"#) == ["/events/common: tap"])
        #expect(try warnings(held + #""profile.set": {"name": "p"}}}"#).isEmpty)
        // A name that is no text is none.
        let number =
            #"{"events": {"key": ["/i"], "common": {\#(whole)}, "tap": {"name": "u", "fields": {"n": 1}},"#
        #expect(try warnings(number + #""screen": {"name": "s"}}}"#) == ["/events/tap/fields: tap"])
        #expect(
            try warnings(#"{"events": {"key": ["/n"], "tag": "/b", "common": {\#(whole)}, \#(screens)}}"#)
                == ["/events/key: screen, tap"])
        let lane =
            #""lanes": {"l": {"common": {"i": "{{id}}", "t": "{{time|iso}}"}}}, "events": {"key": ["/i"],"#
        #expect(
            try warnings(
                "{" + lane
                    + #""common": {\#(whole)}, "tap": {"name": "u", "lane": "l"}, "screen": {"name": "s"}}}"#)
                == ["/lanes/l/common: tap"])
    }

    @Test func namesOfPropertiesAreAList() throws {
        let json = #"{"events": {"key": ["/i"], "common": {"i": "{{id}}", "$unset": "{{properties|names}}"},"#
        let sdk = try DescriptionReader.read(bytes: Array((json + #""tap": {"name": "$unset"}}}"#).utf8))
            .get()
        let names = Template.value(Placeholder(.properties, filters: [.names]))
        #expect(sdk.events.actions[.tap]?.envelope.value(at: JSONPath(["$unset"])) == names)
        #expect(
            problems(#"{"events": {"key": ["/i"], "common": {"i": "{{id|names}}"}, "tap": {"name": "t"}}}"#)
                .count == 1)
    }

    @Test func whatCannotBeIsAProblemOfItsPlace() {
        #expect(problems("{\(events)}").isEmpty)
        #expect(problems(#"{"preset": "posthog"}"#) == [#"/preset: unknown name: "posthog""#])
        #expect(
            problems(#"{"preset": "posthog-ios", "version": "1"}"#) == [#"/version: unknown name: "1""#])
        #expect(problems("{}").first == "/events: missing key: no envelope")
        #expect(
            problems(#"{"upload": {"keepStatuses": [500]}, \#(events)}"#)
                == [#"/upload/keepStatuses: not supported by this build: "keepStatuses""#])
        #expect(
            problems(#"{"answers": [["2xx", "delivered"]], \#(events)}"#)
                == ["/answers: conflict: no rule for 100"])
        #expect(
            problems(#"{"answers": [["*", "keep"], ["413", "drop"]], \#(events)}"#)
                == ["/answers/1: conflict: a rule that never holds"])
        #expect(
            problems(#"{"answers": [["2xx timeout", "delivered"], ["*", "keep"]], \#(events)}"#)
                == [#"/answers: conflict: delivered on "timeout""#])
        #expect(
            problems(#"{"retry": {"exhausted": "clear"}, \#(events)}"#)
                == ["/retry/exhausted: conflict: a knob without effect"])
        #expect(
            problems(#"{"events": {"key": ["/i"], "common": {"i": "{{ids}}"}, "screen": {"name": "s"}}}"#)
                == [#"/events/common/i: unknown name: "{{ids}}""#])
        #expect(
            problems(#"{"events": {"key": ["/j"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}}"#)
                == [#"/events/key: conflict: "/j", the key's part 0"#])
        #expect(
            problems(#"{"request": {"body": {"a": 1}}, \#(events)}"#)
                == ["/request/body: conflict: 0 times {{events}}"])
        #expect(
            problems(#"{"request": {"body": {"jsonText": "{{events}}"}}, \#(events)}"#)
                == ["/request/body: conflict: a body that is a text"])
        #expect(problems(#"{"request": {"body": {"e": {"jsonText": "{{events}}"}}}, \#(events)}"#).isEmpty)
    }

    @Test(arguments: [("storag", "storage"), ("prset", "preset"), ("fil", "file")])
    func aPopulationsUnknownKeyIsToldOfAllThatStandBesideIt(key: String, nearest: String) throws {
        let sdk = #"{"preset": "posthog-ios", "\#(key)": {}}"#
        let text = """
            {"duration": "1m", "populations": [{"name": "p", "devices": 1, "system": "declared", "sdk": \(sdk)}]}
            """
        guard case .failure(let failure) = load(text) else {
            Issue.record("it passed")
            return
        }
        let problem = try #require(failure.problems.first)
        #expect(problem.pointer == "/populations/0/sdk/\(key)" && problem.kind == .unknownKey)
        #expect(problem.nearest == nearest)
        #expect(problem.allowed.hasPrefix(#""preset", "file", "name""#))
    }

    /// What differs from one attempt to the next would name another event each time, or take the id's place.
    @Test func whatAttemptsHaveOfTheirOwnNamesNoEvent() {
        func problems(_ perEvent: String, _ lanes: String = "") -> [String] {
            self.problems(
                #"""
                {"request": {"perEvent": {\#(perEvent)}}, \#(lanes)
                 "events": {"tag": "/p/bs_id", "key": ["/i", "/q/j"], "common": {"i": "{{id}}", "p": {}, "q": {"j": 1}},
                            "screen": {"name": "s"}, "tap": {"name": "t", "lane": "side"}}}
                """#)
        }
        let lane = #""path": "/side", "body": "{{events}}""#
        func side(_ perEvent: String) -> String {
            #""lanes": {"side": {"request": {\#(lane)\#(perEvent)}}},"#
        }
        let plain = side("")
        #expect(problems(#""at": "{{sent|ms}}""#, plain).isEmpty)
        for (name, value, part) in [
            ("i", #""{{sent|ms}}""#, "a part of their key"), ("q", #"{"j": 2}"#, "a part of their key"),
            ("p", "{}", "bs_id"),
        ] {
            #expect(
                problems(#""\#(name)": \#(value)"#, plain)
                    == ["/request/perEvent/\(name): conflict: \"\(name)\", where events have \(part)"])
        }
        #expect(
            problems("", side(#", "perEvent": {"i": "{{sender}}"}"#))
                == [#"/lanes/side/request/perEvent/i: conflict: "i", where events have a part of their key"#])
    }

    @Test func aSealIsAWordOrAnObject() throws {
        let json = #"{"preset": "posthog-ios", "storage": {"seal": "flsh"}}"#
        guard case .failure(let failure) = DescriptionReader.read(bytes: Array(json.utf8)) else {
            Issue.record("it passed")
            return
        }
        let allowed = try #require(failure.problems.first { $0.pointer == "/storage/seal" }?.allowed)
        #expect(allowed.contains("\"events\"") && allowed.hasSuffix("\"none\""))
    }
}
