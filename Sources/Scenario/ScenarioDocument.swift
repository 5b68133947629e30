package import AppModel
package import CollectorModel
package import DeviceSDK
package import Timebase
package import Wire
package import World

/// A scenario that is sound: every name looked up, every override applied, every number in range.
package struct ScenarioDocument: Sendable {
    package var name: String
    /// What it shows; may be empty.
    package var description: String
    /// 1 unless the scenario says otherwise.
    package var seed: UInt64
    /// The beginning of the run's clock, if the scenario sets it.
    package var start: Instant?
    /// How long users act.
    package var duration: Interval
    /// The longest time after that; real time in live runs, whatever their pace.
    package var drain: Interval
    /// Seconds of people's and devices' clocks in a second of a live run, 1...86,400.
    package var pace = 1
    /// When warming up is over, in whole seconds from the start: metrics are of what ended from here on; `nil` for all.
    package var measureFrom: Interval?
    package var expect = ScenarioExpectation.delivery
    /// How the modelled server of a simulation works.
    package var server: ServerWork?
    package var populations: [ScenarioPopulation]
    /// The variants that the scenario has beside itself, in the order of the file.
    package var variants: [String] = []
    /// Which of them this is; `nil` for the scenario itself.
    package var variant: String?
    /// The scenario's JSON with everything that overrides it but `--devices`; `${NAME}` stays as written, and secrets
    /// are taken out.
    package var written = JSONNode.null
    /// Tells scenarios apart by all that they are made of, the values of variables and files that they name among it.
    /// Eight digits: too few to find a secret by trying.
    package var sum = ""
    /// Of each variable that the scenario names, what tells its value apart (``sum(ofVariable:value:)``).
    package var variables: [String: String] = [:]
    /// Entries that will happen, in the order of the file.
    package var timeline: [TimelineEntry]
    /// What is planted in the data, in the order of the file.
    package var patterns: [ScenarioPattern] = []
    package var thresholds: [ScenarioThreshold]
    package var warnings: [ScenarioWarning]
    /// What did not come from the file; secrets are taken out.
    package var overrides: [ScenarioOverride]
    /// Encryptions of GrowingIO's bodies that a program registers, for the embedded and the modelled collector.
    package var growingCiphers = GrowingCiphers()
    /// Takes the scenario's secrets out of texts.
    package var redactor: Redactor

    /// What tells the values of a variable apart. Four digits: of all values that somebody may try, many have
    /// the same.
    package static func sum(ofVariable name: String, value: String) -> String {
        String(SHA256.hexadecimal(of: Array("\(name)=\(value)".utf8)).prefix(4))
    }

    /// A text without the scenario's secrets: values from the environment, tokens and keys.
    package func redact(_ text: String) -> String { redactor.redact(text) }

    /// Devices of all populations as the file has them, before `--devices`.
    package var writtenDeviceCount: Int { populations.reduce(0) { $0 + $1.writtenDevices } }

    /// The beginning of a text, cut somewhere, without the scenario's secrets.
    package func redactSample(_ text: String) -> String { redactor.redact(sample: text) }

    /// Lines of headers without secrets, the last of which may be cut.
    package func redactHeaders(_ lines: String) -> String { redactor.redact(headers: lines) }

    /// Devices of all populations.
    package var deviceCount: Int { populations.reduce(0) { $0 + $1.devices } }

    /// Whether some population has no target of its own, so that the embedded collector is needed.
    package var needsEmbeddedCollector: Bool { populations.contains { $0.target == nil } }

    /// The timeline's entries that only the embedded collector (or a modelled one) can follow.
    package var collectorEntries: [TimelineEntry] { timeline.filter(\.needsOwnCollector) }
}

/// What a live run is to show of its uploads.
package enum ScenarioExpectation: String, CaseIterable, Sendable {
    /// At least one gets an answer that its system takes as success.
    case delivery
    /// None does.
    case nothingDelivered = "nothing delivered"
    /// The guard ends the run, because its target answers nothing but 403, 429 and 5xx.
    case `guard`
}

