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
    }

    /// Users who are those of another population, and yet do not do the same.
    mutating func warnAboutUsers(_ populations: [ScenarioPopulation]) {
        for (index, population) in populations.enumerated() {
            let names = population.userDifferences(among: populations).map { "\"\($0)\"" }
            guard let users = population.users, !names.isEmpty else { continue }
            reading.warnings.append(
                ScenarioWarning(
                    pointer: "/populations/\(index)/users",
                    text: "\"\(population.name)\" has the users of \"\(users)\", but not its "
                        + "\(names.joined(separator: ", ")): they do not do the same"))
        }
    }
}
