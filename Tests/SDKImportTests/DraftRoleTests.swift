import Scenario
import Testing
import Wire

@testable import SDKImport

@Suite("What drafts make of fields within objects, and of what never differs")
struct DraftRoleTests {
    private func draft(_ events: [String], around: String = "") throws -> DescriptionDraft {
        let body = #"{\#(around)"batch":[\#(events.joined(separator: ","))]}"#
        let curl = "curl http://h/e -H 'Content-Type: application/json' --data-raw '\(body)'\n"
        let draft = try DescriptionDraft(CaptureReader.read(Array(curl.utf8)))
        #expect(throws: Never.self) {
            try DescriptionReader.read(bytes: Array(draft.description.prettyText().utf8)).get()
        }
        return draft
    }

    private func event(_ number: Int, _ more: String) -> String {
        #"{"event":"a\#(number)","messageId":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a0\#(number)","timestamp":"2026-03-02T11:30:0\#(number)Z",\#(more)}"#
    }

    @Test("versions in objects for the app, the system and the device are the device's own")
    func versions() throws {
        let context =
            #""context":{"app":{"name":"Shop","version":"1.2.3"},"os":{"name":"iOS","version":"18.1"},"library":{"version":"4.0.0"},"device":{"id":"d-1","model":"iPhone16,2"}}"#
        let draft = try draft([event(1, context), event(2, context)])
        #expect(
            draft.description["events"]?["common"]?["context"]?.compactText
                == #"{"app": {"name": "Shop", "version": "{{app.version}}"}, "os": {"name": "iOS", "version": "{{os.version}}"}, "library": {"version": "4.0.0"}, "device": {"id": "{{device.id}}", "model": "{{device.model}}"}}"#
        )
        #expect(draft.guesses.contains { $0.pointer == "/events/common/context/app/version" })
    }

    @Test("whole numbers in the place of ids count the events, and name one along with what else there is")
    func numbers() throws {
        let events = [41, 42, 44].map { number in
            #"{"id":\#(number),"event":"a","ts":"2026-03-02T11:30:00Z","user_id":"u","properties":{"uid":\#(number)}}"#
        }
        let draft = try draft(events)
        let found = draft.description["events"]
        #expect(found?["common"]?["id"]?.string == "{{row}}")
        #expect(found?["common"]?["properties"]?.compactText == #"{"...": "{{properties}}"}"#)
        #expect(found?["key"]?.compactText == #"["/id", "/event", "/ts", "/user_id"]"#)
        let told = draft.guesses.filter { $0.pointer == "/events/key" }.map(\.text)
        #expect(
            told.count == 1 && told[0].hasPrefix("/id differs in all 3 events but is a number"), "\(told)")
        #expect(!draft.guesses.contains { $0.text.contains("every event gets the first one's") })
        // One that repeats is no id, and a text is a better one.
        let same = try self.draft([events[0], events[0]]).description["events"]
        #expect(same?["common"]?["id"]?.digits == "41" && same?["key"]?.compactText.contains("/id") == false)
        let text = try self.draft([event(1, #""id":7"#), event(2, #""id":8"#)]).description["events"]
        #expect(text?["key"]?.compactText == #"["/messageId"]"#)
    }

    @Test("what stays as it was captured is named in one line, what may be a person's own first")
    func kept() throws {
        let user = #""plan":7,"user":{"email":"me@x.io","beta":true},"none":null"#
        let draft = try draft([event(1, user), event(2, user)], around: #""locale":"de","#)
        let told = draft.guesses.filter { $0.text.hasPrefix("kept as captured") }
        #expect(
            told.map(\.text) == [
                "kept as captured, the same throughout; look for what is a person's own: /events/common/user/email, "
                    + "/request/body/locale, /events/common/plan, /events/common/user/beta"
            ])
        #expect(
            draft.description["notes"]?.elements?.contains { $0.string?.contains("/user/email") == true }
                == true)
    }

    @Test("a line that names many ends, and what differs is none of them")
    func many() throws {
        let many = (0..<40).map { #""k\#($0)":"v""# }.joined(separator: ",")
        let draft = try draft([event(1, many + #","d":"x""#), event(2, many + #","d":"y""#)])
        let told = draft.guesses.filter { $0.text.hasPrefix("kept as captured") }
        #expect(told.count == 1 && told[0].text.hasSuffix("/events/common/k23, and 16 more"))
        #expect(!told[0].text.contains("/events/common/d"))
    }

    @Test("no secret is kept: in a list, far down, below a name that is one's, or in a text that holds JSON")
    func secrets() throws {
        let texts = ##""log":["{\"token\":\"hush6\"}","{\"n\":1}"]"##
        let more =
            #""a":{"b":{"c":{"d":{"e":{"f":{"token":"hush1"}}}}}},"creds":[{"token":"hush2","password":"hush3","n":1}],"#
            + #""tokens":["hush4",null],"credentials":{"pass":"hush5","port":443,"old":false},"# + texts
        let accounts = #""accounts":[{"api_key":"hush7","plan":"free"}],"#
        let draft = try draft([event(1, more), event(2, more)], around: accounts)
        let common = try #require(draft.description["events"]?["common"])
        #expect(
            common["a"]?.compactText == #"{"b": {"c": {"d": {"e": {"f": {"token": "${TOKEN}"}}}}}}"#)
        #expect(
            common["creds"]?.compactText == #"[{"token": "${TOKEN}", "password": "${PASSWORD}", "n": 1}]"#)
        #expect(common["tokens"]?.compactText == #"["${TOKENS}", null]"#)
        #expect(
            common["credentials"]?.compactText
                == #"{"pass": "${CREDENTIALS_PASS}", "port": "${CREDENTIALS_PORT}", "old": false}"#)
        #expect(common["log"]?.compactText == ##"["${LOG}", "{\"n\":1}"]"##)
        let body = draft.description["request"]?["body"]
        #expect(body?["accounts"]?.compactText == #"[{"api_key": "${API_KEY}", "plan": "free"}]"#)
        #expect(!draft.description.compactText.contains("hush"))
        for pointer in ["/events/common/creds/0/password", "/request/body/accounts/0/api_key"] {
            #expect(
                draft.guesses.contains { $0.pointer == pointer && $0.text.hasPrefix("a key, from the env") })
        }
    }

    @Test("no secret is kept within a text either, as no report shows it")
    func secretTexts() throws {
        let more =
            #""ref":"https://x.io/a?access_token=hush1&b=1","ua":"Bearer hush2hush","note":"password=hush3","#
            + #""basic":"https://user:hush4@h/x","list":["token: hush5"],"plan":"Basic plan","url":"https://x.io/?a=me@x""#
        let draft = try draft([event(1, more), event(2, more)], around: #""meta":{"k":"Bearer hush6hush"},"#)
        let common = try #require(draft.description["events"]?["common"])
        let secrets = ["ref", "ua", "note", "basic"]
        #expect(secrets.map { common[$0]?.string } == ["${REF}", "${UA}", "${NOTE}", "${BASIC}"])
        #expect(common["list"]?.compactText == #"["${LIST}"]"# && common["plan"]?.string == "Basic plan")
        #expect(common["url"]?.string == "https://x.io/?a=me@x")
        #expect(draft.description["request"]?["body"]?["meta"]?["k"]?.string == "${K}")
        #expect(!draft.description.compactText.contains("hush"))
        #expect(
            draft.guesses.contains {
                $0.pointer == "/events/common/ref" && $0.text.hasPrefix("a text with a key")
            })
    }

    @Test("secrets of one name in several places are told")
    func sharedNames() throws {
        let more = #""push":{"token":"hush1"},"auth":{"token":"hush2"},"api_key":"hush3""#
        let draft = try draft([event(1, more), event(2, more)])
        let told = draft.guesses.map(\.text).filter { $0.contains("places") }
        #expect(told.count == 1, "\(told)")
        #expect(
            told.first?.hasPrefix(
                "TOKEN stands in 2 places: /events/common/push/token, /events/common/auth/token;") == true,
            "\(told)")
    }

    @Test("a secret that differs from event to event is none of the first one's")
    func varyingSecrets() throws {
        let draft = try draft([
            event(1, #""pins":[{"token":"hush1"}]"#), event(2, #""pins":[{"token":"hush2"}]"#),
        ])
        #expect(
            draft.description["events"]?["common"]?["pins"]?.compactText == #"[{"token": "${TOKEN}"}]"#)
        #expect(!draft.guesses.contains { $0.text.contains("every event gets the first one's") })
    }

    @Test("events that came again in a later request are looked at once")
    func repeated() throws {
        func request(_ numbers: ClosedRange<Int>, sent: String) -> String {
            let events = numbers.map { event($0, #""sent_at":"2026-03-02T11:3\#(sent):00Z""#) }
            return "curl http://h/e --data-raw '[\(events.joined(separator: ","))]'\n"
        }
        let capture = request(1...4, sent: "1") + request(1...4, sent: "2") + request(5...8, sent: "3")
        let draft = try DescriptionDraft(CaptureReader.read(Array(capture.utf8)))
        let events = draft.description["events"]
        #expect(events?["common"]?["messageId"]?.string == "{{id|lower}}")
        #expect(events?["key"]?.compactText == #"["/messageId"]"#)
        #expect(draft.description["upload"]?["batch"]?.digits == "4" && draft.eventCount == 12)
        #expect(draft.guesses.contains { $0.text == "/messageId differs in all 8 events" })
        #expect(draft.guesses.contains { $0.text.hasPrefix("4 events came again in later requests") })
        let once = try DescriptionDraft(CaptureReader.read(Array(request(1...4, sent: "1").utf8)))
        #expect(!once.guesses.contains { $0.text.contains("came again") })
    }

    @Test("ids that begin alike are compared to their ends")
    func longIDs() throws {
        let events = [1, 2].map { number in
            #"{"event":"a","id":"\#(String(repeating: "p", count: 90))\#(number)","ts":"2026-03-02T11:30:00Z"}"#
        }
        let draft = try draft(events)
        #expect(draft.guesses.contains { $0.text == "/id differs in all 2 events" && $0.sureness == .sure })
    }

    @Test("members of objects are in the order in which they come first, each with its values")
    func memberValues() {
        let found = MemberValues([
            .object([("b", .int(1)), ("a", .int(2))]), .text("x"), .object([("c", .int(3)), ("b", .int(4))]),
        ])
        #expect(found.keys == ["b", "a", "c"] && found["z"].isEmpty)
        #expect(found["b"].map(\.digits) == ["1", "4"] && found["c"].map(\.digits) == ["3"])
    }
}
