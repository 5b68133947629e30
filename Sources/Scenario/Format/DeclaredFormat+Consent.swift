import SDKDescription

extension DeclaredFormat {
    static let consent = ObjectDescription<DescribedSDK.Consent>(
        "What the SDK does for users who have not consented.", start: { .init() },
        [
            Field(
                "initial", \.initial, .cases(what: "what holds at first"),
                "What holds for a user who has said nothing: consent is \"given\" (opt-out), or \"absent\" (opt-in)."
            ),
            Field(
                "captures", \.captures, .cases(what: "what becomes of events"),
                "Without consent, events are suppressed (consent), or stored."),
            Field(
                "stored", \.stored, .cases(what: "what becomes of stored events"),
                "Without consent, what is stored is sent all the same; waits (\"hold\"); or is lost at the withdrawal "
                    + "(\"delete\": cleared_unsent)."),
            Field(
                "persisted", \.isPersisted, .boolean,
                "Whether the next process knows what the user has said; else \"initial\" holds there until the user "
                    + "says something else."),
            Field(
                "forgetsUser", \.forgetsUser, .boolean,
                "Whether a withdrawal forgets the user, and makes a new anonymous id."),
        ])
}
