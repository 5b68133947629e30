import Accounting
import AppModel
import DeviceSDK
package import Scenario
import Timebase
import Wire

/// Counts what planted patterns came to, while the truth streams by. Without patterns it does nothing.
///
/// Of patterns that act on people, what would have been without them is known too: the same lives, played again without
/// the pattern, which has no part in any other draw.
package final class PatternKey {
    package let counters: [PatternCounter]
    let plans: [PopulationPlan]
    /// The populations' names, as they may be told.
    package let names: [String]
    private let byPopulation: [[PatternCounter]]
    /// By pattern and population: lives without the pattern.
    private let others: [[PopulationLives?]]
    /// The event before on the same device.
    private var last: (population: Int, name: String, at: Int64)?
    let facts: DatasetFacts

    package init(_ patterns: [ScenarioPattern], _ facts: DatasetFacts, _ all: DatasetPlans) {
        self.facts = facts
        let plans = all.populations
        self.plans = plans
        names = all.names
        let counters = patterns.indices.map { PatternCounter(number: $0, of: patterns, facts, plans) }
        self.counters = counters
        byPopulation = plans.indices.map { population in
            counters.filter { $0.pattern.populations.contains(population) }
        }
        others = counters.map { counter in
            plans.map { plan in
                guard counter.actsOnPeople, counter.pattern.populations.contains(plan.index) else {
                    return nil
                }
                var plan = plan
                plan.patterns = plan.patterns.without(counter.number)
                return PopulationLives(plan, until: all.usersEnd)
            }
        }
    }

    func beginDevice() { last = nil }

    /// - Parameter day: The day of the event as a text.
    func note(_ event: TruthEvent, day: String, of device: DeviceTruth) {
        let own = byPopulation[event.population]
        guard !own.isEmpty else { return }
        let name = facts.labels[event.population][event.label].name
        let isSecond = last.map { $0.at == event.capturedAt && $0.name.isExactly(name) } ?? false
        last = (event.population, name, event.capturedAt)
        for counter in own {
            let role = counter.role(of: event)
            if role != .none { note(event, role, day: day, isSecond: isSecond, of: device, counter) }
        }
    }

    private func note(
        _ event: TruthEvent, _ role: PatternCounter.Role, day: String, isSecond: Bool,
        of device: DeviceTruth, _ counter: PatternCounter
    ) {
        let population = Answer.Value.text(names[event.population])
        switch counter.pattern.change {
        case .release, .campaign, .bots: break
        case .chance(_, .some):
            let key = [population, .number(device.offsetMinutes)]
            counter.add(role == .before ? [1, 0] : [0, 1], of: event, to: key)
        case .chance(_, nil):
            counter.add([1], of: event, to: [.text(day)])
        case .duplicateEvent:
            counter.add([1, isSecond ? 1 : 0], of: event, to: [population])
            counter.add(1, to: "counted")
            if role == .event { counter.add(1, to: "expected") }
        case .missingProperty, .wrongType:
            counter.add(1, to: "events")
            if role == .affected { counter.add(1, to: "affected") }
            guard event.hasArrived else { return }
            let value = counter.value(of: event)
            counter.add(
                [1, value == .absent ? 1 : 0, value == .wrong ? 1 : 0], of: event, to: [population])
            if role == .affected { counter.add(1, to: "affected_arrived") }
        }
    }

    func noteSession(day: String, population: Int) {
        for counter in byPopulation[population] {
            if case .campaign = counter.pattern.change { counter.add([1], to: [.text(day)]) }
        }
    }

    /// The device's truth is complete.
    ///
    /// - Parameter lives: Those of its population, as they were.
    func endDevice(_ device: DeviceTruth, _ lives: PopulationLives) {
        let plan = device.plan
        for counter in byPopulation[plan.index] {
            let population = Answer.Value.text(names[plan.index])
            switch counter.pattern.change {
            case .release(let version):
                let own = plan.app.versions[device.life.version]
                counter.add([1], to: [population, .text(own)])
                counter.add(1, to: "devices")
                if own.isExactly(version) { counter.add(1, to: "with_version") }
            case .bots:
                let isBot = plan.calendar.isBot(of: counter.number, device.index)
                counter.add(
                    [1, isBot ? 1 : 0, device.captured, isBot ? device.captured : 0], to: [population])
                counter.add(1, to: "users")
                if isBot { counter.add(1, to: "bots") }
                if isBot { counter.add(device.captured, to: "events_of_bots") }
            case .chance, .campaign:
                let other = others[counter.number][plan.index]
                counter.add(other.map { counter.size(of: device.index, in: $0) } ?? 0, to: "expected")
                counter.add(counter.size(of: device.index, in: lives), to: "counted")
            case .duplicateEvent, .missingProperty, .wrongType: break
            }
        }
    }
}

extension PatternCounter {
    /// Whether it changes what users do, so that their lives without it are others.
    fileprivate var actsOnPeople: Bool {
        switch pattern.change {
        case .chance, .campaign: true
        case .release, .bots, .duplicateEvent, .missingProperty, .wrongType: false
        }
    }

    /// What a device's user does of what the pattern is about.
    fileprivate func size(of index: Int, in lives: PopulationLives) -> Int {
        if case .campaign = pattern.change { return lives.life(of: index).sessions.count }
        var count = 0
        lives.forEachAction(of: index) { planned in
            switch (pattern.change, planned.action) {
            case (.chance(let name, _), .business(let event, _)), (.chance(let name, _), .web(let event, _)):
                if lives.plan.app.events[Int(event)].name.isExactly(name) { count += 1 }
            default: break
            }
        }
        return count
    }
}

extension DeviceTruth {
    /// How far the user's clocks are ahead of UTC at the start.
    var offsetMinutes: Int64 {
        plan.calendar.zone(of: index).offset(at: plan.start).offset.nanoseconds / 60_000_000_000
    }
}
