import AppModel
import DeviceSDK
import SensorsSDK
import Timebase
import Wire
import World

extension ScenarioBinder {
    /// Binds a population; `nil` if something that it cannot do without is missing.
    mutating func population(_ draft: PopulationDraft, at index: Int, _ target: BoundTarget?)
        -> ScenarioPopulation?
    {
        let path = JSONPath(["populations", String(index)])
        let rules = rules(draft, path)
        let app = draft.app.map { self.app($0) } ?? Presets.app(named: "shop")
        let persona =
            draft.persona.map { self.persona($0, population: draft.name?.value ?? "") }
            ?? Presets.persona(named: "casual")
        let network = draft.network.map { self.network($0) } ?? .ideal
        let shared = target ?? BoundTarget()
        let own = draft.target.map { bindTarget($0, base: shared) } ?? shared
        guard let name = draft.name?.value, let devices = draft.devices?.value, let app, let persona,
            let network, let rules
        else {
            _ = bindZones(draft, zones)
            return nil
        }
        check(own, of: rules, several: hasSeveralSystems, path)
        warnAboutKey(rules, own, path)
        warnAboutCrashes(app, persona, path)
        check(app, of: rules, draft, path)
        guard let zones = bindZones(draft, zones) else { return nil }
        checkRetention(draft, persona, rules, path)
        let rate = bindRate(draft.rate)
        warnAboutRate(draft, devices, persona, rate, path)
        warnAboutEvents(name, draft, rules, app, persona, own, path)
        var population = ScenarioPopulation(
            name: name, devices: devices, writtenDevices: devices, system: rules, app: app, persona: persona,
            network: network,
            arrival: bindArrival(draft.arrival, devices: devices), wantedRate: rate?.mean,
            activity: rate?.curve,
            targets: own.targets(of: rules, several: hasSeveralSystems), embedded: own.embedded(of: rules),
            tagsEvents: draft.tagEvents ?? self.draft.tagEvents,
            zones: zones, users: draft.users?.value)
        bindTimes(of: &population, draft)
        warnAboutHours(persona, rate, path)
        return population
    }

    /// What its devices' clocks say, and how its users are spread over the hours.
    private mutating func bindTimes(of population: inout ScenarioPopulation, _ draft: PopulationDraft) {
        population.clock = clock(draft)
        population.zoneName = ScenarioBinder.zoneName(draft)
        population.startsInSteadyState = startsInSteadyState(draft, population.persona)
        population.week = week(of: population.persona, inSteadyState: population.startsInSteadyState)
    }

    /// The population's own word on its clocks, which its SDK's knob would contradict.
    private mutating func clock(_ draft: PopulationDraft) -> ClockRules? {
        guard let clock = draft.clockSkew else { return nil }
        if draft.sdk?.node["clockSkew"] != nil {
            reading.report(
                .conflict, clock.place, found: "\"clockSkew\" of the population and in \"sdk\"",
                allowed: "one of them")
        }
        return clock.value
    }

    /// Whether the populations run different systems.
    private var hasSeveralSystems: Bool {
        Set(draft.populations.compactMap(\.system?.name)).count > 1
    }

    /// How active its users are over the hours of a week; `nil` for evenly.
    private func week(of persona: PersonaDescription, inSteadyState: Bool) -> WeekCurve? {
        let curve = persona.hours ?? (inSteadyState ? Presets.mobileHours : Presets.flatHours)
        return curve.isFlat ? nil : curve
    }

    /// Whoever deletes the app has left for good, and its files would still be there.
    private mutating func checkRetention(
        _ draft: PopulationDraft, _ persona: PersonaDescription, _ rules: any SystemRuleSet,
        _ path: JSONPath
    ) {
        guard persona.retention != nil else {
            if persona.reinstall != nil {
                reading.warn(
                    path.appending("persona"), "\"reinstall\" without \"retention\": nobody deletes the app")
            }
            if persona.installedOver != PersonaDescription(name: "").installedOver {
                reading.warn(
                    path.appending("persona"),
                    "\"installedOver\" without \"retention\": nobody deletes the app, so it does not matter since when "
                        + "somebody has it")
            }
            return
        }
        let place = draft.persona ?? place(at: path)
        if draft.arrival?.value.stages != nil {
            reading.report(
                .conflict, place, found: "\"retention\" and stages of arrival", allowed: "one of them")
        }
        if rules.storesInFiles {
            reading.report(
                .conflict, place, found: "\"retention\" and the backend \"sqlite\"",
                allowed: "the backend \"memory\" for people who delete the app")
        }
    }

