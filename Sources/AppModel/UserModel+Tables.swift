import Timebase

/// Something that the app does at a trigger.
struct Reaction: Sendable {
    enum Kind: UInt8, Sendable {
        case registerSuperProperties, identity, business, web, profile, item, beginTimed
    }
    var kind: Kind
    /// The user takes the event's ``BusinessEvent/pause``.
    var isPaused = false
    /// The timed event's bit in the set of running clocks; 0 for everything untimed.
    var clock: UInt32 = 0
    /// The group, event or update.
    var index: UInt16
    /// `.max` for none.
    var catalogue = UInt16.max
    var chance = 1.0

    /// The clocks that a device has room for.
    static let clockCount = UInt32.bitWidth

    /// The reactions of each trigger, in the order in which the app's code would run them: what
    /// later events carry first, then who the user is, what starts a clock last.
    static func lists(
        of app: AppDescription, triggers: TriggerTable, onlySuperProperties: Bool
    ) -> [[Reaction]] {
        var lists = [[Reaction]](repeating: [], count: triggers.count)
        func add(_ reaction: Reaction, at trigger: Trigger) {
            lists[triggers.number(of: trigger)].append(reaction)
        }
        for (index, group) in app.superProperties.enumerated() {
            add(Reaction(kind: .registerSuperProperties, index: UInt16(index)), at: group.trigger)
        }
        if onlySuperProperties { return lists }
        for (index, update) in app.identities.enumerated() {
            let reaction = Reaction(kind: .identity, index: UInt16(index), chance: update.chance)
            add(reaction, at: update.trigger)
        }
        addEvents(of: app) { lists[triggers.number(of: $1)].append($0) }
        return lists
    }

    private static func addEvents(of app: AppDescription, _ add: (Reaction, Trigger) -> Void) {
        var clock: UInt32 = 1
        var starts: [(trigger: Trigger, reaction: Reaction)] = []
        for (index, event) in app.events.enumerated() where event.variant == nil {
            var reaction = Reaction(
                kind: event.isWeb ? .web : .business, index: UInt16(index),
                catalogue: event.catalogue ?? .max, chance: event.chance)
            reaction.isPaused = event.pause != nil
            if let start = event.timedFrom {
                reaction.clock = clock
                starts.append((start, Reaction(kind: .beginTimed, clock: clock, index: UInt16(index))))
                clock <<= 1
            }
            add(reaction, event.trigger)
        }
        for (index, update) in app.profiles.enumerated() {
            let reaction = Reaction(
                kind: .profile, index: UInt16(index), catalogue: update.catalogue ?? .max,
                chance: update.chance)
            add(reaction, update.trigger)
        }
        for (index, update) in app.items.enumerated() {
            let reaction = Reaction(
                kind: .item, index: UInt16(index), catalogue: update.catalogue ?? .max,
                chance: update.chance)
            add(reaction, update.trigger)
        }
        for start in starts { add(start.reaction, start.trigger) }
    }
}

extension UserModel {
    /// Whether each screen shows one entity: a row of a list opens it, and something that it
    /// triggers speaks of an entity.
    static func entityScreens(of app: AppDescription) -> [Bool] {
        var opened = Set<UInt16>()
        for control in app.screens.lazy.flatMap(\.controls) where control.position != nil {
            if let screen = control.opens { opened.insert(screen) }
        }
        return app.screens.indices.map { index in
            opened.contains(UInt16(index))
                && entityTriggers(of: app).contains { trigger in
                    switch trigger {
                    case .screen(let screen), .control(let screen, _): Int(screen) == index
                    case .launch, .sessionEnd, .signUp, .login, .logout: false
                    }
                }
        }
    }

    /// The triggers of everything that speaks of an entity.
    private static func entityTriggers(of app: AppDescription) -> [Trigger] {
        app.events.filter { $0.catalogue != nil }.map(\.trigger)
            + app.profiles.filter { $0.catalogue != nil }.map(\.trigger)
            + app.items.filter { $0.catalogue != nil }.map(\.trigger)
    }

    static func controlTables(
        of app: AppDescription, entityScreens: [Bool]
    ) -> ContiguousArray<ControlTable> {
        let entityTriggers = Set(entityTriggers(of: app))
        var tables = ContiguousArray<ControlTable>()
        for (screenIndex, screen) in app.screens.enumerated() {
            var sum = 0.0
            for (index, control) in screen.controls.enumerated() {
                sum += control.weight
                let trigger = Trigger.control(screen: UInt16(screenIndex), control: UInt16(index))
                let opensEntity = control.opens.map { entityScreens[Int($0)] } ?? false
                tables.append(
                    ControlTable(
                        cumulativeWeight: sum, opens: control.opens ?? .max,
                        choosesEntity: control.position != nil
                            && (opensEntity || entityTriggers.contains(trigger))))
            }
        }
        return tables
    }

    static func transitionTables(of app: AppDescription) -> ContiguousArray<TransitionTable> {
        var tables = ContiguousArray<TransitionTable>()
        for screen in app.screens {
            var sum = 0.0
            for transition in screen.transitions {
                sum += transition.probability
                tables.append(
                    TransitionTable(
                        // 0.1 ten times is a little less than 1, which must not end sessions.
                        cumulativeProbability: abs(sum - 1) < 1e-9 ? 1 : sum, screen: transition.screen))
            }
        }
        return tables
    }

    static func screenTables(of app: AppDescription, entityScreens: [Bool]) -> ContiguousArray<ScreenTable> {
        var control = 0
        var transition = 0
        return ContiguousArray(
            app.screens.enumerated().map { index, screen in
                let controls = control..<control + screen.controls.count
                let transitions = transition..<transition + screen.transitions.count
                control = controls.upperBound
                transition = transitions.upperBound
                return ScreenTable(
                    controls: controls, transitions: transitions, isWeb: screen.web != nil,
                    showsEntity: entityScreens[index])
            })
    }

    /// One action, one captured event: native business events without a clock, or taps on the
    /// start screen in an app that has none.
    static func steadyActions(of app: AppDescription) -> ContiguousArray<UserAction> {
        let events = app.steadyEvents
        if !events.isEmpty {
            return ContiguousArray(events.map { .business(event: UInt16($0), subject: 0) })
        }
        let controls = app.screens[Int(app.startScreen)].controls.indices
        return ContiguousArray(controls.map { .tap(screen: app.startScreen, control: UInt16($0)) })
    }
}

extension AppDescription {
    /// The indices of the events that users at a steady rate send: native ones without a clock. If there
    /// are none, such users tap on the start screen instead.
    package var steadyEvents: [Int] {
        events.indices.filter {
            !events[$0].isWeb && events[$0].timedFrom == nil && events[$0].variant == nil
        }
    }
}
