import Scenario
import Timebase

extension SystemMember {
    /// A preset, with knobs that suit runs of seconds.
    static func declared(_ preset: String, _ name: String? = nil, sdk: String) -> SystemMember {
        SystemMember(
            name: name ?? preset.filter { $0 != "." && $0 != " " }, system: "declared", version: preset,
            sdk: sdk)
    }
}

extension DeclaredFixture {
    /// One upload after four events, and at no other moment: what comes while it waits for its answer waits too.
    private static let quick =
        #""flushBulkSize": 4, "flushInterval": "1h", "onForeground": false, "onBackground": false, "maxBatchesPerFlush": 1"#

    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember] {
        versions.map { .declared($0, sdk: "\"upload\": {\(quick)\(count($0))}\(calm($0))") }
    }

    /// What keeps its rows after a failure, and waits for nothing, would try again at each further event: how often, would
    /// hang on how long answers take.
    private static func count(_ version: String) -> String {
        version.hasPrefix("ga4") || version.hasPrefix("aptabase") ? #", "countOf": "sinceFlush""# : ""
    }

    /// Nothing is captured in the moment before a process may die, and nothing tries again by itself, which it would when
    /// an answer's time says.
    private static func calm(_ version: String) -> String {
        let wakes = ["amplitude", "otlp", "rudderstack"].contains { version.hasPrefix($0) }
        // They have no event for it.
        let isSilent = ["aptabase", "countly", "ga4", "mixpanel"].contains { version.hasPrefix($0) }
        return (wakes ? #", "retry": {"wakes": false}"# : "")
            + (isSilent ? "" : #", "events": {"background": {"off": true}}"#)
    }

    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember {
        // Files are batches of their own, for which there is less to draw.
        let inFiles = ["amplitude", "countly", "segment"]
        let rows = versions.filter { version in !inFiles.contains { version.hasPrefix($0) } }
        return .declared(RandomScenario.pick(rows, &draw), sdk: knobs(&draw))
    }

    private static func knobs(_ draw: inout RandomStream) -> String {
        let verdicts = ["retry", "keep", "drop", "halve", "split"]
        return """
            "storage": {"backend": "\(RandomScenario.pick(["memory", "file", "sqlite"], &draw))",
                        "limit": \(5 + draw.below(60)), "evict": \(1 + draw.below(5)), "removeBy": "id",
                        "evictAt": "\(RandomScenario.pick(["insert", "flush"], &draw))", "ttl": "\(1 + draw.below(9))s"},
            "upload": {"flushBulkSize": \(1 + draw.below(8)), "flushInterval": "\(200 + draw.below(2000))ms",
                       "timerRuns": "\(RandomScenario.pick(["foreground", "always"], &draw))",
                       "onLaunch": \(draw.chance(0.5)), "onBackground": \(draw.chance(0.5)),
                       "whenOffline": "\(RandomScenario.pick(["try", "wait"], &draw))", "batch": \(1 + draw.below(9)),
                       "maxBatchesPerFlush": \(1 + draw.below(5)), "concurrency": \(1 + draw.below(4)),
                       "timeout": "\(100 + draw.below(4000))ms"},
            "answers": [["\(RandomScenario.pick(["200", "2xx"], &draw))", "delivered"],
                        ["413 5xx", "\(RandomScenario.pick(verdicts, &draw))"],
                        ["network", "\(RandomScenario.pick(verdicts, &draw))"], ["*", "retry"]],
            "retry": {"backoff": {"shape": "exponential", "factor": 1.5, "initial": "\(50 + draw.below(500))ms", "max": "5s"},
                      "wakes": \(draw.chance(0.5)), "attempts": \(draw.below(6)),
                      "exhausted": "\(RandomScenario.pick(["dropBatch", "clear", "latch"], &draw))"}
            """
    }

    /// What each verdict makes of the rows: presets, and tables that split a batch, clear what was not sent, or give up at
    /// once. The users act each quarter of a second.
    static let declaredAnswers = {
        let faults =
            [200, 204, 302, 400, 413, 429, 500].map(status) + [
                #""fault": "wrongContent""#, #""fault": "acceptThenDie""#, #""fault": "reset""#,
                #""fault": "truncate""#, #""fault": "latency", "latency": "375ms""#,
            ]
        var text = ScenarioText(seed: 301, duration: "9s")
        text.systems =
            members(in: text, versions: ["posthog-ios 3.69.3", "mixpanel-ios 6.5.1"]) + [
                .declared(
                    "posthog-ios 3.69.3", "splits", sdk: table(#"["413 4xx", "split"], ["*", "keep"]"#)),
                .declared(
                    "posthog-ios 3.69.3", "clears",
                    sdk: table(
                        #"["3xx 4xx", "drop"], ["*", "keep"]"#, first: #"["200", "deliveredClear"], "#)),
                .declared(
                    "mixpanel-ios 6.5.1", "gives-up",
                    sdk: "\"upload\": {\(quick)}, \"retry\": {\"attempts\": 1, \"exhausted\": \"dropBatch\"}"),
            ]
        text.devices = faults.count
        for (device, fault) in faults.enumerated() {
            for upload in [1, 2] { text.timeline += text.fault(fault, device: device, upload: upload) }
        }
        return ConformanceScenario(
            "declared answers",
            shows: [
                "delivered", "rejected/400", "lost/cleared_unsent", "audit/swallowed", "audit/duplicates",
            ],
            json: text.text)
    }()

    private static func table(_ rules: String, first: String = "") -> String {
        """
        "upload": {\(quick)}, "answers": [\(first)["2xx", "delivered"], \(rules)],
        "retry": {"backoff": null, "attempts": null, "exhausted": null}
        """
    }

    /// Stores that are full, rows that are too old, several requests beside each other, and the newest first.
    static let declaredStores = {
        var text = ScenarioText(seed: 302, duration: "8s")
        text.systems = [
            .declared(
                "posthog-ios 3.69.3", "small",
                sdk: "\"storage\": {\"limit\": 6, \"evict\": 3}, \"upload\": {\(quick)}"),
            .declared(
                "posthog-ios 3.69.3", "at-flush",
                sdk: """
                    "storage": {"limit": 6, "evictAt": "flush", "removeBy": "id"}, "upload": {\(quick)},
                    "answers": [["2xx", "delivered"], ["*", "keep"]], "retry": {"backoff": null, "attempts": null, "exhausted": null}
                    """),
            .declared(
                "mixpanel-ios 6.5.1", "old",
                sdk: """
                    "storage": {"ttl": "1800ms", "order": "newest"}, "upload": {\(quick), "batch": 3, "concurrency": 3},
                    "answers": [["2xx", "delivered"], ["*", "keep"]], "retry": {"backoff": null}
                    """),
        ]
        text.devices = 3
        text.timeline = [
            #"{"at": "1150ms", "for": "3s", "collector": {"fault": "status", "status": 503}}"#
        ]
        return ConformanceScenario(
            "declared stores",
            shows: ["delivered", "evicted/storage_limit", "evicted/expired"], json: text.text)
    }()

    /// Processes that end while events wait: files outlive them.
    static let declaredKills = {
        var text = ScenarioText(seed: 303, duration: "8s")
        text.systems = members(
            in: text, versions: ["posthog-ios 3.69.3", "mixpanel-ios 6.5.1", "segment-ios 1.10.0"])
        text.devices = 4
        text.persona = "faller"
        return ConformanceScenario(
            "declared kills", shows: ["delivered", "pending/stored"], json: text.text)
    }()

    /// A version of the app that gives up what is refused and sends after three events, launched by one device after the
    /// other. Who counts events since the last flush does not ask whether that one has its answer. PostHog may send 3 ms
    /// before a process dies, and where it was late, not any more.
    static let declaredRollOuts = {
        var text = ScenarioText(seed: 101, duration: "7s")
        let counting = table(#"["*", "keep"]"#).replacing(
            #""maxBatchesPerFlush": 1"#, with: #""maxBatchesPerFlush": 1, "countOf": "sinceFlush""#)
        text.systems = ["posthog-ios 3.69.3", "mixpanel-ios 6.5.1"].map {
            .declared($0, sdk: counting + calm($0))
        }
        text.devices = 5
        text.persona = "faller"
        for device in 0..<4 { text.timeline += text.fault(status(404), device: device) }
        text.timeline.append(
            """
            {"at": "1s", "over": "3s", "sdk": {"upload": {"flushBulkSize": 3},
             "answers": [["2xx", "delivered"], ["4xx", "drop"], ["*", "keep"]]}}
            """)
        return ConformanceScenario(
            "declared roll-outs", shows: ["delivered", "rejected/404", "pending/stored"],
            tolerates: [.undeterminedAttemptsOf(population: 0)], json: text.text)
    }()
}
