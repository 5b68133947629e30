extension ConformanceSuite {
    /// What single systems do that others do not.
    static let systemScenarios =
        growingScenarios + trackingSDKScenarios + kitScenarios + codelessScenarios

    private static func status(_ code: Int) -> String { "\"fault\": \"status\", \"status\": \(code)" }

    // MARK: GrowingIO

    private static let growingScenarios = [
        growingStatuses, growingConnections, growingVisits, growingKills,
    ]

    /// Two ticks of a device of its own for each status. Any 2xx is success; the others keep the rows, unless
    /// the rules list those that do.
    private static let growingStatuses = {
        let codes = [200, 204, 302, 400, 403, 413, 500, 503]
        var text = ScenarioText(seed: 61, duration: "6s")
        text.systems =
            SystemMember.allGrowing
            + [.growing("4.11.0", name: "growing-drops", upload: #", "keepStatuses": [403, "5xx"]"#)]
        text.devices = codes.count
        for (device, code) in codes.enumerated() {
            for upload in [3, 4] { text.timeline += text.fault(status(code), device: device, upload: upload) }
        }
        return ConformanceScenario(
            "growing statuses",
            shows: ["delivered", "rejected/302", "rejected/400", "rejected/413", "audit/swallowed"],
            json: text.text)
    }()

    /// Copies, answers after the limit, and pages of somebody else. The limit passes 75 ms after an action.
    private static let growingConnections = {
        var text = ScenarioText(seed: 62, duration: "6s")
        text.systems = ["3.2.1", "4.11.0", "document"].map {
            .growing($0, upload: #", "timeout": "700ms", "batch": 40"#)
        }
        text.devices = 7
        let faults = [
            #""fault": "acceptThenDie""#, #""fault": "reset""#, #""fault": "truncate""#,
            #""fault": "stall", "hold": "1500ms""#, #""fault": "wrongContent""#,
            #""fault": "wrongContent", "status": 511"#,
        ]
        for (device, fault) in faults.enumerated() {
            for upload in [3, 4] { text.timeline += text.fault(fault, device: device, upload: upload) }
        }
        text.timeline += text.fault(#""fault": "acceptThenDie""#, device: 6)
        return ConformanceScenario(
            "growing connections",
            shows: [
                "delivered", "pending/stored", "audit/duplicates", "audit/recovered", "audit/swallowed",
            ], json: text.text)
    }()

    /// Pages, clicks and a VISIT at each return, packed and encrypted; types, channels and interceptors of the
    /// app's own. 413 keeps the rows of every channel.
    private static let growingVisits = {
        var text = ScenarioText(seed: 63, duration: "7s")
        text.persona = "visitor"
        text.arrival = "1s"
        let sessions = #", "sessionInterval": "500ms""#
        let own = """
            , "channels": [
                {"eventTypes": ["vst"], "urlTemplate": "v3/%@/ios/pv", "isCustomEvent": false},
                {"eventTypes": ["activate"], "urlTemplate": "app/%@/ios/ctvt", "isCustomEvent": false}],
              "events": [{"name": "vst", "base": "visit", "when": "visit"},
                         {"name": "activate", "when": "firstLaunch", "extra": {"link_id": "4u9"}}],
              "interceptors": [
                {"name": "sample", "on": "eventDidBuild", "eventTypes": ["VIEW_CLICK"], "share": 0.4, "drop": true}]
            """
        let packed = #", "services": {"compression": "lz4", "encryption": "xor"}"#
        let sealed = #", "useProtobuf": false, "services": {"compression": "snappy", "encryption": "aes"}"#
        text.systems = [
            // 138 ms after a return of `visitor`, which sends a VISIT at once.
            .growing("3.2.1", firstFlush: "850ms", more: sessions + packed),
            .growing("4.11.0", firstFlush: "850ms", more: sessions + sealed),
            .growing("document", firstFlush: "850ms", more: sessions + own),
            .growing("3.2.1", name: "growing-321-own", firstFlush: "850ms", more: sessions + own),
        ]
        text.timeline = [
            #"{"at": "1500ms", "for": "1500ms", "collector": {"fault": "status", "status": 413}}"#
        ]
        return ConformanceScenario(
            "growing visits", shows: ["delivered", "suppressed/intercepted", "pending/stored"],
            json: text.text)
    }()

    /// What waits in the buffer dies with the process, and copies of what had no answer.
    private static let growingKills = {
        var text = ScenarioText(seed: 100, duration: "7s")
        text.systems = ["3.2.1", "4.11.0", "document"].map {
            .growing($0, more: #", "storage": {"writeBuffer": 9, "prefill": 4}"#)
        }
        text.devices = 5
        text.persona = "faller"
        text.timeline += text.fault(#""fault": "stall", "hold": "15s""#, device: 1)
        text.timeline += text.fault(#""fault": "acceptThenDie""#, device: 2)
        return ConformanceScenario(
            "growing kills", shows: ["delivered", "lost/killed", "audit/duplicates", "pending/stored"],
            json: text.text)
    }()

    // MARK: TrackingSDK

    private static let trackingSDKScenarios = [trackingStatuses, trackingClears, trackingKills]

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

    // MARK: Kit

    private static let kitScenarios = [kitAnswers, kitMidnight]

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

    // MARK: Codeless

    private static let codelessScenarios = [codelessAnswers, codelessFiles]

    private static let codelessSystems: [SystemMember] = [
        .codeless(), .codeless("codeless-corrected", more: SystemMember.corrected),
    ]

    /// Parts that fail stay in memory; the corrected SDK tries them again at its timer's next tick.
    private static let codelessAnswers = {
        let faults =
            [200, 204, 302, 403, 413, 500].map(status) + [
                #""fault": "wrongContent""#, #""fault": "acceptThenDie""#, #""fault": "reset""#,
                #""fault": "truncate""#, #""fault": "stall", "hold": "2s""#,
            ]
        let upload = #""flushBulkSize": 6, "batch": 6, "flushInterval": "1s", "timeout": "1150ms""#
        var text = ScenarioText(seed: 70, duration: "6s")
        text.systems = [
            .codeless(upload: upload),
            .codeless("codeless-corrected", upload: upload, more: SystemMember.corrected),
        ]
        text.devices = faults.count
        text.persona = "visitor"
        for (device, fault) in faults.enumerated() {
            for upload in [1, 2] { text.timeline += text.fault(fault, device: device, upload: upload) }
        }
        return ConformanceScenario(
            "codeless answers",
            shows: ["delivered", "pending/stored", "audit/swallowed", "audit/recovered", "audit/duplicates"],
            json: text.text)
    }()

    /// A crash writes a file, a kill loses the memory; a cold start sends files, one after the other.
    private static let codelessFiles = {
        var text = ScenarioText(seed: 128, duration: "7s")
        let prefill = #", "storage": {"prefill": 13}"#
        text.systems = [
            .codeless(more: prefill), .codeless("codeless-corrected", more: prefill + SystemMember.corrected),
        ]
        text.devices = 6
        text.persona = "faller"
        text.timeline += text.fault(status(503), device: 0, upload: 0)
        text.timeline += text.fault(#""fault": "acceptThenDie""#, device: 1, upload: 1)
        text.timeline += text.fault(status(500), device: 2)
        text.timeline += text.fault(#""fault": "stall", "hold": "15s""#, device: 3, upload: 4)
        return ConformanceScenario(
            "codeless files",
            shows: ["delivered", "lost/killed", "pending/stored", "audit/duplicates"], json: text.text)
    }()
}
