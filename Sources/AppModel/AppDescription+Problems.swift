import Timebase

extension AppDescription {
    /// Groups of super properties that a device can have registered.
    package static let superPropertyGroupLimit = 64
    /// Timed events whose clocks a device can run.
    package static let timedEventLimit = Reaction.clockCount

    /// What does not fit together; empty for a sound app.
    package func problems() -> [ModelProblem] {
        var list = ProblemList()
        list.require(!name.isEmpty, "/name", "is empty")
        list.require(!versions.isEmpty, "/versions", "is empty; one version must be installed")
        list.require(!screens.isEmpty, "/screens", "is empty; a launch must show one")
        list.index(startScreen, below: screens.count, of: "screen", "/startScreen")
        for (path, count) in [
            ("/screens", screens.count), ("/events", events.count), ("/profiles", profiles.count),
            ("/items", items.count), ("/identities", identities.count), ("/catalogues", catalogues.count),
            ("/crashReasons", crashReasons.count),
            ("/versions", versions.count),
        ] {
            list.require(count < Int(UInt16.max), path, "has \(count) entries, more than 65534")
        }
        checkScreens(&list)
        checkNavigation(&list)
        checkEvents(&list)
        checkUpdates(&list)
        checkIdentities(&list)
        checkRemarks(&list)
        checkCatalogues(&list)
        if list.problems.isEmpty { checkPlaces(&list) }
        return list.problems
    }

    private func checkScreens(_ list: inout ProblemList) {
        var names = Set<String>()
        for (index, screen) in screens.enumerated() {
            let path = "/screens/\(index)"
            list.require(!screen.name.isEmpty, "\(path)/name", "is empty")
            list.require(names.insert(screen.name).inserted, "\(path)/name", "\"\(screen.name)\" is taken")
            var sum = 0.0
            for (number, transition) in screen.transitions.enumerated() {
                let place = "\(path)/transitions/\(number)"
                list.index(transition.screen, below: screens.count, of: "screen", "\(place)/screen")
                list.probability(transition.probability, "\(place)/probability")
                sum += transition.probability
            }
            list.require(
                sum <= 1 + 1e-9, "\(path)/transitions", found: "probabilities that add up to \(sum)",
                allowed: "at most 1 in all")
            checkControls(of: screen, path, &list)
            checkViews(of: screen, path, &list)
        }
    }

    private func checkControls(of screen: Screen, _ path: String, _ list: inout ProblemList) {
        list.require(
            screen.controls.count < Int(UInt16.max), "\(path)/controls", "has more than 65534 entries")
        for (number, control) in screen.controls.enumerated() {
            let place = "\(path)/controls/\(number)"
            if let opens = control.opens {
                list.index(opens, below: screens.count, of: "screen", "\(place)/opens")
            }
            if let position = control.position {
                list.require(position.rows > 0, "\(place)/position/rows", "is 0; a list needs a row to tap")
            }
            list.require(
                control.weight.isFinite && control.weight >= 0, "\(place)/weight",
                "\(control.weight) is negative")
        }
        list.require(
            screen.controls.isEmpty || screen.controls.contains { $0.weight > 0 }, "\(path)/controls",
            "none has a weight above 0")
    }

    private func checkEvents(_ list: inout ProblemList) {
        for (index, event) in events.enumerated() {
            let path = "/events/\(index)"
            list.require(!event.name.isEmpty, "\(path)/name", "is empty")
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
                list.require(!event.isWeb, "\(path)/timedFrom", "an event of a web page has no native clock")
            }
            if event.isWeb {
                list.require(
                    canBeWeb(event.trigger), "\(path)/trigger", "its screen shows no web page")
            }
        }
        let timed = events.filter { $0.timedFrom != nil }.count
        list.require(
            timed <= AppDescription.timedEventLimit, "/events",
            "\(timed) are timed, more than \(AppDescription.timedEventLimit)")
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
        list.require(
            superProperties.count <= AppDescription.superPropertyGroupLimit, "/superProperties",
            "has more than \(AppDescription.superPropertyGroupLimit) groups")
        for (index, group) in superProperties.enumerated() {
            let path = "/superProperties/\(index)"
            check(group.trigger, "\(path)/trigger", &list)
            check(nil, group.properties, path, &list)
        }
        for (index, rule) in dynamicSuperProperties.enumerated() {
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
                list.require(!key.isEmpty, "\(path)/key", "is empty")
                list.require(
                    value.isOfADevice, "\(path)/value", "is no text or number that a device has for good")
                check(value, catalogue: nil, "\(path)/value", &list)
            case .unbind(let key):
                list.require(keys.contains(key), "\(path)/key", "nothing binds \"\(key)\"")
            }
        }
        list.require(
            bindings.count <= AppDescription.bindingLimit, "/identities",
            "binds more than \(AppDescription.bindingLimit) ids")
    }

    private func checkCatalogues(_ list: inout ProblemList) {
        for (index, catalogue) in catalogues.enumerated() {
            let path = "/catalogues/\(index)"
            list.require(!catalogue.name.isEmpty, "\(path)/name", "is empty")
            if let things = catalogue.deals {
                checkDeals(in: things, catalogue.count, path, &list)
            } else {
                list.require(
                    (1...10_000_000).contains(catalogue.count), "\(path)/count",
                    "\(catalogue.count) is not between 1 and 10000000")
            }
            list.require(
                (0...10).contains(catalogue.exponent), "\(path)/exponent",
                "\(catalogue.exponent) is not between 0 and 10")
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
        list.require(thing.deals == nil, "\(path)/deals", "are not in things, but in deals")
        list.require(thing.count <= 2048, "\(path)/deals", "are in more than 2048 things")
        guard (1...2048).contains(thing.count) else { return }
        list.require(
            count == Deal.count(things: thing.count), "\(path)/count",
            "\(count) is not the number of deals in \(thing.count) things")
    }

    /// A field is the same at any time: it may not tell one, nor another entity's field.
    private func checkField(
        _ generator: PropertyGenerator, of catalogue: UInt16, _ path: String, _ list: inout ProblemList
    ) {
        switch generator {
        case .date: list.require(false, path, "an entity's field cannot be the time of an event")
        case .entity: list.require(false, path, "an entity's field cannot be that of an entity")
        case .list(let element, _, _):
            check(generator, catalogue: catalogue, path, &list)
            checkField(element, of: catalogue, path, &list)
        case .constant, .choice, .zipf, .number, .counter, .entityID, .cycle, .product, .reading:
            check(generator, catalogue: catalogue, path, &list)
        }
    }
}

