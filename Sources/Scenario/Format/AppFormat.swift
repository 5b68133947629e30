import AppModel
import SensorsSDK
import Timebase

/// An app as decoded; names are not yet looked up.
struct AppDraft: Sendable {
    var bundleIdentifier = "com.example.app"
    var displayName: String?
    var versions = ["1.0.0"]
    var startScreen: Located<String>?
    var screens: [ScreenDraft] = []
    var events: [EventDraft] = []
    var profiles: [UpdateDraft] = []
    var items: [UpdateDraft] = []
    var identities: [IdentityDraft] = []
    var catalogues: [CatalogueDraft] = []
    var superProperties: [UpdateDraft] = []
    var dynamicSuperProperties: [Named<GeneratorDraft>] = []
    var crashReasons: [String] = []
    var module: String?
    var appDelegate: String?
    var tabs: [Located<String>] = []
    var tabBarController: String?
    var navigationController: String?
    var terminationNotice = 0.0

    static let format: ObjectDescription<AppDraft> = ObjectDescription(
        "An app: its screens, and the events that its developers send.", start: AppDraft.init,
        unsupported: [.init(name: "extends", instead: "a whole app; only personas extend others")],
        [
            Field("bundleIdentifier", \.bundleIdentifier, .text(limit: 255), "CFBundleIdentifier."),
            Field(
                "displayName", \.displayName, .text(limit: 255),
                "The app's name on the home screen; by default its name here."),
            Field(
                "versions", \.versions, .list(of: .text(limit: 100), count: 1...1000),
                "Versions in the order in which devices get them."),
            Field(
                "startScreen", \.startScreen, Form<String>.text().located,
                "The screen of a launch; by default the first."),
            Field(
                "screens", \.screens, .list(of: .object(ScreenDraft.format), count: 1...10_000),
                required: true,
                "View controllers."),
            Field(
                "events", \.events, .list(of: .object(EventDraft.format)),
                "Events that the app tracks in code."),
            Field(
                "profiles", \.profiles, .list(of: .object(UpdateDraft.profileFormat)),
                "Changes of the user's profile."),
            Field("items", \.items, .list(of: .object(UpdateDraft.itemFormat)), "Changes of items."),
            Field(
                "identities", \.identities, .list(of: .object(IdentityDraft.format)),
                "Calls that say who somebody is, beside login and logout."),
            Field(
                "catalogues", \.catalogues, .list(of: .object(CatalogueDraft.format)),
                "Things that events speak of."),
            Field(
                "superProperties", \.superProperties,
                .list(of: .object(UpdateDraft.superFormat), count: 0...64),
                "Properties registered for every later event."),
            Field(
                "dynamicSuperProperties", \.dynamicSuperProperties, GeneratorDraft.properties,
                "Properties computed anew for every event."),
            Field("crashReasons", \.crashReasons, .list(of: .text(limit: 10_000)), "Texts of crashes."),
        ] + navigation)

    private static let navigation = [
        Field(
            "module", \AppDraft.module,
            Form<String>.identifier(
                what: "a Swift module such as \"Shop\": a letter (a to z, A to Z), then such letters, digits "
                    + "and \"_\", 64 in all at most",
                pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$", others: "_"),
            "The Swift module of the app's own classes, which stands before their names as in "
                + "`Shop.HomeViewController`; by default they are classes of Objective-C."),
        Field(
            "appDelegate", \.appDelegate, .text(limit: 255),
            "The class of the application's delegate, which Kit's row of a start tells; by default "
                + "\"AppDelegate\"."),
        Field(
            "tabs", \.tabs, .list(of: Form<String>.text().located, count: 0...AppDescription.tabLimit),
            "The screens of the tab bar; by default those that controls of kind \"tab\" open."),
        Field(
            "tabBarController", \.tabBarController, .text(limit: 255),
            "The class of the tab bar's controller; by default \"UITabBarController\"."),
        Field(
            "navigationController", \.navigationController, .text(limit: 255, mayBeEmpty: true),
            "The class of the controller that screens are pushed on; \"\" for none, by default "
                + "\"UINavigationController\"."),
        Field(
            "terminationNotice", \.terminationNotice, .share,
            "Share of the ends in the background that `applicationWillTerminate:` announces, as for "
                + "apps that play music there; the others end without a word."),
    ]
}

/// When the app sends something, as decoded.
struct TriggerDraft: Sendable {
    enum Moment: String, CaseIterable, Sendable { case launch, sessionEnd, signUp, login, logout }
    var moment: Moment?
    var screen: Located<String>?
    var control: Located<String>?

