import AppModel
import DeviceSDK
import Timebase
import Wire

// Rules of SDKs that change with a new version of the app.

extension ScenarioBinder {
    /// The most roll-outs of one kind in a scenario: a device notes the number of its own in a byte.
    private static let rollOutLimit = 100

    func change(_ sdk: Place, _ entry: TimelineDraft, _ population: Int?) -> BoundChange {
        let share = entry.share ?? 1
        let over = entry.over?.value ?? .zero
        return BoundChange(
            change: .rollOut(share: share, over: over, population: population),
            text: "roll-out: \(RollOutKnobs.text(sdk.node))" + pace(of: entry) + suffix(population))
    }

    /// The end of an entry's text that says how it gets around.
    func pace(of entry: TimelineDraft) -> String {
        let (share, over) = (entry.share ?? 1, entry.over?.value ?? .zero)
        return (over > .zero ? ", over \(over.text)" : "")
            + (share < 1 ? ", \(ScenarioBinder.percent(share)) of devices" : "")
    }

    mutating func checkRollOut(_ entry: TimelineDraft, _ place: Place, _ present: [String]) {
        if let over = entry.over, present != ["sdk"], present != ["remoteConfig"] {
            reading.report(
                .conflict, over.place, allowed: "\"over\" only beside \"sdk\" or \"remoteConfig\"")
        }
        if let length = place.node["for"], present == ["sdk"] {
            reading.report(
                .conflict, Place(node: length, path: place.path.appending("for")),
                allowed:
                    "no \"for\": a version of the app stays; another entry can bring the former rules back")
        }
    }

    /// Gives the populations the rules of each entry: what it changes comes on top of what the entries before it, by
    /// time, have changed.
    mutating func bindRollOuts(_ populations: inout [ScenarioPopulation]) {
        let entries = draft.timeline.enumerated().filter { $0.element.value.sdk != nil }
            .sorted { ($0.element.value.at ?? .zero, $0.offset) < ($1.element.value.at ?? .zero, $1.offset) }
        checkCount(of: entries.map(\.element))
        checkCount(of: draft.timeline.filter { $0.value.remoteConfig != nil && $0.value.isRolledOut })
        var changes = [[Place]](repeating: [], count: populations.count)
        for (number, located) in entries.prefix(ScenarioBinder.rollOutLimit) {
            let entry = located.value
            guard let sdk = entry.sdk, let at = entry.at else { continue }
            let only = entry.population?.value
            for index in populations.indices where only ?? populations[index].name == populations[index].name
            {
                let before = reading.problems.count
                let change = RollOutDraft(
                    rules: populations[index].rollOuts.last?.rules ?? populations[index].system,
                    version: draft.populations[index].version, written: draft.populations[index].sdk,
                    before: changes[index], sdk: sdk)
                guard let rules = draft.populations[index].system?.change(change, &reading) else { continue }
                // What one population cannot have, the next one mostly cannot either.
                guard reading.problems.count == before else { break }
                changes[index].append(sdk)
                guard at < draft.duration else { continue }
                warnAboutLaunches(of: populations[index], located.place)
                populations[index].rollOuts.append(
                    ScenarioRollOut(
                        at: at, over: entry.over?.value ?? .zero, share: entry.share ?? 1,
                        number: UInt64(number), rules: rules, text: RollOutKnobs.text(sdk.node)))
            }
        }
    }

    private mutating func checkCount(of rollOuts: [Located<TimelineDraft>]) {
        guard let extra = rollOuts.dropFirst(ScenarioBinder.rollOutLimit).first else { return }
        reading.report(
            .outOfRange, extra.place, found: "\(rollOuts.count) roll-outs",
            allowed: "at most \(ScenarioBinder.rollOutLimit)")
    }

    private mutating func warnAboutLaunches(of population: ScenarioPopulation, _ place: Place) {
        guard population.persona.steadyRate != nil else { return }
        reading.warn(
            place.path,
            "users of population \"\(population.name)\" have the app open all the time: only devices that arrive later "
                + "launch what is rolled out")
    }
}
