extension CodelessFixture {
    static let scenarios = [codelessAnswers, codelessFiles]

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
