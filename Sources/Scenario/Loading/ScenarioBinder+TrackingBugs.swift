import AppModel
import DeviceSDK
import Wire

/// Mistakes in the app's code that tracks events.
extension ScenarioBinder {
    mutating func plant(
        _ bug: BugDraft, _ planting: Planting, _ candidates: [Int],
        _ populations: inout [ScenarioPopulation]
    ) -> BoundPattern? {
        guard let event = bug.event else { return nil }
        let tracking = candidates.filter { populations[$0].system.tracksCode }
        guard !tracking.isEmpty else {
            reading.report(
                .conflict, planting.scope.population?.place ?? planting.place,
                found: "an SDK that captures by hooks alone",
                allowed: "a population whose SDK is told of events by the app's code")
            return nil
        }
        checkEvent(event, tracking, populations)
        checkVersion(bug.version, tracking, populations)
        var concerned: [Int] = []
        for index in tracking where bug.version == nil || version(bug.version, of: populations[index]) != nil
        {
            let events = populations[index].app.indices(ofEvent: event.value)
            if !events.isEmpty { concerned.append(index) }
            guard hasRoom(forMore: events.count, of: event, populations[index]) else { return nil }
            for own in events { plant(bug, own, planting, &populations[index]) }
        }
        checkOthers(of: bug, concerned, populations)
        guard isConcerned(concerned, planting), let change = change(of: bug, event.value) else { return nil }
        return (change, concerned)
    }

    /// Whether the app can take one event more for each that the mistake is about; reports it if not.
    private mutating func hasRoom(
        forMore count: Int, of event: Located<String>, _ population: ScenarioPopulation
    ) -> Bool {
        let total = population.app.events.count + count
        guard total > AppDescription.eventLimit else { return true }
        reading.report(
            .outOfRange, event.place,
            found: "\(total) events in the app of \"\(population.name)\", \(count) of them for this "
                + "mistake",
            allowed: "at most \(AppDescription.eventLimit), with one more for each event of a mistake")
        return false
    }

    /// Where an event has no value of its own, the SDK may send one that the app registers for all events: then
    /// nothing shows of the mistake, and who looks for it looks in vain.
    private mutating func checkOthers(
        of bug: BugDraft, _ concerned: [Int], _ populations: [ScenarioPopulation]
    ) {
        guard bug.leavesNothing, let key = bug.property, !reading.hasProblem(in: key.place),
            let index = concerned.first(where: { populations[$0].sendsForAllEvents(key.value) })
        else { return }
        let name = populations[index].name
        reading.report(
            .conflict, key.place,
            found: "\"\(key.value)\", which the app of \"\(name)\" registers for all events, too",
            allowed:
                "a property that stands in neither \"superProperties\" nor \"dynamicSuperProperties\", since the "
                + "SDK sends theirs where an event has none")
    }

    private func change(of bug: BugDraft, _ event: String) -> ScenarioPattern.Change? {
        switch bug.kind {
        case .twice: .duplicateEvent(event: event)
        case .missing: bug.property.map { .missingProperty(event: event, key: $0.value) }
        case .wrongType: bug.property.map { .wrongType(event: event, key: $0.value) }
        }
    }

    /// Adds what the code sends to the events of the app.
    private mutating func plant(
        _ bug: BugDraft, _ event: Int, _ planting: Planting, _ population: inout ScenarioPopulation
    ) {
        var variant = population.app.events[event]
        variant.timedFrom = nil
        variant.variant = BusinessEvent.Variant(
            pattern: planting.id.number, origin: UInt16(event), repeats: bug.kind == .twice)
        guard changeProperty(of: &variant, bug, population) else { return }
        let number = population.app.events.count
        population.app.events.append(variant)
        var planted = TrackingBug(
            pattern: planting.id, event: UInt16(event), variant: UInt16(number),
            isExtra: bug.kind == .twice, share: bug.share, window: planting.window)
        planted.version = version(bug.version, of: population)
        population.patterns.bugs.append(planted)
    }

