import AppModel
import SensorsSDK
import Timebase
import Wire

/// Makes an app's description from its draft: looks up the names of screens, controls and
/// catalogues.
struct AppBinder {
    /// Things of all catalogues, and what all values by Zipf's law choose from: each has its place in tables, some 30 bytes
    /// in each population.
    static let alternativeLimit = 10_000_000

    let draft: AppDraft
    private let screenNames: [String]
    private let catalogueNames: [String]
    var reading = Reading()
    /// What the app's values by Zipf's law choose from, as far as they are bound.
    private var alternatives = 0

    private init(_ draft: AppDraft) {
        self.draft = draft
        screenNames = draft.screens.map { $0.name?.value ?? "" }
        catalogueNames = draft.catalogues.map { $0.name?.value ?? "" }
    }

    /// Binds an app; names that are not found, and whatever the model itself finds wrong, are reported.
    static func bind(_ app: Named<AppDraft>, _ reading: inout Reading) -> AppDescription? {
        let before = reading.problems.count
        var binder = AppBinder(app.value)
        let description = binder.app(named: app.name)
        reading.problems += binder.reading.problems
        let alternatives = app.value.catalogues.reduce(binder.alternatives) { $0 + $1.count }
        if alternatives > AppBinder.alternativeLimit {
            reading.report(
                .outOfRange, app.place, found: "\(alternatives) things and numbers by Zipf's law",
                allowed: "at most \(AppBinder.alternativeLimit), with all catalogues and all of \"zipf\"")
        }
        // The model's own checks speak in indices; where a name is missing they would only repeat it.
        guard reading.problems.count == before else { return nil }
        // What could not be read stands as something else in the model.
        guard !reading.hasProblem(in: app.place) else { return description }
        for problem in description.problems() {
            let path = modelPath(problem.path, in: app.place)
            reading.report(.conflict, path, found: problem.found, allowed: problem.allowed)
        }
        return reading.problems.count == before ? description : nil
    }

    private mutating func app(named name: String) -> AppDescription {
        var app = AppDescription(name: name)
        app.bundleIdentifier = draft.bundleIdentifier
        app.displayName = draft.displayName ?? name
        app.versions = draft.versions
        app.crashReasons = draft.crashReasons
        checkUnique()
        app.screens = draft.screens.map { screen($0) }
        app.startScreen = draft.startScreen.map { screenIndex($0) } ?? 0
        app.catalogues = draft.catalogues.map { catalogue($0) }
        app.events = draft.events.compactMap { event($0) }
        app.profiles = draft.profiles.compactMap { profile($0) }
        app.items = draft.items.compactMap { item($0) }
        app.identities = draft.identities.compactMap { identity($0) }
        app.superProperties = draft.superProperties.compactMap { update in
            trigger(update.trigger).map {
                SuperPropertyGroup(trigger: $0, properties: rules(update.properties))
            }
        }
        app.dynamicSuperProperties = rules(draft.dynamicSuperProperties)
        app.tabs = draft.tabs.map { screenIndex($0) }
        if let name = draft.appDelegate { app.appDelegate = name }
        if let name = draft.tabBarController { app.tabBarController = name }
        if let name = draft.navigationController { app.navigationController = name }
        app.terminationNotice = draft.terminationNotice
        return draft.module.map { app.ofSwift(module: $0) } ?? app
    }

    private mutating func checkUnique() {
        for located in [draft.screens.map(\.name), draft.catalogues.map(\.name)] {
            var seen: Set<String> = []
            for name in located.compactMap({ $0 }) where !seen.insert(name.value).inserted {
                reading.report(.conflict, name.place, allowed: "a name that no other has")
            }
        }
    }

    // MARK: Screens

