import SDKDescription
import Testing
import Wire

@testable import Scenario

@Suite("Parts of a description that do not fit together")
struct DescriptionCheckTests {
    private static let events =
        #""events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}"#

    /// The problems of a description that stands by itself.
    private func problems(_ members: String, events: String = Self.events) -> [String] {
        let json = "{\(members.isEmpty ? "" : members + ", ")\(events)}"
        guard case .failure(let found) = DescriptionReader.read(bytes: Array(json.utf8)) else { return [] }
        return found.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.found)" }
    }

    @Test("a table whose success no answer comes to, since a rule before takes all of them")
    func answers() {
        func problems(_ rules: String) -> [String] {
            self.problems(#""answers": [\#(rules), ["*", "retry"]]"#)
        }
        #expect(
            problems(#"["2xx/ok=1", "retry"], ["2xx/ok=1", "delivered"]"#) == [
                #"/answers: conflict: "delivered" that no answer comes to"#
            ])
        #expect(problems(#"["200/ok=1", "retry"], ["2xx/ok=1", "delivered"]"#) == [])
        #expect(problems(#"["4xx", "drop"]"#) == [], "a table may know no success")
    }

    @Test(
        "what is captured along with an action is no event of the app's code, and not all actions lead others"
    )
    func along() {
        func problems(_ actions: String) -> [String] {
            self.problems("", events: #""events": {"key": ["/i"], "common": {"i": "{{id}}"}, \#(actions)}"#)
        }
        let launch = #""launch": {"name": "l"}"#
        #expect(
            problems(#"\#(launch), "screen": {"name": "s", "before": ["launch"], "after": ["launch"]}"#) == []
        )
        #expect(
            problems(#""business": {"name": "b"}, "launch": {"name": "l", "after": ["business"]}"#) == [
                #"/events/launch/after/0: unknown name: "business""#
            ])
        #expect(
            problems(#"\#(launch), "item": {"name": "i", "before": ["launch"]}"#) == [
                #"/events/item/before: conflict: "before" of "item""#
            ])
        #expect(
            problems(#"\#(launch), "screenEnd": {"name": "e", "after": ["launch"]}"#) == [
                #"/events/screenEnd/after: conflict: "after" of "screenEnd""#
            ])
        #expect(
            problems(
                #"\#(launch), "sessionStart": {"name": "a", "before": ["launch"], "after": ["sessionStart"]}"#
            ).sorted() == [
                #"/events/sessionStart/after: conflict: "after" of "sessionStart""#,
                #"/events/sessionStart/before: conflict: "before" of "sessionStart""#,
            ])
        #expect(problems(#"\#(launch), "item": {"name": "i", "before": []}"#) == [])
    }

    @Test("what events get when they are sent does not stand where a collector reads their name, time or id")
    func perEvent() {
        func problems(_ member: String, lane: Bool = false) -> [String] {
            let request = #""request": {"path": "/l", "perEvent": {\#(member)}}"#
            return self.problems(
                lane ? #""lanes": {"l": {\#(request), "tag": "/bs_id"}}"# : request,
                events: #"""
                    "events": {"tag": "/more/bs_id", "common": {"n": {"m": "{{name}}"}, "t": "{{time|ms}}", "more": {"x": 1}, "o": 1},
                     "business": {"name": "{{event}}"\#(lane ? #", "lane": "l""# : "")}, "screen": {"name": "s"}}
                    """#)
        }
        let place = "/request/perEvent"
        #expect(problems(#""o": 2, "at": "{{sent|ms}}""#) == [])
        #expect(problems(#""n": "x""#) == [#"\#(place)/n: conflict: "n", where events have their name"#])
        #expect(
            problems(#""more": {"y": 1}"#) == [#"\#(place)/more: conflict: "more", where events have bs_id"#])
        #expect(problems(#""t": "x""#) == [#"\#(place)/t: conflict: "t", where events have their time"#])
        #expect(problems(#""t": "{{sent|ms}}""#) == [], "a time is one")
        #expect(
            problems(#""bs_id": "x""#, lane: true) == [
                #"/lanes/l\#(place)/bs_id: conflict: "bs_id", where events have bs_id"#
            ])
        #expect(problems(#""more": {"y": 1}"#, lane: true) == [], "those of the lane have it elsewhere")
    }

    /// RFC 7396: what is not there is taken away as well.
    @Test(
        "null takes a key away, whether it is there or not",
        arguments: [
            #""retry": {"latch": null}"#, #""retry": null"#, #""storage": {"limit": null, "seal": null}"#,
            #""upload": {"maxBatchesPerFlush": {"timer": null}}"#,
            #""request": {"query": {"a": null}, "body": null}"#,
            #""lanes": {"l": null}"#, #""identity": {"session": {"idle": null}}"#, #""name": null"#,
        ])
    func nulls(member: String) throws {
        #expect(problems(member) == [])
        let plain = try DescriptionReader.read(bytes: Array("{\(Self.events)}".utf8)).get()
        let sdk = try DescriptionReader.read(bytes: Array("{\(member), \(Self.events)}".utf8)).get()
        #expect(sdk == plain)
        for preset in ["segment-ios", "posthog-ios"] {
            let json = #"{"preset": "\#(preset)", \#(member)}"#
            _ = try DescriptionReader.read(bytes: Array(json.utf8)).get()
        }
    }

    @Test("a slip of the pen in a group that is not there is told, and null in a template is a value")
    func otherNulls() throws {
        #expect(problems(#""retry": {"lach": null}"#) == [#"/retry/lach: unknown key: "lach""#])
        #expect(
            problems(#""lanes": {"l": {"request": {"compres": null}}}"#).contains(
                #"/lanes/l/request/compres: unknown key: "compres""#))
        let json = #"{"request": {"body": {"a": null, "e": "{{events}}"}}, \#(Self.events)}"#
        let body = try DescriptionReader.read(bytes: Array(json.utf8)).get().request.body
        #expect(body.value(at: JSONPath(["a"])) == Template.null)
    }

    @Test("a lane's body is merged into the description's own, and says so where both have the events")
    func laneBodies() {
        func allowed(_ body: String) -> [String] {
            let json = """
                {"request": {"body": {"batch": "{{events}}"}}, "lanes": {"l": {"request": {"body": \(body)}}},
                 "events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s", "lane": "l"}}}
                """
            guard case .failure(let found) = DescriptionReader.read(bytes: Array(json.utf8)) else {
                return []
            }
            return found.problems.map(\.allowed)
        }
        #expect(allowed(#"{"rows": "{{events}}"}"#).map { $0.contains("null takes a key away") } == [true])
        #expect(allowed(#"{"rows": "{{events}}", "batch": null}"#) == [])
    }
}
