import Wire

/// Models of the scenario's own that extend one another.
extension ScenarioBinder {
    /// How many of the scenario's own one may extend, through one another: each is a step of a recursion.
    static let chainLimit = 32

    /// Finds and reports the personas and networks that extend too many; they are not followed further.
    mutating func checkChains() {
        let personas = draft.personas.compactMap { persona in
            ScenarioBinder.base(of: persona.value).map {
                Named(name: persona.name, value: $0.value, place: $0.place)
            }
        }
        let networks = draft.networks.compactMap { network in
            network.value.extends.map { Named(name: network.name, value: $0.value, place: $0.place) }
        }
        overlongPersonas = reportOverlong(personas, of: draft.personas.map(\.name), "a persona")
        overlongNetworks = reportOverlong(networks, of: draft.networks.map(\.name), "a network")
    }

    /// The name of what an object of a persona extends.
    static func base(of persona: Place) -> Located<String>? {
        guard let base = persona.value(at: ["extends"]) ?? persona.value(at: ["preset"]) else { return nil }
        return base.node.string.map { Located(value: $0, place: base) }
    }

    /// - Parameters:
    ///   - bases: What each extends that extends something, by its name.
    ///   - names: All of the kind that the scenario has.
    private mutating func reportOverlong(
        _ bases: [Named<String>], of names: [String], _ what: String
    ) -> Set<String> {
        let next = Dictionary(bases.map { ($0.name, $0.value) }) { first, _ in first }
        let own = Set(names)
        let limit = ScenarioBinder.chainLimit
        let overlong = bases.filter { ScenarioBinder.isOverlong($0.name, next, own) }
        for base in overlong {
            reading.report(
                .conflict, base.place, found: "a chain of more than \(limit) others",
                allowed: "\(what) that extends at most \(limit) of the scenario's own, through one another")
        }
        return Set(overlong.map(\.name))
    }

    /// Whether one extends too many. What leads into a ring that is no longer is told as that when it is bound.
    private static func isOverlong(_ name: String, _ next: [String: String], _ own: Set<String>) -> Bool {
        var last = name
        var seen = [name]
        while let base = next[last], own.contains(base), !seen.contains(base) {
            seen.append(base)
            if seen.count > chainLimit + 1 { return true }
            last = base
        }
        return false
    }

    /// Where the scenario gives a persona a number: in its object, or in that of one that it extends. What a preset brings
    /// along nobody wrote.
    ///
    /// - Parameter persona: A sound one, by name or in place.
    func written(_ key: String, in persona: Place) -> Place? {
        if let name = persona.node.string {
            return draft.personas.first { $0.name == name }.flatMap { written(key, in: $0.value) }
        }
        if let written = persona.value(at: [key]) { return written }
        return ScenarioBinder.base(of: persona).flatMap { written(key, in: $0.place) }
    }
}
