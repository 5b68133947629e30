extension TrackingSDKFixture {
    static let scenarios = [trackingStatuses, trackingClears, trackingKills, trackingRollOuts]

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

    /// Versions of the app that give up what is refused, or take any 2xx for success, launched by one device after the
    /// other. Only what a request carried leaves the file: what else is in there would be the answers' affair.
    private static let trackingRollOuts = {
        var text = ScenarioText(seed: 105, duration: "7s")
        text.systems = ["keeps", "waits"].map {
            .trackingSDK("tracking-\($0)", sdk: #""clear": "sent-only""#)
        }
        text.persona = "faller"
        text.timeline += text.fault(status(404), device: 1)
        text.timeline += text.fault(status(404), device: 2)
        text.timeline += text.fault(status(204), device: 3)
        text.timeline.append(#"{"at": "1s", "over": "3s", "sdk": {"upload": {"keepStatuses": ["5xx"]}}}"#)
        text.timeline.append(
            #"{"at": "2s", "over": "3s", "population": "tracking-waits", "sdk": {"upload": {"success": "2xx"}}}"#
        )
        return ConformanceScenario(
            "tracking roll-outs",
            shows: ["delivered", "rejected/404", "pending/stored", "audit/swallowed"],
            tolerates: trackingMoves(text), json: text.text)
    }()
}
