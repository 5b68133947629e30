extension KitFixture {
    static let scenarios = [kitAnswers, kitMidnight]

    private static let kitSystems: [SystemMember] = [
        .kit("1.0"), .kit("document"), .kit("1.0", name: "kit-sent-only", sdk: #""clear": "sent-only""#),
    ]

    /// One upload for each device, at a time of its own: rows of pages tell no device, so a fault finds it by
    /// that time.
    private static let kitAnswers = {
        let faults =
            ["", #""fault": "latency", "latency": "900ms""#] + [200, 204, 413, 503].map(status) + [
                #""fault": "wrongContent""#, #""fault": "acceptThenDie""#, #""fault": "reset""#,
                #""fault": "truncate""#, #""fault": "stall", "hold": "2s""#,
            ]
        var text = ScenarioText(seed: 68, duration: "6s")
        text.systems = kitSystems.map {
            SystemMember(
                name: $0.name, system: $0.system, version: $0.version,
                sdk: $0.sdk + #", "upload": {"timeout": "1300ms"}"#)
        }
        text.devices = faults.count
        text.persona = "visitor"
        text.arrival = "5500ms"
        for (device, fault) in faults.enumerated() where !fault.isEmpty {
            text.timeline.append(
                #"{"at": "\#(device * 500 - 150)ms", "for": "400ms", "collector": {\#(fault)}}"#)
        }
        return ConformanceScenario(
            "kit answers",
            shows: ["delivered", "pending/stored", "audit/swallowed", "audit/recovered"], json: text.text)
    }()

    /// Midnight passes while archives are on their way: the day that has just ended goes unsent. Processes end
    /// and start again, and send that day.
    private static let kitMidnight = {
        var text = ScenarioText(seed: 104, duration: "8s", start: "2026-03-02T23:59:58+08:00")
        text.systems = kitSystems
        text.devices = 6
        text.persona = "faller"
        text.arrival = "3s"
        text.timeline = [
            #"{"at": "0s", "for": "1800ms", "collector": {"fault": "latency", "latency": "1900ms"}}"#,
            #"{"at": "3600ms", "for": "800ms", "collector": {"fault": "acceptThenDie"}}"#,
        ]
        return ConformanceScenario(
            "kit midnight",
            shows: ["delivered", "lost/cleared_unsent", "pending/stored", "audit/duplicates"],
            json: text.text)
    }()
}