/// A population of a sound scenario.
package struct ScenarioPopulation: Sendable {
    package var name: String
    /// After scaling.
    package var devices: Int
    /// Before.
    package var writtenDevices: Int
    package var system: any SystemRuleSet
    package var app: AppDescription
    package var persona: PersonaDescription
    package var network: NetworkRules
    package var arrival: ArrivalSchedule
    /// Whether the run finds its users in the midst of their lives.
    package var startsInSteadyState = false
    /// Wanted mean of the whole population in events per second; the persona's tempo is to be set so.
    package var wantedRate: Double?
    /// How that rate goes over time, if the scenario says so.
    package var activity: StageCurve?
    /// The collector's addresses; none for the embedded one.
    package var targets: [PopulationPlan.Target]
    /// What is told about the embedded collector, but for its address.
    package var embedded: PopulationPlan.Target
    package var tagsEvents: Bool
    /// How active its users are over the hours of a week; `nil` for evenly.
    package var week: WeekCurve?
    /// Where they live, and what the scenario calls the zone of most of them; `nil` where it says nothing.
    package var zones: TimeZones
    package var zoneName: String?
    /// The population whose users these are too.
    package var users: String?
    /// What a program registers in the place of the system's own parts; `nil` for nothing.
    package var plugins: (any SystemPlugins)?
    /// What patterns make its users and its app do.
    package var patterns = PopulationPatterns()
    /// How far its devices' clocks are off; `nil` for what its system's rules say.
    package var clock: ClockRules?
    /// New versions of the app that bring other rules, by time.
    package var rollOuts: [ScenarioRollOut] = []

    /// The first of ``targets``.
    package var target: PopulationPlan.Target? { targets.first }

    /// Whether its devices keep their events in files.
    package var storesInFiles: Bool { system.storesInFiles }

    /// Gives the population another number of devices; its stages follow.
    package mutating func scale(to devices: Int) {
        if let stages = arrival.stages { arrival.stages = DeviceScaling.scale(stages, to: devices) }
        self.devices = devices
    }
}

/// A condition of the scenario, still as text.
package struct ScenarioThreshold: Hashable, Sendable {
    /// With its tag, such as `http_req_duration{population:ios}`.
    package var metric: String
    /// Such as `p(99)<250`.
    package var expression: String
    package var abortsOnFail: Bool
    /// How long into the run it cannot abort.
    package var delayAbortEval: Interval
    package var pointer: String
    package var position: SourcePosition
}

/// Something that happens during the run; times count from the start.
package struct TimelineEntry: Hashable, Sendable {
    /// What an entry does. A closed set: the compiler names every place that has to act on a new one.
    package enum Change: Hashable, Sendable {
        case collector(CollectorFault, share: Double, device: UInt32?, upload: UInt32?)
        case client(ClientFault, ClientFaultScope)
        case remoteConfig(ScenarioRemoteConfig)
        /// `population` is an index, or `nil` for all; a region has the same devices in every entry.
        case network(NetworkKind, share: Double, population: Int?, region: String?)
        /// `population` as above. A damaged file stays damaged.
        case disk(DiskFailure, share: Double, population: Int?)
        /// What a share of the users says to being tracked; `population` as above.
        case consent(isGiven: Bool, share: Double, population: Int?)
        /// A notification that makes a share of the users open the app within a time.
        case push(share: Double, within: Interval, population: Int?)
        /// A new version of the app; its rules are the populations' (``ScenarioPopulation/rollOuts``).
        case rollOut(share: Double, over: Interval, population: Int?)
    }

    /// The scenario's own name for it; unique.
    package var name: String?
    package var at: Interval
    /// When it ends, or `nil` for the end of the run.
    package var until: Interval?
    package var change: Change
    /// What happens, for charts and messages.
    package var text: String
    package var pointer: String

    /// The entry's name, else its index in the timeline as written: what the tag `{entry:NAME}` says.
    package var reportName: String { name ?? String(pointer.drop { !$0.isNumber }) }

    /// Whether a collector that is not ours cannot follow the entry.
    package var needsOwnCollector: Bool {
        switch change {
        case .collector, .remoteConfig: true
        case .client, .network, .disk, .consent, .push, .rollOut: false
        }
    }
}