    private mutating func warnAboutHours(
        _ persona: PersonaDescription, _ rate: BoundRate?, _ path: JSONPath
    ) {
        guard rate?.curve != nil, let hours = persona.hours, !hours.isFlat else { return }
        reading.warn(path.appending("rate"), "its stages win over the hours of the persona")
    }

    private mutating func warnAboutRate(
        _ draft: PopulationDraft, _ devices: Int, _ persona: PersonaDescription, _ rate: BoundRate?,
        _ path: JSONPath
    ) {
        let highest = (rate?.highest).map { $0 / Double(devices) } ?? persona.steadyRate
        if let highest, highest > 1000 {
            reading.warn(
                path.appending(draft.rate == nil ? "persona" : "rate"),
                "\(Int(highest)) events/s on each device: more than any app sends")
        }
        if draft.rate != nil, let persona = draft.persona, written("rate", in: persona) != nil {
            reading.warn(path.appending("rate"), "wins over the rate of the persona")
        }
    }

    /// What of an app does not fit the SDK in it.
    private mutating func check(
        _ app: AppDescription, of rules: any SystemRuleSet, _ draft: PopulationDraft, _ path: JSONPath
    ) {
        checkCalls(of: app, rules, at: draft.app?.place)
        checkHeaders(of: rules, app, at: draft.app?.place ?? place(at: path))
    }

    /// An app that calls what the version does not have would not compile.
    private mutating func checkCalls(of app: AppDescription, _ rules: any SystemRuleSet, at place: Place?) {
        guard let sensors = rules as? SensorsRules, !sensors.isVersion4, let place,
            app.identities.contains(where: \.operation.isTracked)
        else { return }
        reading.report(
            .conflict, place, found: "bind or unbind in the app, and version \(sensors.version.rawValue)",
            allowed: "version 4.9.1 for an app that binds ids: the SDK has these calls since 4.1.0")
    }

    /// Warns of events that never come about, leave or arrive.
    private mutating func warnAboutEvents(
        _ name: String, _ draft: PopulationDraft, _ rules: any SystemRuleSet, _ app: AppDescription,
        _ persona: PersonaDescription, _ target: BoundTarget, _ path: JSONPath
    ) {
        warnAboutHooks(name, rules, app, persona, path)
        warnAboutUnsent(draft, rules, app, target)
        warnAboutUnseenPages(draft, rules, app)
        warnAboutRefused(name, rules, app, path)
    }

    /// Users who only do what the app's code tracks are invisible to a system of hooks.
    private mutating func warnAboutHooks(
        _ name: String, _ rules: any SystemRuleSet, _ app: AppDescription, _ persona: PersonaDescription,
        _ path: JSONPath
    ) {
        guard persona.steadyRate != nil, !rules.tracksCode, !app.steadyEvents.isEmpty else { return }
        let system = type(of: rules).systemName
        reading.warn(
            path.appending("persona"),
            "population \"\(name)\": a steady persona only sends events that the app's code tracks, and "
                + "\"\(system)\" captures by hooks alone: beyond the launch and the first screen it captures "
                + "nothing. Use a persona with sessions (\"casual\", \"power\", \"micro\"), or an app "
                + "without events, on whose start screen a steady persona taps")
    }