    static let form: Form<TriggerDraft> = Form<TriggerDraft>.either(
        [
            (.string, byMoment), (.object, .object(format)),
        ], allowed: "a moment such as \"launch\", or an object with \"screen\" or \"control\""
    ).named("trigger")

    private static let byMoment: Form<TriggerDraft> = Form<Moment>.cases(what: "a moment").map {
        moment, _, _ in
        TriggerDraft(moment: moment)
    }

    private static let format: ObjectDescription<TriggerDraft> = ObjectDescription(
        "A screen that appears, or a control that is tapped.", start: { TriggerDraft() }, exactlyOne: true,
        [
            Field("screen", \.screen, Form<String>.text().located, "The screen's name."),
            Field(
                "control", \.control, Form<String>.text().located,
                "The screen's name, a dot, and the control's action or identifier, such as \"Detail.buy:\"."),
        ])
}

/// A business event as decoded.
struct EventDraft: Sendable {
    var name: String?
    var trigger: TriggerDraft?
    var chance = 1.0
    var pause: Distribution?
    var properties: [Named<GeneratorDraft>] = []
    var timedFrom: TriggerDraft?
    var isWeb = false
    var catalogue: Located<String>?

    static let format: ObjectDescription<EventDraft> = ObjectDescription(
        "An event that the app tracks in code.", start: EventDraft.init,
        [
            Field("name", \.name, .text(limit: 255), required: true, "Its name."),
            Field("on", \.trigger, TriggerDraft.form, required: true, "When it is sent."),
            Field("chance", \.chance, .share, "Probability that the moment sends it."),
            Field(
                "pause", \.pause, DistributionDraft.seconds,
                "How long the user takes over it once the moment has come, as to pay; what else the moment sends "
                    + "and this list names later comes after it. Who leaves the app before sends neither."),
            Field("properties", \.properties, GeneratorDraft.properties, "Its properties."),
            Field("timedFrom", \.timedFrom, TriggerDraft.form, "When its clock starts, for event_duration."),
            Field("web", \.isWeb, .boolean, "Whether a page in a web view sends it."),
            Field("catalogue", \.catalogue, Form<String>.text().located, "The catalogue that it speaks of."),
        ])
}

/// A change of a profile or an item, or a group of super properties, as decoded.
struct UpdateDraft: Sendable {
    var operation: ProfileUpdate.Operation?
    var trigger: TriggerDraft?
    var chance = 1.0
    var properties: [Named<GeneratorDraft>] = []
    var catalogue: Located<String>?
    var isDeletion = false
    var itemType: String?
    var itemID: GeneratorDraft?

    static let profileFormat = format(
        "A change of the user's profile.",
        [
            Field(
                "operation", \.operation, .cases(what: "an operation"), required: true,
                "What is done to the profile.")
        ], common)
    static let itemFormat = format(
        "A change of an item.",
        [
            Field("delete", \.isDeletion, .boolean, "Whether the item is deleted, not set."),
            Field("type", \.itemType, .text(limit: 255), required: true, "The item's type."),
            Field("id", \.itemID, GeneratorDraft.form, required: true, "The item's id."),
        ], common)
    static let superFormat = format("Super properties that the app registers.", [], [trigger, properties])

    private static let trigger = Field(
        "on", \UpdateDraft.trigger, TriggerDraft.form, required: true, "When it happens.")
    private static let properties = Field(
        "properties", \UpdateDraft.properties, GeneratorDraft.properties, "The properties.")
    private static let common = [
        trigger, Field("chance", \UpdateDraft.chance, .share, "Probability that the moment does it."),
        properties,
        Field(
            "catalogue", \UpdateDraft.catalogue, Form<String>.text().located,
            "The catalogue that it speaks of."),
    ]

    private static func format(
        _ doc: String, _ first: [Field<UpdateDraft>], _ rest: [Field<UpdateDraft>]
    ) -> ObjectDescription<UpdateDraft> {
        ObjectDescription(doc, start: UpdateDraft.init, first + rest)
    }
}

/// A catalogue as decoded.
struct CatalogueDraft: Sendable {
    var name: Located<String>?
    var count = 1
    var exponent = 1.0
    var fields: [Named<GeneratorDraft>] = []

    static let format: ObjectDescription<CatalogueDraft> = ObjectDescription(
        "Things that events speak of; their popularity follows Zipf's law.", start: CatalogueDraft.init,
        [
            Field("name", \.name, Form<String>.text(limit: 100).located, required: true, "Its name."),
            Field("count", \.count, .integer(1...1_000_000), required: true, "How many things there are."),
            Field("exponent", \.exponent, .number(0...10), "Exponent of Zipf's law; 0 is even."),
            Field(
                "fields", \.fields, GeneratorDraft.properties,
                "What is told of each thing; the same on every device."),
        ])
}
