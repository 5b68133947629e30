import AppModel
import CollectorModel
import DeviceSDK
import SensorsSDK
import Testing
import Timebase
import World

@testable import Scenario

@Suite("Binding to the models")
struct BindingTests {
    @Test("a scenario without knobs has the version's own rules", arguments: SensorsRules.Version.allCases)
    func defaults(version: SensorsRules.Version) throws {
        let document = try document(scenario(population: #""version": "\#(version.rawValue)""#))
        #expect(document.rules() == SensorsRules(version: version))
        #expect(document.populations[0].zones == TimeZones(offset: .hours(8)))
        #expect(document.populations[0].tagsEvents)
        #expect(document.populations[0].target == nil)
        #expect(document.needsEmbeddedCollector)
    }

    @Test("every knob of Sensors reaches its rule")
    func knobs() throws {
        let sdk = """
            "sdk": {
              "storage": {"backend": "memory", "limit": 20000, "evict": 10, "staysBelowLimit": true, "prefill": 5,
                "evictsRowsInFlight": false, "deleteFailureChance": 0.1, "insertFailureChance": 0.2},
              "upload": {"batch": 20, "flushBulkSize": 30, "flushesAboveBulkSize": true, "flushInterval": "1m",
                "networks": ["wifi", "5g"], "triesWithoutNetwork": false, "concurrency": "unlimited",
                "maxBatchesPerFlush": 3, "immediate": ["Buy"], "onBackground": false, "onLaunch": true,
                "timeout": "5s", "keepStatuses": [403, "5xx"]},
              "debugMode": "debugOnly",
              "remoteConfig": {"enabled": false, "fetchOn": "background", "timeout": "3s", "attempts": 7,
                "retryDelay": "4s", "minInterval": "1h", "maxInterval": "2h"},
              "autoTrack": {"start": false, "end": false, "click": false, "viewScreen": false},
              "orientation": true, "location": true, "cookie": "a=b", "clockSkew": "2s"
            }
            """
        let rules = try document(scenario(population: sdk)).rules()
        var expected = SensorsRules(version: .v1)
        expected.storage.limit = 20_000
        expected.storage.evict = 10
        expected.storage.staysBelowLimit = true
        expected.storage.prefill = 5
        expected.storage.evictsRowsInFlight = false
        expected.storage.deleteFailureChance = 0.1
        expected.storage.insertFailureChance = 0.2
        expected.upload.batch = 20
        expected.upload.flushBulkSize = 30
        expected.upload.flushesAboveBulkSize = true
        expected.upload.flushInterval = .minutes(1)
        expected.upload.networks = [.wifi, .cellular5G]
        expected.upload.triesWithoutNetwork = false
        expected.upload.blocksTracking = false
        expected.upload.maxBatchesPerFlush = 3
        expected.upload.immediate = ["Buy"]
        expected.upload.onBackground = false
        expected.upload.onLaunch = true
        expected.upload.timeout = .seconds(5)
        expected.upload.keeps = .serverErrors(and: [403])
        expected.debugMode = .debugOnly
        expected.remoteConfig.enabled = false
        expected.remoteConfig.fetchOn = .background
        expected.remoteConfig.timeout = .seconds(3)
        expected.remoteConfig.attempts = 7
        expected.remoteConfig.retryDelay = .seconds(4)
        expected.remoteConfig.minimumInterval = .hours(1)
        expected.remoteConfig.maximumInterval = .hours(2)
        expected.autoTrack.start = false
        expected.autoTrack.end = false
        expected.autoTrack.click = false
        expected.autoTrack.viewScreen = false
        expected.collectsOrientation = true
        expected.collectsLocation = true
        expected.cookie = "a=b"
        expected.clockSkew = .seconds(2)
        #expect(rules == expected)
    }

    @Test(
        "reads every spelling of keepStatuses",
        arguments: [
            (#""notSuccess""#, KeepRule.notSuccess), (#"["5xx"]"#, .serverErrors(and: [])),
            ("[500, 503]", .listed([500, 503])), ("[]", .listed([])),
        ])
    func keepStatuses(json: String, expected: KeepRule) throws {
        let document = try document(scenario(population: #""sdk": {"upload": {"keepStatuses": \#(json)}}"#))
        #expect(document.rules().upload.keeps == expected)
    }

    @Test(
        "reads rates of every unit",
        arguments: [
            ("1/s", 1.0), ("20000 events/s", 20_000), ("90/min", 1.5), ("7200events/h", 2), ("86400/d", 1),
            ("0.5/s", 0.5),
        ])
    func rates(text: String, expected: Double) throws {
        #expect(
            try document(scenario(population: #""rate": "\#(text)""#)).populations[0].wantedRate == expected)
    }

    @Test("personas: by name, in place, and from others of the scenario")
    func personas() throws {
        let inPlace = try document(scenario(population: #""persona": {"preset": "steady", "rate": "2/s"}"#))
        #expect(inPlace.populations[0].persona.name == "steady")
        #expect(inPlace.populations[0].persona.steadyRate == 2)
        let defined = try document(
            scenario(
                #""personas": {"a": {"extends": "power", "tapChance": 0.25, "returnGap": {"min": "1s", "max": "3s"}}, "b": {"extends": "a", "actionGap": "2s"}}"#,
                population: #""persona": "b""#))
        let persona = defined.populations[0].persona
        #expect(persona.name == "b")
        #expect(persona.tapChance == 0.25)
        #expect(persona.returnGap == .uniform(1, 3))
        #expect(persona.actionGap == .constant(2))
        #expect(persona.sessionsPerDay == Presets.persona(named: "power")?.sessionsPerDay)
        #expect(defined.warnings.isEmpty)
    }

    @Test("networks, times, offsets and targets")
    func rest() throws {
        let text = scenario(
            #""networks": {"edge": {"kind": "2g"}}, "start": "2026-03-02T19:30:00+08:00", "tagEvents": false, "seed": 18446744073709551615"#,
            population:
                #""network": "edge", "utcOffset": "-05:30", "arrival": {"over": "20s"}, "tagEvents": true"#)
        let document = try document(text)
        #expect(document.populations[0].network == NetworkRules(kind: .cellular2G))
        #expect(document.populations[0].zones == TimeZones(offset: .minutes(-330)))
        #expect(document.populations[0].arrival.over == .seconds(20))
        #expect(document.populations[0].tagsEvents)
        #expect(document.start?.text == "2026-03-02T11:30:00.000Z")
        #expect(document.seed == .max)
        #expect(document.name == "test")
    }

    @Test("headers reach the embedded collector's target too")
    func headers() throws {
        let document = try document(scenario(#""target": {"headers": {"X-Env": "dev"}}"#))
        let plan = document.plans(
            start: ScenarioDocument.virtualStart, embedded: ScenarioDocument.embeddedTarget(port: 99))
        #expect(plan.populations[0].target.port == 99)
        #expect(plan.populations[0].target.pathAndQuery == "/sa?project=default")
        #expect(plan.populations[0].target.headers.map(\.name) == ["X-Env"])
    }

    @Test(
        "makes a file's name a scenario's name",
        arguments: [("a/b/my run.json", "my-run"), ("", "scenario"), (".x", "x"), ("é.json", "scenario")])
    func names(file: String, expected: String) {
        #expect(ScenarioBinder.name(ofFile: file) == expected)
    }
}

@Suite("Timeline")
struct TimelineTests {
    private let start = ScenarioDocument.virtualStart

    @Test("faults, networks and marks come at absolute times, in order of time")
    func plan() throws {
        let text = scenario(
            """
            "seed": 8, "timeline": [
              {"at": "20s", "for": "5s", "share": 0.3, "device": {"network": "none"}, "population": "ios"},
              {"at": "10s", "for": "10s", "collector": {"fault": "status", "status": 503, "share": 0.5}},
              {"at": "5s", "collector": {"fault": "stall", "hold": "90s"}},
              {"at": "6s", "for": "1s", "collector": {"fault": "latency", "latency": {"median": "120ms", "sigma": 0.8}}},
              {"at": "7s", "for": "1s", "collector": {"fault": "latency", "latency": "250ms"}},
              {"at": "8s", "for": "1s", "collector": {"fault": "reset", "device": 3, "upload": 0}}
            ]
            """)
        let plans = try document(text).plans(start: start)
        #expect(plans.collector.seed == 8)
        #expect(plans.schedule.usersEnd == start + .minutes(1))
        #expect(plans.schedule.drainEnd == start + .seconds(90))
        #expect(
            plans.collector.faults.map(\.fault) == [
                .stall(.seconds(90)), .latency(.lognormal(median: 120, sigma: 0.8)), .latency(.constant(250)),
                .resetBeforeReading, .status(503),
            ])
        #expect(plans.collector.faults[0].until == .distantFuture)
        #expect(plans.collector.faults[3].device == 3)
        #expect(plans.collector.faults[3].uploadNumber == 0)
        #expect(plans.collector.faults[4].share == 0.5)
        #expect(plans.collector.faults[4].from == start + .seconds(10))
        #expect(plans.collector.faults[4].until == start + .seconds(20))
        #expect(
            plans.schedule.deviceEntries == [
                .init(
                    from: start + .seconds(20), until: start + .seconds(25), network: .none, share: 0.3,
                    population: 0)
            ])
        #expect(
            plans.marks.map(\.text) == [
                "collector: answers held for 1m30s", "collector: latency around 120ms (sigma 0.8), for 1s",
                "collector: latency 250ms, for 1s",
                "collector: connections reset, device 3, upload 0, for 1s",
                "collector: status 503, 50 % of requests, for 10s",
                "network: none, 30 % of devices, ios, for 5s",
            ])
    }

    @Test("a collector that is not ours gets no entry, and the list says which")
    func external() throws {
        let text = scenario(
            #""timeline": [{"at": "1s", "for": "1s", "collector": {"fault": "outage"}}, {"at": "2s", "remoteConfig": {"disableSDK": true}}, {"at": "3s", "device": {"network": "2g"}}]"#
        )
        let document = try document(text)
        #expect(document.collectorEntries.map(\.pointer) == ["/timeline/0", "/timeline/1"])
        let plans = document.plans(start: start, controlsCollector: false)
        #expect(plans.collector.faults.isEmpty)
        #expect(plans.collector.configs.map(\.version) == ["0"])
        #expect(plans.schedule.deviceEntries.count == 1)
        #expect(plans.marks.map(\.text) == ["network: 2g"])
    }

    private func configs(_ timeline: String) throws -> [(at: Interval, version: String, body: String)] {
        try document(scenario(#""timeline": [\#(timeline)]"#)).plans(start: start).collector.configs.map {
            ($0.from - start, $0.version, String(decoding: $0.body, as: UTF8.self))
        }
    }

    @Test("before every entry the defaults are served, as version 0")
    func defaultConfig() throws {
        let served = try configs("")
        #expect(served.map(\.version) == ["0"])
        #expect(served[0].at < .zero)
        #expect(
            served[0].body
                == #"{"v": "0", "configs": {"disableSDK": false, "disableDebugMode": false, "autoTrackMode": -1, "event_blacklist": [], "effect_mode": 0}}"#
        )
    }

    @Test("an entry replaces the configuration whole, and its end brings the one before back")
    func restored() throws {
        let served = try configs(
            """
            {"at": "10s", "remoteConfig": {"eventBlacklist": ["A\\"b"], "v": "2"}},
            {"at": "20s", "for": "10s", "remoteConfig": {"disableSDK": true, "effectMode": 1, "autoTrackMode": 3}}
            """)
        #expect(served.map(\.version) == ["0", "2", "1", "3"])
        #expect(served.dropFirst().map(\.at) == [.seconds(10), .seconds(20), .seconds(30)])
        #expect(served[2].body.contains(#""disableSDK": true"#))
        #expect(served[2].body.contains(#""event_blacklist": []"#))
        #expect(served[3].body.contains(#""event_blacklist": ["A\"b"]"#))
        #expect(served[3].body.contains(#""v": "3""#))
    }

    @Test("the end of an entry that another covers changes nothing")
    func covered() throws {
        let served = try configs(
            """
            {"at": "10s", "for": "10s", "remoteConfig": {"disableSDK": true}},
            {"at": "15s", "for": "20s", "remoteConfig": {"disableDebugMode": true}}
            """)
        #expect(served.dropFirst().map(\.at) == [.seconds(10), .seconds(15), .seconds(35)])
        #expect(served[3].body.contains(#""disableSDK": false, "disableDebugMode": false"#))
    }
}

@Suite("Warnings")
struct WarningTests {
    private func warnings(_ extra: String = "", population: String = "") throws -> [String] {
        try document(scenario(extra, population: population)).warnings.map(\.pointer)
    }

    @Test("a good scenario has none")
    func none() throws {
        #expect(try warnings() == [])
    }

    @Test("knobs that the real setters would clamp")
    func clamps() throws {
        let sdk =
            #""sdk": {"upload": {"flushBulkSize": 10, "flushInterval": "1s", "batch": 20}, "storage": {"limit": 500, "prefill": 500}}"#
        let base = "/populations/0/sdk/"
        let old = [
            "storage/limit", "upload/flushInterval", "upload/batch", "storage/prefill",
        ].map { base + $0 }
        #expect(try warnings(population: sdk) == old)
        let new = try warnings(population: #""version": "4.9.1", "# + sdk)
        #expect(Set(new) == Set(old + [base + "upload/flushBulkSize"]))
        #expect(try warnings(population: #""version": "document", "# + sdk) == [base + "storage/prefill"])
    }

    @Test("what happens at or after the end does not happen")
    func late() throws {
        let text = scenario(
            #""timeline": [{"at": "1m", "device": {"network": "none"}}, {"at": "59s", "device": {"network": "none"}}]"#
        )
        let document = try document(text)
        #expect(document.warnings.map(\.pointer) == ["/timeline/0/at"])
        #expect(document.timeline.map(\.pointer) == ["/timeline/1"])
        #expect(try warnings(population: #""arrival": {"over": "2m"}"#) == ["/populations/0/arrival/over"])
    }

    @Test("configurations that nobody fetches, devices that are not there, models that nobody uses")
    func unused() throws {
        #expect(
            try warnings(
                #""timeline": [{"at": "1s", "remoteConfig": {}}]"#,
                population: #""sdk": {"remoteConfig": {"enabled": false}}"#) == ["/timeline/0"])
        #expect(
            try warnings(
                #""timeline": [{"at": "1s", "remoteConfig": {}}]"#, population: #""version": "4.9.1""#)
                == ["/timeline/0"])
        #expect(
            try warnings(#""timeline": [{"at": "1s", "collector": {"fault": "reset", "device": 10}}]"#) == [
                "/timeline/0"
            ])
        #expect(
            try warnings(#""personas": {"a": {}}, "networks": {"n": {}}"#) == ["/personas/a", "/networks/n"])
        #expect(try warnings(#""target": {"url": "http://h:1"}"#) == ["/target/url"])
        #expect(try warnings(population: #""rate": "20000/s""#) == ["/populations/0/rate"])
        #expect(
            try warnings(population: #""sdk": {"upload": {"networks": []}}"#) == [
                "/populations/0/sdk/upload/networks"
            ])
    }
}
