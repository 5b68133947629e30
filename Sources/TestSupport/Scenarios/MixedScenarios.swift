extension ConformanceSuite {
    /// What happens to every system and version at once, at one collector.
    static let mixedScenarios = [
        healthy, windows, holes, badClients, failingDisks, rollOuts, naturalKeys, inFlight,
    ]

    /// Devices of every system, whose users tap and move between screens. An event of TrackingSDK
    /// that comes 3 ms after another carries that one again unless the first's answer was faster. Sensors sends
    /// one request a flush, and none when the app goes to the background, where a kill may follow within 3 ms.
    private static func mixed(seed: UInt64, duration: String = "6s") -> ScenarioText {
        var text = ScenarioText(seed: seed, duration: duration)
        text.devices = 2
        text.persona = "visitor"
        text.arrival = "700ms"
        text.upload += #", "onBackground": false, "onLaunch": false, "maxBatchesPerFlush": 1"#
        text.systems = SystemMember.every(in: text)
        return text
    }

    /// A tolerance for every population of a system, wherever it stands among the others.
    private static func each(
        of system: String, in text: ScenarioText, _ tolerance: (Int) -> ConformanceScenario.Tolerance
    ) -> Set<ConformanceScenario.Tolerance> {
        let members = text.systems ?? []
        return Set(members.indices.filter { members[$0].system == system }.map(tolerance))
    }

    /// An event of TrackingSDK that comes soon after another.
    private static func trackingMoves(_ text: ScenarioText) -> Set<ConformanceScenario.Tolerance> {
        each(of: "trackingsdk", in: text) { .undeterminedAttemptsOf(population: $0) }
    }

    /// With more rows than trigger a flush, each event is one: 3 ms after a flush that failed, or while it still
    /// waits for its answer.
    private static func sensorsMove(_ text: ScenarioText) -> Set<ConformanceScenario.Tolerance> {
        each(of: "sensors", in: text) { .attemptsOf(population: $0) }
    }

    private static let healthy = {
        var text = mixed(seed: 71)
        text.devices = 3
        return ConformanceScenario(
            "every system", shows: ["delivered", "pending/stored"], tolerates: trackingMoves(text),
            json: text.text)
    }()

    /// Faults for everybody, one after the other.
    private static let windows = {
        var text = mixed(seed: 75, duration: "7s")
        text.timeline = [
            #"{"at": "0s", "for": "500ms", "collector": {"fault": "acceptThenDie"}}"#,
            #"{"at": "1500ms", "for": "1s", "collector": {"fault": "outage"}}"#,
            #"{"at": "3s", "for": "1s", "collector": {"fault": "status", "status": 500}}"#,
            #"{"at": "4350ms", "for": "700ms", "collector": {"fault": "wrongContent"}}"#,
        ]
        return ConformanceScenario(
            "every system, bad times",
            shows: ["delivered", "pending/stored", "audit/duplicates", "audit/swallowed", "audit/recovered"],
            tolerates: trackingMoves(text).union(sensorsMove(text)), json: text.text)
    }()

    /// Devices without a radio for a while.
    private static let holes = {
        var text = mixed(seed: 73)
        text.timeline = [
            #"{"at": "0s", "for": "1s", "share": 0.5, "device": {"network": "none"}}"#,
            #"{"at": "2s", "for": "2s", "share": 0.5, "device": {"network": "none"}}"#,
        ]
        return ConformanceScenario(
            "every system, without a network", shows: ["delivered", "pending/stored", "offline"],
            tolerates: trackingMoves(text), json: text.text)
    }()

    /// Requests that go wrong on the devices' side, where every device is known.
    private static let badClients = {
        var text = mixed(seed: 76)
        text.devices = 4
        let faults = [
            #""fault": "lostReply""#, #""fault": "reset""#, #""fault": "reset", "after": "half""#,
        ]
        for (device, fault) in faults.enumerated() {
            text.timeline += text.clientFault(fault, device: device)
        }
        return ConformanceScenario(
            "every system, bad clients",
            shows: ["delivered", "pending/stored", "audit/duplicates", "audit/recovered"],
            tolerates: trackingMoves(text).union(sensorsMove(text)), json: text.text)
    }()

    /// Disks that fill up, lock up and break; Sensors has scenarios of its own for that. What is described sends rows again
    /// at each event that it cannot delete, and its tests play that for one device.
    private static let failingDisks = {
        var text = mixed(seed: 204, duration: "7s")
        text.systems = SystemMember.every(in: text).filter { !["sensors", "declared"].contains($0.system) }
        text.persona = "faller"
        text.timeline = [
            #"{"at": "500ms", "for": "1s", "share": 0.5, "device": {"disk": "full"}}"#,
            #"{"at": "2s", "for": "1500ms", "share": 0.5, "device": {"disk": "readOnly"}}"#,
            #"{"at": "4500ms", "share": 0.3, "device": {"disk": "corrupt"}}"#,
        ]
        return ConformanceScenario(
            "every system, failing disks", shows: ["delivered", "lost/storage_error", "lost/killed"],
            tolerates: each(of: "trackingsdk", in: text) { .attemptsOf(population: $0) }, json: text.text)
    }()

    /// A version of the app that gives up what is refused, launched by one device after the other. Sensors, TrackingSDK
    /// and the systems without such a knob have scenarios of their own.
    private static let rollOuts = {
        var text = mixed(seed: 204, duration: "7s")
        text.systems = SystemMember.every(in: text).filter {
            !["sensors", "trackingsdk"].contains($0.system) && $0.hasUploadKnob("keepStatuses")
        }
        text.persona = "faller"
        let devices = (text.systems?.count ?? 0) * text.devices
        text.timeline = (0..<devices).filter { $0 % 3 > 0 }.map { device in
            #"{"at": "0s", "collector": {"fault": "status", "status": 404, "device": \#(device)}}"#
        }
        text.timeline.append(#"{"at": "1s", "over": "3s", "sdk": {"upload": {"keepStatuses": ["5xx"]}}}"#)
        return ConformanceScenario(
            "every system, roll-outs", shows: ["delivered", "rejected/404", "pending/stored"], json: text.text
        )
    }()

    /// Events without the harness's id.
    private static let naturalKeys = {
        var text = mixed(seed: 76)
        text.tagsEvents = false
        text.timeline = [
            #"{"at": "0s", "for": "900ms", "collector": {"fault": "acceptThenDie"}}"#,
            #"{"at": "3s", "for": "1s", "collector": {"fault": "status", "status": 200}}"#,
        ]
        return ConformanceScenario(
            "every system, natural keys",
            shows: ["delivered", "audit/duplicates", "audit/swallowed", "audit/recovered"],
            tolerates: trackingMoves(text), json: text.text)
    }()

    /// Requests without an answer when the run ends.
    private static let inFlight = {
        var text = mixed(seed: 77, duration: "4s")
        text.drain = "500ms"
        text.timeline = [#"{"at": "3s", "for": "30s", "collector": {"fault": "stall"}}"#]
        return ConformanceScenario(
            "every system, in flight at the end",
            shows: ["delivered", "pending/in_flight", "pending/stored", "audit/recovered"],
            tolerates: trackingMoves(text), json: text.text)
    }()
}
