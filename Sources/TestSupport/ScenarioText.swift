/// Builds the texts of scenarios: populations that differ in nothing but the system, three versions of the
/// Sensors SDK if nothing else is said.
struct ScenarioText {
    var seed: UInt64
    var duration = "5s"
    var drain = "1s"
    /// When the run begins, with the zone; `nil` for the beginning of virtual time.
    var start: String?
    /// The populations; `nil` for the versions of Sensors with the members of `sdk` below.
    var systems: [SystemMember]?
    /// Of each population; the devices of the first come first, then those of the next.
    var devices = 4
    /// Members of Sensors' `sdk.storage`, `sdk.upload` and `sdk.remoteConfig`, as JSON.
    var storage = ""
    var upload = "\"flushBulkSize\": 4, \"flushInterval\": \"1h\""
    var remoteConfig = "\"enabled\": false"
    var debugMode = "off"
    var persona = "metronome"
    var arrival = "0s"
    var tagsEvents = true
    /// Of each population; and a network "net" of the scenario's own, as JSON, that it may name.
    var network = "ideal"
    var ownNetwork: String?
    /// Entries of the timeline, as JSON.
    var timeline: [String] = []

    /// Sensors in its three versions, under the knobs above.
    var sensors: [SystemMember] {
        ["1.10.17", "4.9.1", "document"].map { version in
            SystemMember(
                name: "ios-\(version.filter { $0 != "." })", system: "sensors", version: version,
                sdk: """
                    "debugMode": "\(debugMode)", "storage": {\(storage)}, "upload": {\(upload)},
                             "remoteConfig": {\(remoteConfig)}
                    """)
        }
    }

    var text: String {
        let texts = populations.map { member in
            """
            {"name": "\(member.name)", "devices": \(devices), "system": "\(member.system)",
             "version": "\(member.version)", "app": "bench", "persona": "\(persona)",
             "arrival": {"over": "\(arrival)"}, "network": "\(network)",
             "sdk": {\(member.sdk)}}
            """
        }
        let beginning = start.map { ", \"start\": \"\($0)\"" } ?? ""
        return """
            {"seed": \(seed)\(beginning), "duration": "\(duration)", "drain": "\(drain)", "tagEvents": \(tagsEvents),
             "apps": {"bench": \(Self.app)}, "personas": {\(Self.personas)},
             "networks": {\(ownNetwork.map { "\"net\": \($0)" } ?? "")},
             "populations": [\(texts.joined(separator: ",\n"))],
             "timeline": [\(timeline.joined(separator: ",\n"))]}
            """
    }

    private var populations: [SystemMember] { systems ?? sensors }

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
        populations.indices.map { population in
            let number = upload.map { ", \"upload\": \($0)" } ?? ""
            return """
                {"at": "0s", "\(side)": {\(members), "device": \(population * devices + index)\(number)}}
                """
        }
    }

    static let app = """
        {"screens": [
           {"name": "Home", "controls": [{"action": "buy:", "label": "Buy"},
                                         {"action": "open:", "row": {"rows": 9}, "opens": "Detail"}],
            "transitions": {"Detail": 1}},
           {"name": "Detail", "controls": [{"action": "like:"}], "transitions": {"Home": 1}}],
         "events": [{"name": "Alpha", "on": {"screen": "Home"}}, {"name": "Beta", "on": {"screen": "Detail"}},
                    {"name": "Gamma", "on": {"control": "Home.buy:"}, "chance": 0.5}],
         "crashReasons": ["SIGSEGV", "NSRangeException"]}
        """

    /// `metronome` acts every quarter of a second, `idler` every half; both by calls alone, which hooks do not
    /// see. `visitor` comes and goes with a beat of its own; `signer` signs up; `faller` is killed or crashes.
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
