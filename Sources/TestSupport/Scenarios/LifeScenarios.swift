extension ConformanceSuite {
    /// What users and remote configurations do. Seeds are chosen so that no kill and no start comes
    /// within ``slack`` of an answer that decides something.
    static let lifeScenarios = [
        sessions, shapes, timers, signUps, identities, instantEvents, brokenBodies,
        kills, killsBehindStall, disabledSDK, blacklist,
        configFaults, rollOuts, configRollOuts,
    ]

    private static let everyConfig = "\"minInterval\": \"0s\", \"maxInterval\": \"0s\""

    /// Coming and going: flushes on background, hot starts.
    private static let sessions = {
        var text = ScenarioText(seed: 31, duration: "6s")
        text.persona = "visitor"
        text.arrival = "1s"
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 0, upload: 1)
        text.timeline += text.fault("\"fault\": \"acceptThenDie\"", device: 1, upload: 1)
        return ConformanceScenario("sessions", shows: ["delivered", "audit/duplicates"], json: text.text)
    }()

    /// Devices that leave and come back, users who are called by a notification, and activity over time.
    /// Flushes come with starts and the background alone.
    private static let shapes = {
        var text = ScenarioText(seed: 41, duration: "8s")
        text.persona = "visitor"
        text.upload = "\"flushBulkSize\": 100, \"flushInterval\": \"1h\""
        text.timeline.append(#"{"at": "5s", "push": {"share": 0.5, "within": "700ms"}}"#)
        let stages = [("1s", 4), ("2s", 4), ("200ms", 1), ("1s", 1), ("300ms", 3)]
            .map { #"{"duration": "\#($0)", "target": \#($1)}"# }.joined(separator: ", ")
        let json = text.text.replacing(
            #""arrival": {"over": "0s"}"#,
            with: """
                "arrival": {"stages": [\(stages)]},
                "rate": [{"duration": "4s", "target": "10/s"}, {"duration": "2s", "target": "30/s"}]
                """)
        return ConformanceScenario("shapes", shows: ["delivered"], json: json)
    }()

    /// Flushes by the foreground timer, at phases that have nothing to do with the actions'.
    private static let timers = {
        var text = ScenarioText(seed: 32)
        text.upload = "\"flushBulkSize\": 100, \"flushInterval\": \"1s\""
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 0, upload: 1)
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 413", device: 1, upload: 2)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 2, upload: 1)
        return ConformanceScenario("timers", shows: ["delivered", "rejected/413"], json: text.text)
    }()

    /// `$SignUp` is uploaded at once. 4.9.1 sends what follows 3 ms later with the next flush, or at once
    /// if the answer to `$SignUp` is not there by then.
    private static let signUps = {
        var text = ScenarioText(seed: 33, duration: "6s")
        text.devices = 6
        text.persona = "signer"
        text.upload = "\"flushBulkSize\": 50, \"flushInterval\": \"1h\""
        return ConformanceScenario(
            "sign-ups", shows: ["delivered"], tolerates: [.attemptsOf(population: 1)], json: text.text)
    }()

    /// Anonymous ids that are replaced and come back, in every version; ids that are bound and taken back in
    /// 4.9.1, whose app is another one, since 1.x has no such calls.
    private static let identities = {
        var text = ScenarioText(seed: 43, duration: "6s")
        text.devices = 6
        text.persona = "signer"
        text.upload = "\"flushBulkSize\": 50, \"flushInterval\": \"1h\""
        let silent = """
            {"operation": "identify", "on": {"screen": "Detail"}, "chance": 0.5},
            {"operation": "identify", "id": "perDevice", "on": "launch"},
            {"operation": "resetAnonymousId", "on": "logout"}
            """
        let tracked = """
            {"operation": "bind", "on": {"control": "Home.buy:"}, "key": "$identity_mobile",
             "value": {"uniform": {"min": 13000000000, "max": 19000000000, "decimals": 0}}},
            {"operation": "unbind", "on": {"control": "Detail.like:"}, "key": "$identity_mobile"}
            """
        func app(_ calls: String) -> String {
            ScenarioText.app.replacing(
                #""crashReasons""#, with: #""identities": [\#(calls)], "crashReasons""#)
        }
        let apps = #""apps": {"bench": \#(app(silent)), "binder": \#(app(silent + ",\n" + tracked))}"#
        let json = text.text
            .replacing(#""apps": {"bench": \#(ScenarioText.app)}"#, with: apps)
            .replacing(#""version": "4.9.1", "app": "bench""#, with: #""version": "4.9.1", "app": "binder""#)
        return ConformanceScenario(
            "identities", shows: ["delivered"], tolerates: [.attempts], json: json)
    }()

    /// 4.9.1: events that leave at once in requests of their own, some of which fail and go again with the
    /// timer, before the others.
    private static let instantEvents = {
        var text = ScenarioText(seed: 44, duration: "6s")
        text.upload = "\"flushBulkSize\": 100, \"flushInterval\": \"1s\", \"instant\": [\"Alpha\"]"
        text.systems = text.sensors.filter { $0.version == "4.9.1" }
        text.devices = 6
        text.timeline += text.fault("\"fault\": \"status\", \"status\": 503", device: 0, upload: 2)
        text.timeline += text.fault("\"fault\": \"reset\"", device: 1, upload: 3)
        return ConformanceScenario(
            "instant events", shows: ["delivered"], tolerates: [.attempts], json: text.text)
    }()

    /// Every other body cannot be built: 1.10.17 deletes its rows, 4.9.1 keeps them until the next start.
    private static let brokenBodies = {
        var text = ScenarioText(seed: 45)
        text.upload += ", \"bodyFailureChance\": 0.5"
        return ConformanceScenario(
            "broken bodies", shows: ["delivered", "lost/cleared_unsent", "pending/stored"],
            json: text.text)
    }()

    /// No flush when the app goes to the background, where a kill may follow within 3 ms.
    private static let fallersUpload = """
        "flushBulkSize": 100, "flushInterval": "600ms", "onBackground": false, "onLaunch": false
        """

    /// Crashes, and kills in the background.
    private static let kills = {
        var text = ScenarioText(seed: 108, duration: "7s")
        text.devices = 5
        text.persona = "faller"
        text.upload = fallersUpload
        return ConformanceScenario("kills", shows: ["delivered"], json: text.text)
    }()

    /// Processes that die while a request of theirs has no answer: what 1.10.17 has in memory behind it
    /// is lost, and what it carried may be held though the device never learnt so.
    private static let killsBehindStall = {
        var text = ScenarioText(seed: 108, duration: "7s")
        text.devices = 5
        text.persona = "faller"
        text.upload = fallersUpload + ", \"timeout\": \"20s\""
        for device in 0..<5 {
            text.timeline += text.fault(
                "\"fault\": \"stall\", \"hold\": \"15s\"", device: device, upload: 1)
        }
        return ConformanceScenario(
            "kills behind a stall", shows: ["delivered", "lost/killed", "audit/duplicates"], json: text.text)
    }()

    /// The kill switch, fetched at starts, and back again. What a start captures goes with the flush that
    /// the fetched configuration sets off, or before it.
    private static let disabledSDK = {
        var text = ScenarioText(seed: 36, duration: "9s")
        text.persona = "visitor"
        text.remoteConfig = everyConfig
        text.timeline = [
            #"{"at": "1500ms", "for": "4s", "remoteConfig": {"disableSDK": true, "effectMode": 1}}"#
        ]
        return ConformanceScenario(
            "disabled SDK", shows: ["delivered", "suppressed/sdk_disabled"],
            tolerates: [.attempts, .answerTimes],
            json: text.text)
    }()

    /// Names that 4.9.1 drops, and switches of the automatic events.
    private static let blacklist = {
        var text = ScenarioText(seed: 37, duration: "7s")
        text.persona = "visitor"
        text.remoteConfig = everyConfig
        text.timeline = [
            """
            {"at": "0s", "remoteConfig": {"eventBlacklist": ["Alpha", "$AppClick"], "autoTrackMode": 7,
                                          "effectMode": 1}}
            """
        ]
        return ConformanceScenario(
            "blacklist", shows: ["delivered", "suppressed/blacklisted", "suppressed/autotrack_off"],
            tolerates: [.answerTimes], json: text.text)
    }()

    /// A collector that does not know some of the devices, and a version of the app that gives up what it refuses so,
    /// launched by one after the other.
    private static let rollOuts = {
        var text = ScenarioText(seed: 108, duration: "7s")
        text.devices = 5
        text.persona = "faller"
        text.upload = fallersUpload
        for device in 0..<4 {
            text.timeline += text.fault("\"fault\": \"status\", \"status\": 404", device: device)
        }
        text.timeline.append(#"{"at": "1s", "over": "3s", "sdk": {"upload": {"keepStatuses": ["5xx"]}}}"#)
        return ConformanceScenario(
            "roll-outs", shows: ["delivered", "rejected/404", "pending/stored"], json: text.text)
    }()

    /// The kill switch reaches one device after the other, some never, and is taken back.
    private static let configRollOuts = {
        var text = ScenarioText(seed: 109, duration: "9s")
        text.devices = 6
        text.persona = "visitor"
        text.remoteConfig = everyConfig
        text.timeline = [
            """
            {"at": "500ms", "for": "6s", "over": "4s", "share": 0.7,
             "remoteConfig": {"disableSDK": true, "effectMode": 1}}
            """,
            #"{"at": "2s", "for": "1s", "remoteConfig": {"autoTrackMode": 0, "effectMode": 1}}"#,
        ]
        return ConformanceScenario(
            "roll-outs of configurations", shows: ["delivered", "suppressed/sdk_disabled"],
            tolerates: [.attempts, .answerTimes], json: text.text)
    }()

    /// Fetches of the configuration meet the collector's faults like everything else, and are tried
    /// again.
    private static let configFaults = {
        var text = ScenarioText(seed: 38)
        text.persona = "idler"
        text.arrival = "1200ms"
        text.remoteConfig = everyConfig + ", \"retryDelay\": \"1s\""
        text.timeline = [
            #"{"at": "0s", "for": "500ms", "collector": {"fault": "status", "status": 503}}"#,
            #"{"at": "500ms", "for": "300ms", "collector": {"fault": "reset"}}"#,
            #"{"at": "0s", "remoteConfig": {"autoTrackMode": 0, "effectMode": 1}}"#,
        ]
        return ConformanceScenario(
            "config faults", shows: ["delivered"], tolerates: [.answerTimes], json: text.text)
    }()
}
