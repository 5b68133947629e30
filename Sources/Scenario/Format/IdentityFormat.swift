import AppModel

/// A call that says who somebody is, as decoded.
struct IdentityDraft: Sendable {
    enum Operation: String, CaseIterable, Sendable {
        case identify, resetAnonymousId, bind, unbind

        /// The keys that belong to the operation alone.
        var keys: Set<String> {
            switch self {
            case .identify: ["id"]
            case .resetAnonymousId: []
            case .bind: ["key", "value"]
            case .unbind: ["key"]
            }
        }
    }

    var operation: Located<Operation>?
    var trigger: TriggerDraft?
    var chance = 1.0
    var id: Located<IdentityUpdate.Identifier>?
    var key: Located<String>?
    var value: Named<GeneratorDraft>?

    static let format: ObjectDescription<IdentityDraft> = ObjectDescription(
        "A call that says who somebody is, beside login and logout. The Sensors SDK knows all, the others "
            + "none.",
        start: IdentityDraft.init,
        [
            Field(
                "operation", \.operation, Form<Operation>.cases(what: "an operation").located, required: true,
                "What is called; bind and unbind are 4.9.1's alone."),
            Field("on", \.trigger, TriggerDraft.form, required: true, "When it is called."),
            Field("chance", \.chance, .share, "Probability that the moment calls it."),
            Field(
                "id", \.id, Form<IdentityUpdate.Identifier>.cases(what: "an id").located,
                "For identify, by default \"perCall\": a new UUID at each call, or the app's own of the "
                    + "device."),
            Field(
                "key", \.key, Form<String>.text(limit: 100).located,
                "For bind and unbind: the name of the id, such as \"$identity_mobile\"."),
            Field(
                "value", \.value,
                GeneratorDraft.form.map { draft, place, _ in Named(name: "value", value: draft, place: place)
                },
                "For bind: the id, one for each device (constant, choice, zipf or number). It is sent as a "
                    + "text."),
        ])
}
