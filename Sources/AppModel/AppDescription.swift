package import Timebase

/// An app as its users and an SDK's hooks see it: screens with controls, and the events that the
/// app's developers send. Plain data; presets and scenario files both end up here.
package struct AppDescription: Hashable, Sendable {
    package var name: String
    /// `CFBundleIdentifier`.
    package var bundleIdentifier = "com.example.app"
    package var displayName = "App"
    /// Versions in the order in which devices get them; the first is installed at the start.
    package var versions = ["1.0.0"]
    package var screens: [Screen] = []
    /// The screen that a launch shows.
    package var startScreen: UInt16 = 0
    package var events: [BusinessEvent] = []
    package var profiles: [ProfileUpdate] = []
    package var items: [ItemUpdate] = []
    package var identities: [IdentityUpdate] = []
    package var catalogues: [Catalogue] = []
    /// Groups of properties that the app registers for every later event.
    package var superProperties: [SuperPropertyGroup] = []
    /// Properties computed anew for each event by the app's callback.
    package var dynamicSuperProperties: [PropertyRule] = []
    /// Texts of crashes, chosen evenly.
    package var crashReasons: [String] = []
    /// The class of the application's delegate, which Kit's row of a start tells.
    package var appDelegate = "AppDelegate"
    /// The screens of the tab bar in order; empty for those that controls of kind
    /// ``Control/Kind/tab`` open, and none if there are no such controls.
    package var tabs: [UInt16] = []
    /// The class of the tab bar's controller; without tabs there is none.
    package var tabBarController = "UITabBarController"
    /// The class of the controller that screens are pushed on; empty for apps without one.
    package var navigationController = "UINavigationController"
    /// Share of the ends of the process in the background that `applicationWillTerminate:` announces,
    /// as it does for apps that run there (audio, navigation); all others are suspended and end without
    /// a word.
    package var terminationNotice = 0.0

    package init(name: String) { self.name = name }
}

/// When the app itself sends something.
package enum Trigger: Hashable, Sendable {
    case screen(UInt16)
    case control(screen: UInt16, control: UInt16)
    case launch, sessionEnd, signUp, login, logout
}

/// An event that the app's developers track in code.
package struct BusinessEvent: Hashable, Sendable {
    package var name: String
    package var trigger: Trigger
    /// Probability that the trigger sends it.
    package var chance = 1.0
    /// Seconds that the user takes over it once it is triggered, such as to pay; `nil` for none. What else
    /// the trigger sets off comes after it. A session that is over before ends without both.
    package var pause: Distribution?
    package var properties: [PropertyRule] = []
    /// The clock starts at this trigger and `event_duration` is sent; `nil` for untimed events.
    package var timedFrom: Trigger?
    /// Sent by a page in a web view over the bridge, not by native code.
    package var isWeb = false
    /// The catalogue that ``UserAction/business(event:subject:)``'s subject points into.
    package var catalogue: UInt16?
    /// Set for what the app's code sends of another event by mistake: no trigger sends it.
    package var variant: Variant?

    package init(name: String, trigger: Trigger) {
        self.name = name
        self.trigger = trigger
    }

    /// What a planted mistake makes of an event.
    package struct Variant: Hashable, Sendable {
        /// The pattern's number in the scenario.
        package var pattern: Int
        /// Index of the event that it is a mistake about.
        package var origin: UInt16
        /// Whether it is sent after the event, with the same values.
        package var repeats: Bool

        package init(pattern: Int, origin: UInt16, repeats: Bool) {
            self.pattern = pattern
            self.origin = origin
            self.repeats = repeats
        }
    }
}

/// A change of the user's profile.
package struct ProfileUpdate: Hashable, Sendable {
    package enum Operation: String, CaseIterable, Sendable {
        case set = "profile_set"
        case setOnce = "profile_set_once"
        case unset = "profile_unset"
        case increment = "profile_increment"
        case append = "profile_append"
        case delete = "profile_delete"
    }
    package var operation: Operation
    package var trigger: Trigger
    package var chance = 1.0
    package var properties: [PropertyRule] = []
    package var catalogue: UInt16?

    package init(operation: Operation, trigger: Trigger) {
        self.operation = operation
        self.trigger = trigger
    }
}

