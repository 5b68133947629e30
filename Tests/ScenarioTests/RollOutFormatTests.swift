import CodelessSDK
import CollectorModel
import DeclaredSDK
import DeviceSDK
import KitSDK
import SDKDescription
import SensorsSDK
import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("Roll-outs in the timeline")
struct RollOutFormatTests {
    private func timeline(_ entries: String, population: String = "") -> String {
        scenario("\"timeline\": [\(entries)]", population: population)
    }

    @Test("each entry's rules come on top of those before it, by time")
    func rules() throws {
        let loaded = try document(
            timeline(
                """
                {"at": "30s", "over": "10s", "share": 0.5, "sdk": {"upload": {"batch": 20}}},
                {"at": "10s", "sdk": {"upload": {"batch": 10, "timeout": "7s"}, "storage": {"limit": 500}}}
                """, population: #""sdk": {"upload": {"flushBulkSize": 33}}"#))
        let rollOuts = loaded.populations[0].rollOuts
        let rules = rollOuts.compactMap { $0.rules as? SensorsRules }
        #expect(rules.map(\.upload.batch) == [10, 20] && rules.map(\.storage.limit) == [500, 500])
        #expect(rules.map(\.upload.timeout) == [.seconds(7), .seconds(7)])
        #expect(rules.allSatisfy { $0.upload.flushBulkSize == 33 })
        #expect(rollOuts.map(\.at) == [.seconds(10), .seconds(30)] && rollOuts.map(\.number) == [1, 0])
        #expect(rollOuts.map(\.over) == [.zero, .seconds(10)] && rollOuts.map(\.share) == [1, 0.5])
        #expect(loaded.populations[0].system as? SensorsRules == loaded.rules())
        let entry = loaded.timeline[0]
        #expect(entry.at == .seconds(30) && entry.until == .seconds(40) && !entry.needsOwnCollector)
        #expect(entry.text == "roll-out: upload.batch 20, over 10s, 50 % of devices")
        let plan = loaded.plans(start: Instant(milliseconds: 0)).populations[0]
        #expect(plan.rollOuts.map(\.pace.from.milliseconds) == [10_000, 30_000])
    }

    @Test("a configuration that gets around is served to all, and devices know whom it has reached")
    func configurations() throws {
        let loaded = try document(
            timeline(
                """
                {"at": "40s", "remoteConfig": {"v": "late"}},
                {"at": "10s", "for": "20s", "over": "30s", "share": 0.5, "remoteConfig": {"v": "new"}},
                {"at": "20s", "for": "5s", "remoteConfig": {"v": "short"}}
                """))
        let entry = loaded.timeline[1]
        #expect(entry.until == .seconds(30) && entry.needsOwnCollector)
        #expect(entry.text == "remote config: defaults, over 30s, 50 % of devices, for 20s")
        let start = Instant(milliseconds: 0)
        let plans = loaded.plans(start: start)
        #expect(plans.collector.configs.map(\.version) == ["0", "new", "short", "1", "2", "late"])
        let editions = plans.populations[0].servedEditions
        #expect(editions.count == 1 && editions[0].map(\.version) == plans.collector.configs.map(\.version))
        let pace = RollOutPace(from: start + .seconds(10), over: .seconds(30), share: 0.5, number: 1)
        #expect(editions[0].map(\.pace) == [nil, pace, nil, pace, nil, nil], "what comes back, too")
        let plain = try document(timeline(#"{"at": "10s", "share": 1, "remoteConfig": {}}"#))
        #expect(plain.plans(start: start).populations[0].servedEditions.isEmpty)
        #expect(loaded.plans(start: start, controlsCollector: false).populations[0].servedEditions.isEmpty)
    }

    @Test("of each kind there are at most 100, and configurations for all are not counted")
    func count() {
        func loading(_ entry: String, count: Int) -> [Problem] {
            problems(timeline(Array(repeating: entry, count: count).joined(separator: ",")))
        }
        let app = #"{"at": "1s", "sdk": {"upload": {"batch": 3}}}"#
        let config = #"{"at": "1s", "over": "2s", "remoteConfig": {}}"#
        for entry in [app, config] {
            #expect(loading(entry, count: 100).isEmpty)
            let found = loading(entry, count: 101)
            #expect(found.map(\.pointer) == ["/timeline/100"] && found[0].kind == .outOfRange)
        }
        #expect(loading(#"{"at": "1s", "remoteConfig": {}}"#, count: 101).isEmpty)
    }

    @Test("of described SDKs, a configuration gets around among those that fetch at its path")
    func configurationsOfPaths() throws {
        let sdk = """
            {"preset": "posthog-ios", "config": [{"path": "/a/{{apiKey}}", "apply": {"/n": "batch"}},
                                                 {"path": "/b", "apply": {"/n": "batch"}}]}
            """
        let loaded = try document(
            described(
                """
                {"at": "10s", "over": "30s", "remoteConfig": {"answer": {"n": 3}, "path": "/b"}},
                {"at": "20s", "remoteConfig": {"answer": {"n": 4}}}
                """, sdk: sdk))
        let editions = loaded.plans(start: Instant(milliseconds: 0)).populations[0].servedEditions
        #expect(editions.map(\.count) == [0, 2])
        #expect(editions[1].map { String(decoding: $0.body, as: UTF8.self) } == [#"{"n": 3}"#, #"{"n": 4}"#])
        #expect(editions[1].map { $0.path == nil } == [false, true])
        #expect(editions[1].map { $0.pace == nil } == [false, true])
    }

    @Test("an entry concerns the population that it names, or all")
    func populations() throws {
        func rollOuts(_ population: String) throws -> [Int] {
            try document(
                """
                {"duration": "1m", "populations": [
                   {"name": "a", "devices": 1, "system": "kit"}, {"name": "b", "devices": 1, "system": "codeless"}],
                 "timeline": [{"at": "1s", \(population)"sdk": {"upload": {"timeout": "3s"}}}]}
                """
            ).populations.map(\.rollOuts.count)
        }
        #expect(try rollOuts("") == [1, 1])
        #expect(try rollOuts("\"population\": \"b\", ") == [0, 1])
    }

    @Test(
        "what no launch can change is refused where it stands",
        arguments: [
            (#"{"at": "1s", "sdk": {"storage": {"prefill": 3}}}"#, "/sdk/storage/prefill"),
            (#"{"at": "1s", "sdk": {"storage": {"backend": "sqlite"}}}"#, "/sdk/storage/backend"),
            (#"{"at": "1s", "sdk": {"upload": {"compression": "fast"}}}"#, "/sdk/upload/compression"),
            (#"{"at": "1s", "sdk": {"clockSkew": "1s"}}"#, "/sdk/clockSkew"),
            (#"{"at": "1s", "sdk": {"debugMode": "debugOnly"}}"#, "/sdk/debugMode"),
            (#"{"at": "1s", "sdk": {"upload": {"batches": 3}}}"#, "/sdk/upload/batches"),
            (#"{"at": "1s", "sdk": {"storage": {"limit": 20}}}"#, "/sdk/storage/limit"),
            (#"{"at": "1s", "sdk": {}}"#, "/sdk"),
            (#"{"at": "1s", "for": "2s", "sdk": {"upload": {"batch": 3}}}"#, "/for"),
            (#"{"at": "1s", "over": "2s", "push": {}}"#, "/over"),
            (#"{"at": "1s", "population": "no", "sdk": {"upload": {"batch": 3}}}"#, "/population"),
        ])
    func refused(entry: String, pointer: String) {
        #expect(problems(timeline(entry)).map(\.pointer) == ["/timeline/0" + pointer])
    }

    private func described(_ entries: String, sdk: String = #"{"preset": "posthog-ios"}"#) -> String {
        """
        {"duration": "1m", "populations": [{"name": "d", "devices": 1, "system": "declared", "sdk": \(sdk)}],
         "timeline": [\(entries)]}
        """
    }

    @Test("changes of a description are merged into it, as into a preset, on top of those before them")
    func describedRules() throws {
        let loaded = try document(
            described(
                """
                {"at": "20s", "sdk": {"storage": {"limit": 33}, "retry": {"backoff": {"max": "3s"}, "retryAfter": null}}},
                {"at": "10s", "sdk": {"upload": {"flushBulkSize": 7, "countOf": null},
                                      "answers": [["2xx", "delivered"], ["413", "split"], ["*", "retry"]]}}
                """,
                sdk:
                    #"{"preset": "posthog-ios", "upload": {"flushBulkSize": 11}, "storage": {"removeBy": "id"}}"#
            ))
        let base = try #require(loaded.populations[0].system as? DeclaredRules).sdk
        let rules = loaded.populations[0].rollOuts.compactMap { ($0.rules as? DeclaredRules)?.sdk }
        #expect(rules.count == 2 && base.upload.flushBulkSize == 11 && base.storage.limit == 1000)
        #expect(rules.map(\.upload.flushBulkSize) == [7, 7] && rules.map(\.storage.limit) == [1000, 33])
        #expect(rules.map { $0.answers.verdict(status: 413) } == [.split, .split])
        #expect(rules.map { $0.retry.backoff?.longest } == [.seconds(30), .seconds(3)])
        #expect(rules.map { $0.retry.backoff?.initial } == [.seconds(1), .seconds(1)])
        #expect(base.retry.retryAfter != nil && rules.map { $0.retry.retryAfter == nil } == [false, true])
        #expect(rules.allSatisfy { $0.events == base.events && $0.request == base.request })
        #expect(rules.allSatisfy { $0.identity == base.identity && $0.configs == base.configs })
    }

    @Test("a population that says no more than a preset's name takes roll-outs too")
    func describedByVersion() throws {
        let loaded = try document(
            """
            {"duration": "1m",
             "populations": [{"name": "d", "devices": 1, "system": "declared", "version": "mixpanel-ios 6.5.1"}],
             "timeline": [{"at": "1s", "sdk": {"upload": {"batch": 7}}}]}
            """)
        let rules = try #require(loaded.populations[0].rollOuts.first?.rules as? DeclaredRules)
        #expect(rules.sdk.upload.batch == 7 && rules.version.rawValue == "mixpanel-ios 6.5.1")
    }

    @Test(
        "what no launch can change of a description is refused where it stands",
        arguments: [
            (#"{"request": {"compress": "none"}}"#, "/request"),
            (#"{"events": {"tap": null}}"#, "/events"),
            (#"{"preset": "mixpanel-ios"}"#, "/preset"),
            (#"{"storage": {"backend": "memory"}}"#, "/storage/backend"),
            (#"{"storage": {"seal": {"at": "flush"}}}"#, "/storage/seal"),
            (#"{"storage": null}"#, "/storage"),
            (#"{"upload": {"batches": 3}}"#, "/upload/batches"),
            // Of the whole description: it removes by position, and has a limit of 1000.
            (#"{"upload": {"concurrency": 2}}"#, ""),
            (#"{"storage": {"evict": 1001}}"#, "/storage/evict"),
            (#"{"answers": [["200", "delivered"], ["*", "retry"]]}"#, "/answers"),
            (
                #"{"answers": [["2xx/code=1", "delivered"], ["2xx", "delivered"], ["*", "retry"]]}"#,
                "/answers"
            ),
            (#"{}"#, ""),
        ])
    func describedRefused(sdk: String, pointer: String) {
        let found = problems(described(#"{"at": "1s", "sdk": \#(sdk)}"#))
        #expect(found.map(\.pointer) == ["/timeline/0/sdk" + pointer], "\(found)")
        // The place is in this text, not in that of the preset.
        let lines = found.map { problem -> Int? in
            if case .file(let line, _) = problem.position { return line }
            return nil
        }
        #expect(lines == [2])
    }

    /// Else a lane would have half a form.
    @Test("lanes have in a roll-out what they have of the description's own request")
    func lanes() throws {
        let text = """
            {"duration": "1m", "timeline": [{"at": "10s", "sdk": {"upload": {"batch": 5}}}],
             "populations": [{"name": "p", "devices": 1, "system": "declared", "sdk": {
              "request": {"path": "/a", "form": {"key": "{{apiKey}}", "events": "{{body}}"}},
              "lanes": {"l": {"request": {"path": "/l", "form": {"kind": "people"}}}},
              "events": {"tag": "/bs_id", "common": {"n": "{{name}}"}, "screen": {"name": "s"},
                         "business": {"name": "{{event}}", "lane": "l"}}}}]}
            """
        let rollOut = try #require(try document(text).populations[0].rollOuts.first)
        let rules = try #require(rollOut.rules as? DeclaredRules)
        #expect(rules.sdk.upload.batch == 5)
        #expect(rules.sdk.lanes.map { $0.request.form.map(\.name) } == [["key", "events", "kind"]])
    }

    @Test("a roll-out to people who never start the app is told")
    func neverLaunched() throws {
        let json = timeline(
            #"{"at": "1s", "sdk": {"upload": {"batch": 3}}}"#,
            population: #""persona": {"preset": "steady", "rate": "1/s"}"#)
        let warnings = try document(json).warnings.filter { $0.pointer == "/timeline/0" }
        #expect(warnings.count == 1)
    }

    @Test("a collector of its own has no devices to roll anything out to")
    func faultsFile() {
        let text = #"{"timeline": [{"at": "1s", "sdk": {"upload": {"batch": 3}}}]}"#
        guard
            case .failure = FaultsFile.load(
                bytes: Array(text.utf8), name: "faults.json", start: Instant(milliseconds: 0))
        else {
            Issue.record("it was taken")
            return
        }
    }
}
