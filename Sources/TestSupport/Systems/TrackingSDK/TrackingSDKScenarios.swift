extension TrackingSDKFixture {
    static let scenarios = [trackingStatuses, trackingClears, trackingKills]

    /// Which events of the start travel together is the answers' affair, and that of events closer than an answer.
    private static func trackingMoves(_ text: ScenarioText) -> Set<ConformanceScenario.Tolerance> {
        Set((text.systems ?? []).indices.map(ConformanceScenario.Tolerance.undeterminedAttemptsOf))
    }

    /// As printed, corrected, and with any 2xx for success.
    private static let trackingSystems: [SystemMember] = [
        .trackingSDK(), .trackingSDK("tracking-sent-only", sdk: #""clear": "sent-only""#),
        .trackingSDK("tracking-2xx", sdk: #""upload": {"success": "2xx"}"#),
    ]

    /// Each event is an upload; `metronome` leaves time for an answer between two of them, but for those of
    /// the start: which of these travel together is the answers' affair.
    private static let trackingStatuses = {
        let faults =
            [200, 204, 302, 413, 500, 503].map(status) + [
                #""fault": "wrongContent""#, #""fault": "acceptThenDie""#, #""fault": "reset""#,
                #""fault": "truncate""#,
            ]
        var text = ScenarioText(seed: 65)
        text.systems = trackingSystems
        text.devices = faults.count
        for (device, fault) in faults.enumerated() {
            for upload in [6, 7] { text.timeline += text.fault(fault, device: device, upload: upload) }
        }
        return ConformanceScenario(
            "tracking statuses", shows: ["delivered", "audit/swallowed", "audit/duplicates"],
            tolerates: trackingMoves(text), json: text.text)
    }()

    /// Slow answers remove what came meanwhile, whose own requests fail; or wait for a socket.
    private static let trackingClears = {
        var text = ScenarioText(seed: 66, duration: "6s")
        text.systems =
            trackingSystems + [.trackingSDK("tracking-one-socket", sdk: #""upload": {"sockets": 1}"#)]
        text.timeline += text.fault(
            #""fault": "latency", "latency": "1375ms""#, device: 0, upload: 6)
        for upload in 7..<12 { text.timeline += text.fault(status(503), device: 0, upload: upload) }
        text.timeline += text.fault(#""fault": "latency", "latency": "875ms""#, device: 1, upload: 6)
        text.timeline += text.fault(#""fault": "reset""#, device: 1, upload: 8)
        text.timeline += text.fault(status(500), device: 2)
        return ConformanceScenario(
            "tracking clears", shows: ["delivered", "lost/cleared_unsent", "pending/stored"],
            tolerates: trackingMoves(text), json: text.text)
    }()

    /// The file outlives the process.
    private static let trackingKills = {
        var text = ScenarioText(seed: 107, duration: "7s")
        text.systems = trackingSystems
        text.persona = "faller"
        text.timeline += text.fault(#""fault": "acceptThenDie""#, device: 1)
        text.timeline += text.fault(status(503), device: 2)
        return ConformanceScenario(
            "tracking kills", shows: ["delivered", "pending/stored", "audit/duplicates", "audit/recovered"],
            tolerates: trackingMoves(text), json: text.text)
    }()
}
