/// A small scenario that must come out the same in every world.
///
/// What makes a scenario fit: faults are addressed by device and upload, or by times that lie well
/// between two user actions; flushes are triggered by events, or by timers at moments at which nobody
/// acts. Then some tens of milliseconds more or less, which an answer takes over a real socket, change
/// nothing but times. ``ConformanceSuite`` checks that claim in virtual time before it goes live.
package struct ConformanceScenario: Sendable, CustomStringConvertible {
    package var name: String
    /// The scenario file's text.
    package var json: String
    /// Facts (see ``WorldOutcome/facts``) that the outcome must show: without them the scenario would
    /// agree with itself about nothing.
    package var shows: Set<String>
    /// What may differ between worlds here, each for a reason that the scenario states.
    package var tolerates: Set<Tolerance>

    /// A difference that is no defect. Times of answers (freshness, durations) are never compared.
    package enum Tolerance: Sendable {
        /// How often events were carried and how many copies arrived: where a flush is ready the moment
        /// that an answer is there, the answer's time decides what travels together.
        case attempts
        /// When the SDK's own events about an answer were captured.
        case answerTimes
    }

    package init(
        _ name: String, shows: Set<String>, tolerates: Set<Tolerance> = [], json: String
    ) {
        self.name = name
        self.shows = shows
        self.tolerates = tolerates
        self.json = json
    }

    package var description: String { name }
}

/// Builds the texts of scenarios: three populations, one for each version of the Sensors SDK, that
/// differ in nothing else.
struct ScenarioText {
    var seed: UInt64
    var duration = "5s"
    var drain = "1s"
    /// Of each population; the devices of 1.10.17 come first, then those of 4.9.1 and the document's.
    var devices = 4
    /// Members of `sdk.storage`, `sdk.upload` and `sdk.remoteConfig`, as JSON.
    var storage = ""
    var upload = "\"flushBulkSize\": 4, \"flushInterval\": \"1h\""
    var remoteConfig = "\"enabled\": false"
    var debugMode = "off"
    var persona = "metronome"
    var arrival = "0s"
    var tagsEvents = true
    /// Entries of the timeline, as JSON.
    var timeline: [String] = []

    static let versions = ["1.10.17", "4.9.1", "document"]

    var text: String {
        let populations = Self.versions.map { version in
            """
            {"name": "ios-\(version.filter { $0 != "." })", "devices": \(devices), "system": "sensors",
             "version": "\(version)", "app": "bench", "persona": "\(persona)",
             "arrival": {"over": "\(arrival)"},
             "sdk": {"debugMode": "\(debugMode)", "storage": {\(storage)}, "upload": {\(upload)},
                     "remoteConfig": {\(remoteConfig)}}}
            """
        }
        return """
            {"seed": \(seed), "duration": "\(duration)", "drain": "\(drain)", "tagEvents": \(tagsEvents),
             "apps": {"bench": \(Self.app)}, "personas": {\(Self.personas)},
             "populations": [\(populations.joined(separator: ",\n"))],
             "timeline": [\(timeline.joined(separator: ",\n"))]}
            """
    }

    /// A fault at one upload (`nil` for each) of the device with the same index in every population. The
    /// collector counts the uploads that it reads.
    func fault(_ members: String, device index: Int, upload: Int? = nil) -> [String] {
        entries("collector", members, device: index, upload: upload)
    }

    /// The same on the client's side, where each upload that the device begins counts.
    func clientFault(_ members: String, device index: Int, upload: Int? = nil) -> [String] {
        entries("client", members, device: index, upload: upload)
    }

    private func entries(
        _ side: String, _ members: String, device index: Int, upload: Int?
    ) -> [String] {
        (0..<Self.versions.count).map { population in
            let number = upload.map { ", \"upload\": \($0)" } ?? ""
            return """
                {"at": "0s", "\(side)": {\(members), "device": \(population * devices + index)\(number)}}
                """
        }
    }

    private static let app = """
        {"screens": [
           {"name": "Home", "controls": [{"action": "buy:", "label": "Buy"},
                                         {"action": "open:", "row": {"rows": 9}, "opens": "Detail"}],
            "transitions": {"Detail": 1}},
           {"name": "Detail", "controls": [{"action": "like:"}], "transitions": {"Home": 1}}],
         "events": [{"name": "Alpha", "on": {"screen": "Home"}}, {"name": "Beta", "on": {"screen": "Detail"}},
                    {"name": "Gamma", "on": {"control": "Home.buy:"}, "chance": 0.5}],
         "crashReasons": ["SIGSEGV", "NSRangeException"]}
        """

    /// `metronome` acts every quarter of a second, `idler` every half. `visitor` comes and goes with a beat of its own;
    /// `signer` signs up; `faller` is killed or crashes.
    private static let personas = """
        "metronome": {"extends": "steady", "rate": "4/s", "actionGap": "1s"},
        "idler": {"extends": "steady", "rate": "2/s", "actionGap": "1s"},
        "visitor": {"extends": "casual", "sessionLength": "1200ms", "actionGap": "300ms", "returnChance": 1,
                    "returnGap": "1s", "loggedInShare": 0, "signUpChance": 0, "loginChance": 0,
                    "logoutChance": 0, "crashChance": 0, "killAtBackgroundChance": 0,
                    "meanTimeToKill": "1000h"},
        "signer": {"extends": "visitor", "signUpChance": 0.6, "loginChance": 0.4, "loggedInShare": 0.3,
                   "logoutChance": 0.5},
        "faller": {"extends": "visitor", "sessionLength": {"min": "700ms", "max": "1500ms"},
                   "crashChance": 0.3, "killAtBackgroundChance": 0.2, "meanTimeToKill": "1s",
                   "returnGap": {"min": "800ms", "max": "1500ms"}, "loggedInShare": 0.5}
        """
}
