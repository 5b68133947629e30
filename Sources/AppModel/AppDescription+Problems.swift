import Timebase

extension AppDescription {
    /// Groups of super properties that a device can have registered.
    package static let superPropertyGroupLimit = 64
    /// Entries of a table, as many as a scenario's lists have.
    package static let tableLimit = 10_000
    /// Events with those that planted mistakes add. Every SDK numbers with 16 bits what it can capture: these, a table
    /// of profile changes twice (GrowingIO) or one and a table of item changes, and a few of its own.
    package static let eventLimit = 40_000
    /// Timed events whose clocks a device can run.
    package static let timedEventLimit = Reaction.clockCount

    /// What does not fit together; empty for a sound app.
    package func problems() -> [ModelProblem] {
        var list = ProblemList()
        list.text(name, "/name")
        list.require(
            !versions.isEmpty, "/versions", found: "no version",
            allowed: "the version that is installed, or more")
        list.require(
            !screens.isEmpty, "/screens", found: "no screen",
            allowed: "the screen that a launch shows, or more")
        if !screens.isEmpty { list.index(startScreen, below: screens.count, of: "screen", "/startScreen") }
        for (path, count) in [
            ("/screens", screens.count), ("/profiles", profiles.count),
            ("/items", items.count), ("/identities", identities.count), ("/catalogues", catalogues.count),
            ("/crashReasons", crashReasons.count),
            ("/versions", versions.count),
        ] {
            list.number(count, 0...AppDescription.tableLimit, of: "entries", path)
        }
        list.number(events.count, 0...AppDescription.eventLimit, of: "entries", "/events")
        checkScreens(&list)
        checkNavigation(&list)
        checkEvents(&list)
        checkUpdates(&list)
        checkIdentities(&list)
        checkRemarks(&list)
        checkCatalogues(&list)
        if list.problems.isEmpty { checkClassIndices(&list) }
        return list.problems
    }

    private func checkScreens(_ list: inout ProblemList) {
        var names = Set<String>()
        for (index, screen) in screens.enumerated() {
            let path = "/screens/\(index)"
            list.text(screen.name, "\(path)/name")
            list.require(
                names.insert(screen.name).inserted, "\(path)/name", found: "a second \"\(screen.name)\"",
                allowed: "a name that no other screen has")
            var sum = 0.0
            for (number, transition) in screen.transitions.enumerated() {
                let place = "\(path)/transitions/\(number)"
                list.index(transition.screen, below: screens.count, of: "screen", "\(place)/screen")
                list.probability(transition.probability, "\(place)/probability")
                sum += transition.probability
            }
            list.require(
                sum <= 1 + 1e-9, "\(path)/transitions", found: "probabilities that add up to \(sum.inWords)",
                allowed: "at most 1 in all")
            checkControls(of: screen, path, &list)
            checkViews(of: screen, path, &list)
        }
    }

    private func checkControls(of screen: Screen, _ path: String, _ list: inout ProblemList) {
        list.number(
            screen.controls.count, 0...AppDescription.tableLimit, of: "entries", "\(path)/controls")
        for (number, control) in screen.controls.enumerated() {
            let place = "\(path)/controls/\(number)"
            if let opens = control.opens {
                list.index(opens, below: screens.count, of: "screen", "\(place)/opens")
            }
            if let position = control.position {
                list.number(Int(position.rows), 1...Int(UInt16.max), of: "rows", "\(place)/position/rows")
            }
            list.require(
                control.weight.isFinite && control.weight >= 0, "\(place)/weight",
                found: control.weight.inWords, allowed: "a number from 0")
        }
        list.require(
            screen.controls.isEmpty || screen.controls.contains { $0.weight > 0 }, "\(path)/controls",
            found: "controls that nobody taps", allowed: "one or more with a \"weight\" above 0")
    }

    private func checkEvents(_ list: inout ProblemList) {
        for (index, event) in events.enumerated() {
            let path = "/events/\(index)"
            list.text(event.name, "\(path)/name")
            check(event.trigger, "\(path)/trigger", &list)
            list.probability(event.chance, "\(path)/chance")
            if let pause = event.pause {
                list.distribution(pause, "\(path)/pause")
                list.require(
                    event.trigger != .sessionEnd, "\(path)/pause", found: "a pause at the session's end",
                    allowed: "none: who has left takes no time over anything")
            }
            check(event.catalogue, event.properties, path, &list)
            if let start = event.timedFrom {
                check(start, "\(path)/timedFrom", &list)
                list.require(
                    !event.isWeb, "\(path)/timedFrom", found: "a clock for an event of a web page",
                    allowed: "none: only the app's own code has the SDK's clocks")
            }
            if event.isWeb {
                list.require(
                    canBeWeb(event.trigger), "\(path)/trigger",
                    found: "a moment without a web page for an event of one",
                    allowed: "a screen that shows a page, one of its controls, or \"signUp\", \"login\", "
                        + "\"logout\" and \"sessionEnd\"")
            }
        }
        let timed = events.filter { $0.timedFrom != nil }.count
        list.number(timed, 0...AppDescription.timedEventLimit, of: "timed events", "/events")
    }