    /// What an app crashes of is a part of the app. The chance that every persona has is nothing that somebody asked for.
    private mutating func warnAboutCrashes(
        _ app: AppDescription, _ persona: PersonaDescription, _ path: JSONPath
    ) {
        guard app.crashReasons.isEmpty, persona.crashChance > PersonaDescription(name: "").crashChance else {
            return
        }
        reading.warn(
            path.appending("persona"),
            "crashChance \(persona.crashChance) has no effect: the app has no \"crashReasons\", so it never crashes"
        )
    }

    // MARK: Names

    private mutating func app(_ name: Located<String>) -> AppDescription? {
        usedApps.insert(name.value)
        let own = draft.apps.map(\.name)
        // A defined app that is not sound has problems of its own.
        if own.contains(name.value) { return apps[name.value] }
        if let preset = Presets.app(named: name.value) { return preset }
        reading.reportUnknown(name.value, name.place, among: Presets.appNames + own, what: "an app")
        return nil
    }

    // MARK: Personas

    mutating func persona(_ place: Place, population: String) -> PersonaDescription? {
        if let name = place.node.string {
            return persona(Located(value: name, place: place), within: [])
        }
        return inlinePersona(place, name: nil, fallback: population, within: [])
    }

    /// Looks up a persona, the scenario's own or a preset.
    private mutating func persona(_ name: Located<String>, within: [String]) -> PersonaDescription? {
        usedPersonas.insert(name.value)
        if draft.personas.contains(where: { $0.name == name.value }) {
            guard !within.contains(name.value) else {
                reading.report(.conflict, name.place, allowed: "a persona that does not extend itself")
                return nil
            }
            guard !overlongPersonas.contains(name.value) else { return nil }
            return definedPersona(name.value, within: within)
        }
        if let preset = Presets.persona(named: name.value) { return preset }
        let known = Presets.personaNames + draft.personas.map(\.name)
        reading.reportUnknown(name.value, name.place, among: known, what: "a persona")
        return nil
    }

    /// Binds a persona of `personas`.
    ///
    /// - Parameter within: the personas that extend it, the outermost first.
    mutating func definedPersona(_ name: String, within: [String]) -> PersonaDescription? {
        guard let own = draft.personas.first(where: { $0.name == name }) else { return nil }
        let wasUsed = usedPersonas
        let result = inlinePersona(own.value, name: name, fallback: name, within: within + [name])
        // That one persona extends another does not make the other one used by a population.
        if within.isEmpty, !wasUsed.contains(name) { usedPersonas = wasUsed }
        return result
    }

    private mutating func inlinePersona(
        _ place: Place, name: String?, fallback: String, within: [String]
    ) -> PersonaDescription? {
        guard place.node.isObject else {
            reading.report(
                .wrongType, place, allowed: name == nil ? "a persona's name or an object" : "an object")
            return nil
        }
        var base: PersonaDescription? = PersonaDescription(name: fallback)
        // Of both, which is told, one is enough: each may lead to as many others.
        if let extended = ScenarioBinder.base(of: place) { base = persona(extended, within: within) }
        if place.node["extends"] != nil, place.node["preset"]?.string != nil {
            reading.report(.conflict, place, found: "\"extends\" and \"preset\"", allowed: "one of them")
        }
        // The rest is read even if the base is unknown, to tell all problems at once.
        let before = reading.problems.count
        var persona = base ?? PersonaDescription(name: fallback)
        PersonaFormat.description.decode(place, into: &persona, &reading)
        if let name { persona.name = name }
        guard base != nil, reading.problems.count == before else { return nil }
        for problem in persona.problems() {
            let path = AppBinder.modelPath(problem.path, in: place)
            reading.report(.conflict, path, found: problem.found, allowed: problem.allowed)
        }
        return reading.problems.count == before ? persona : nil
    }

    // MARK: The SDK

    private mutating func rules(_ draft: PopulationDraft, _ path: JSONPath) -> (any SystemRuleSet)? {
        draft.system?.bind(draft.version, draft.sdk, place(at: path), &reading)
    }

    /// What stands at a path of the scenario.
    private func place(at path: JSONPath) -> Place {
        Place(node: root.node.value(at: path.tokens) ?? root.node, path: path)
    }
}