    private mutating func screen(_ draft: ScreenDraft) -> Screen {
        let name = draft.name?.value ?? ""
        let className = draft.className ?? "\(name)ViewController"
        var screen = Screen(name: name, className: className, title: draft.title)
        screen.url = draft.url
        screen.transitions = draft.transitions.map { transition in
            let target = Located(value: transition.name, place: transition.place)
            return Screen.Transition(screen: screenIndex(target), probability: transition.value)
        }
        screen.controls = draft.controls.map { control($0, on: className) }
        if let web = draft.web, let url = web.url {
            var page = Screen.WebPage(url: url)
            page.serverHost = web.serverHost
            page.serverProject = web.serverProject
            page.viewClass = web.viewClass
            page.failures = web.failures
            screen.web = page
        }
        screen.viewClass = draft.viewClass
        screen.parents = draft.parents
        screen.properties = remarks(draft.properties)
        if let scroll = draft.scroll, let chance = scroll.chance {
            var habit = Screen.Scroll(chance: chance)
            habit.flick = scroll.flick
            habit.toTop = scroll.toTop
            screen.scroll = habit
        }
        return screen
    }

    private mutating func control(_ draft: ControlDraft, on className: String) -> Control {
        var control = Control(
            className: draft.className, action: draft.action ?? "", target: draft.target ?? className,
            label: draft.label)
        control.identifier = draft.identifier
        control.weight = draft.weight
        control.opens = draft.opens.map { screenIndex($0) }
        if let row = draft.row {
            control.position = Control.Position(section: UInt16(row.section), rows: UInt16(row.rows))
        }
        if draft.frame.count == 4 {
            control.frame = Control.Frame(
                x: draft.frame[0], y: draft.frame[1], width: draft.frame[2], height: draft.frame[3])
        }
        control.kind = draft.kind
        control.tag = draft.tag
        control.within = draft.within
        control.classIndex = draft.classIndex.map { UInt16($0) }
        control.segments = draft.segments
        control.properties = remarks(draft.properties)
        control.alert = draft.alert.map { alert in
            var result = Control.Alert(title: alert.title ?? "", message: alert.message)
            result.style = alert.style
            return result
        }
        return control
    }

    private mutating func screenIndex(_ name: Located<String>) -> UInt16 {
        if let index = screenNames.firstIndex(of: name.value) { return UInt16(index) }
        reading.reportUnknown(name.value, name.place, among: screenNames, what: "a screen of the app")
        return 0
    }

    // MARK: What the app sends

    private mutating func event(_ draft: EventDraft) -> BusinessEvent? {
        guard let name = draft.name, let trigger = trigger(draft.trigger) else { return nil }
        var event = BusinessEvent(name: name, trigger: trigger)
        event.chance = draft.chance
        event.pause = draft.pause
        event.isWeb = draft.isWeb
        event.timedFrom = draft.timedFrom.flatMap { self.trigger($0) }
        event.properties = rules(draft.properties)
        event.catalogue = catalogueIndex(draft.catalogue, or: event.properties)
        return event
    }

    private mutating func profile(_ draft: UpdateDraft) -> ProfileUpdate? {
        guard let operation = draft.operation, let trigger = trigger(draft.trigger) else { return nil }
        var update = ProfileUpdate(operation: operation, trigger: trigger)
        update.chance = draft.chance
        update.properties = rules(draft.properties)
        update.catalogue = catalogueIndex(draft.catalogue, or: update.properties)
        return update
    }

    private mutating func item(_ draft: UpdateDraft) -> ItemUpdate? {
        guard let type = draft.itemType, let id = draft.itemID.flatMap({ generator($0) }),
            let trigger = trigger(draft.trigger)
        else { return nil }
        var update = ItemUpdate(isDeletion: draft.isDeletion, itemType: type, itemID: id, trigger: trigger)
        update.chance = draft.chance
        update.properties = rules(draft.properties)
        update.catalogue = catalogueIndex(draft.catalogue, or: [PropertyRule("", id)] + update.properties)
        return update
    }

    private mutating func catalogue(_ draft: CatalogueDraft) -> Catalogue {
        var catalogue = Catalogue(name: draft.name?.value ?? "", count: draft.count)
        catalogue.exponent = draft.exponent
        catalogue.fields = rules(draft.fields)
        return catalogue
    }

