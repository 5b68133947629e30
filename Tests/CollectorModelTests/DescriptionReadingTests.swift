import SDKDescription
import Scenario
import TestSupport
import Testing
import Wire

@testable import CollectorModel

@Suite("What a collector reads in a description")
struct DescriptionReadingTests {
    private func upload(_ json: String) throws -> UploadDescription {
        UploadDescription(try DescriptionReader.read(bytes: Array(json.utf8)).get())
    }

    @Test("places of a preset are where its events have them")
    func posthog() throws {
        let description = try upload(#"{"preset": "posthog-ios"}"#)
        #expect(description.name == "posthog-ios")
        #expect(description.uploads == [RequestPattern(.post, "/batch")])
        #expect(description.lists == ["/batch"])
        #expect(description.event.names == [.value("/event")])
        #expect(description.event.times == ["/timestamp"])
        #expect(description.event.timeUnit == .bySize)
        #expect(description.event.distinctIDs.first == "/distinct_id")
        #expect(description.event.tags == ["/properties/bs_id"])
        #expect(description.event.key == [["/uuid"]])
        #expect(description.answer == DescribedAnswer("", delivered: [200...299]))
    }

    @Test("a body that is the list itself; milliseconds; one status of success")
    func mixpanel() throws {
        let description = try upload(#"{"preset": "mixpanel-ios"}"#)
        #expect(description.lists == [""])
        #expect(
            description.uploads == [RequestPattern(.post, "/track"), RequestPattern(.post, "/engage")],
            "people have a lane of their own")
        #expect(description.event.tags == ["/properties/bs_id", "/bs_id"])
        #expect(description.event.timeUnit == .milliseconds)
        #expect(description.event.key == [["/$mp_metadata/$mp_event_id"]])
        #expect(description.answer.delivered == [200...200])
    }

    @Test(
        "events in a text that holds JSON, and in a text within another",
        arguments: [
            (#"{"c": "k", "events": {"jsonText": "{{events}}"}}"#, "/events", true),
            (#"{"c": {"jsonText": {"events": {"base64url": "{{events}}"}}}}"#, "/c/events", true),
            (#"[7, {"jsonText": {"events": "{{events}}"}}]"#, "/1/events", false),
        ])
    func textOfEvents(body: String, pointer: String, isText: Bool) throws {
        let description = try upload(
            #"{"request": {"path": "/in", "body": \#(body)}, "events": {"tag": "/bs_id", "common": {"n": "{{name}}"}, "tap": {"name": "t"}}}"#
        )
        let path = try #require(JSONPath(text: pointer))
        #expect(description.lists == [EventPath(path, isText: isText)])
        var plan = CollectorPlan()
        plan.descriptions = [description]
        let list = #"[{"n":"a","bs_id":"1-1"},{"n":"b","bs_id":"1-2"}]"#
        var coded = WireBuffer()
        Base64.encode(WireBuffer(list), into: &coded)
        let inner = #"{"events":\#(list)}"#
        let sent =
            switch pointer {
            case "/events": #"{"c":"k","events":\#(JSONNode.quoted(list))}"#
            case "/1/events": "[7,\(JSONNode.quoted(inner))]"
            default: #"{"c":\#(JSONNode.quoted(#"{"events":"\#(coded.text)"}"#))}"#
            }
        let found = Array(sent.utf8).withUnsafeBytes { bytes in
            ReadUpload(CollectedRequest(method: .post, path: "/in", body: bytes), of: .declared, plan: plan)
                .events.count
        }
        #expect(found == 2)
    }

    @Test(
        "the field of a form is found by its name, whatever of that is escaped",
        arguments: [
            ("events[]", "events%5B%5D"), ("events[]", "events[]"), ("g h&", "g%20h%26"), ("g h&", "g+h%26"),
            ("ü", "%C3%BC"), ("plain", "plain"), ("plain", "pl%61in"),
        ])
    func escapedField(name: String, sent: String) throws {
        let description = try upload(
            #"""
            {"request": {"path": "/in", "form": {"a b": "1", "\#(name)": "{{body}}"}},
             "events": {"tag": "/bs_id", "common": {"n": "{{name}}"}, "tap": {"name": "t"}}}
            """#)
        #expect(description.formFields == [name])
        var plan = CollectorPlan()
        plan.descriptions = [description]
        let list = Bodies.escaped(#"[{"n":"a","bs_id":"1-1"},{"n":"b","bs_id":"1-2"}]"#)
        let found = Array("a%20b=1&\(sent)=\(list)".utf8).withUnsafeBytes { bytes in
            ReadUpload(CollectedRequest(method: .post, path: "/in", body: bytes), of: .declared, plan: plan)
                .events.count
        }
        #expect(found == 2)
    }

    @Test("a name through a filter is the event's name", arguments: ["upper", "lower"])
    func filteredName(filter: String) throws {
        let sdk = try DescriptionReader.read(
            bytes: Array(
                #"""
                {"events": {"tag": "/bs_id", "common": {"n": "{{name|\#(filter)}}", "i": "{{id}}", "t": "{{time}}"},
                 "launch": {"name": "App Start"}, "screen": {"name": "Saw {{screen.name}}"},
                 "business": {"name": "{{event}}"}}}
                """#.utf8)
        ).get()
        let description = UploadDescription(sdk)
        #expect(description.event.names == [.value("/n")])
        #expect(description.blanks(in: sdk) == UploadDescription.Blanks())
    }

    @Test("one of a user's own: JSON in texts, seconds, members of an attempt, no name of an event")
    func own() throws {
        let description = try upload(
            #"""
            {"request": {"path": "/in", "body": {"a": [{"rows": "{{events}}"}]}, "perEvent": {"sent": "{{sent|ms}}", "of": "{{sender}}"}},
             "answers": [["201 204 300", "delivered"], ["*", "keep"]],
             "events": {"tag": "/x/p/bs_id", "key": ["/i", "/x/d"],
              "common": {"i": "{{id}}", "at": "{{time|s}}",
               "x": {"base64url": {"d": "{{anonymousId}}", "n": "app.{{name}}", "p": "{{properties}}"}}},
              "business": {"name": "{{event}}"},
              "profile.set": {"name": "set", "fields": {"x": {"base64url": {"n": null}}, "set": "{{properties}}"}}}}
            """#)
        #expect(description.name == "declared")
        #expect(description.lists == ["/a/0/rows"])
        #expect(description.event.names == [.value("/x/n"), .member("set")])
        #expect(description.event.times == ["/at"] && description.event.timeUnit == .seconds)
        #expect(description.event.distinctIDs == ["/of", "/x/d"])
        #expect(description.event.tags == ["/x/p/bs_id"])
        #expect(description.event.key == [["/i"], ["/x/d"]])
        #expect(description.event.attemptMembers == ["sent", "of"])
        #expect(description.answer.status == 201)
        #expect(description.answer.delivered == [201...201, 204...204, 300...300])
    }

    @Test("a key in the path of a configuration is a part of one component")
    func configPath() throws {
        let sdk = try DescriptionReader.read(
            bytes: Array(
                #"""
                {"config": [{"path": "/settings/{{apiKey}}/v1"}],
                 "events": {"tag": "/bs_id", "common": {"n": "{{name}}"}, "tap": {"name": "t"}}}
                """#.utf8)
        ).get()
        let config = try #require(sdk.configs.first)
        #expect(config.path(apiKey: "phc_a.b") == "/settings/phc_a.b/v1")
        #expect(config.path(apiKey: "a/b c{") == "/settings/a%2Fb%20c%7B/v1")
        let pattern = try #require(UploadDescription(sdk).configs.first?.pattern)
        #expect(pattern.fits(config.path(apiKey: "a/b c{")))
    }
}
