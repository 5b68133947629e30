import AppModel
import Timebase
import Wire

/// What each kind of pattern plants.
extension ScenarioBinder {
    typealias BoundPattern = (change: ScenarioPattern.Change, populations: [Int])

    mutating func plant(
        _ value: PatternDraft, _ planting: Planting, _ candidates: [Int],
        _ populations: inout [ScenarioPopulation]
    ) -> BoundPattern? {
        switch value {
        case .release(let release):
            refuse(["for"], planting, since: "a version of the app stays")
            return release.version.map { (.release(version: $0.value), candidates) }
        case .chance(let chance):
            return plant(chance, planting, candidates, &populations)
        case .campaign(let share):
            return plantCampaign(share, planting, candidates, &populations)
        case .bots(let bots):
            return plant(bots, planting, candidates, &populations)
        case .bug(let bug):
            return plant(bug, planting, candidates, &populations)
        }
    }

    /// Keys of time that mean nothing to a kind of pattern.
    private mutating func refuse(_ keys: [String], _ planting: Planting, since reason: String) {
        for key in keys {
            guard let node = planting.place.node[key] else { continue }
            reading.report(
                .conflict, Place(node: node, path: planting.place.path.appending(key)),
                allowed: "no \"\(key)\": \(reason)")
        }
    }

    private mutating func plantCampaign(
        _ share: Double, _ planting: Planting, _ candidates: [Int], _ populations: inout [ScenarioPopulation]
    ) -> BoundPattern? {
        guard let length = planting.scope.length else {
            // One that is there and is none was reported where it stands.
            guard planting.place.node["for"] == nil else { return nil }
            reading.report(
                .missingKey, planting.place, found: "no key \"for\"",
                allowed: "\"for\": the time within which those who come for a campaign do")
            return nil
        }
        let concerned = candidates.filter { populations[$0].persona.steadyRate == nil }
        guard !concerned.isEmpty else {
            reading.report(
                .conflict, planting.place, found: "a campaign for people who have the app open all the time",
                allowed: "a population with sessions")
            return nil
        }
        for index in concerned {
            var push = PushNotification(at: planting.from, share: share, within: length)
            push.pattern = planting.id
            populations[index].patterns.users.campaigns.append(push)
        }
        return (.campaign, concerned)
    }

    private mutating func plant(
        _ bots: BotsDraft, _ planting: Planting, _ candidates: [Int],
        _ populations: inout [ScenarioPopulation]
    ) -> BoundPattern? {
        refuse(["at", "for"], planting, since: "bots are there through the whole run")
        let preset = Presets.persona(named: "bot")
        let persona =
            bots.persona.map { self.persona($0, population: patternName(planting.id.number)) } ?? preset
        guard let persona else { return nil }
        for index in candidates {
            let place = bots.persona ?? planting.place
            if persona.name == populations[index].persona.name {
                reading.report(
                    .conflict, place, found: "\"\(persona.name)\"",
                    allowed: "another persona than that of \"\(populations[index].name)\"")
            }
            if persona.retention != nil, populations[index].storesInFiles {
                reading.report(
                    .conflict, place, found: "\"retention\" and the backend \"sqlite\"",
                    allowed: "the backend \"memory\" for users who delete the app")
            }
            if persona.retention != nil, populations[index].arrival.stages != nil {
                reading.report(
                    .conflict, place, found: "\"retention\" and stages of arrival",
                    allowed: "one of them")
            }
            populations[index].patterns.users.bots.append(
                UserPatterns.Bots(pattern: planting.id, share: bots.share, persona: persona))
        }
        return (.bots(persona: persona.name), candidates)
    }

    private mutating func plant(
        _ chance: ChanceDraft, _ planting: Planting, _ candidates: [Int],
        _ populations: inout [ScenarioPopulation]
    ) -> BoundPattern? {
        guard let event = chance.event, let factor = chance.factor else { return nil }
        for name in [event, chance.before].compactMap(\.self) {
            checkEvent(name, candidates, populations)
        }
        checkStep(before: chance.before, event)
        checkVersion(chance.version, candidates, populations)
        checkZone(chance.zone, candidates)
        var concerned: [Int] = []
        for index in candidates {
            let events = populations[index].app.indices(ofEvent: event.value)
            guard !events.isEmpty,
                chance.version == nil || version(chance.version, of: populations[index]) != nil,
                chance.zone == nil || zone(chance.zone, of: index) != nil
            else { continue }
            concerned.append(index)
            for own in events {
                check(factor, populations[index].app.events[own])
                var change = UserPatterns.ChanceChange(
                    pattern: planting.id, event: UInt16(own), factor: factor.value,
                    window: planting.window)
                change.version = version(chance.version, of: populations[index])
                change.zone = zone(chance.zone, of: index)
                populations[index].patterns.users.changes.append(change)
            }
        }
        guard isConcerned(concerned, planting) else { return nil }
        return (.chance(event: event.value, before: chance.before?.value), concerned)
    }

    /// A step cannot be related to itself: of each event there is one, whatever happens to it.
    private mutating func checkStep(before: Located<String>?, _ event: Located<String>) {
        guard let before, before.value.isExactly(event.value) else { return }
        reading.report(
            .conflict, before.place, found: "\"\(before.value)\", which is the pattern's \"event\" itself",
            allowed: "another event of the app: that of the funnel's step before")
    }

    private mutating func check(_ factor: Located<Double>, _ event: BusinessEvent) {
        let most = event.chance > 0 ? 1 / event.chance : 1000
        guard factor.value > most * (1 + 1e-9) else { return }
        reading.report(
            .outOfRange, factor.place,
            allowed:
                "at most \(JSONNode.number(most).compactText): the trigger of \"\(event.name)\" sends it with a "
                + "probability of \(JSONNode.number(event.chance).compactText) anyway")
    }
}
