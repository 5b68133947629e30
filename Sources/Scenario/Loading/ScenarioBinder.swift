import AppModel
import DeviceSDK
import SensorsSDK
import Timebase
import Wire
import World

/// Makes a sound scenario from a draft: looks up names, checks what concerns several keys at once,
/// and collects what is odd but allowed.
struct ScenarioBinder {
    let draft: ScenarioDraft
    let root: Place
    var reading: Reading
    var apps: [String: AppDescription] = [:]
    /// By name; `nil` for one that is not sound.
    var networks: [String: NetworkRules?] = [:]
    /// The time zones that people may live in.
    var zones = ZoneTable.universal
    /// Who reads the files of targets; `nil` leaves them to whoever connects.
    var targetFileChecker: TargetFileChecker?
    /// Whether there are devices at all: a collector that runs by itself has none.
    var hasDevices = true
    var usedApps: Set<String> = []
    var usedPersonas: Set<String> = []
    var usedNetworks: Set<String> = []
    /// Those whose chains are too long to follow, which is reported.
    var overlongPersonas: Set<String> = []
    var overlongNetworks: Set<String> = []

    init(draft: ScenarioDraft, root: Place, reading: Reading) {
        self.draft = draft
        self.root = root
        self.reading = reading
    }

    /// Binds everything.
    ///
    /// - Returns: the scenario; it counts only if ``reading`` holds no problem afterwards.
    mutating func document(
        fileName: String, devices: (text: String, origin: String)?, overrides: [ScenarioOverride],
        thresholdChecker: ScenarioLoader.ThresholdChecker
    ) -> ScenarioDocument? {
        bindModels()
        checkPopulationNames()
        let target = draft.target.map { bindTarget($0) }
        let server = bindServer()
        let bound = draft.populations.enumerated().map { population($1, at: $0, target) }
        var populations = bound.compactMap { $0 }
        for population in draft.populations { checkUsers(of: population) }
        // What speaks of populations by name or number is checked even if some are not sound.
        let timeline = bindTimeline()
        let thresholds = bindThresholds(thresholdChecker)
        checkMeasureFrom()
        let isComplete = populations.count == bound.count
        if isComplete { bindRollOuts(&populations) }
        let patterns = isComplete ? bindPatterns(&populations) : []
        scale(&populations, complete: populations.count == bound.count, devices)
        warnUnused()
        if isComplete { checkKeys(of: populations) }
        guard reading.problems.isEmpty, populations.count == bound.count else { return nil }
        warnAboutTimeline(timeline, populations)
        warnAboutUsers(populations)
        warnAboutVisits(populations, timeline)
        warnAboutSamples(thresholds, timeline, populations)
        var document = ScenarioDocument(
            name: draft.name ?? ScenarioBinder.name(ofFile: fileName), description: draft.description,
            seed: draft.seed, start: draft.start, duration: draft.duration, drain: draft.drain,
            populations: populations, timeline: timeline, thresholds: thresholds, warnings: [],
            overrides: overrides, redactor: Redactor(secrets: []))
        document.pace = draft.pace
        document.measureFrom = draft.measureFrom?.value
        document.patterns = patterns
        document.expect = draft.expect
        document.variants = draft.variants.map(\.name)
        document.server = server
        return document
    }

    /// A file's name without folders and extension, with other characters replaced by `-`.
    static func name(ofFile file: String) -> String {
        var name = file.split(separator: "/").last.map(String.init) ?? ""
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
        let allowed = name.unicodeScalars.map { scalar -> Character in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "._-".contains(Character(scalar)))
                ? Character(scalar) : "-"
        }
        let text = String(allowed.drop { !$0.isLetter && !$0.isNumber }.prefix(100))
        return text.isEmpty ? "scenario" : text
    }

    var populationNames: [String] { draft.populations.compactMap { $0.name?.value } }

    // MARK: Models of the scenario's own

    private mutating func bindModels() {
        checkShadowing(draft.apps.map { ($0.name, $0.place) }, Presets.appNames)
        checkShadowing(draft.personas.map { ($0.name, $0.place) }, Presets.personaNames)
        checkShadowing(
            draft.networks.map { ($0.name, $0.place) }, NetworkPresets.names)
        checkChains()
        for app in draft.apps { apps[app.name] = AppBinder.bind(app, &reading) }
        for persona in draft.personas { _ = definedPersona(persona.name, within: []) }
        bindNetworks()
    }

    private mutating func checkShadowing(_ defined: [(String, Place)], _ presets: [String]) {
        for (name, place) in defined where presets.contains(name) {
            reading.report(.conflict, place, found: "\"\(name)\"", allowed: "a name that no preset has")
        }
    }

    private mutating func warnUnused() {
        let all = [
            (draft.apps.map { ($0.name, $0.place) }, usedApps),
            (draft.personas.map { ($0.name, $0.place) }, usedPersonas),
            (draft.networks.map { ($0.name, $0.place) }, usedNetworks),
        ]
        for (defined, used) in all {
            for (name, place) in defined where !used.contains(name) {
                reading.warn(place.path, "\"\(name)\" is defined, but no population uses it")
            }
        }
    }

    // MARK: Devices

    private mutating func checkPopulationNames() {
        var seen: Set<String> = []
        for name in draft.populations.compactMap(\.name) where !seen.insert(name.value).inserted {
            reading.report(.conflict, name.place, allowed: "a name that no other population has")
        }
    }

    /// The most devices of a run.
    static let deviceLimit = 100_000_000

    private mutating func scale(
        _ populations: inout [ScenarioPopulation], complete: Bool, _ devices: (text: String, origin: String)?
    ) {
        let limit = ScenarioBinder.deviceLimit
        if let devices {
            let lowest = max(1, draft.populations.count)
            guard let total = Int(devices.text), (lowest...limit).contains(total) else {
                let allowed = "a whole number from \(lowest) (one device for each population) to \(limit)"
                reading.problems.append(
                    Problem(
                        Int(devices.text) == nil ? .wrongType : .outOfRange, at: JSONPath(),
                        position: .override(devices.origin), found: "\"\(devices.text)\"", allowed: allowed))
                return
            }
            guard complete, !populations.isEmpty else { return }
            let counts = DeviceScaling.scale(populations.map(\.devices), to: total)
            for index in counts.indices { populations[index].scale(to: counts[index]) }
        }
        let total = populations.reduce(0) { $0 + $1.devices }
        if total > limit {
            reading.report(
                .outOfRange, root, found: "\(total) devices", allowed: "at most \(limit) in all populations")
        }
        checkFiles(populations)
    }

    /// Files are for fewer devices than memory.
    private mutating func checkFiles(_ populations: [ScenarioPopulation]) {
        let limit = SensorsRules.Storage.Backend.fileLimit
        let inFiles = populations.enumerated().filter { $0.element.storesInFiles }
        let total = inFiles.reduce(0) { $0 + $1.element.devices }
        guard total > limit, let first = inFiles.first else { return }
        reading.report(
            .outOfRange, filesPlace(at: first.offset), found: "\(total) devices with the backend \"sqlite\"",
            allowed: "at most \(limit) in all populations; the backend \"memory\" has no such limit")
    }

    private func filesPlace(at index: Int) -> Place {
        let keys = ["populations", String(index), "sdk", "storage", "backend"]
        guard let node = root.node["populations"]?.elements?[index].value(at: Array(keys.dropFirst(2))) else {
            return root
        }
        return Place(node: node, path: JSONPath(keys))
    }
}
