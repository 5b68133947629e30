import Timebase

/// Scenarios drawn by seed, for what must hold in every one: any version, any mode, small stores,
/// failing disks, users who come, go, crash and are killed, and a collector that does everything that
/// it can do wrong. Of Sensors in its three versions, or of any systems.
package enum RandomScenario {
    /// The text of a scenario of Sensors. The same seed gives the same text.
    package static func json(seed: UInt64) -> String {
        var draw = RandomStream(key: seed).child(0x5CE0)
        var text = ScenarioText(seed: seed)
        text.duration = "\(20 + draw.below(60))s"
        text.drain = "\(draw.below(20))s"
        text.devices = 2 + Int(draw.below(6))
        text.persona = pick(["metronome", "visitor", "signer", "faller", "faller"], &draw)
        text.arrival = "\(draw.below(10))s"
        text.debugMode = pick(["off", "off", "off", "debugOnly", "debugAndTrack"], &draw)
        text.tagsEvents = draw.chance(0.8)
        drawSensors(&text, &draw)
        text.timeline = (0..<draw.below(9)).map { _ in entry(devices: text.devices * 3, &draw) }
        return text.text
    }

    /// The knobs of Sensors.
    static func drawSensors(_ text: inout ScenarioText, _ draw: inout RandomStream) {
        text.storage = storage(&draw)
        text.upload = """
            "flushBulkSize": \(1 + draw.below(20)), "batch": \(1 + draw.below(30)),
            "flushInterval": "\(200 + draw.below(5000))ms", "timeout": "\(100 + draw.below(4000))ms",
            "onBackground": \(draw.chance(0.7)), "onLaunch": \(draw.chance(0.5)),
            "retryAfter": \(draw.chance(0.5))
            """
        text.remoteConfig = """
            "enabled": \(draw.chance(0.7)), "minInterval": "0s", "maxInterval": "\(draw.below(3))s",
            "retryDelay": "\(100 + draw.below(3000))ms"
            """
    }

    private static func storage(_ draw: inout RandomStream) -> String {
        """
        "limit": \(4 + draw.below(40)), "evict": \(1 + draw.below(8)), "prefill": \(draw.below(30)),
        "evictsRowsInFlight": \(draw.chance(0.5)), "deleteFailureChance": \(pick(["0", "0.2"], &draw)),
        "insertFailureChance": \(pick(["0", "0.2"], &draw))
        """
    }

    static func entry(devices: Int, _ draw: inout RandomStream) -> String {
        let time = "\"at\": \"\(draw.below(15_000))ms\", \"for\": \"\(1 + draw.below(10_000))ms\""
        switch draw.below(9) {
        case 0:
            let network = pick(["none", "2g", "4g", "wifi"], &draw)
            return "{\(time), \"share\": 0.\(1 + draw.below(9)), \"device\": {\"network\": \"\(network)\"}}"
        case 1:
            return """
                {\(time), "remoteConfig": {"disableSDK": \(draw.chance(0.5)), "effectMode": \(draw.below(2)),
                 "disableDebugMode": \(draw.chance(0.3)), "eventBlacklist": ["Alpha"]}}
                """
        case 2, 3:
            return "{\(time), \"share\": 0.\(1 + draw.below(9)), \"client\": {\(clientFault(&draw))}}"
        case 4:
            return """
                {"at": "\(draw.below(15_000))ms", "for": "6s",
                 "collector": {"fault": "deploy", "instances": 2, "down": "1s", "warmUp": "2s"}}
                """
        case 5:
            let disk = pick(["full", "full", "readOnly", "readOnly", "corrupt"], &draw)
            return "{\(time), \"share\": 0.\(1 + draw.below(9)), \"device\": {\"disk\": \"\(disk)\"}}"
        default:
            return "{\(time), \"collector\": {\(fault(devices: devices, &draw))}}"
        }
    }

    private static func fault(devices: Int, _ draw: inout RandomStream) -> String {
        let faults = [
            #""fault": "stall""#, #""fault": "stall", "hold": "700ms""#, #""fault": "acceptThenDie""#,
            #""fault": "reset""#, #""fault": "latency", "latency": {"mean": "900ms"}"#,
            #""fault": "status", "status": \#(pick(["200", "204", "302", "403", "413", "500"], &draw))"#,
            #""fault": "status", "status": 429, "retryAfter": "2s""#, #""fault": "wrongContent""#,
            #""fault": "slowBody", "bytesPerSecond": 900, "bytes": 1000"#, #""fault": "truncate""#,
            #""fault": "capacity", "rate": "3/s", "queue": 2, "degrade": 2"#,
            #""fault": "invalidEvents", "events": 0.2"#,
        ]
        if draw.chance(0.1) { return #""fault": "outage""# }
        var text = pick(faults, &draw)
        if draw.chance(0.4) { text += ", \"share\": 0.\(1 + draw.below(9))" }
        if draw.chance(0.3) { text += ", \"device\": \(draw.below(UInt64(devices)))" }
        if draw.chance(0.2) { text += ", \"upload\": \(draw.below(6))" }
        return text
    }

    private static func clientFault(_ draw: inout RandomStream) -> String {
        let fault = pick(
            [
                #""fault": "drop""#, #""fault": "delay", "latency": {"mean": "900ms"}"#,
                #""fault": "reset""#, #""fault": "reset", "after": "half""#, #""fault": "lostReply""#,
                #""fault": "lostReply", "as": "timeout""#,
            ], &draw)
        return draw.chance(0.4) ? fault + ", \"deviceShare\": 0.\(1 + draw.below(9))" : fault
    }

    static func pick<Choice>(_ choices: [Choice], _ draw: inout RandomStream) -> Choice {
        choices[Int(draw.below(UInt64(choices.count)))]
    }
}
