import AppModel
import Timebase
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

    /// Users who never open the app, and a number of sessions that nobody's sessions follow.
    mutating func warnAboutVisits(_ populations: [ScenarioPopulation], _ timeline: [TimelineEntry]) {
        for (index, population) in populations.enumerated() where population.persona.steadyRate == nil {
            let isCalled =
                population.patterns.users.campaigns.contains { $0.share > 0 }
                || timeline.contains { $0.calls(index) }
            if !population.comesByItself && !isCalled {
                reading.warn(
                    JSONPath(["populations", String(index), "persona"]), "these users never open the app")
            }
        }
        warnAboutSessions(populations)
    }

    /// A number of sessions that nobody's sessions follow, or that cannot come about.
    private mutating func warnAboutSessions(_ populations: [ScenarioPopulation]) {
        // A persona's number may have its effect in another population that has it.
        var effects: [(path: JSONPath, isIdle: Bool, isBeyond: Bool)] = []
        for (index, population) in populations.enumerated() where population.persona.steadyRate == nil {
            guard let place = draft.populations[index].persona.flatMap({ written("sessionsPerDay", in: $0) })
            else { continue }
            let isIdle = population.persona.returnChance >= 1
            let isBeyond = population.persona.returnsTakeAll
            if let known = effects.firstIndex(where: { $0.path == place.path }) {
                effects[known].isIdle = effects[known].isIdle && isIdle
                effects[known].isBeyond = effects[known].isBeyond || isBeyond
            } else {
                effects.append((place.path, isIdle, isBeyond))
            }
        }
        for effect in effects where effect.isIdle {
            reading.warn(
                effect.path,
                "has no effect beside \"returnChance\": 1: each session comes a \"returnGap\" after the one before"
            )
        }
        for effect in effects where effect.isBeyond && !effect.isIdle {
            reading.warn(
                effect.path,
                "cannot come about: by \"returnChance\" and the mean of \"returnGap\", returns alone take longer than a day "
                    + "divided by it")
        }
    }
}

extension TimelineEntry {
    /// Whether it makes some users of a population open the app.
    fileprivate func calls(_ population: Int) -> Bool {
        guard case .push(let share, _, let only) = change else { return false }
        return share > 0 && only ?? population == population
    }
}

extension PersonaDescription {
    /// Whether users who come back soon do so too late, and too often, for their number of sessions a day.
    fileprivate var returnsTakeAll: Bool {
        returnChance < 1 && returnChance * returnGap.mean * sessionsPerDay >= 86_400
    }
}

extension ScenarioPopulation {
    /// Whether anything but a notification makes users with sessions open the app.
    fileprivate var comesByItself: Bool {
        if !startsInSteadyState && persona.opensAtArrival != false { return true }
        // Whoever installs the app again opens it.
        if persona.retention != nil, let back = persona.reinstall, back.share > 0 { return true }
        // A return follows a session: only whom the run finds in the midst of life may be on the way to one.
        return persona.returnChance < 1 ? persona.sessionsPerDay > 0 : startsInSteadyState
    }
}
