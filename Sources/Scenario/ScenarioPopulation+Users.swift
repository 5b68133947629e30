import AppModel

extension ScenarioPopulation {
    /// The keys of the format by which the population's users do something else than those of the population that they
    /// are; empty where they do the same, and for users of its own.
    package func userDifferences(among populations: [ScenarioPopulation]) -> [String] {
        guard let users, let other = populations.first(where: { $0.name == users }) else { return [] }
        let differences = [
            ("app", app.withoutMistakes != other.app.withoutMistakes),
            ("persona", persona != other.persona),
            ("network", network != other.network),
            ("arrival", arrival != other.arrival || startsInSteadyState != other.startsInSteadyState),
            ("rate", wantedRate != other.wantedRate || activity != other.activity),
            ("devices", devices != other.devices),
            ("clockSkew", clock != other.clock),
            ("timeZones", zones != other.zones),
            ("patterns", patterns.users != other.patterns.users),
        ]
        return differences.filter(\.1).map(\.0)
    }
}

extension AppDescription {
    /// The app as its users know it: what its code makes of an event by mistake changes nothing that they do.
    fileprivate var withoutMistakes: AppDescription {
        var app = self
        app.events.removeAll { $0.variant != nil }
        return app
    }
}