    /// Takes away the property that the code forgets, or sets the one of whose type it is wrong.
    ///
    /// - Returns: `false` where the event has none that is sent under this name.
    private mutating func changeProperty(
        of variant: inout BusinessEvent, _ bug: BugDraft, _ population: ScenarioPopulation
    ) -> Bool {
        guard let key = bug.property else { return true }
        let app = population.app
        guard let index = variant.properties.firstIndex(where: { $0.key.isExactly(key.value) }) else {
            let count = app.indices(ofEvent: variant.name).count
            reading.reportUnknown(
                key.value, key.place, among: variant.properties.map(\.key),
                what: count == 1
                    ? "a property of \"\(variant.name)\""
                    : "a property of each of the \(count) events called \"\(variant.name)\"; one has")
            return false
        }
        guard population.system.takesProperty(named: key.value) else {
            reading.report(
                .conflict, key.place,
                found: "\"\(key.value)\", which the SDK of \"\(population.name)\" does not take as a name",
                allowed: "a property that is sent, so that something is wrong without it")
            return false
        }
        let type = app.kind(of: variant.properties[index].generator)
        if bug.kind == .missing {
            check(type, key)
            variant.properties.remove(at: index)
        } else if let value = bug.value {
            check(value, type, key, population)
            variant.properties[index].generator = .constant(value.value)
        }
        return true
    }

    private mutating func check(_ type: PropertyKind, _ key: Located<String>) {
        guard type == .uncertain else { return }
        reading.report(
            .conflict, key.place, found: "\"\(key.value)\", which may be null",
            allowed: "a property that is never null, so that it can be missed")
    }

    /// The column of the property has nothing of a value that is wrong: so neither what the code passes nor what the
    /// SDK makes of it may be read as one of the right type.
    private mutating func check(
        _ value: Located<PropertyValue>, _ type: PropertyKind, _ key: Located<String>,
        _ population: ScenarioPopulation
    ) {
        guard type == .number || type == .bool else {
            reading.report(
                .conflict, key.place, found: "\"\(key.value)\", which is neither",
                allowed: "a property that is always a number, or always a switch")
            return
        }
        let sent = population.system.sent(value.value)
        let allowed =
            "a value that cannot be read as a \(type == .number ? "number" : "switch"), such as \"n/a\""
        if value.value.isReadable(as: type) {
            reading.report(.conflict, value.place, allowed: allowed)
        } else if case .string(let text) = sent, sent.isReadable(as: type) {
            reading.report(
                .conflict, value.place,
                found:
                    "\(value.place.node.summary), which the SDK of \"\(population.name)\" sends as \"\(text)\"",
                allowed: allowed)
        }
    }
}

extension PropertyValue {
    /// Whether a column of that type has something of it, or it is nothing at all.
    ///
    /// - Parameter type: A number or a switch.
    fileprivate func isReadable(as type: PropertyKind) -> Bool {
        switch self {
        case .number(let number): type == .number || [0, 1].contains(number)
        case .bool: type == .bool
        case .string(let text):
            type == .number ? Double(text) != nil : ["0", "1", "true", "false"].contains(text)
        case .list, .date: false
        case .null: true
        }
    }
}

extension BugDraft {
    /// Whether an event that it meets is left without the property: by itself, or because an SDK drops lists that
    /// are not of texts.
    fileprivate var leavesNothing: Bool {
        switch kind {
        case .twice: false
        case .missing: true
        case .wrongType: if case .list? = value?.value { true } else { false }
        }
    }
}

extension ScenarioPopulation {
    /// Whether its SDK sends a property of that name with each event.
    fileprivate func sendsForAllEvents(_ key: String) -> Bool {
        let registered = app.superProperties.flatMap(\.properties) + app.dynamicSuperProperties
        return system.sendsSuperProperties && registered.map(\.key).containsExactly(key)
    }
}

/// What the values of a property are.
private enum PropertyKind {
    case number, bool, other
    /// Perhaps null.
    case uncertain
}

extension AppDescription {
    fileprivate func kind(of generator: PropertyGenerator) -> PropertyKind {
        switch generator {
        case .constant(let value): kind(of: value)
        case .choice(let values, _): kind(ofAll: values)
        case .cycle(let cycle): kind(ofAll: cycle.values)
        case .zipf(_, let prefix), .counter(let prefix): prefix == nil ? .number : .other
        case .number, .product, .reading(.batteryLevel): .number
        case .reading(.isDarkMode), .reading(.isSignedIn): .bool
        case .entity(let catalogue, let field):
            kind(of: catalogues[Int(catalogue)].fields[Int(field)].generator)
        case .entityID, .list, .date: .other
        }
    }

    private func kind(ofAll values: [PropertyValue]) -> PropertyKind {
        values.dropFirst().reduce(values.first.map { kind(of: $0) } ?? .other) { known, value in
            let next = kind(of: value)
            if known == .uncertain || next == .uncertain { return .uncertain }
            return known == next ? known : .other
        }
    }

    private func kind(of value: PropertyValue) -> PropertyKind {
        switch value {
        case .number: .number
        case .bool: .bool
        case .string, .list, .date: .other
        case .null: .uncertain
        }
    }
}
