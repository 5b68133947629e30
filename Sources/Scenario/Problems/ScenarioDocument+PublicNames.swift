extension ScenarioDocument {
    /// The populations' names as reports and logs may show them: without secrets, and each another. Most are
    /// what ``ScenarioPopulation/name`` says, which is what random streams and tags of thresholds go by.
    package var publicNames: [String] {
        var taken: Set<String> = []
        return populations.map { population in
            let plain = redactor.redactSecrets(population.name)
            var name = plain
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(plain)-\(number)"
                number += 1
            }
            return name
        }
    }

    /// The name of a population as reports show it.
    package func publicName(of population: String) -> String {
        populations.firstIndex { $0.name == population }.map { publicNames[$0] } ?? population
    }
}
