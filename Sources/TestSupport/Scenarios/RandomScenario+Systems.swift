import Scenario
import Timebase

extension RandomScenario {
    /// What a scenario is drawn from.
    package enum Kind: String, CaseIterable, Sendable {
        /// The three versions of Sensors.
        case sensors
        /// One to four populations of any systems.
        case systems

        /// The scenario's text. The same seed gives the same text.
        package func json(seed: UInt64) -> String {
            switch self {
            case .sensors: RandomScenario.json(seed: seed)
            case .systems: RandomScenario.systemsJSON(seed: seed)
            }
        }
    }

    /// The text of a scenario with one to four populations of any systems. The same seed gives the same text.
    private static func systemsJSON(seed: UInt64) -> String {
        var draw = RandomStream(key: seed).child(0x5CE1)
        var text = ScenarioText(seed: seed)
        text.duration = "\(20 + draw.below(60))s"
        text.drain = "\(draw.below(20))s"
        text.devices = 2 + Int(draw.below(4))
        text.persona = pick(["metronome", "visitor", "visitor", "signer", "faller", "faller"], &draw)
        text.arrival = "\(draw.below(10))s"
        // So that a local day ends in the run: Kit sends what earlier days left.
        if draw.chance(0.7) { text.start = "2026-03-02T23:59:4\(draw.below(10))+08:00" }
        drawSensors(&text, &draw)
        let sensors = text.sensors
        let systems = (0..<(1 + draw.below(4))).map { number in
            member(number, sensors: sensors, &draw)
        }
        text.systems = systems
        // Two devices of TrackingSDK that do the same in the same millisecond make one event to a collector.
        text.tagsEvents = systems.contains { $0.system == "trackingsdk" } || draw.chance(0.7)
        let devices = text.devices * systems.count
        text.timeline = (0..<draw.below(9)).map { _ in entry(devices: devices, &draw) }
        return text.text
    }

    /// Every system, those more often that have more to draw.
    private static let candidates = SimulatedSystems.all.flatMap { system in
        Array(repeating: system, count: ["growing": 3, "codeless": 2][system.name] ?? 1)
    }

    private static func member(
        _ number: UInt64, sensors: [SystemMember], _ draw: inout RandomStream
    ) -> SystemMember {
        let system = pick(candidates, &draw)
        let versions = system.versions
        var member = SystemMember(name: "p\(number)", system: system.name, version: versions[0], sdk: "")
        switch system.name {
        case "sensors":
            let drawn = pick(sensors, &draw)
            (member.version, member.sdk) = (drawn.version, drawn.sdk)
        case "growing":
            member.version = pick(versions, &draw)
            member.sdk = growing(member.version, &draw)
        case "trackingsdk": member.sdk = tracking(&draw)
        case "kit":
            let clear = pick(["other-days", "sent-only"], &draw)
            member.version = pick(versions, &draw)
            member.sdk = """
                "storage": {"prefill": \(draw.below(20))}, "clear": "\(clear)",
                "upload": {"timeout": "\(100 + draw.below(4000))ms"}
                """
        case "codeless": member.sdk = codeless(&draw)
        default: member.version = pick(versions, &draw)
        }
        return member
    }

    private static func growing(_ version: String, _ draw: inout RandomStream) -> String {
        let queue =
            version == "4.11.0"
            ? "" : ", \"queueLimit\": \(10 + draw.below(40)), \"queueRefill\": \(draw.below(10))"
        let keeps = pick(["\"notSuccess\"", "[403, \"5xx\"]"], &draw)
        return """
            "autotrack": {"pages": "all"}, "debugEnabled": \(draw.chance(0.2)),
            "sessionInterval": "\(draw.below(3000))ms", "dataCollectionEnabled": \(draw.chance(0.9)),
            "services": {"compression": "\(pick(["none", "lz4", "snappy"], &draw))",
                         "encryption": "\(pick(["none", "xor", "aes"], &draw))"},
            "storage": {"writeBuffer": \(1 + draw.below(30)), "realtimeWriteBuffer": \(draw.below(5)),
                        "prefill": \(draw.below(30)), "deleteFailureChance": \(pick(["0", "0.2"], &draw)),
                        "insertFailureChance": \(pick(["0", "0.2"], &draw))\(queue)},
            "upload": {"batch": \(1 + draw.below(30)), "firstFlush": "\(draw.below(3000))ms",
                       "flushInterval": "\(200 + draw.below(5000))ms", "jitter": "\(draw.below(500))ms",
                       "timeout": "\(100 + draw.below(4000))ms", "whileInBackground": \(draw.chance(0.3)),
                       "onBackground": \(draw.chance(0.3)), "keepStatuses": \(keeps)}
            """
    }

    private static func tracking(_ draw: inout RandomStream) -> String {
        """
        "clear": "\(pick(["all", "sent-only"], &draw))", "storage": {"prefill": \(draw.below(10))},
        "autoTrack": {"withoutEvent": \(draw.chance(0.5))},
        "upload": {"success": "\(pick(["200", "2xx"], &draw))", "sockets": \(1 + draw.below(4)),
                   "timeout": "\(100 + draw.below(4000))ms"}
        """
    }

    private static func codeless(_ draw: inout RandomStream) -> String {
        """
        "retryFailedParts": \(draw.chance(0.5)), "persistEventsID": \(draw.chance(0.5)),
        "sessionTimeout": "\(draw.below(3000))ms", "remoteConfig": {"enabled": \(draw.chance(0.7))},
        "storage": {"prefill": \(draw.below(30))},
        "upload": {"batch": \(1 + draw.below(12)), "flushBulkSize": \(1 + draw.below(12)),
                   "flushInterval": "\(200 + draw.below(5000))ms", "concurrency": \(1 + draw.below(4)),
                   "timeout": "\(100 + draw.below(4000))ms", "onLaunch": \(draw.chance(0.8)),
                   "onForeground": \(draw.chance(0.7)), "onBackground": \(draw.chance(0.7))}
        """
    }
}
