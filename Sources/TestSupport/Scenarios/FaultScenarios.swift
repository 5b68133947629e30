extension ConformanceSuite {
    /// What a collector can do to one upload of one device.
    static let faultScenarios = [statuses, brokenConnections, lateAnswers, latency, neverAcknowledged]

    /// Every status, at the second and third upload of a device of its own. 4.9.1 drops after some, a
    /// 2xx loses events without anybody's notice.
    private static let statuses = {
        let codes = [200, 204, 302, 400, 403, 404, 413, 429, 500, 503]
        var text = ScenarioText(seed: 11)
        text.devices = codes.count
        for (device, status) in codes.enumerated() {
            for upload in [1, 2] {
                text.timeline += text.fault(
                    "\"fault\": \"status\", \"status\": \(status)", device: device, upload: upload)
            }
        }
        return ConformanceScenario(
            "statuses",
            shows: [
                "delivered", "rejected/400", "rejected/413", "rejected/429", "rejected/302",
                "audit/swallowed",
            ],
            json: text.text)
    }()

    /// Connections that end before reading, or after storing: copies, and events held that no device
    /// knows of.
    private static let brokenConnections = {
        var text = ScenarioText(seed: 12)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 0, upload: 1)
        text.timeline += text.fault("\"fault\": \"acceptThenDie\"", device: 1, upload: 1)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 2, upload: 1)
        text.timeline += text.fault("\"fault\": \"acceptThenDie\"", device: 2, upload: 2)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 3, upload: 0)
        return ConformanceScenario(
            "broken connections", shows: ["delivered", "audit/duplicates"], json: text.text)
    }()

    /// Answers that come after the SDK gave up: the limit passes a tenth of a second before the next
    /// user action.
    private static let lateAnswers = {
        var text = ScenarioText(seed: 13)
        text.upload += ", \"timeout\": \"625ms\""
        text.timeline += text.fault("\"fault\": \"stall\", \"hold\": \"1500ms\"", device: 0, upload: 1)
        text.timeline += text.fault("\"fault\": \"stall\", \"hold\": \"3s\"", device: 1, upload: 0)
        text.timeline += text.fault("\"fault\": \"latency\", \"latency\": \"300ms\"", device: 2, upload: 1)
        return ConformanceScenario(
            "answers after the limit", shows: ["delivered", "audit/duplicates"], json: text.text)
    }()

    /// Slow answers: 1.10.17 keeps events in memory meanwhile, 4.9.1 uploads side by side.
    private static let latency = {
        var text = ScenarioText(seed: 14, duration: "6s")
        for device in 0..<3 {
            let latency = "\"fault\": \"latency\", \"latency\": \"\([1300, 1550, 2050][device])ms\""
            text.timeline += text.fault(latency, device: device, upload: 1)
        }
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 413", device: 1, upload: 1)
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 2, upload: 1)
        return ConformanceScenario("latency", shows: ["delivered", "rejected/413"], json: text.text)
    }()

    /// Devices whose uploads are stored and never acknowledged, or never read: recovered and pending.
    private static let neverAcknowledged = {
        var text = ScenarioText(seed: 15)
        text.timeline += text.fault("\"fault\": \"acceptThenDie\"", device: 0)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 1)
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 500", device: 2)
        return ConformanceScenario(
            "never acknowledged",
            shows: ["delivered", "pending/stored", "audit/recovered", "audit/duplicates"], json: text.text)
    }()
}
