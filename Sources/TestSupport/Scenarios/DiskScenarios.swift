extension ConformanceSuite {
    /// Disks that fill up, lock up and break. Times of the timeline lie in the middle between two actions
    /// of `metronome`, as among ``deviceScenarios``.
    static let diskScenarios = [fullDisk, readOnlyDisk, brokenFile, disksOfFallers]

    /// 4.9.1 sends what it could not mark again and again, up to 41 batches a flush. One of them is
    /// over before anything changes.
    private static let upload =
        "\"flushBulkSize\": 4, \"flushInterval\": \"1h\", \"maxBatchesPerFlush\": 1"

    /// Full for a while, with rows in the store, some of which are sent and cannot be deleted, and with a
    /// store that is full itself.
    private static let fullDisk = {
        var text = ScenarioText(seed: 41, duration: "6s")
        text.devices = 6
        text.storage = "\"limit\": 12, \"evict\": 3, \"prefill\": 9"
        text.upload = upload
        text.timeline = [
            #"{"at": "0s", "for": "1278ms", "collector": {"fault": "status", "status": 503}}"#,
            #"{"at": "1278ms", "for": "2s", "share": 0.6, "device": {"disk": "full"}}"#,
            #"{"at": "4278ms", "for": "500ms", "device": {"disk": "full"}, "population": "ios-491"}"#,
        ]
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 1)
        return ConformanceScenario(
            "full disk",
            shows: ["delivered", "lost/storage_error", "evicted/storage_limit", "audit/duplicates"],
            json: text.text)
    }()

    /// Read-only from before the first launch, and one entry within another.
    private static let readOnlyDisk = {
        var text = ScenarioText(seed: 42, duration: "6s")
        text.devices = 6
        text.upload = upload
        text.timeline = [
            #"{"at": "0s", "for": "1528ms", "share": 0.4, "device": {"disk": "readOnly"}}"#,
            #"{"at": "1278ms", "for": "1s", "collector": {"fault": "status", "status": 503}}"#,
            #"{"at": "2278ms", "for": "2s", "share": 0.6, "device": {"disk": "readOnly"}}"#,
            #"{"at": "2778ms", "for": "750ms", "share": 0.5, "device": {"disk": "full"}}"#,
        ]
        return ConformanceScenario(
            "read-only disk", shows: ["delivered", "lost/storage_error", "audit/duplicates"],
            json: text.text)
    }()

    /// Damaged files, some of them with rows in them, some while a request carries them.
    private static let brokenFile = {
        var text = ScenarioText(seed: 43, duration: "6s")
        text.devices = 6
        text.storage = "\"prefill\": 6"
        text.upload = upload
        text.timeline = [
            #"{"at": "1278ms", "share": 0.4, "device": {"disk": "corrupt"}}"#,
            #"{"at": "3278ms", "share": 0.4, "device": {"disk": "corrupt"}, "population": "ios-11017"}"#,
        ]
        for device in 0..<2 {
            text.timeline += text.fault(
                "\"fault\": \"latency\", \"latency\": \"1550ms\"", device: device, upload: 1)
            text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 2 + device)
        }
        return ConformanceScenario(
            "broken file", shows: ["delivered", "lost/storage_error"], json: text.text)
    }()

    /// Processes that die and start again on failing disks: what each start finds, and what only memory
    /// had. Without a radio until the users have gone, so that no answer meets a kill.
    private static let disksOfFallers = {
        var text = ScenarioText(seed: 44, duration: "8s")
        text.devices = 8
        text.persona = "faller"
        text.storage = "\"limit\": 20, \"evict\": 4, \"vacuum\": true"
        text.upload = """
            "flushBulkSize": 100, "flushInterval": "600ms", "onBackground": false, "onLaunch": false
            """
        text.timeline = [
            #"{"at": "0s", "for": "8s", "device": {"network": "none"}}"#,
            #"{"at": "0s", "for": "1s", "share": 0.4, "device": {"disk": "full"}}"#,
            #"{"at": "2s", "for": "1s", "share": 0.5, "device": {"disk": "readOnly"}}"#,
            #"{"at": "4s", "for": "1500ms", "share": 0.5, "device": {"disk": "full"}}"#,
            #"{"at": "5s", "share": 0.2, "device": {"disk": "corrupt"}}"#,
        ]
        return ConformanceScenario(
            "disks of fallers", shows: ["delivered", "lost/storage_error", "lost/killed"],
            json: text.text)
    }()
}
