extension ConformanceSuite {
    /// What can go wrong on the devices' side of the network.
    static let clientScenarios = [
        lostReplies, brokenOff, dropped, delayed, sharedFaults, clientFaultsOfFetches,
    ]

    /// Replies that are lost: delivered whole, seen as a reset or not at all. Copies, never wrong books.
    private static let lostReplies = {
        var text = ScenarioText(seed: 51)
        text.upload += ", \"timeout\": \"625ms\""
        text.timeline += text.clientFault("\"fault\": \"lostReply\"", device: 0, upload: 1)
        text.timeline += text.clientFault(
            "\"fault\": \"lostReply\", \"as\": \"timeout\"", device: 1, upload: 1)
        text.timeline += text.clientFault("\"fault\": \"lostReply\"", device: 2)
        // What the collector refuses is not lost.
        text.timeline += text.clientFault("\"fault\": \"lostReply\"", device: 3, upload: 1)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 3, upload: 1)
        return ConformanceScenario(
            "lost replies", shows: ["delivered", "pending/stored", "audit/duplicates", "audit/recovered"],
            json: text.text)
    }()

    /// Connections that are reset before a request is whole, new ones and idle ones.
    private static let brokenOff = {
        var text = ScenarioText(seed: 52)
        text.timeline += text.clientFault("\"fault\": \"reset\"", device: 0, upload: 0)
        text.timeline += text.clientFault("\"fault\": \"reset\"", device: 0, upload: 2)
        text.timeline += text.clientFault("\"fault\": \"reset\", \"after\": \"half\"", device: 1, upload: 0)
        text.timeline += text.clientFault("\"fault\": \"reset\", \"after\": \"half\"", device: 1, upload: 2)
        text.timeline += text.clientFault("\"fault\": \"reset\", \"after\": \"half\"", device: 2)
        return ConformanceScenario("broken off", shows: ["delivered", "pending/stored"], json: text.text)
    }()

    /// Requests that never leave: the limit ends them, a tenth of a second before the next user action.
    private static let dropped = {
        var text = ScenarioText(seed: 53)
        text.upload += ", \"timeout\": \"625ms\""
        text.timeline += text.clientFault("\"fault\": \"drop\"", device: 0, upload: 1)
        text.timeline += text.clientFault("\"fault\": \"drop\"", device: 1, upload: 0)
        text.timeline += text.clientFault("\"fault\": \"drop\"", device: 2)
        return ConformanceScenario("dropped", shows: ["delivered", "pending/stored"], json: text.text)
    }()

    /// Requests that leave late, too late, and late into an outage. A flush is one request, so that the
    /// answers' times set nothing off.
    private static let delayed = {
        var text = ScenarioText(seed: 54, duration: "6s")
        text.upload += ", \"timeout\": \"1625ms\", \"maxBatchesPerFlush\": 1"
        for (device, latency) in ["300ms", "1300ms", "5s", "800ms"].enumerated() {
            text.timeline += text.clientFault(
                "\"fault\": \"delay\", \"latency\": \"\(latency)\"", device: device, upload: 1)
        }
        text.timeline += text.clientFault("\"fault\": \"lostReply\"", device: 0, upload: 3)
        text.timeline += [#"{"at": "1778ms", "for": "1s", "collector": {"fault": "outage"}}"#]
        return ConformanceScenario("delayed", shows: ["delivered"], json: text.text)
    }()

    /// Shares of the requests and of the devices, drawn by seed: the same ones in every world.
    private static let sharedFaults = {
        var text = ScenarioText(seed: 55, duration: "6s")
        text.devices = 12
        text.upload += ", \"timeout\": \"625ms\", \"maxBatchesPerFlush\": 1"
        text.timeline = [
            #"{"at": "0s", "share": 0.3, "client": {"fault": "lostReply"}}"#,
            #"{"at": "0s", "share": 0.2, "population": "ios-491", "client": {"fault": "drop"}}"#,
            #"{"at": "1278ms", "for": "2s", "client": {"fault": "reset", "deviceShare": 0.4, "after": "half"}}"#,
        ]
        return ConformanceScenario(
            "shared faults of clients", shows: ["delivered", "audit/duplicates"], json: text.text)
    }()

    /// Fetches of the configuration meet them too, and are tried again.
    private static let clientFaultsOfFetches = {
        var text = ScenarioText(seed: 56)
        text.persona = "idler"
        text.arrival = "1200ms"
        text.remoteConfig =
            "\"minInterval\": \"0s\", \"maxInterval\": \"0s\", \"retryDelay\": \"1s\", \"timeout\": \"700ms\""
        text.timeline = [
            #"{"at": "0s", "for": "500ms", "client": {"fault": "reset"}}"#,
            #"{"at": "500ms", "for": "400ms", "client": {"fault": "drop"}}"#,
            #"{"at": "0s", "remoteConfig": {"autoTrackMode": 0, "effectMode": 1}}"#,
        ]
        return ConformanceScenario(
            "fetches on a bad network", shows: ["delivered"], tolerates: [.answerTimes], json: text.text)
    }()
}
