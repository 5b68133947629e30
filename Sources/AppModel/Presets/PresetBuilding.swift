import Timebase

// Short forms for the presets' tables.

extension PropertyGenerator {
    static func text(_ value: String) -> PropertyGenerator { .constant(.string(value)) }

    /// One of some texts, evenly or by weight.
    static func oneOf(_ values: [String], weights: [Double]? = nil) -> PropertyGenerator {
        .choice(
            values.map(PropertyValue.string),
            WeightedChoice(weights: weights ?? values.map { _ in 1 }))
    }

    /// One of some numbers, by weight.
    static func oneOf(numbers: [Double], weights: [Double]) -> PropertyGenerator {
        .choice(numbers.map(PropertyValue.number), WeightedChoice(weights: weights))
    }

    /// The texts of the things of a catalogue, by their numbers.
    static func byNumber(_ values: [String], step: UInt32 = 1) -> PropertyGenerator {
        .cycle(EntityCycle(values.map(PropertyValue.string), step: step))
    }

    /// A switch that is on in the upper part of its draw, so that numbers which share the draw are higher then.
    static func success(_ probability: Double) -> PropertyGenerator {
        .choice([.bool(false), .bool(true)], WeightedChoice(weights: [1 - probability, probability]))
    }

    static func chance(_ probability: Double) -> PropertyGenerator {
        .choice([.bool(true), .bool(false)], WeightedChoice(weights: [probability, 1 - probability]))
    }

    /// A whole number, evenly between the bounds.
    static func integer(_ low: Int, _ high: Int) -> PropertyGenerator {
        // Half a number more at each end: rounding then gives every number the same share.
        .number(.uniform(Double(low) - 0.499_999, Double(high) + 0.499_999), decimals: 0)
    }

    /// A number of 13 digits by chance: among a million, two are the same once in twenty times.
    static var serial: PropertyGenerator { .integer(1_000_000_000_000, 9_999_999_999_999) }

    /// An amount of money, with cents.
    static func amount(median: Double, sigma: Double) -> PropertyGenerator {
        .number(.lognormal(median: median, sigma: sigma), decimals: 2)
    }
}

extension Screen {
    init(
        _ name: String, _ className: String, _ title: String, url: String = "", next: [(UInt16, Double)],
        controls: [Control] = [], web: WebPage? = nil, scrolls: Double = 0, view: String = "UIView"
    ) {
        self.init(name: name, className: className, title: title)
        self.url = url
        self.controls = controls
        self.web = web
        viewClass = view
        if scrolls > 0 { scroll = Scroll(chance: scrolls) }
        transitions = next.map { Transition(screen: $0.0, probability: $0.1) }
    }
}

extension Control {
    /// A button of a screen; `frame` is where it stands, in points.
    static func button(
        _ label: String, _ action: String, on target: String, id: String = "", at frame: Frame,
        opens: UInt16? = nil, weight: Double = 1
    ) -> Control {
        var control = Control(className: "UIButton", action: action, target: target, label: label)
        control.identifier = id
        control.frame = frame
        control.opens = opens
        control.weight = weight
        return control
    }

    /// A button that stands in the navigation bar.
    static func barButton(
        _ label: String, _ action: String, on target: String, id: String = "", at frame: Frame,
        weight: Double = 1
    ) -> Control {
        var control = button(label, action, on: target, id: id, at: frame, weight: weight)
        control.className = "UIBarButtonItem"
        return control
    }

    /// A button of an alert that asks before something is done.
    static func answer(
        _ label: String, to title: String, _ message: String, _ action: String, on target: String,
        id: String = "", style: Alert.Style = .alertController, weight: Double = 1
    ) -> Control {
        let frame = Frame(x: 0, y: 88, width: 270, height: 44)
        var control = button(label, action, on: target, id: id, at: frame, weight: weight)
        control.className = "UIAlertAction"
        control.alert = Alert(title: title, message: message)
        control.alert?.style = style
        return control
    }

