import Accounting
import Timebase

/// Built-in systems, and descriptions of their pipelines: what each must make of the same users, event for event.
///
/// Written by hand from the rules of the systems. A twin has what a description can say of its system: capture, store,
/// triggers, batches, answers. Bodies are its own, so networks here take as long for any number of bytes.
package struct DescribedTwin: Sendable, CustomStringConvertible {
    package var name: String
    /// Members of a population with the built-in system.
    package var builtIn: String
    /// The description.
    package var sdk: String
    /// The app of both: what the system cannot be told apart in.
    package var app: String

    package var description: String { name }

    /// Both, as members of a population.
    var members: [String] {
        [builtIn, "\"system\": \"declared\", \"sdk\": \(sdk)"]
    }

    package static let all = [sensors, trackingSDK, kit]

    private static let sensors = DescribedTwin(
        name: "sensors 4.9.1",
        builtIn: """
            "system": "sensors", "version": "4.9.1", "sdk": {"remoteConfig": {"enabled": false}}
            """,
        sdk: """
            {"name": "sensors-pipeline", "identity": {"login": "distinctId", "logout": "clearUser"},
             "storage": {"backend": "sqlite", "limit": 9999, "evict": 100},
             "upload": {"batch": 50, "flushBulkSize": 101, "countOf": "idle", "flushInterval": "15s",
                        "timerRuns": "fromLaunch", "onLaunch": "byUser", "onForeground": true, "onBackground": true,
                        "immediate": ["$SignUp"], "networks": ["2g", "3g", "4g", "5g", "wifi"],
                        "maxBatchesPerFlush": 41, "overlaps": true, "concurrency": 10000, "timeout": "30s"},
             "request": {"path": "/pipeline", "body": {"events": "{{events}}"}},
             "answers": [["2xx", "delivered"], ["403 404 5xx network", "keep"], ["*", "drop"]],
             "events": {\(envelope),
                        "launch": {"name": "$AppStart"}, "passiveLaunch": {"name": "$AppStartPassively"},
                        "foreground": {"name": "$AppStart"}, "background": {"name": "$AppEnd"},
                        "crash": {"name": "AppCrashed", "after": ["background"]},
                        "screen": {"name": "$AppViewScreen"}, "tap": {"name": "$AppClick"},
                        "business": {"name": "{{event}}"}, "login": {"name": "$SignUp"}}}
            """,
        app: ScenarioText.app)

    private static let trackingSDK = DescribedTwin(
        name: "trackingsdk",
        builtIn: """
            "system": "trackingsdk", "sdk": {"autoTrack": {"pageView": false, "buttonClick": false}}
            """,
        sdk: """
            {"name": "trackingsdk-pipeline", "storage": {"backend": "file"},
             "upload": {"batch": "all", "flushBulkSize": 1, "flushInterval": "none", "maxBatchesPerFlush": 1,
                        "overlaps": true, "takes": "all", "concurrency": 10000, "timeout": "60s"},
             "request": {"path": "/pipeline", "body": "{{events}}"},
             "answers": [["200", "deliveredClear"], ["*", "keep"]],
             "events": {\(envelope),
                        "launch": {"name": "AppLaunch"}, "passiveLaunch": {"name": "AppLaunch"},
                        "business": {"name": "{{event}}"}}}
            """,
        app: ScenarioText.app)

    private static let kit = DescribedTwin(
        name: "kit 1.0",
        builtIn: """
            "system": "kit", "version": "1.0"
            """,
        sdk: """
            {"name": "kit-upload", "storage": {"backend": "file", "seal": {"at": "day", "together": true}},
             "upload": {"flushInterval": "none", "onLaunch": true, "maxBatchesPerFlush": 1, "timeout": "8s"},
             "request": {"path": "/pipeline", "body": "{{events}}"},
             "answers": [["2xx/statusCode=200", "deliveredClear"], ["*", "keep"]],
             "events": {\(envelope),
                        "launch": {"name": "启动App"}, "passiveLaunch": {"name": "启动App"},
                        "screen": {"name": "进入ViewController"}, "tap": {"name": "UIButton点击事件"}}}
            """,
        // One screen without containers: UIKit's own controllers and the way from screen to screen have rows too.
        app: """
            {"navigationController": "",
             "screens": [{"name": "Home", "controls": [{"action": "buy:", "label": "Buy"}]}],
             "events": [], "crashReasons": ["SIGSEGV"]}
            """)

    private static let envelope = """
        "tag": "/properties/bs_id", "common": {"event": "{{name}}", "time": "{{time|ms}}", "who": "{{distinctId}}", \
        "properties": {"...": "{{properties}}"}}
        """
}

