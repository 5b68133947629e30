import Scenario
import Testing
import Wire

@testable import SDKImport

@Suite("Descriptions drafted from captures")
struct DescriptionDraftTests {
    private func draft(_ curl: String) throws -> DescriptionDraft {
        try DescriptionDraft(CaptureReader.read(Array(curl.utf8)))
    }

    private func post(_ body: String, headers: String = "", path: String = "/c?v=1&api_key=k1") -> String {
        "curl 'https://u:p@in.acme.io:8443\(path)' -H 'Content-Type: application/json' \(headers) --data-raw '\(body)'\n"
    }

    private let first =
        #"{"k":{"events":[{"event":"Buy","uuid":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a01","time":1772451000123,"user_id":"u1","props":{"price":9.5,"$lib":"x"}}]},"sent_at":1772451009}"#
    private let second =
        #"{"k":{"events":[{"event":"Look","uuid":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a02","time":1772451001123,"user_id":"u2","props":{"page":"a","$lib":"x"}},{"event":"Look","uuid":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a03","time":1772451002123,"user_id":"u2","props":{"$lib":"x"}}]},"sent_at":1772451019}"#

    @Test("the list, the id, the name, the time and the properties are found, and secrets are not kept")
    func whole() throws {
        let draft = try draft(post(first) + post(second))
        let node = draft.description
        #expect(draft.eventCount == 3 && draft.origin == "https://in.acme.io:8443")
        #expect(node["name"]?.string == "acme")
        #expect(node["request"]?["path"]?.string == "/c")
        #expect(node["request"]?["query"]?.compactText == #"{"v": "1", "api_key": "${API_KEY}"}"#)
        #expect(
            node["request"]?["body"]?.compactText
                == #"{"k": {"events": "{{events}}"}, "sent_at": "{{sent|s}}"}"#)
        #expect(node["upload"]?["batch"]?.digits == "2")
        let events = try #require(node["events"])
        #expect(events["id"]?.string == "uuid" && events["key"]?.compactText == #"["/uuid"]"#)
        #expect(events["tag"]?.string == "/props/bs_id")
        #expect(
            events["common"]?.compactText
                == #"{"event": "{{name}}", "uuid": "{{id|lower}}", "time": "{{time|ms}}", "user_id": "{{userId?}}", "props": {"...": "{{properties}}", "$lib": "x"}}"#
        )
        #expect(draft.guesses.contains { $0.pointer == "/events/key" && $0.sureness == .sure })
        #expect(!node.compactText.contains("k1") && !node.compactText.contains("u:p"))
        #expect(throws: Never.self) {
            _ = try DescriptionReader.read(bytes: Array(node.prettyText().utf8)).get()
        }
    }

    @Test("secrets and signatures of headers")
    func headers() throws {
        let headers = """
            -H 'Authorization: Bearer abc' -H 'Cookie: s=1' -H 'X-Api-Key: k2' -H 'X-Request-Signature: \
            deadbeefdeadbeefdeadbeefdeadbeef' -H 'X-Platform: ios' -H 'Host: h' -H 'Content-Length: 7' \
            -H 'Expect: 100-continue' -H 'Trailer: X-Sum'
            """
        let draft = try draft(post(first, headers: headers))
        let kept = try #require(draft.description["request"]?["headers"])
        #expect(
            kept.compactText
                == #"{"Content-Type": "application/json", "Authorization": "Bearer ${AUTHORIZATION}", "Cookie": "${COOKIE}", "X-Api-Key": "${X_API_KEY}", "X-Platform": "ios"}"#
        )
        #expect(
            draft.guesses.contains {
                $0.text.contains("X-Request-Signature") && $0.text.contains("no description can say")
            })
    }

    @Test("secrets in headers of other names, and an authorization without a scheme")
    func otherHeaders() throws {
        let headers = """
            -H 'Authorization: hush1 more' -H 'X-Acme: Bearer hush2hush' -H 'X-Ref: https://a.b/?token=hush3'
            """
        let draft = try draft(
            post(first, headers: headers, path: "/c?page=https%3A%2F%2Fa.b%2F%3Ftoken%3Dhush4"))
        let request = try #require(draft.description["request"])
        #expect(
            request["headers"]?.compactText
                == #"{"Content-Type": "application/json", "Authorization": "${AUTHORIZATION}", "X-Acme": "${X_ACME}", "X-Ref": "${X_REF}"}"#
        )
        #expect(request["query"]?.compactText == #"{"page": "${PAGE}"}"#)
        #expect(!draft.description.compactText.contains("hush"))
    }

    @Test("what of headers and the query stays as it was captured is named")
    func keptHeaders() throws {
        let draft = try draft(post(first, headers: "-H 'X-Platform: ios'", path: "/c?code=7"))
        let told = draft.guesses.first { $0.text.hasPrefix("kept as captured") }?.text ?? ""
        #expect(
            told.contains("/request/headers/X-Platform") && told.contains("/request/query/code"), "\(told)")
        #expect(!told.contains("Content-Type"))
    }

    @Test("headers that the first request lacks are told, and a secret among them is kept as a variable")
    func laterHeaders() throws {
        let later = "-H 'Authorization: Bearer abc' -H 'X-App: shop'"
        let draft = try draft(post(first) + post(second, headers: later) + post(first, headers: later))
        #expect(
            draft.description["request"]?["headers"]?.compactText
                == #"{"Content-Type": "application/json", "Authorization": "Bearer ${AUTHORIZATION}"}"#)
        let told = draft.guesses.filter { $0.text == "X-App is left out: only some requests have it" }
        #expect(told.count == 1)
        #expect(draft.guesses.contains { $0.pointer == "/request/headers/Authorization" })
        #expect(!draft.description.compactText.contains("abc"))
    }

    @Test("lines, one event a request, a form in base64, and texts that hold JSON")
    func framings() throws {
        let event = #"{"type":"a","id":"1","ts":"2026-03-02T11:30:00Z","x":"{\"data\":{\"q\":1}}"}"#
        let lines = try draft(
            "curl http://h/l -d $'\(event.replacing("\\", with: "\\\\"))\\n{\"type\":\"b\",\"id\":\"2\",\"ts\":\"2026-03-02T11:31:00Z\"}'"
        )
        #expect(lines.description["request"]?["framing"]?.string == "lines")
        #expect(lines.eventCount == 2)
        let one = try draft(post(event, path: "/one"))
        #expect(one.description["request"]?["framing"]?.string == "one")
        #expect(one.description["upload"]?["batch"]?.digits == "1")
        #expect(
            one.description["events"]?["common"]?["x"]?.compactText
                == #"{"jsonText": {"data": {"...": "{{properties}}"}}}"#)
        #expect(one.description["events"]?["tag"]?.string == "/x/data/bs_id")
        let form = try draft("curl http://h/f --data-urlencode 'data=\(event)'")
        #expect(form.eventCount == 1)
        #expect(form.guesses.contains { $0.text.contains(#"in the field "data""#) })
        for draft in [lines, one, form] {
            #expect(throws: Never.self) {
                _ = try DescriptionReader.read(bytes: Array(draft.description.prettyText().utf8)).get()
            }
        }
    }

    @Test("what no template can say is left out, and told: members called ..., and values nested too deep")
    func unsayable() throws {
        let deep = String(repeating: "[", count: 60) + "{}" + String(repeating: "]", count: 60)
        let event = #"{"event":"a","uuid":"1","time":1772451000123,"...":7,"x":{"...":1,"y":\#(deep)}}"#
        let draft = try draft(post("[\(event)]", path: "/e"))
        let text = draft.description.prettyText()
        #expect(throws: Never.self) { try DescriptionReader.read(bytes: Array(text.utf8)).get() }
        for reason in ["a template's own word", "is left out: more than \(JSONReader.depthLimit) levels"] {
            #expect(draft.guesses.contains { $0.text.contains(reason) }, "\(reason): \(text)")
        }
    }

    @Test("the route with the most events is taken, and the others are told")
    func routes() throws {
        let draft = try draft(post(first, path: "/a") + post(second, path: "/b") + "curl http://h/config\n")
        #expect(draft.description["request"]?["path"]?.string == "/b")
        #expect(
            draft.guesses.contains {
                $0.text
                    == "1 request to /a is left out: a draft has one path; a description has others as lanes"
            })
        #expect(draft.guesses.contains { $0.text == "1 request that is neither POST nor PUT is left out" })
        let other = post(second, path: "/b").replacing("in.acme.io", with: "in.other.io")
        let elsewhere = try self.draft(post(first, path: "/a") + other)
        #expect(
            elsewhere.guesses.contains {
                $0.text == "1 request to /a is left out: a description has one target"
            })
        // What is told is kept: nobody has standard error any more when the draft is changed.
        for draft in [draft, elsewhere] {
            #expect(
                draft.description["notes"]?.elements?.compactMap(\.string) == draft.guesses.map(\.line))
        }
    }

    @Test("a draft keeps no more lines than a description may have")
    func manyLines() throws {
        let many = (0..<600).map { #""f\#($0)":1"# }.joined(separator: ",")
        let event = #"{"event":"a","uuid":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a0"#
        let body = #"[\#(event)1","time":1772451000123},\#(event)2","time":1772451001123,\#(many)}]"#
        let draft = try draft(post(body, path: "/c"))
        #expect(draft.guesses.count > 600)
        #expect(draft.description["notes"]?.elements?.count == 500)
        #expect(throws: Never.self) {
            _ = try DescriptionReader.read(bytes: Array(draft.description.prettyText().utf8)).get()
        }
    }

    @Test("whatever a report would mask is no part of a draft: keys of headers, queries, bodies and events")
    func keys() throws {
        let event =
            #"{"event":"a","uuid":"0b0f7f2e-6a38-4b1c-9d0a-6f1f6d0c1a01","time":1772451000123,"licenseKey":"k4"}"#
        let curl =
            "curl 'http://h/e?subscription-key=k2&sort_key=name' -H 'X-Acme-Key: k1' -H 'X-Cache-Key: c' "
            + #"--data-raw '{"ingestKey":"k3","items":[\#(event)]}'"# + "\n"
        let draft = try draft(curl)
        let text = draft.description.prettyText()
        for key in ["k1", "k2", "k3", "k4"] { #expect(!text.contains("\"\(key)\""), "\(text)") }
        for variable in ["X_ACME_KEY", "SUBSCRIPTION_KEY", "INGEST_KEY", "LICENSE_KEY"] {
            #expect(text.contains("${\(variable)}"), "\(text)")
            #expect(draft.guesses.contains { $0.text.hasSuffix("from the environment variable \(variable)") })
        }
        #expect(draft.description["request"]?["headers"]?["X-Cache-Key"]?.string == "c")
        #expect(draft.description["request"]?["query"]?["sort_key"]?.string == "name")
    }

    @Test(
        "what is no capture is told by its place",
        arguments: [
            ("", ""), ("{", ""), ("{}", ""), (#"{"log":{"entries":7}}"#, "/log/entries"),
            (#"{"log":{"entries":[]}}"#, ""), (#"{"log":{"entries":[{}]}}"#, "/log/entries/0/request"),
            (#"{"log":{"entries":[{"request":{"method":7}}]}}"#, "/log/entries/0/request/method"),
            (
                #"{"log":{"entries":[{"request":{"method":"POST","url":"http://h/","headers":[{"name":"a"}]}}]}}"#,
                "/log/entries/0/request/headers/0/value"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"POST","url":"http://h/","postData":{"params":[{"name":"a","value":7}]}}}]}}"#,
                "/log/entries/0/request/postData/params/0/value"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"POST","url":"http://h/","postData":{"text":"!","encoding":"base64"}}}]}}"#,
                "/log/entries/0/request/postData/text"
            ),
            ("wget x", "line 1"), ("\ncurl", "line 2"), ("curl -X", "line 1"), ("curl a b", "line 1"),
            ("curl --url http://a --url http://b", "line 1"), ("curl http://a --url http://b", "line 1"),
            ("curl http://h -d @body.json", "line 1"), ("curl http://h -F a=b", "line 1"),
            ("curl 'x", "line 1"),
            ("curl http://h/x", ""), ("curl http://h -d 7", ""), ("curl http://h -d '{\"a\":1}'", ""),
        ])
    func problems(text: String, place: String) {
        do {
            _ = try draft(text)
            Issue.record("\(text) is no capture")
        } catch let problem as CaptureProblem {
            #expect(problem.place == place, "\(problem)")
            #expect(!problem.found.isEmpty && !problem.allowed.isEmpty)
        } catch { Issue.record("\(error)") }
    }
}