    /// A control of another class: a switch, a slider, a view with a gesture.
    func of(_ className: String, tag: Int = 0, segments: [String] = []) -> Control {
        var control = self
        control.className = className
        control.tag = tag
        control.segments = segments
        return control
    }

    /// A control in a cell of a list.
    func inCell(_ cell: String) -> Control {
        var control = self
        var ancestor = Ancestor(cell)
        ancestor.isCell = true
        control.within = [Ancestor("UITableView"), ancestor, Ancestor("UITableViewCellContentView")]
        return control
    }

    /// The rows of a list.
    static func rows(
        _ count: UInt16, of className: String, on target: String, label: String, section: UInt16 = 0,
        opens: UInt16? = nil, weight: Double = 1
    ) -> Control {
        let isGrid = className == "UICollectionViewCell"
        let action =
            isGrid
            ? "collectionView:didSelectItemAtIndexPath:" : "tableView:didSelectRowAtIndexPath:"
        var control = Control(className: className, action: action, target: target, label: label)
        control.position = Position(section: section, rows: count)
        control.frame =
            isGrid
            ? Frame(x: 12, y: 220, width: 170, height: 240) : Frame(x: 0, y: 140, width: 375, height: 96)
        control.opens = opens
        control.weight = weight
        return control
    }

    /// An item of the tab bar.
    static func tab(_ label: String, _ index: Int, opens: UInt16, weight: Double = 0.3) -> Control {
        var control = Control(
            className: "UITabBarButton", action: "_tabBarItemClicked:", target: "UITabBar", label: label)
        control.frame = Frame(x: 2 + index * 75, y: 763, width: 71, height: 48)
        control.opens = opens
        control.weight = weight
        return control
    }
}

extension Screen.WebPage {
    init(url: String, failures: Double) {
        self.init(url: url)
        self.failures = failures
    }
}

extension BusinessEvent {
    init(
        _ name: String, at trigger: Trigger, chance: Double = 1, from start: Trigger? = nil,
        after pause: Distribution? = nil, of catalogue: UInt16? = nil, isWeb: Bool = false,
        _ properties: [PropertyRule]
    ) {
        self.init(name: name, trigger: trigger)
        self.chance = chance
        self.pause = pause
        self.properties = properties
        self.isWeb = isWeb
        self.catalogue = catalogue
        timedFrom = start
    }
}

extension ProfileUpdate {
    init(
        _ operation: Operation, at trigger: Trigger, chance: Double = 1, of catalogue: UInt16? = nil,
        _ properties: [PropertyRule] = []
    ) {
        self.init(operation: operation, trigger: trigger)
        self.chance = chance
        self.properties = properties
        self.catalogue = catalogue
    }
}

extension Catalogue {
    /// The one thing in which each user has something of its own, such as an account; see ``users(_:in:)``.
    static func one(_ name: String) -> Catalogue { Catalogue(name: name, count: 1) }

    /// What each user has of its own. A number tells the user, who is another one after each ``Deal/perDevice`` numbers;
    /// no event speaks of it, so it belongs to no order.
    static func users(_ name: String, in thing: UInt16) -> Catalogue {
        var catalogue = Catalogue(name: name, count: Deal.count(things: 1))
        catalogue.deals = thing
        return catalogue
    }
}

extension ItemUpdate {
    /// An item of a catalogue; `properties` empty and `isDeletion` for a deletion.
    init(
        _ type: String, _ prefix: String, of catalogue: UInt16, at trigger: Trigger, chance: Double,
        isDeletion: Bool = false, _ properties: [PropertyRule] = []
    ) {
        self.init(
            isDeletion: isDeletion, itemType: type, itemID: .entityID(catalogue: catalogue, prefix: prefix),
            trigger: trigger)
        self.chance = chance
        self.properties = properties
        self.catalogue = catalogue
    }
}

extension PropertyRule {
    /// Draws what another property of the event draws: see ``companion``.
    func with(_ key: String) -> PropertyRule {
        var rule = self
        rule.companion = key
        return rule
    }
}
