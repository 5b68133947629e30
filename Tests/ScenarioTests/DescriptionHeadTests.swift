import SDKDescription
import Testing
import Wire

@testable import Scenario

@Suite("The head of a described SDK's requests") struct DescriptionHeadTests {
    private func problems(_ members: String) -> [String] {
        let events = #""events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}"#
        let json = "{\(members), \(events)}"
        guard case .failure(let found) = DescriptionReader.read(bytes: Array(json.utf8)) else { return [] }
        return found.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.found)" }
    }

    @Test("a path has no placeholders, since nothing would fill them in", arguments: ["request", "lane"])
    func paths(place: String) {
        func problems(_ path: String) -> [String] {
            let request = #""request": {"path": "\#(path)"}"#
            let lanes = #""lanes": {"l": {\#(request)}}, "#
            return self.problems(place == "lane" ? lanes + #""name": "n""# : request)
        }
        let pointer = place == "lane" ? "/lanes/l/request/path" : "/request/path"
        for path in ["/v1/{{apiKey}}", "/{{", "/a/{{{b}", #"/a\nb"#, #"/a\rb"#] {
            #expect(problems(path).contains { $0.hasPrefix("\(pointer): out of range") }, "\(path)")
        }
        for path in ["/", "/v1/{key}/in", "/a{"] {
            #expect(!problems(path).contains { $0.hasPrefix(pointer) }, "\(path)")
        }
    }

    @Test("the schema takes the same paths")
    func schema() throws {
        var definitions = SchemaDefinitions()
        let own = DeclaredForms.path.schema(&definitions)
        let pattern = try Regex(try #require(own["pattern"]?.string))
        for (path, isGood) in [
            ("/", true), ("/v1/{key}/in", true), ("/a{", true), ("/v1/{{apiKey}}", false), ("/a?b", false),
        ] {
            #expect((path.firstMatch(of: pattern) != nil) == isGood, "\(path)")
        }
    }

    @Test(
        "what would break the head of a request is refused",
        arguments: [
            (#""A b": "c""#, #"A b: out of range: "A b""#),
            (#""A\r\nB": "c""#, "A\r\nB: out of range: \"A\r\nB\""),
            (#""A": "b\r\nC: d""#, "A: out of range: a control character"),
            (#""A": "{{apiKey}}\u0001""#, "A: out of range: a control character"),
            (#""A": "{{broken}}""#, "A: out of range: a control character"),
            (#""content-length": "7""#, #"content-length: conflict: "content-length""#),
            (#""Host": "h""#, #"Host: conflict: "Host""#),
            (#""Connection": "close""#, #"Connection: conflict: "Connection""#),
            (#""Transfer-Encoding": "x""#, #"Transfer-Encoding: conflict: "Transfer-Encoding""#),
            (#""Keep-Alive": "timeout=5""#, #"Keep-Alive: conflict: "Keep-Alive""#),
            (#""Proxy-Connection": "keep-alive""#, #"Proxy-Connection: conflict: "Proxy-Connection""#),
            (#""upgrade": "h2c""#, #"upgrade: conflict: "upgrade""#),
            (#""TE": "trailers""#, #"TE: conflict: "TE""#),
            (#""Trailer": "X-Sum""#, #"Trailer: conflict: "Trailer""#),
            (#""Expect": "100-continue""#, #"Expect: conflict: "Expect""#),
            (#""A": "{{device.id}}""#, "A: conflict: {{device.id}}, which is not known here"),
            (#""A": 7"#, "A: wrong type: 7"),
        ])
    func headers(header: String, problem: String) {
        let consts = #""consts": {"broken": "b\nC: d"}"#
        #expect(
            problems(#"\#(consts), "request": {"headers": {\#(header)}}"#) == ["/request/headers/" + problem])
    }

    @Test("those of lanes too, and what is sound passes")
    func lanes() {
        let lane = #""lanes": {"l": {"request": {"headers": {"Host": "h"}}}}"#
        #expect(problems(lane).contains(#"/lanes/l/request/headers/Host: conflict: "Host""#))
        #expect(problems(#""request": {"headers": {"X-Key": "{{apiKey}}", "A": "b\tc", "B": ""}}"#).isEmpty)
    }

    @Test("headers stand in place of the content's type that there is without them")
    func contentType() throws {
        func headers(_ members: String) throws -> [String] {
            let events = #""events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}"#
            let json = #"{"request": {\#(members)}, \#(events)}"#
            return try DescriptionReader.read(bytes: Array(json.utf8)).get().request.headers.map(\.name)
        }
        #expect(try headers("") == ["Content-Type"])
        #expect(try headers(#""form": {"d": "{{body}}"}"#) == ["Content-Type"])
        #expect(try headers(#""headers": {}"#) == [])
        #expect(try headers(#""form": {"d": "{{body}}"}, "headers": {"A": "b"}"#) == ["A"])
    }

    @Test("a body that the SDK packs is told to be packed once")
    func contentEncoding() {
        let header = #""headers": {"content-encoding": "gzip"}"#
        #expect(
            problems(#""request": {"compress": "gzip", \#(header)}"#) == [
                #"/request/headers/content-encoding: conflict: "content-encoding" beside "compress": "gzip""#
            ])
        #expect(problems(#""request": {\#(header)}"#) == [], "it packs its bodies otherwise")
    }

    @Test("a configuration's path is one of a request, but for what is filled in")
    func configPaths() {
        func problems(_ path: String) -> [String] {
            self.problems(#""consts": {"v": "a b"}, "config": [{"path": "\#(path)"}]"#)
        }
        for path in [
            "/my cfg/{{apiKey}}", "/x#y", "/x?y", #"/x HTTP/1.1\r\nX-A: 1"#, "x", "/{{v}}", "{{apiKey}}",
        ] {
            #expect(
                problems(path).map { $0.hasPrefix("/config/0/path: out of range: ") } == [true], "\(path)")
        }
        for path in ["/", "/my%20cfg/{{apiKey}}/{{app.name}}"] { #expect(problems(path) == [], "\(path)") }
    }

    @Test("names of the app and the account that go into a header are of one line")
    func names() {
        func found(app: String, account: String = "a", header: String) -> [String] {
            let text = """
                {"duration": "1m", "target": {"accountId": "\(account)"},
                 "apps": {"own": {\(app), "screens": [{"name": "Home"}]}},
                 "populations": [{"name": "p", "devices": 1, "system": "declared", "app": "own",
                   "sdk": {"preset": "posthog-ios", "request": {"headers": {"X-App": "\(header)"}}}}]}
                """
            guard case .failure(let failure) = load(text) else { return [] }
            return failure.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.found)" }
        }
        let name = #""displayName": "Shop\r\nX-Evil: 2""#
        #expect(
            found(app: name, header: "{{app.name}}") == [
                #"/populations/0/app: conflict: a control character in the app's displayName, and that in the header "X-App""#
            ])
        #expect(found(app: name, header: "{{app.id}}") == [], "it is in JSON alone")
        #expect(
            found(app: #""bundleIdentifier": "a\nb""#, header: "of {{app.id}}").first?.hasPrefix(
                "/populations/0/app: conflict: a control character in the app's bundleIdentifier") == true)
        #expect(
            found(app: #""displayName": "Shop""#, account: #"a\r\nX: 1"#, header: "{{account}}") == [
                "/target/accountId: out of range: a control character"
            ])
    }
}
