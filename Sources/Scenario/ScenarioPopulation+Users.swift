extension ScenarioPopulation {
    /// The keys of the format by which the population's users do something else than those of the population that they
    /// are; empty where they do the same, and for users of its own.
    package func userDifferences(among populations: [ScenarioPopulation]) -> [String] {
        guard let users, let other = populations.first(where: { $0.name == users }) else { return [] }
        let differences = [
            ("app", app != other.app),
            ("persona", persona != other.persona),
            ("network", network != other.network),
            ("arrival", arrival != other.arrival || startsInSteadyState != other.startsInSteadyState),
            ("rate", wantedRate != other.wantedRate || activity != other.activity),
            ("devices", devices != other.devices),
            ("clockSkew", clock != other.clock),
            ("timeZones", zones != other.zones),
        ]
        return differences.filter(\.1).map(\.0)
    }
}
