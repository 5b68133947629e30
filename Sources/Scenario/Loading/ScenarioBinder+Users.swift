import Wire

extension ScenarioBinder {
    /// Users are those of a population that has its own, and who do the same in both.
    mutating func checkUsers(of population: PopulationDraft) {
        guard let users = population.users else { return }
        guard let other = draft.populations.first(where: { $0.name?.value == users.value }) else {
            let others = populationNames.filter { $0 != population.name?.value }
            reading.reportUnknown(users.value, users.place, among: others, what: "another population")
            return
        }
        if other.name?.value == population.name?.value || other.users != nil {
            reading.report(.conflict, users.place, allowed: "another population, with users of its own")
            return
        }
        let differences = [
            ("app", population.app?.value != other.app?.value),
            ("persona", population.persona?.node.compactText != other.persona?.node.compactText),
            ("network", population.network?.value != other.network?.value),
            ("arrival", population.arrival?.place.node.compactText != other.arrival?.place.node.compactText),
            ("rate", population.rate?.place.node.compactText != other.rate?.place.node.compactText),
            ("devices", population.devices?.value != other.devices?.value),
        ]
        let names = differences.filter(\.1).map { "\"\($0.0)\"" }
        guard !names.isEmpty else { return }
        reading.warn(
            users.place.path,
            "\"\(population.name?.value ?? "")\" has the users of \"\(users.value)\", but not its "
                + "\(names.joined(separator: ", ")): they do not do the same")
    }
}
