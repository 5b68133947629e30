extension ConformanceSuite {
    /// What a collector can do to its answers, and to whom it gives them.
    static let answerScenarios = [
        slowBodies, cutAnswers, captivePortal, retryAfter, backoff, capacity, deployment,
    ]

    /// Bodies that drip: in time, and beyond the SDK's limit, which passes a tenth of a second before the
    /// next user action.
    private static let slowBodies = {
        var text = ScenarioText(seed: 41)
        text.upload += ", \"timeout\": \"625ms\""
        let slow = "\"fault\": \"slowBody\", \"bytesPerSecond\": 1000, \"bytes\""
        text.timeline += text.fault("\(slow): 300", device: 0, upload: 1)
        text.timeline += text.fault("\(slow): 3000", device: 1, upload: 1)
        text.timeline += text.fault("\(slow): 2000", device: 2, upload: 0)
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 413", device: 0, upload: 1)
        return ConformanceScenario(
            "slow bodies", shows: ["delivered", "rejected/413", "audit/duplicates"], json: text.text)
    }()

    /// Answers that end in the middle of their body: stored, and unknown to the device.
    private static let cutAnswers = {
        var text = ScenarioText(seed: 142)
        text.timeline += text.fault("\"fault\": \"truncate\"", device: 0, upload: 1)
        text.timeline += text.fault("\"fault\": \"truncate\", \"bytes\": 200000", device: 1, upload: 0)
        text.timeline += text.fault("\"fault\": \"truncate\", \"bytes\": 1", device: 2)
        return ConformanceScenario(
            "cut answers", shows: ["delivered", "pending/stored", "audit/duplicates", "audit/recovered"],
            json: text.text)
    }()

    /// Pages of somebody else: a 200 loses events silently, other statuses are the versions' business.
    private static let captivePortal = {
        var text = ScenarioText(seed: 43)
        text.timeline += text.fault("\"fault\": \"wrongContent\"", device: 0, upload: 1)
        text.timeline += text.fault("\"fault\": \"wrongContent\", \"status\": 302", device: 1, upload: 1)
        text.timeline += text.fault(
            "\"fault\": \"wrongContent\", \"status\": 511, \"body\": \"<p>\"", device: 2, upload: 1)
        return ConformanceScenario(
            "captive portal", shows: ["delivered", "rejected/302", "audit/swallowed"], json: text.text)
    }()

    /// Devices that heed `Retry-After`. Whole seconds after an answer is a little after a user action,
    /// which therefore does not upload yet; the next one does.
    private static let retryAfter = {
        var text = ScenarioText(seed: 44, duration: "7s")
        text.upload += ", \"retryAfter\": true"
        for (device, status) in [503, 429].enumerated() {
            let fault = "\"fault\": \"status\", \"status\": \(status), \"retryAfter\": \"2s\""
            text.timeline += text.fault(fault, device: device, upload: 1)
            text.timeline += text.fault(fault, device: device, upload: 2)
        }
        text.timeline += text.fault(
            "\"fault\": \"status\", \"status\": 500, \"retryAfter\": \"2s\"", device: 2, upload: 1)
        return ConformanceScenario("retry after", shows: ["delivered", "rejected/429"], json: text.text)
    }()

    /// Devices that wait after failures. The waits of 1.1 and 2.2 s end 100 and 50 ms after a user action, however late
    /// answers are within the slack; a flush is one request, so that the answers' times set nothing off.
    private static let backoff = {
        var text = ScenarioText(seed: 47, duration: "8s")
        text.upload += ", \"maxBatchesPerFlush\": 1, "
        text.upload += "\"backoff\": {\"initial\": \"1100ms\", \"factor\": 2, \"max\": \"1h\"}"
        for upload in 1...2 {
            text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 0, upload: upload)
        }
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 500", device: 1, upload: 1)
        return ConformanceScenario("back-off", shows: ["delivered"], json: text.text)
    }()

    /// A queue for each of two devices: 600 ms for a request, 780 ms for one that waits; who finds no place
    /// is turned away. A flush is one request, so that the answers' times set nothing off.
    private static let capacity = {
        var text = ScenarioText(seed: 45, duration: "4s")
        text.upload = "\"flushBulkSize\": 1, \"flushInterval\": \"1h\", \"maxBatchesPerFlush\": 1"
        let limit = "\"fault\": \"capacity\", \"rate\": \"100 requests/min\""
        text.timeline += text.fault("\(limit), \"queue\": 1, \"degrade\": 0.3", device: 0)
        text.timeline += text.fault("\(limit), \"queue\": 0, \"status\": 429", device: 1)
        return ConformanceScenario("capacity", shows: ["delivered", "rejected/429"], json: text.text)
    }()

    /// The only instance restarts: down from the middle between two actions to another such middle, then
    /// late.
    private static let deployment = {
        var text = ScenarioText(seed: 46, duration: "6s")
        text.upload += ", \"maxBatchesPerFlush\": 1"
        text.timeline = [
            """
            {"at": "1278ms", "for": "3s",
             "collector": {"fault": "deploy", "instances": 1, "down": "1s", "warmUp": "1s",
                           "latency": "300ms"}}
            """
        ]
        return ConformanceScenario("deployment", shows: ["delivered"], json: text.text)
    }()
}
