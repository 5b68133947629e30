import Timebase

extension AppDescription {
    func check(_ trigger: Trigger, _ path: String, _ list: inout ProblemList) {
        switch trigger {
        case .launch, .sessionEnd, .signUp, .login, .logout: break
        case .screen(let screen): list.index(screen, below: screens.count, of: "screen", path)
        case .control(let screen, let control):
            list.index(screen, below: screens.count, of: "screen", path)
            guard Int(screen) < screens.count else { return }
            list.index(
                control, below: screens[Int(screen)].controls.count,
                of: "control of \"\(screens[Int(screen)].name)\"", path)
        }
    }

    func check(
        _ catalogue: UInt16?, _ properties: [PropertyRule], _ path: String, _ list: inout ProblemList
    ) {
        if let catalogue {
            list.index(catalogue, below: catalogues.count, of: "catalogue", "\(path)/catalogue")
        }
        for (index, rule) in properties.enumerated() {
            checkKey(rule, "\(path)/properties/\(index)", &list)
            check(rule.generator, catalogue: catalogue, "\(path)/properties/\(index)/generator", &list)
        }
    }

    /// A collector knows an event by the id in `bs_id`, whoever wrote it.
    func checkKey(_ rule: PropertyRule, _ path: String, _ list: inout ProblemList) {
        list.require(
            rule.key != "bs_id", path, found: "\"bs_id\", by which a run knows its events",
            allowed: "another name")
    }

    /// - Parameter own: The catalogue that the subject at hand points into.
    func check(
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
                values.count == choice.count, path,
                found: "\(values.count) values and \(choice.count) weights",
                allowed: "a weight for each value")
        case .number(let distribution, let decimals):
            list.distribution(distribution, path, negative: true)
            list.number(decimals, 0...9, of: "decimals", path)
        case .entity(let catalogue, let field):
            checkSubject(catalogue, own, path, &list)
            guard Int(catalogue) < catalogues.count else { return }
            let things = catalogues[Int(catalogue)]
            list.index(field, below: things.fields.count, of: "field of \"\(things.name)\"", path)
        case .entityID(let catalogue, _): checkSubject(catalogue, own, path, &list)
        case .cycle: checkNumbered(own, path, &list)
        case .product(let factors, let decimals):
            checkNumbered(own, path, &list)
            list.number(decimals, 0...9, of: "decimals", path)
            list.require(
                factors.allSatisfy { $0.values.allSatisfy(\.isFinite) }, path, found: "a factor without end",
                allowed: "finite factors")
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

    /// What a value says of a thing must be said of the one that is spoken of.
    private func checkSubject(
        _ catalogue: UInt16, _ own: UInt16?, _ path: String, _ list: inout ProblemList
    ) {
        list.index(catalogue, below: catalogues.count, of: "catalogue", path)
        guard Int(catalogue) < catalogues.count else { return }
        let subject = own.flatMap { Int($0) < catalogues.count ? catalogues[Int($0)].name : nil }
        list.require(
            isKnown(catalogue, to: own), path, found: "a thing of \"\(catalogues[Int(catalogue)].name)\"",
            allowed: subject.map { "things of \"\($0)\", of which this speaks" }
                ?? "a value without a thing: nothing here speaks of one")
    }

    private func checkNumbered(_ own: UInt16?, _ path: String, _ list: inout ProblemList) {
        list.require(
            own != nil, path, found: "a value that goes by a thing's number",
            allowed: "a value without a thing: nothing here speaks of one")
    }
}
