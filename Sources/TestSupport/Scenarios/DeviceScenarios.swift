extension ConformanceSuite {
    /// What devices' stores, networks and modes do. Times of the timeline lie in the middle between two
    /// actions of `metronome`, which come 403 ms after the start and every 250 ms from then on.
    static let deviceScenarios = [
        eviction, evictionInFlight, storageErrors, debugOnly, debugAndTrack, networkHoles, outage, untagged,
        inFlightAtTheEnd,
    ]

    /// Full stores: prefilled beyond the limit, then a collector that refuses for a while.
    private static let eviction = {
        var text = ScenarioText(seed: 21, duration: "6s")
        text.storage = "\"limit\": 10, \"evict\": 3, \"prefill\": 12"
        for upload in 0..<9 {
            text.timeline += text.fault(
                "\"fault\": \"status\", \"status\": 503", device: 0, upload: upload)
        }
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 1)
        return ConformanceScenario(
            "eviction", shows: ["delivered", "evicted/storage_limit", "pending/stored"], json: text.text)
    }()

    /// 4.9.1 evicts rows that a request carries; an answer of success still delivers them.
    private static let evictionInFlight = {
        var text = ScenarioText(seed: 22, duration: "6s")
        text.storage = "\"limit\": 6, \"evict\": 2"
        text.upload = "\"flushBulkSize\": 2, \"flushInterval\": \"1h\""
        for device in 0..<3 {
            text.timeline += text.fault(
                "\"fault\": \"latency\", \"latency\": \"2050ms\"", device: device, upload: 2)
        }
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 1, upload: 2)
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 2, upload: 3)
        return ConformanceScenario(
            "eviction in flight", shows: ["delivered", "evicted/storage_limit"], json: text.text)
    }()

    /// Disks that fail: 1.10.17 drops events and deletes rows by halves, 4.9.1 keeps them in memory.
    private static let storageErrors = {
        var text = ScenarioText(seed: 23, duration: "6s")
        text.storage = "\"deleteFailureChance\": 0.3, \"insertFailureChance\": 0.2"
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 500", device: 1, upload: 1)
        return ConformanceScenario(
            "storage errors", shows: ["delivered", "lost/storage_error", "audit/duplicates"], json: text.text)
    }()

    /// Each event is a request of its own, checked and not stored; any other status drops it.
    private static let debugOnly = {
        var text = ScenarioText(seed: 24, duration: "4s")
        text.debugMode = "debugOnly"
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 0, upload: 3)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 1, upload: 4)
        return ConformanceScenario(
            "debug only", shows: ["delivered", "rejected/503", "audit/dry_run"], json: text.text)
    }()

    private static let debugAndTrack = {
        var text = ScenarioText(seed: 25, duration: "4s")
        text.debugMode = "debugAndTrack"
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 403", device: 0, upload: 3)
        text.timeline += text.fault("\"fault\": \"acceptThenDie\"", device: 1, upload: 4)
        return ConformanceScenario(
            "debug and track", shows: ["delivered", "rejected/403", "audit/duplicates"], json: text.text)
    }()

    /// Devices without a radio for a while: 1.10.17 tries all the same, 4.9.1 does not. One entry lies
    /// within the other.
    private static let networkHoles = {
        var text = ScenarioText(seed: 26, duration: "6s")
        text.devices = 8
        text.timeline = [
            #"{"at": "1278ms", "for": "3s", "share": 0.6, "device": {"network": "none"}}"#,
            #"{"at": "2278ms", "for": "1s", "share": 0.5, "device": {"network": "3g"}}"#,
            #"{"at": "1778ms", "for": "1s", "device": {"network": "2g"}, "population": "ios-491"}"#,
        ]
        return ConformanceScenario("network holes", shows: ["delivered", "offline"], json: text.text)
    }()

    /// Nobody is there for a while.
    private static let outage = {
        var text = ScenarioText(seed: 27)
        text.timeline = [#"{"at": "1778ms", "for": "1500ms", "collector": {"fault": "outage"}}"#]
        return ConformanceScenario("outage", shows: ["delivered"], json: text.text)
    }()

    /// Events without the harness's id are told apart by their natural keys.
    private static let untagged = {
        var text = ScenarioText(seed: 28)
        text.tagsEvents = false
        text.timeline = [
            #"{"at": "1778ms", "for": "1500ms", "collector": {"fault": "acceptThenDie"}}"#,
            #"{"at": "4028ms", "for": "500ms", "collector": {"fault": "status", "status": 200}}"#,
        ]
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 413", device: 1)
        return ConformanceScenario(
            "untagged", shows: ["delivered", "audit/duplicates", "audit/swallowed"], json: text.text)
    }()

    /// Requests without an answer when the run ends.
    private static let inFlightAtTheEnd = {
        var text = ScenarioText(seed: 29, duration: "3s", drain: "500ms")
        text.timeline += text.fault("\"fault\": \"stall\"", device: 0, upload: 1)
        text.timeline += text.fault("\"fault\": \"stall\", \"hold\": \"3s\"", device: 1, upload: 1)
        return ConformanceScenario(
            "in flight at the end",
            shows: ["delivered", "pending/in_flight", "pending/stored", "audit/recovered"], json: text.text)
    }()
}