    private func canBeWeb(_ trigger: Trigger) -> Bool {
        switch trigger {
        case .screen(let screen), .control(let screen, _):
            Int(screen) >= screens.count || screens[Int(screen)].web != nil
        case .launch: false
        case .sessionEnd, .signUp, .login, .logout: true
        }
    }

    private func checkUpdates(_ list: inout ProblemList) {
        for (index, update) in profiles.enumerated() {
            let path = "/profiles/\(index)"
            check(update.trigger, "\(path)/trigger", &list)
            list.probability(update.chance, "\(path)/chance")
            check(update.catalogue, update.properties, path, &list)
        }
        for (index, update) in items.enumerated() {
            let path = "/items/\(index)"
            check(update.trigger, "\(path)/trigger", &list)
            list.probability(update.chance, "\(path)/chance")
            check(update.catalogue, update.properties, path, &list)
            check(update.itemID, catalogue: update.catalogue, "\(path)/itemID", &list)
        }
        list.number(
            superProperties.count, 0...AppDescription.superPropertyGroupLimit, of: "groups",
            "/superProperties")
        for (index, group) in superProperties.enumerated() {
            let path = "/superProperties/\(index)"
            check(group.trigger, "\(path)/trigger", &list)
            check(nil, group.properties, path, &list)
        }
        for (index, rule) in dynamicSuperProperties.enumerated() {
            checkKey(rule, "/dynamicSuperProperties/\(index)", &list)
            if case .reading = rule.generator { continue }
            check(rule.generator, catalogue: nil, "/dynamicSuperProperties/\(index)/generator", &list)
        }
    }

    private func checkIdentities(_ list: inout ProblemList) {
        let keys = Set(bindings.map(\.key))
        for (index, update) in identities.enumerated() {
            let path = "/identities/\(index)"
            check(update.trigger, "\(path)/trigger", &list)
            list.probability(update.chance, "\(path)/chance")
            switch update.operation {
            case .identify, .resetAnonymousID: break
            case .bind(let key, let value):
                list.text(key, "\(path)/key")
                list.require(
                    value.isOfADevice, "\(path)/value", found: "a value that a device does not have for good",
                    allowed: "constant, choice, zipf or number, of texts and numbers, none of them empty")
                check(value, catalogue: nil, "\(path)/value", &list)
            case .unbind(let key):
                list.require(
                    keys.contains(key), "\(path)/key", found: "\"\(key)\"",
                    allowed: "a key that the app binds")
            }
        }
        list.number(bindings.count, 0...AppDescription.bindingLimit, of: "ids to bind", "/identities")
    }

    private func checkCatalogues(_ list: inout ProblemList) {
        for (index, catalogue) in catalogues.enumerated() {
            let path = "/catalogues/\(index)"
            list.text(catalogue.name, "\(path)/name")
            if let things = catalogue.deals {
                checkDeals(in: things, catalogue.count, path, &list)
            } else {
                list.number(catalogue.count, 1...10_000_000, of: "things", "\(path)/count")
            }
            list.number(catalogue.exponent, 0...10, "\(path)/exponent")
            for (number, field) in catalogue.fields.enumerated() {
                checkField(
                    field.generator, of: UInt16(truncatingIfNeeded: index), "\(path)/fields/\(number)", &list)
            }
        }
    }

    /// The numbers of deals must be those that ``Deal`` makes.
    private func checkDeals(in things: UInt16, _ count: Int, _ path: String, _ list: inout ProblemList) {
        list.index(things, below: catalogues.count, of: "catalogue", "\(path)/deals")
        guard Int(things) < catalogues.count else { return }
        let thing = catalogues[Int(things)]
        list.require(
            thing.deals == nil, "\(path)/deals", found: "deals in deals", allowed: "deals in things")
        list.number(thing.count, 1...2048, of: "things that deals are in", "\(path)/deals")
        guard (1...2048).contains(thing.count) else { return }
        list.require(
            count == Deal.count(things: thing.count), "\(path)/count", found: "\(count) deals",
            allowed: "\(Deal.count(things: thing.count)), as many as there are in \(thing.count) things")
    }

    /// A field is the same at any time: it may not tell one, nor another entity's field.
    private func checkField(
        _ generator: PropertyGenerator, of catalogue: UInt16, _ path: String, _ list: inout ProblemList
    ) {
        switch generator {
        case .date:
            list.require(false, path, found: "the time of an event", allowed: "what a thing has for good")
        case .entity:
            list.require(
                false, path, found: "a field of a thing in another", allowed: "a generator of its own")
        case .list(let element, _, _):
            check(generator, catalogue: catalogue, path, &list)
            checkField(element, of: catalogue, path, &list)
        case .constant, .choice, .zipf, .number, .counter, .entityID, .cycle, .product, .reading:
            check(generator, catalogue: catalogue, path, &list)
        }
    }
}