/// Users and bad days for twins: each is played by both.
package struct TwinDay: Sendable, CustomStringConvertible {
    package var name: String
    package var duration: String
    package var persona: String
    package var network = #"{"kind": "wifi", "rtt": {"median": "60ms", "sigma": 0.5}}"#
    package var timeline: [String] = []
    package var devices = 12

    package var description: String { name }

    /// Hours of an app that is used much: what comes and goes, and what is stored when nothing goes.
    private static let often = """
        {"extends": "casual", "sessionLength": {"min": "20s", "max": "200s"}, "actionGap": "2s", "returnChance": 1,
         "returnGap": {"min": "30s", "max": "10m"}, "loggedInShare": 0.3, "signUpChance": 0.2, "loginChance": 0.3,
         "logoutChance": 0.3, "crashChance": 0.1, "killAtBackgroundChance": 0.2, "meanTimeToKill": "20m",
         "passiveLaunchChance": 0.2}
        """

    /// The days for systems that send within minutes.
    package static let hours = [
        TwinDay(name: "a calm hour", duration: "1h", persona: often),
        TwinDay(
            name: "outages and refusals", duration: "2h", persona: often,
            timeline: [
                #"{"at": "10m", "for": "10m", "collector": {"fault": "outage"}}"#,
                #"{"at": "25m", "for": "10m", "collector": {"fault": "status", "status": 429, "retryAfter": "30s"}}"#,
                #"{"at": "36m", "for": "3m", "collector": {"fault": "status", "status": 302}}"#,
                #"{"at": "40m", "for": "5m", "collector": {"fault": "status", "status": 503}}"#,
                #"{"at": "50m", "for": "5m", "collector": {"fault": "status", "status": 404}}"#,
                #"{"at": "60m", "for": "5m", "collector": {"fault": "status", "status": 204}}"#,
                #"{"at": "70m", "for": "5m", "collector": {"fault": "reset"}}"#,
                #"{"at": "80m", "for": "8m", "collector": {"fault": "latency", "latency": "4s"}}"#,
                #"{"at": "90m", "for": "5m", "client": {"fault": "lostReply"}}"#,
            ]),
        TwinDay(
            name: "radios that change", duration: "1h", persona: often,
            network: """
                {"chain": {"wifi": {"dwell": "90s", "to": {"4g": 2, "none": 1}, "rtt": "30ms"},
                           "4g": {"dwell": "60s", "to": {"wifi": 1, "none": 1}, "rtt": "120ms", "promotion": "300ms",
                                  "tail": "5s", "reset": 0.02, "refused": 0.02, "lostReply": 0.02},
                           "none": {"dwell": "40s", "to": {"wifi": 1, "4g": 1}}},
                 "handover": {"failure": 0.7, "gap": "200ms"}}
                """),
        TwinDay(
            name: "a full store", duration: "5h", persona: #"{"extends": "steady", "rate": "1/s"}"#,
            timeline: [#"{"at": "1m", "for": "290m", "collector": {"fault": "status", "status": 500}}"#],
            devices: 2),
    ]

    /// The days for a system that sends once a day.
    package static let weeks = [
        TwinDay(name: "a calm week", duration: "7d", persona: daily),
        TwinDay(
            name: "a week with faults", duration: "9d", persona: daily,
            timeline: [
                #"{"at": "26h", "for": "20h", "collector": {"fault": "outage"}}"#,
                #"{"at": "50h", "for": "20h", "collector": {"fault": "status", "status": 500}}"#,
                #"{"at": "74h", "for": "20h", "collector": {"fault": "wrongContent"}}"#,
                #"{"at": "98h", "for": "20h", "collector": {"fault": "status", "status": 204}}"#,
                #"{"at": "122h", "for": "20h", "collector": {"fault": "latency", "latency": "7s"}}"#,
                #"{"at": "146h", "for": "20h", "client": {"fault": "lostReply"}}"#,
            ]),
    ]

    private static let daily = """
        {"extends": "casual", "sessionLength": {"min": "20s", "max": "200s"}, "actionGap": "5s", "returnChance": 1,
         "returnGap": {"min": "30m", "max": "9h"}, "crashChance": 0.1, "killAtBackgroundChance": 0.5,
         "meanTimeToKill": "1h", "passiveLaunchChance": 0.2}
        """

    /// The scenario of one of a twin's two systems: the same population by name, so the same users and networks.
    package func json(_ member: String, app: String) -> String {
        """
        {"seed": 71, "start": "2026-03-02T19:30:00+08:00", "duration": "\(duration)", "drain": "1m",
         "apps": {"app": \(app)}, "personas": {"user": \(persona)}, "networks": {"net": \(network)},
         "populations": [{"name": "twin", "devices": \(devices), \(member), "app": "app", "persona": "user",
                          "network": "net", "arrival": {"over": "1m"}}],
         "timeline": [\(timeline.joined(separator: ",\n"))]}
        """
    }
}

/// What two systems make of the same day.
package enum TwinComparison {
    /// Plays a twin's two systems.
    ///
    /// - Returns: the facts of the built-in system's outcome, and each difference in words, the first few.
    package static func differences(
        of twin: DescribedTwin, on day: TwinDay
    ) throws -> (facts: Set<String>, events: Int, differences: [String]) {
        var lives: [[String: String]] = []
        var facts: Set<String> = []
        for member in twin.members {
            let document = try Worlds.load(day.json(member, app: twin.app), name: day.name)
            let outcome = Worlds.virtual(document)
            let record = Worlds.virtualRun(document)
            var life: [String: String] = [:]
            for line in record.sealed {
                let event = outcome.lines[line.id]
                let id = "\(line.id.device)-\(line.id.sequence)"
                life[id] =
                    "\(event?.name ?? "?") \(line.disposition) after \(line.attempts) uploads, captured "
                    + "\(line.capturedAt.milliseconds), acknowledged \(line.ackedAt.nanoseconds)"
            }
            if lives.isEmpty { facts = outcome.facts }
            lives.append(life)
        }
        let ids = Set(lives[0].keys).union(lives[1].keys)
        let different = ids.filter { lives[0][$0] != lives[1][$0] }
            .sorted { ($0.count, $0) < ($1.count, $1) }
        return (
            facts, lives[0].count,
            different.prefix(8).map {
                "\($0): \(lives[0][$0] ?? "not there") / described: \(lives[1][$0] ?? "not there")"
            }
        )
    }
}