/// A remote configuration of Sensors, whole.
package struct ScenarioRemoteConfig: Hashable, Sendable {
    /// Its `v`, if the scenario sets it.
    package var version: String?
    package var disableSDK = false
    package var disableDebugMode = false
    /// -1 leaves the app's own choice; else the sum of 1, 2, 4 and 8.
    package var autoTrackMode = -1
    package var eventBlacklist: [String] = []
    /// 1 takes effect at once (4.9.1).
    package var effectMode = 0
    /// What described SDKs get; Sensors' devices then get what they had.
    package var answer: JSONNode?
    /// The path of those who get it: components in braces are any; `nil` for all described SDKs.
    package var answerPath: String?
    /// How it gets around; `nil` for to all at once.
    package var spread: Spread?

    /// How a configuration gets around among devices.
    package struct Spread: Hashable, Sendable {
        /// How long it takes until each device has had its moment.
        package var over: Interval
        /// Share of the devices that ever get it.
        package var share: Double
        /// The index of its entry in the timeline as written.
        package var number: UInt64
    }

    package init() {}

    /// The collector's answer.
    func body(version: String) -> [UInt8] {
        let configs = JSONNode.object([
            ("disableSDK", .bool(disableSDK)), ("disableDebugMode", .bool(disableDebugMode)),
            ("autoTrackMode", .int(autoTrackMode)), ("event_blacklist", .texts(eventBlacklist)),
            ("effect_mode", .int(effectMode)),
        ])
        return Array(JSONNode.object([("v", .text(version)), ("configs", configs)]).compactText.utf8)
    }
}

extension ScenarioDocument {
    /// The scenario's JSON as it is played: with everything that overrides it, the number of devices and the seed
    /// included, and without the variants that are not played. Secrets are taken out.
    package var resolved: JSONNode {
        var members = (written.members ?? []).filter {
            !["$schema", "variants", "seed", "name"].contains($0.key)
        }
        members.insert(JSONNode.Member("seed", .int(seed)), at: 0)
        members.insert(JSONNode.Member("name", .text(redact(name))), at: 0)
        if let index = members.firstIndex(where: { $0.key == "populations" }),
            let elements = members[index].value.elements, elements.count == populations.count
        {
            members[index].value = .list(zip(elements, populations).map(ScenarioDocument.scaled))
        }
        return withoutSecrets(JSONNode(.object(members)))
    }

    /// `${NAME}` stays as written, but somebody may have spelled out its value, be it in a key.
    private func withoutSecrets(_ node: JSONNode) -> JSONNode {
        if let members = node.members {
            return JSONNode(
                .object(
                    members.map { .init(redactor.redactSecrets($0.key), withoutSecrets($0.value)) }))
        }
        if let elements = node.elements { return .list(elements.map(withoutSecrets)) }
        return node.string.map { .text(redactor.redactSecrets($0)) } ?? node
    }

    private static func scaled(_ node: JSONNode, _ population: ScenarioPopulation) -> JSONNode {
        let members = (node.members ?? []).map { member in
            switch member.key {
            case "devices": JSONNode.Member("devices", .int(population.devices))
            case "arrival": JSONNode.Member("arrival", scaled(member.value, population.arrival))
            default: member
            }
        }
        return JSONNode(.object(members))
    }

    /// The stages with the targets that follow the population's number of devices.
    private static func scaled(_ node: JSONNode, _ arrival: ArrivalSchedule) -> JSONNode {
        guard let members = node.members, let stages = arrival.stages?.curve.stages else { return node }
        return JSONNode(
            .object(
                members.map { member in
                    guard member.key == "stages", let written = member.value.elements,
                        written.count == stages.count
                    else { return member }
                    return .init("stages", .list(zip(written, stages).map(scaled)))
                }))
    }

    private static func scaled(_ node: JSONNode, _ stage: StageCurve.Stage) -> JSONNode {
        JSONNode(
            .object(
                (node.members ?? []).map { member in
                    member.key == "target" ? .init("target", .number(stage.target)) : member
                }))
    }
}
