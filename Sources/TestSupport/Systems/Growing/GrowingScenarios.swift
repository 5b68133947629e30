extension GrowingFixture {
    static let scenarios = [
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
}