/// A change of an item (a book, a course) that events refer to.
package struct ItemUpdate: Hashable, Sendable {
    package var isDeletion: Bool
    package var itemType: String
    package var itemID: PropertyGenerator
    package var trigger: Trigger
    package var chance = 1.0
    package var properties: [PropertyRule] = []
    package var catalogue: UInt16?

    package init(isDeletion: Bool, itemType: String, itemID: PropertyGenerator, trigger: Trigger) {
        self.isDeletion = isDeletion
        self.itemType = itemType
        self.itemID = itemID
        self.trigger = trigger
    }
}

/// Properties that the app registers at a trigger.
package struct SuperPropertyGroup: Hashable, Sendable {
    package var trigger: Trigger
    package var properties: [PropertyRule]
    package init(trigger: Trigger, properties: [PropertyRule]) {
        self.trigger = trigger
        self.properties = properties
    }
}

/// Things that events speak of: products, articles, levels. Popularity follows Zipf's law.
package struct Catalogue: Hashable, Sendable {
    package var name: String
    package var count: Int
    package var exponent = 1.0
    package var fields: [PropertyRule] = []
    /// What happens to the things of another catalogue, such as orders: each is of one device, and new whenever its
    /// event comes once more. See ``Deal``.
    package var deals: UInt16?
    package init(name: String, count: Int) {
        self.name = name
        self.count = count
    }
}

/// A property and how its values come about.
package struct PropertyRule: Hashable, Sendable {
    package var key: String
    package var generator: PropertyGenerator
    /// The key of a property before it in the same list whose draw it shares: what is drawn at a tenth of one's
    /// alternatives is then drawn at a tenth of the other's, so that a level that is lost has no stars.
    package var companion: String?
    package init(_ key: String, _ generator: PropertyGenerator) {
        self.key = key
        self.generator = generator
    }
}

/// Where a property's value comes from. Values are drawn from the stream that belongs to the event,
/// so they come out the same each time that the event is encoded.
package indirect enum PropertyGenerator: Hashable, Sendable {
    case constant(PropertyValue)
    case choice([PropertyValue], WeightedChoice)
    /// A number 1…count by Zipf's law; with a prefix, a text such as `sku-17`.
    case zipf(WeightedChoice, prefix: String?)
    /// Rounded to the given number of decimals.
    case number(Distribution, decimals: Int)
    /// The event's own sequence on the device: grows, never repeats; with a prefix, a text.
    case counter(prefix: String?)
    /// A field of the entity concerned: drawn from a stream that belongs to that entity, so that
    /// every device tells the same price for the same product.
    case entity(catalogue: UInt16, field: UInt16)
    /// The entity's number itself, such as `sku-00017`. Of a deal's, that of the thing that it is about.
    case entityID(catalogue: UInt16, prefix: String)
    /// The value at the index of the entity's number, over and over: of things of one catalogue, all that such lists
    /// tell fits together.
    case cycle(EntityCycle<PropertyValue>)
    /// The product of the values at the entity's indices, such as a price times a quantity.
    case product([EntityCycle<Double>], decimals: Int)
    case list(PropertyGenerator, minimum: Int, maximum: Int)
    /// The time of capture as a date.
    case date
    /// What the app reads off the device at the event: of dynamic super properties alone, for which it is asked
    /// each time.
    case reading(DeviceReading)
}

/// Values that entities have by their numbers, over and over.
package struct EntityCycle<Value: Hashable & Sendable>: Hashable, Sendable {
    package var values: [Value]
    /// How many entities in a row have the same value.
    package var step: UInt32

    /// - Precondition: neither is empty or 0.
    package init(_ values: [Value], step: UInt32 = 1) {
        precondition(!values.isEmpty && step > 0)
        self.values = values
        self.step = step
    }

    package func index(of entity: UInt32) -> Int { Int(entity / step) % values.count }

    package subscript(entity: UInt32) -> Value { values[index(of: entity)] }
}

extension [PropertyRule] {
    /// Which of the event's streams each property is drawn from: the one of its own index, or of its companion's.
    package var draws: [UInt64] {
        enumerated().map { index, rule in
            UInt64(rule.companion.flatMap { key in firstIndex { $0.key == key } } ?? index)
        }
    }
}

/// A value of a property.
package enum PropertyValue: Hashable, Sendable {
    case string(String)
    case number(Double)
    case bool(Bool)
    case list([PropertyValue])
    case date(Instant)
    /// JSON's null, `NSNull` in the app's code.
    case null
}
