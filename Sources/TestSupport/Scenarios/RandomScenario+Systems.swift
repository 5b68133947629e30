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
        let systems = (0..<(1 + draw.below(4))).map { number in
            member(number, in: text, &draw)
        }
        text.systems = systems
        // Two devices that do the same in the same millisecond may make one event to a collector.
        let needsTags = systems.contains { !SystemFixtures.named($0.system).tellsDevicesApart }
        text.tagsEvents = needsTags || draw.chance(0.7)
        let devices = text.devices * systems.count
        text.timeline = (0..<draw.below(9)).map { _ in entry(devices: devices, &draw) }
        if draw.chance(0.4) { text.timeline += rollOut(to: systems, &draw) }
        return text.text
    }

    /// One of the rules that all of these systems have; none if they have none of them in common.
    private static func rollOut(to systems: [SystemMember], _ draw: inout RandomStream) -> [String] {
        let rules: [(knob: String, value: String)] = [
            ("keepStatuses", #"["5xx"]"#), ("timeout", #""700ms""#), ("networks", #"["wifi"]"#),
            ("retryAfter", "true"), ("backoff", #"{"initial": "2s"}"#),
        ].filter { rule in systems.allSatisfy { $0.hasUploadKnob(rule.knob) } }
        guard !rules.isEmpty else { return [] }
        let time = "\"at\": \"\(draw.below(15_000))ms\", \"over\": \"\(draw.below(10_000))ms\""
        let (knob, value) = pick(rules, &draw)
        return ["{\(time), \"sdk\": {\"upload\": {\"\(knob)\": \(value)}}}"]
    }

    /// Every system, those more often that have more to draw.
    private static let candidates = SystemFixtures.all.flatMap {
        Array(repeating: $0, count: $0.fixture.weight)
    }

    private static func member(
        _ number: UInt64, in text: ScenarioText, _ draw: inout RandomStream
    ) -> SystemMember {
        let system = pick(candidates, &draw)
        var member = system.fixture.drawn(in: text, versions: system.versions, &draw)
        member.name = "p\(number)"
        return member
    }
}
