import DeviceSDK
import Testing
import Wire

@testable import Scenario

@Suite("Where problems are, and what they say is allowed")
struct ProblemPlaceTests {
    @Test("a described SDK without its description is told where the population stands")
    func missingDescription() throws {
        let text = """
            {
              "duration": "1m",
              "populations": [
                {"name": "a", "devices": 1, "system": "sensors"},
                {"name": "b", "devices": 1, "system": "declared"}
              ]
            }
            """
        let found = problems(text)
        #expect(found.map(\.pointer) == ["/populations/1"])
        #expect(found.first?.kind == .missingKey)
        #expect(found.first?.position == .file(line: 5, column: 5))
    }

    @Test("a pool of connections is an object, and the message says so", arguments: ["pooled", "shared"])
    func connections(word: String) throws {
        let found = problems(scenario(#""target": {"url": "http://h/sa", "connections": "\#(word)"}"#))
        #expect(found.map(\.kind) == [.unknownName])
        #expect(found.first?.allowed.hasPrefix(#"{"pooled": 50}"#) == true)
        #expect(found.first?.allowed.contains(#""perDevice", "perRequest""#) == true)
    }

    @Test("a seed may be written as any whole number may", arguments: ["7.0", "7", "7e0", "70e-1"])
    func seeds(digits: String) throws {
        #expect(try document(scenario(#""seed": \#(digits)"#)).seed == 7)
    }

    @Test("a seed that is none is out of range", arguments: ["7.5", "-1.0", "1e300"])
    func noSeeds(digits: String) {
        #expect(problems(scenario(#""seed": \#(digits)"#)).map(\.kind) == [.outOfRange])
    }

    @Test(
        "no text has a NUL, where databases end theirs: neither a name nor a key",
        arguments: [
            (#"{"name": "buy\u0000it", "on": {"screen": "Home"}}"#, "/name"),
            (
                #"{"name": "buy", "on": {"screen": "Home"}, "properties": {"p\u0000e": {"constant": 3}}}"#,
                "/properties/p\u{0}e"
            ),
        ])
    func noNUL(event: String, pointer: String) throws {
        let apps = #""apps": {"x": {"screens": [{"name": "Home"}], "events": [\#(event)]}}"#
        let found = problems(scenario(apps, population: #""app": "x""#))
        #expect(found.map(\.pointer) == ["/apps/x/events/0" + pointer])
        #expect(found.map(\.kind) == [.outOfRange])
        let text = try #require(found.first).text(file: "a.json")
        #expect(text.contains(#"\u{0000}"#) && text.contains("without the character U+0000"), "\(text)")
    }

    // MARK: Files of targets

    /// What is told of a scenario where every file named `bad…` cannot be used.
    private func told(_ text: String) -> [Problem] {
        let checker: TargetFileChecker = { target in
            [("ca", target.tls.authorityFile), ("key", target.tls.keyFile)].compactMap { key, file in
                guard file?.hasPrefix("bad") == true else { return nil }
                return TargetFileProblem(.unknownName, key: key, reason: "not here", allowed: "another")
            }
        }
        let result = ScenarioLoader.load(bytes: Array(text.utf8), name: "x", targetFileChecker: checker)
        return if case .failure(let failure) = result { failure.problems } else { [] }
    }

    private static let tls = #""tls": {"ca": "bad.pem", "certificate": "me.pem", "key": "bad.key"}"#

    @Test("files of a target are told with their places, beside everything else")
    func files() throws {
        let found = told(
            scenario(#""target": {"url": "https://a/sa", \#(Self.tls)}"#, population: #""app": "shpo""#))
        #expect(
            found.map(\.pointer) == ["/target/tls/ca", "/target/tls/key", "/populations/0/app"])
        let first = try #require(found.first)
        #expect(
            first.text(file: "a.json")
                == #"a.json:2:68: /target/tls/ca: unknown name: found "bad.pem": not here; allowed: another"#)
    }

    @Test("a population's own target is looked at too, and the shared files with its address")
    func populations() {
        let own = told(scenario(population: #""target": {"url": "https://b/sa", \#(Self.tls)}"#))
        #expect(
            own.map(\.pointer) == ["/populations/0/target/tls/ca", "/populations/0/target/tls/key"])
        let shared = told(
            scenario(
                #""target": {"url": "http://a/sa", "tls": {"ca": "bad.pem"}}"#,
                population: #""target": {"url": "https://b/sa"}"#))
        #expect(shared.map(\.pointer) == ["/target/tls/ca"])
    }

    @Test("files that nobody needs are not read, and without a reader none are")
    func unread() {
        #expect(told(scenario(#""target": {"url": "http://a/sa", \#(Self.tls)}"#)).isEmpty)
        #expect(problems(scenario(#""target": {"url": "https://a/sa", \#(Self.tls)}"#)).isEmpty)
    }
}
