import Scenario
import Testing
import Wire

@testable import SDKImport

@Suite("What drafts say of headers, forms and bodies")
struct DraftBodyTests {
    private func draft(_ capture: String) throws -> JSONNode {
        let draft = try DescriptionDraft(CaptureReader.read(Array(capture.utf8)))
        #expect(throws: Never.self) {
            try DescriptionReader.read(bytes: Array(draft.description.prettyText().utf8)).get()
        }
        return draft.description
    }

    /// Requests in an archive.
    private func archive(_ bodies: [String], headers: String = "") -> String {
        let entries = bodies.map { body in
            let text = JSONNode.quoted(body)
            return
                #"{"request":{"method":"POST","url":"http://h/e","headers":[\#(headers)],"postData":{"text":\#(text)}}}"#
        }
        return #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    private func header(_ name: String, _ value: String) -> String {
        #"{"name":"\#(name)","value":"\#(value)"}"#
    }

    private func event(_ number: Int) -> String {
        #"{"event":"a\#(number)","uuid":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a0\#(number)","time":177245100\#(number)123}"#
    }

    private let formType = "application/x-www-form-urlencoded"

    @Test("a capture without headers leaves them to the default")
    func noHeaders() throws {
        #expect(try draft(archive([event(1)]))["request"]?["headers"] == nil)
        let some = try draft(archive([event(1)], headers: header("X-Platform", "ios")))
        #expect(some["request"]?["headers"]?.compactText == #"{"X-Platform": "ios"}"#)
    }

    @Test("a form with its other fields, and its own type of content")
    func forms() throws {
        let body = "app=7&data=[\(event(1)),\(event(2))]&rand=1&api_key=hush"
        let other = "app=7&data=[\(event(3))]&rand=2&api_key=hush"
        let type = header("Content-Type", formType)
        let plain = try draft(archive([body, other], headers: type))
        #expect(plain["request"]?["headers"] == nil)
        #expect(plain["request"]?["body"]?.string == "{{events}}")
        #expect(
            plain["request"]?["form"]?.compactText
                == #"{"app": "7", "data": "{{body}}", "api_key": "${API_KEY}"}"#)
        // Beside other headers the type has to be said.
        let more = try draft(archive([body], headers: type + "," + header("X-Platform", "ios")))
        #expect(
            more["request"]?["headers"]?.compactText
                == #"{"Content-Type": "\#(formType)", "X-Platform": "ios"}"#)
    }

    @Test("what of a URL, a form or the headers a description has no room for is told")
    func leftOut() throws {
        func notes(_ curl: String) throws -> (description: JSONNode, told: String) {
            let node = try draft(curl)
            return (node, (node["notes"]?.elements ?? []).compactMap(\.string).joined(separator: "\n"))
        }
        let (node, told) = try notes(
            "curl 'http://me:pw@h/e?a=1&a=2&b=%20&x%20y=z' -H 'X-A: 1' -H 'x-a: 2' -d '[\(event(1))]'\n"
                + "curl 'http://h/e?a=1&b=%20&x%20y=z&c=3' -H 'X-A: 1' -d '[\(event(2))]'\n")
        #expect(node["request"]?["query"]?.compactText == #"{"a": "1", "b": " ", "x y": "z"}"#)
        #expect(!node.compactText.contains("pw"))
        for text in [
            "a name and a password in the URL are left out",
            "/request/query/a: the others of this name are left",
            "c is left out: only some requests have it", "X-A comes several times",
        ] {
            #expect(told.contains(text), "\(told)")
        }
        let (plain, nothing) = try notes("curl 'http://h/e?a=%zz' -d '[\(event(1))]'\n")
        #expect(nothing.contains("a query with a malformed escape") && plain["request"]?["query"] == nil)
        let (form, others) = try notes(
            "curl http://h/e -d 'v=1&v=2&data=[\(event(1))]'\ncurl http://h/e -d 'v=1&data=[\(event(2))]&w=1'\n"
        )
        #expect(form["request"]?["form"]?.compactText == #"{"v": "1", "data": "{{body}}"}"#)
        #expect(
            others.contains("/request/form/v: the others") && others.contains("/request/form/w: is left out"))
        #expect(!others.contains("in the URL"))
    }

    @Test("of several fields with JSON, the one with events is the body, wherever it stands")
    func fields() throws {
        let body = #"app=7&metrics={"_os":"iOS","_app_version":"1"}&events=[\#(event(1)),\#(event(2))]"#
        let found = try draft(archive([body], headers: header("Content-Type", formType)))
        #expect(found["request"]?["form"]?["events"]?.string == "{{body}}")
        #expect(found["request"]?["form"]?["app"]?.string == "7")
        #expect(found["upload"]?["batch"]?.digits == "2")
    }

    @Test("a form in parts is sent as one without, and told", arguments: ["1", "2"])
    func multipart(secondBoundary: String) throws {
        func request(_ number: Int, boundary: String) -> String {
            let type = header("Content-Type", "multipart/form-data; boundary=----X\(boundary)")
            let events = JSONNode.quoted("[\(event(number))]")
            let data = #"{"name":"data","value":\#(events)},{"name":"v","value":"2"}"#
            return
                #"{"request":{"method":"POST","url":"http://h/e","headers":[\#(type),\#(header("X-A", "b"))],"postData":{"params":[\#(data)]}}}"#
        }
        let entries = [request(1, boundary: "1"), request(2, boundary: secondBoundary)]
        let found = try draft(#"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#)
        #expect(found["request"]?["form"]?.compactText == #"{"data": "{{body}}", "v": "2"}"#)
        #expect(
            found["request"]?["headers"]?.compactText == #"{"Content-Type": "\#(formType)", "X-A": "b"}"#)
        let told = found["notes"]?.elements?.compactMap(\.string) ?? []
        #expect(told.contains { $0.hasPrefix("/request/form: multipart/form-data") }, "\(told)")
    }

    @Test("what packed bodies that the archive unpacked is told, where no description says it")
    func packings() throws {
        for (coding, isTold) in [("br", true), ("zstd", true), ("identity", false), ("gzip", false)] {
            let headers =
                header("Content-Type", "application/json") + "," + header("Content-Encoding", coding)
            let found = try draft(archive([event(1)], headers: headers))
            let told = found["notes"]?.elements?.compactMap(\.string) ?? []
            #expect(told.contains { $0.contains("packed with \(coding),") } == isTold, "\(told)")
            #expect((found["request"]?["compress"] != nil) == (coding == "gzip"))
        }
    }

    @Test("base64 in a field, and bodies that are not all alike")
    func packedForms() throws {
        func base64(_ text: String) -> String {
            var coded = WireBuffer()
            WireBuffer(text).withUnsafeBytes { Base64.encode($0, into: &coded) }
            return coded.text.replacing("+", with: "%2B").replacing("=", with: "%3D")
        }
        let type = header("Content-Type", formType)
        let packed = "data=" + base64("[\(event(1))]")
        let one = try draft(archive([packed], headers: type))
        #expect(one["request"]?["form"]?.compactText == #"{"data": "{{body|base64}}"}"#)
        let mixed = try draft(archive([packed, "data=[\(event(2))]"], headers: type))
        #expect(mixed["request"]?["form"] == nil && mixed["request"]?["headers"] == nil)
        let told = mixed["notes"]?.elements?.compactMap(\.string) ?? []
        #expect(told.contains { $0.contains("request.form cannot say") && $0.contains("Content-Type") })
        let headers = type + "," + header("X-Platform", "ios")
        let others = try draft(archive([packed, "data=[\(event(2))]"], headers: headers))
        #expect(
            others["request"]?["headers"]?.compactText
                == #"{"Content-Type": "application/json", "X-Platform": "ios"}"#)
    }

    @Test("of an object beside the events, what differs takes nothing else along")
    func nested() throws {
        func body(_ number: Int) -> String {
            let meta =
                #"{"sdk":"1.2","sentAt":177245200\#(number),"trace":"t\#(number)","app":{"token":"hush","build":7}}"#
            return #"{"meta":\#(meta),"batch":[\#(event(number))]}"#
        }
        for bodies in [[body(1), body(2)], [body(1)]] {
            let found = try draft(archive(bodies))["request"]?["body"]
            let trace = bodies.count == 1 ? #""trace": "t1", "# : ""
            #expect(
                found?.compactText
                    == #"{"meta": {"sdk": "1.2", "sentAt": "{{sent|s}}", \#(trace)"app": {"token": "${TOKEN}", "build": 7}}, "batch": "{{events}}"}"#
            )
        }
    }

    @Test("a request without events before the first with some says nothing of the body, and is told")
    func greeting() throws {
        let with = #"{"v":2,"...":1,"items":[\#(event(1))]}"#
        let draft = try draft(archive([#"{"ping":1}"#, with, #"{"v":3,"items":[\#(event(2))]}"#]))
        #expect(draft["request"]?["body"]?.compactText == #"{"items": "{{events}}"}"#)
        let told = draft["notes"]?.elements?.compactMap(\.string) ?? []
        #expect(told.contains { $0.hasPrefix("1 of 3 requests to this path: no such list") }, "\(told)")
        let all = try self.draft(archive([with]))
        #expect(all["notes"]?.elements?.contains { $0.string?.contains("no such list") == true } == false)
    }

    @Test("bodies with one line are bodies of lines where others have several", arguments: [0, 1, 2])
    func singleLines(first: Int) throws {
        var bodies = ["\(event(1))\n\(event(2))\n", "\(event(3))\n", event(4)]
        bodies.swapAt(0, first)
        let capture = try CaptureReader.read(Array(archive(bodies).utf8))
        let found = try DescriptionDraft(capture)
        #expect(found.eventCount == 4)
        #expect(found.description["request"]?["framing"]?.string == "lines")
        #expect(found.description["upload"]?["batch"]?.digits == "2")
        #expect(found.guesses.contains { $0.text == "/uuid differs in all 4 events" })
    }

    @Test("events as a text that holds JSON, beside an event with such a text of its own")
    func textLists() throws {
        let text = JSONNode.quoted("[\(event(1)),\(event(2))]")
        let found = try draft(archive([#"{"client":"k1","events":\#(text)}"#]))
        #expect(
            found["request"]?["body"]?.compactText
                == #"{"client": "k1", "events": {"jsonText": "{{events}}"}}"#)
        #expect(found["upload"]?["batch"]?.digits == "2")
        #expect(found["events"]?["common"]?["event"]?.string == "{{name}}")
        let single =
            #"{"event":"b","uuid":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a09","time":1772451000123,"items":\#(text)}"#
        #expect(try draft(archive([single]))["request"]?["framing"]?.string == "one")
    }

    @Test("what looks like a variable or a placeholder in a capture is none in a draft, wherever it stands")
    func lookalikes() throws {
        func texts(_ node: JSONNode) -> [String] {
            node.string.map { [$0] } ?? (node.elements ?? node.members?.map(\.value) ?? []).flatMap(texts)
        }
        let events = [1, 2].map { number in
            #"{"event":"${A}screen","id":"e-\#(number)","ts":"2026-03-02T11:30:00Z","#
                + #""${B}":{"id":"x-\#(number)","data":{"q":1}},"c":"{{{id}}}","d":["${D}","${\u0301}"]}"#
        }
        let found = try draft(
            "curl 'http://in.${G}.io/${H}/{{i}}?j=${J}&${K}=1' -H 'X-L: ${L}' -H 'Authorization: ${M} hush' "
                + #"-d '{"app":"${E}","${F}":[\#(events.joined(separator: ","))]}'"# + "\n")
        #expect(texts(found).filter { $0.utf8.contains("${".utf8) } == ["${AUTHORIZATION}"])
        #expect(found["request"]?["path"]?.string == "/%24%7BH}/%7B%7Bi}}")
        #expect(found["name"]?.string == "$ {G}" && found["events"]?["key"]?.compactText == #"["/id"]"#)
        #expect(found["events"]?["common"]?["c"]?.string == "{ { {id}}}")
        #expect(found["events"]?["screen"]?["name"]?.string == "$ {A}screen")
    }

    @Test("texts with JSON are written as they were packed, and stay as they are where no template packs so")
    func packedTexts() throws {
        let fields = [
            ##""plain":"\n {\"a\":1}","base64":"eyJ0b2tlbiI6Imh1c2giLCJuIjoxfQ""##,
            #""gzip":"H4sIAAAAAAACA6tWSklNLVCyUjCsBQAwjzdCCwAAAA==""#,
            #""pack":"H4sIAAAAAAACA6tWSizI9E6tVLJSUMooLc5QqgUAYoohRxIAAAA=""#,
        ]
        let text = "[\(event(1).dropLast()),\(fields.joined(separator: ","))}]"
        let common = try #require(try draft(archive([text]))["events"]?["common"])
        #expect(common["plain"]?.compactText == #"{"jsonText": {"a": 1}}"#)
        #expect(common["base64"]?.compactText == #"{"base64url": {"token": "${TOKEN}", "n": 1}}"#)
        #expect(common["gzip"]?.string == "H4sIAAAAAAACA6tWSklNLVCyUjCsBQAwjzdCCwAAAA==")
        // What is in there cannot be taken out of it.
        #expect(common["pack"]?.string == "${PACK}")
    }

    @Test(
        "a parameter of an archive needs no value, such as a file in a form, whose text it may have as well",
        arguments: ["", #""text":"--B","#])
    func fileParameters(text: String) throws {
        let post =
            #"{"mimeType":"multipart/form-data",\#(text)"params":[{"name":"a","fileName":"a.png"},{"name":"b","value":"1"}]}"#
        let request = #"{"method":"POST","url":"http://h/up","postData":\#(post)}"#
        let requests = try CaptureReader.read(Array(#"{"log":{"entries":[{"request":\#(request)}]}}"#.utf8))
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["a=&b=1"])
    }
}