extension AppDescription {
    private func check(_ trigger: Trigger, _ path: String, _ list: inout ProblemList) {
        switch trigger {
        case .launch, .sessionEnd, .signUp, .login, .logout: break
        case .screen(let screen): list.index(screen, below: screens.count, of: "screen", path)
        case .control(let screen, let control):
            list.index(screen, below: screens.count, of: "screen", path)
            guard Int(screen) < screens.count else { return }
            list.index(
                control, below: screens[Int(screen)].controls.count, of: "control of screen \(screen)", path)
        }
    }

    private func check(
        _ catalogue: UInt16?, _ properties: [PropertyRule], _ path: String, _ list: inout ProblemList
    ) {
        if let catalogue {
            list.index(catalogue, below: catalogues.count, of: "catalogue", "\(path)/catalogue")
        }
        for (index, rule) in properties.enumerated() {
            check(rule.generator, catalogue: catalogue, "\(path)/properties/\(index)/generator", &list)
        }
    }

    /// - Parameter own: The catalogue that the subject at hand points into.
    private func check(
        _ generator: PropertyGenerator, catalogue own: UInt16?, _ path: String, _ list: inout ProblemList
    ) {
        switch generator {
        case .constant, .zipf, .counter, .date: break
        case .reading:
            list.require(
                false, path, found: "what an app reads off its device",
                allowed: "another generator: it is read for dynamic super properties alone")
        case .choice(let values, let choice):
            list.require(
                values.count == choice.count, path, "has \(values.count) values and \(choice.count) weights")
        case .number(let distribution, let decimals):
            list.distribution(distribution, path, negative: true)
            list.require((0...9).contains(decimals), path, "\(decimals) decimals are not between 0 and 9")
        case .entity(let catalogue, let field):
            list.index(catalogue, below: catalogues.count, of: "catalogue", path)
            list.require(
                isKnown(catalogue, to: own), path,
                "speaks of catalogue \(catalogue), the subject is not from there")
            guard Int(catalogue) < catalogues.count else { return }
            list.index(
                field, below: catalogues[Int(catalogue)].fields.count, of: "field of catalogue \(catalogue)",
                path)
        case .entityID(let catalogue, _):
            list.index(catalogue, below: catalogues.count, of: "catalogue", path)
            list.require(
                isKnown(catalogue, to: own), path,
                "speaks of catalogue \(catalogue), the subject is not from there")
        case .cycle:
            list.require(own != nil, path, "goes by the number of a subject that the event does not have")
        case .product(let factors, let decimals):
            list.require(own != nil, path, "goes by the number of a subject that the event does not have")
            list.require((0...9).contains(decimals), path, "\(decimals) decimals are not between 0 and 9")
            list.require(
                factors.allSatisfy { $0.values.allSatisfy(\.isFinite) }, path, "has a factor without end")
        case .list(let element, let minimum, let maximum):
            list.require(
                minimum >= 0 && minimum <= maximum && maximum <= 1000, path,
                found: "a list of \(minimum) to \(maximum) elements",
                allowed: "0 to 1000, the fewest not above the most")
            check(element, catalogue: own, path, &list)
        }
    }
}

extension AppDescription {
    /// Whether whoever speaks of a subject of one catalogue can speak of another: its own, or that of the things that
    /// deals are in.
    private func isKnown(_ catalogue: UInt16, to own: UInt16?) -> Bool {
        guard let own, Int(own) < catalogues.count else { return false }
        return catalogue == own || catalogue == catalogues[Int(own)].deals
    }
}
