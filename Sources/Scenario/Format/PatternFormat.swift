import AppModel
import Timebase
import Wire

/// Whom and when a pattern concerns, as decoded.
struct PatternScopeDraft: Sendable {
    var name: Located<String>?
    var population: Located<String>?
    var at = Interval.zero
    var length: Interval?
}

/// What a pattern does, as decoded.
enum PatternDraft: Sendable {
    case release(ReleaseDraft)
    /// An event that happens more or less often.
    case chance(ChanceDraft)
    case campaign(share: Double)
    case bots(BotsDraft)
    case bug(BugDraft)
}

/// A new version of the app, as decoded.
struct ReleaseDraft: Sendable {
    var version: Located<String>?
    var over = Interval.zero
}

/// An event whose probability changes, as decoded.
struct ChanceDraft: Sendable {
    var event: Located<String>?
    var before: Located<String>?
    var factor: Located<Double>?
    var version: Located<String>?
    var zone: Located<String>?
}

/// Bots, as decoded.
struct BotsDraft: Sendable {
    var share = 0.0
    var persona: Place?
}

/// A mistake of the app's code that tracks an event, as decoded.
struct BugDraft: Sendable {
    enum Kind: Sendable { case twice, missing, wrongType }

    var kind: Kind
    var event: Located<String>?
    var property: Located<String>?
    var value: Located<PropertyValue>?
    var share = 1.0
    var version: Located<String>?
}

/// The patterns that a scenario plants: each has one description, of its keys and of what is made of them.
///
/// A further one adds itself to ``union``.
enum PatternFormat {
    typealias Union = TaggedUnion<PatternScopeDraft, PatternDraft>
    private typealias Pattern = Alternative<PatternDraft>

    static let form = Form<[Located<Union.Draft>]>.list(of: union.form.located, count: 0...100)

    static let union = Union(
        doc: "Something planted in the data, for whoever analyses it to find.", tag: "pattern",
        unsupported: [],
        common: ObjectDescription(
            "Whom it concerns, and when.", start: PatternScopeDraft.init,
            [
                Field(
                    "name", \.name, ScenarioDraft.identifier.located,
                    "What answers call it; by default its kind and its place in the list."),
                Field(
                    "population", \.population, Form<String>.text().located,
                    "The only population concerned; by default all that it can concern."),
                Field("at", \.at, .duration(), "Since when, from the start of the run."),
                Field(
                    "for", \.length, .duration(.milliseconds(1)...Form<Interval>.longest),
                    "How long; by default to the end of the run."),
            ]),
        alternatives: [
            release, brokenVersion, conversion, campaign, bots, duplicateEvent, missingProperty, wrongType,
        ])

    private static let text = Form<String>.text(limit: 255).located

    private static let release = Pattern(
        "release", "a new version of the app", start: ReleaseDraft(),
        [
            Field(
                "version", \.version, Form<String>.text(limit: 100).located, required: true,
                "Its name, which the app does not have among its versions."),
            Field(
                "over", \.over, .duration(.zero...Form<Interval>.longest),
                "The time over which it is rolled out: each device gets it at its first launch after a moment drawn "
                    + "evenly from it."),
        ]
    ) { .release($0) }

    private static let brokenVersion = Pattern(
        "brokenVersion", "in one version of the app an event hardly happens any more", start: ChanceDraft(),
        [
            Field("version", \.version, text, required: true, "The version."),
            Field("event", \.event, text, required: true, "The event, by its name."),
            Field(
                "keep", \.factor, Form<Double>.share.located,
                "The share of the events that still happen; none by default."),
        ]
    ) { draft in
        var draft = draft
        if draft.factor == nil { draft.factor = draft.event.map { Located(value: 0, place: $0.place) } }
        return .chance(draft)
    }

    private static let conversion = Pattern(
        "conversion", "a step of a funnel is taken more or less often in a segment", start: ChanceDraft(),
        [
            Field("event", \.event, text, required: true, "The step's event, by its name."),
            Field(
                "of", \.before, text, required: true,
                "The event of the step before it, to which answers relate the step."),
            Field(
                "factor", \.factor, Form<Double>.number(0...1000).located, required: true,
                "By which the probability that its trigger sends the event is multiplied."),
            Field("timeZone", \.zone, text, "Only people of this one of the population's time zones."),
            Field("version", \.version, text, "Only where the app has this version."),
        ]
    ) { .chance($0) }

    private static let campaign = Pattern(
        "campaign", "a share of the users opens the app within the pattern's time, most of them early",
        start: 0.0,
        [Field("share", \.self, .share, required: true, "The share.")]
    ) { .campaign(share: $0) }

    private static let bots = Pattern(
        "bots", "on a share of the devices a program plays the user, through the whole run",
        start: BotsDraft(),
        [
            Field("share", \.share, .share, required: true, "The share, the same devices throughout."),
            Field(
                "persona", \.persona, .deferred(PersonaFormat.reference),
                "What the program does: a preset persona, one of \"personas\", or one defined here; \"bot\" by default."
            ),
        ]
    ) { .bots($0) }

    // MARK: Mistakes in the app's code

    private static let event = Field(
        "event", \BugDraft.event, text, required: true, "The event, by its name.")
    private static let property = Field(
        "property", \BugDraft.property, text, required: true, "The event's property, by its key.")
    private static let common = [
        Field("share", \BugDraft.share, .share, "Share of the events that it meets; all by default."),
        Field("version", \BugDraft.version, text, "Only where the app has this version."),
    ]

    private static let duplicateEvent = Pattern(
        "duplicateEvent", "the app's code sends an event twice, with the same values",
        start: BugDraft(kind: .twice), [event] + common
    ) { .bug($0) }

    private static let missingProperty = Pattern(
        "missingProperty", "the app's code leaves a property out", start: BugDraft(kind: .missing),
        [event, property] + common
    ) { .bug($0) }

    private static let wrongType = Pattern(
        "wrongType",
        "the app's code sends a value of another type for a property that is a number or a switch",
        start: BugDraft(kind: .wrongType),
        [
            event, property,
            Field(
                "value", \BugDraft.value, GeneratorDraft.value.located, required: true,
                "The value, such as \"n/a\"; nothing that could be read as one of the right type."),
        ] + common
    ) { .bug($0) }
}