    /// The catalogue that is named, else the one that the first property speaks of.
    private mutating func catalogueIndex(_ name: Located<String>?, or properties: [PropertyRule]) -> UInt16? {
        if let name { return catalogueIndex(name) }
        return properties.lazy.compactMap { AppBinder.catalogue(of: $0.generator) }.first
    }

    private static func catalogue(of generator: PropertyGenerator) -> UInt16? {
        switch generator {
        case .entity(let catalogue, _), .entityID(let catalogue, _): catalogue
        case .list(let element, _, _): catalogue(of: element)
        case .constant, .choice, .zipf, .number, .counter, .cycle, .product, .date, .reading: nil
        }
    }

    private mutating func catalogueIndex(_ name: Located<String>) -> UInt16? {
        if let index = catalogueNames.firstIndex(of: name.value) { return UInt16(index) }
        reading.reportUnknown(name.value, name.place, among: catalogueNames, what: "a catalogue of the app")
        return nil
    }

    mutating func trigger(_ draft: TriggerDraft?) -> Trigger? {
        switch draft?.moment {
        case .launch: return .launch
        case .sessionEnd: return .sessionEnd
        case .signUp: return .signUp
        case .login: return .login
        case .logout: return .logout
        case nil: break
        }
        if let screen = draft?.screen { return .screen(screenIndex(screen)) }
        return draft?.control.flatMap { control($0) }
    }

    /// Looks up `Screen.action` or `Screen.identifier`; the first of equals.
    private mutating func control(_ name: Located<String>) -> Trigger? {
        var known: [String] = []
        for (index, screen) in draft.screens.enumerated() {
            let names = screen.controls.map { ($0.action ?? "", $0.identifier) }
            let prefix = "\(screenNames[index])."
            if let control = names.firstIndex(where: {
                prefix + $0.0 == name.value || !$0.1.isEmpty && prefix + $0.1 == name.value
            }) {
                return .control(screen: UInt16(index), control: UInt16(control))
            }
            known += names.map { prefix + $0.0 }
        }
        reading.reportUnknown(name.value, name.place, among: known, what: "a control of the app")
        return nil
    }

    // MARK: Properties

    mutating func rules(_ drafts: [Named<GeneratorDraft>]) -> [PropertyRule] {
        drafts.compactMap { draft in
            generator(draft.value).map { PropertyRule(draft.name, $0) }
        }
    }

    mutating func generator(_ draft: GeneratorDraft) -> PropertyGenerator? {
        if draft.isDate { return .date }
        if let constant = draft.constant { return .constant(constant) }
        if let choice = draft.choice {
            return .choice(choice.values, WeightedChoice(weights: choice.weights))
        }
        if let zipf = draft.zipf {
            alternatives += zipf.count
            // Beyond the limit the app is refused: it need not be made.
            let count = alternatives > AppBinder.alternativeLimit ? 1 : zipf.count
            return .zipf(.zipf(count: count, exponent: zipf.exponent), prefix: zipf.prefix)
        }
        if let number = draft.number { return .number(number.distribution, decimals: number.decimals) }
        if let counter = draft.counter { return .counter(prefix: counter.prefix) }
        if let device = draft.device { return .reading(device) }
        if let entity = draft.entity { return self.entity(entity) }
        if let entity = draft.entityID, let name = entity.catalogue {
            return catalogueIndex(name).map { .entityID(catalogue: $0, prefix: entity.prefix) }
        }
        return draft.list.flatMap { list in
            list.element.first.flatMap { generator($0) }
                .map { .list($0, minimum: list.minimum, maximum: list.maximum) }
        }
    }

    private mutating func entity(_ name: Located<String>) -> PropertyGenerator? {
        var known: [String] = []
        for (index, catalogue) in draft.catalogues.enumerated() {
            let fields = catalogue.fields.map { "\(catalogueNames[index]).\($0.name)" }
            if let field = fields.firstIndex(of: name.value) {
                return .entity(catalogue: UInt16(index), field: UInt16(field))
            }
            known += fields
        }
        reading.reportUnknown(name.value, name.place, among: known, what: "a field of a catalogue")
        return nil
    }
}
