import Testing
import Wire

@testable import Scenario

/// A part of a scenario that must not run, and how it is told.
struct BadCase: Sendable, CustomTestStringConvertible {
    var extra = ""
    var population = ""
    var kind: Problem.Kind
    var pointer: String
    var nearest: String?

    var testDescription: String { "\(kind.rawValue): \(extra)\(population)" }
}

@Suite("Problems")
struct ProblemTests {
    static let cases: [BadCase] = [
        // Keys
        BadCase(extra: #""sede": 1"#, kind: .unknownKey, pointer: "/sede", nearest: "seed"),
        BadCase(
            population: #""sdk": {"storage": {"limt": 1}}"#, kind: .unknownKey,
            pointer: "/populations/0/sdk/storage/limt", nearest: "limit"),
        BadCase(
            population: #""arrival": {"curve": "sine"}"#, kind: .notSupported,
            pointer: "/populations/0/arrival/curve"),
        BadCase(
            population: #""sdk": {"upload": {"firstFlush": "1s"}}"#, kind: .notSupported,
            pointer: "/populations/0/sdk/upload/firstFlush"),
        BadCase(
            population: #""sdk": {"upload": {"maxBytes": 1}}"#, kind: .notSupported,
            pointer: "/populations/0/sdk/upload/maxBytes"),
        BadCase(
            extra: #""target": {"url": "http://h/sa", "path": "sa"}"#, kind: .outOfRange,
            pointer: "/target/path"),
        BadCase(extra: #""seed": 1, "seed": 2"#, kind: .duplicateKey, pointer: "/seed"),
        BadCase(
            extra: #""timeline": [{"collector": {"fault": "outage"}}]"#, kind: .missingKey,
            pointer: "/timeline/0"),
        // Types and ranges
        BadCase(extra: #""seed": -1"#, kind: .outOfRange, pointer: "/seed"),
        BadCase(extra: #""seed": 18446744073709551616"#, kind: .outOfRange, pointer: "/seed"),
        BadCase(extra: #""seed": 1.5"#, kind: .outOfRange, pointer: "/seed"),
        BadCase(extra: #""seed": "0xZ""#, kind: .wrongType, pointer: "/seed"),
        BadCase(extra: #""drain": 30"#, kind: .wrongType, pointer: "/drain"),
        BadCase(extra: #""drain": "30 s""#, kind: .outOfRange, pointer: "/drain"),
        BadCase(extra: #""drain": "31d""#, kind: .outOfRange, pointer: "/drain"),
        BadCase(extra: #""start": "2026-01-05""#, kind: .outOfRange, pointer: "/start"),
        BadCase(extra: #""start": "9999-01-01T00:00:00Z""#, kind: .outOfRange, pointer: "/start"),
        BadCase(extra: #""start": "2026-02-30T00:00:00Z""#, kind: .outOfRange, pointer: "/start"),
        BadCase(extra: #""tagEvents": "yes""#, kind: .wrongType, pointer: "/tagEvents"),
        BadCase(extra: #""name": "a/b""#, kind: .outOfRange, pointer: "/name"),
        BadCase(extra: #""timeline": {}"#, kind: .wrongType, pointer: "/timeline"),
        BadCase(extra: #""target": "http://h/""#, kind: .wrongType, pointer: "/target"),
        BadCase(
            population: #""sdk": {"upload": {"batch": 0}}"#, kind: .outOfRange,
            pointer: "/populations/0/sdk/upload/batch"),
        BadCase(
            population: #""sdk": {"upload": {"batch": 1.5}}"#, kind: .wrongType,
            pointer: "/populations/0/sdk/upload/batch"),
        BadCase(
            population: #""sdk": {"upload": {"concurrency": 2}}"#, kind: .outOfRange,
            pointer: "/populations/0/sdk/upload/concurrency"),
        BadCase(
            population: #""sdk": {"upload": {"keepStatuses": [99]}}"#, kind: .outOfRange,
            pointer: "/populations/0/sdk/upload/keepStatuses/0"),
        BadCase(population: #""sdk": 5"#, kind: .wrongType, pointer: "/populations/0/sdk"),
        BadCase(population: #""rate": "fast""#, kind: .outOfRange, pointer: "/populations/0/rate"),
        BadCase(population: #""rate": "0/s""#, kind: .outOfRange, pointer: "/populations/0/rate"),
        BadCase(
            population: #""utcOffset": "+25:00""#, kind: .outOfRange, pointer: "/populations/0/utcOffset"),
        BadCase(
            population: #""persona": {"tapChance": 1.1}"#, kind: .outOfRange,
            pointer: "/populations/0/persona/tapChance"),
        BadCase(
            population: #""persona": {"sessionLength": {"median": "5s"}}"#, kind: .conflict,
            pointer: "/populations/0/persona/sessionLength"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "share": 1.5, "device": {"network": "none"}}]"#,
            kind: .outOfRange, pointer: "/timeline/0/share"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "collector": {"fault": "status", "status": 99}}]"#,
            kind: .outOfRange, pointer: "/timeline/0/collector/status"),
        // Names
        BadCase(
            population: #""app": "shpo""#, kind: .unknownName, pointer: "/populations/0/app", nearest: "shop"),
        BadCase(
            population: #""persona": "casul""#, kind: .unknownName, pointer: "/populations/0/persona",
            nearest: "casual"),
        BadCase(
            population: #""network": "ideel""#, kind: .unknownName, pointer: "/populations/0/network",
            nearest: "ideal"),
        BadCase(
            population: #""network": "mobile-mixx""#, kind: .unknownName, pointer: "/populations/0/network",
            nearest: "mobile-mix"),
        BadCase(
            population: #""version": "4.9.2""#, kind: .unknownName, pointer: "/populations/0/version",
            nearest: "4.9.1"),
        BadCase(
            population: #""sdk": {"storage": {"backend": "sqlit"}}"#, kind: .unknownName,
            pointer: "/populations/0/sdk/storage/backend", nearest: "sqlite"),
        BadCase(
            population: #""sdk": {"debugMode": "debugonly"}"#, kind: .unknownName,
            pointer: "/populations/0/sdk/debugMode", nearest: "debugOnly"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "collector": {"fault": "outag"}}]"#, kind: .unknownName,
            pointer: "/timeline/0/collector/fault", nearest: "outage"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "collector": {"fault": "partialAccept"}}]"#,
            kind: .notSupported, pointer: "/timeline/0/collector/fault"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "population": "iso", "device": {"network": "none"}}]"#,
            kind: .unknownName, pointer: "/timeline/0/population", nearest: "ios"),
        BadCase(
            extra: #""thresholds": {"http_reqs{population:iso}": ["count>1"]}"#, kind: .unknownName,
            pointer: "/thresholds/http_reqs{population:iso}", nearest: "ios"),
        BadCase(
            extra: #""target": {"url": "http://h/", "connections": "shared"}"#, kind: .unknownName,
            pointer: "/target/connections"),
        BadCase(
            extra: #""personas": {"a": {"extends": "b"}}"#, kind: .unknownName, pointer: "/personas/a/extends"
        ),
        // Targets
        BadCase(extra: #""target": {"url": "ws://h/sa"}"#, kind: .outOfRange, pointer: "/target/url"),
        BadCase(extra: #""target": {"url": "ftp://h/sa"}"#, kind: .outOfRange, pointer: "/target/url"),
        BadCase(extra: #""target": {"url": "http://u:p@h/sa"}"#, kind: .outOfRange, pointer: "/target/url"),
        BadCase(extra: #""target": {"url": "http://h:0/sa"}"#, kind: .outOfRange, pointer: "/target/url"),
        BadCase(extra: #""target": {"url": "http://h/ä"}"#, kind: .outOfRange, pointer: "/target/url"),
        BadCase(
            extra: #""target": {"headers": {"Host": "x"}}"#, kind: .conflict, pointer: "/target/headers/Host"),
        BadCase(
            extra: #""target": {"headers": {"Keep-Alive": "timeout=5"}}"#, kind: .conflict,
            pointer: "/target/headers/Keep-Alive"),
        BadCase(
            extra: #""target": {"headers": {"content-type": "x"}}"#, kind: .conflict,
            pointer: "/target/headers/content-type"),
        BadCase(
            extra: #""target": {"headers": {"A B": "x"}}"#, kind: .outOfRange, pointer: "/target/headers/A B"),
        BadCase(
            extra: #""target": {"headers": {"A": "x\r\nB: y"}}"#, kind: .outOfRange,
            pointer: "/target/headers/A"),
        // What does not fit together
        BadCase(
            population: #""sdk": {"storage": {"limit": 50}}"#, kind: .conflict,
            pointer: "/populations/0/sdk/storage/limit"),
        BadCase(
            population: #""sdk": {"remoteConfig": {"minInterval": "1h", "maxInterval": "1m"}}"#,
            kind: .conflict, pointer: "/populations/0/sdk/remoteConfig"),
        BadCase(extra: #""timeline": [{"at": "1s"}]"#, kind: .conflict, pointer: "/timeline/0"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "remoteConfig": {}, "device": {"network": "none"}}]"#,
            kind: .conflict, pointer: "/timeline/0"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "share": 0.5, "collector": {"fault": "outage"}}]"#,
            kind: .conflict, pointer: "/timeline/0/collector"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "collector": {"fault": "reset", "status": 500}}]"#,
            kind: .conflict, pointer: "/timeline/0/collector/status"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "collector": {"fault": "status"}}]"#, kind: .missingKey,
            pointer: "/timeline/0/collector"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "over": "2s", "device": {"network": "none"}}]"#,
            kind: .conflict, pointer: "/timeline/0/over"),
        BadCase(
            extra: #""timeline": [{"at": "1s", "population": "ios", "collector": {"fault": "outage"}}]"#,
            kind: .conflict, pointer: "/timeline/0/population"),
        BadCase(
            extra: #""personas": {"a": {"extends": "b"}, "b": {"extends": "a"}}"#, kind: .conflict,
            pointer: "/personas/b/extends"),
        BadCase(extra: #""personas": {"casual": {}}"#, kind: .conflict, pointer: "/personas/casual"),
        BadCase(
            population: #""persona": {"signUpChance": 0.8, "loginChance": 0.8}"#, kind: .conflict,
            pointer: "/populations/0/persona/loginChance"),
        BadCase(extra: #""description": "${NOWHERE}""#, kind: .unsetVariable, pointer: "/description"),
        BadCase(extra: #""description": "${""#, kind: .unsetVariable, pointer: "/description"),
    ]

    @Test("tells kind, pointer and nearest name of every mistake", arguments: cases)
    func kinds(bad: BadCase) throws {
        let found = problems(scenario(bad.extra, population: bad.population))
        let hit = try #require(
            found.first { $0.kind == bad.kind && $0.pointer == bad.pointer },
            "\(found.map { $0.text(file: "") })")
        #expect(hit.nearest == bad.nearest)
        #expect(!hit.allowed.isEmpty)
        #expect(!hit.found.isEmpty)
    }

    @Test("every case is sound but for its mistake")
    func caseFrame() {
        #expect(problems(scenario()).isEmpty)
        for bad in ProblemTests.cases where bad.kind != .duplicateKey {
            let found = problems(scenario(bad.extra, population: bad.population))
            // A cycle is met from each of its members; nothing else may be told twice.
            #expect(
                found.count <= (bad.extra.contains(#""extends": "a""#) ? 2 : 1),
                "\(found.map { $0.text(file: "") })")
        }
    }

    @Test("of a text that lacks a variable nothing else is told", arguments: ["name", "drain", "start"])
    func unsetVariable(key: String) {
        let found = problems(scenario(#""\#(key)": "${NOWHERE}""#))
        #expect(found.map(\.kind) == [.unsetVariable], "\(found.map { $0.text(file: "") })")
    }

    @Test("collects all problems at once, in the order of the file")
    func allAtOnce() {
        let text = """
            {
              "duraton": "1m",
              "seed": -1,
              "populations": [
                {"name": "ios", "devices": 0, "system": "growin", "app": "shpo"},
                {"name": "ios", "devices": 1, "system": "sensors"}
              ]
            }
            """
        let found = problems(text)
        #expect(
            found.map(\.pointer) == [
                "", "/duraton", "/seed", "/populations/0/devices", "/populations/0/system",
                "/populations/0/app",
                "/populations/1/name",
            ])
        #expect(found.first?.kind == .missingKey)
        #expect(found[1].position == .file(line: 2, column: 3))
        #expect(found[5].position == .file(line: 5, column: 62))
    }

    @Test("a population without a name hides nothing of what another one's entries say")
    func namelessPopulation() {
        let text = """
            {
              "name": "x", "duration": "1h",
              "populations": [
                {"nme": "old", "devices": 1, "system": "sensors", "app": "shop"},
                {"name": "new", "devices": 1, "system": "sensors", "app": "shop"}
              ],
              "timeline": [
                {"at": "1m", "for": "1m", "population": "new", "device": {"network": "none"}},
                {"at": "3m", "for": "1m", "population": "new", "client": {"fault": "reset"}}
              ]
            }
            """
        #expect(problems(text).map(\.pointer).contains("/populations/0/nme"))
        #expect(problems(text).allSatisfy { $0.pointer.hasPrefix("/populations/0") })
    }

    @Test(
        "a default in the place of a wrong value contradicts nothing",
        arguments: [
            (#""sdk": {"storage": {"limit": 1, "evict": 1000000}}"#, "sdk/storage/limit"),
            (#""sdk": {"storage": {"limit": 50, "evict": 0}}"#, "sdk/storage/evict"),
            (
                #""sdk": {"remoteConfig": {"minInterval": "50h", "maxInterval": "-1s"}}"#,
                "sdk/remoteConfig/maxInterval"
            ),
            (#""sdk": {"upload": {"backoff": {"initial": "10m", "max": "-1s"}}}"#, "sdk/upload/backoff/max"),
            (#""version": "1.10.18", "sdk": {"upload": {"instant": ["a"]}}"#, "version"),
        ])
    func standingIn(population: String, pointer: String) {
        #expect(problems(scenario(population: population)).map(\.pointer) == ["/populations/0/\(pointer)"])
    }

    @Test("nor does a queue that is wrong: it is not missing")
    func wrongQueue() {
        let server = #""server": {"serviceTime": "1s", "queue": -1, "degrade": 2, "status": 503}"#
        #expect(problems(scenario(server)).map(\.pointer) == ["/server/queue"])
    }

    @Test(
        "a rate is told with its bounds",
        arguments: [
            ("0 requests/s", "above 0 and at most 1000000000/s"), ("2000000000/s", "above 0 and at most"),
            ("x", "a rate such as"),
        ])
    func rates(rate: String, said: String) throws {
        let text = #""server": {"serviceTime": "0s", "rateLimit": {"rate": "\#(rate)"}}"#
        let found = try #require(problems(scenario(text)).first)
        #expect(found.pointer == "/server/rateLimit/rate" && found.allowed.contains(said), "\(found.allowed)")
    }

    @Test("one line says place, pointer, what was found, what is allowed and the nearest match")
    func text() throws {
        let problem = try #require(problems(scenario(#""sede": 1"#)).first)
        let text = problem.text(file: "a.json")
        #expect(text.hasPrefix("a.json:2:"))
        #expect(text.contains("/sede: unknown key: found \"sede\"; allowed: "))
        #expect(text.hasSuffix("; did you mean \"seed\"?"))
    }

    @Test("a document that is no object, or no JSON, has exactly one kind of problem")
    func noObject() {
        #expect(problems("[]").first?.kind == .wrongType)
        #expect(problems("{").map(\.kind) == [.syntax])
        #expect(problems("").map(\.kind) == [.syntax])
    }

    @Test("thresholds are checked with the rest, each at its place")
    func thresholds() throws {
        let text = scenario(
            #""thresholds": {"a": ["bad", {"threshold": "good", "abortOnFail": true}], "b": ["bad"]}"#)
        let result = load(text) { metric, expression in expression == "bad" ? "not \(metric)" : nil }
        guard case .failure(let failure) = result else {
            Issue.record("wrong thresholds passed")
            return
        }
        #expect(failure.problems.map(\.pointer) == ["/thresholds/a/0", "/thresholds/b/0"])
        #expect(failure.problems.allSatisfy { $0.kind == .threshold })
        let sound = try document(text)
        #expect(
            sound.thresholds.map(\.pointer) == [
                "/thresholds/a/0", "/thresholds/a/1/threshold", "/thresholds/b/0",
            ])
        #expect(sound.thresholds.map(\.abortsOnFail) == [false, true, false])
    }

    @Test(
        "finds the name that was meant",
        arguments: [
            ("devcies", "devices"), ("Devices", "devices"), ("iso", "ios"), ("xyz", nil), ("", nil),
            ("flushIntervall", "flushInterval"), ("flushB", "flushBulkSize"), ("fl", nil),
        ])
    func nearest(name: String, expected: String?) {
        let names = ["devices", "ios", "flushInterval", "flushBulkSize"]
        #expect(NameDistance.nearest(to: name, among: names) == expected)
    }
}
