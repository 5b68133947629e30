import SDKDescription
import Timebase
import Wire

/// A configuration of a described SDK while it is read.
struct ConfigDraft: Sendable {
    var config = DescribedSDK.Config()
    var path: Place?
    var query: [Named<Place>] = []
    var body: Place?
    var turns: [Named<DescribedSDK.Config.Knob>] = []
    var fallback: JSONNode?
}

extension DeclaredFormat {
    static let config = ObjectDescription<ConfigDraft>(
        "A configuration that the SDK fetches.", start: { ConfigDraft() },
        unsupported: .keys(["headers"], "the target's headers: a fetch has none of its own"),
        [
            Field(
                "on", \.config.moments,
                Form<[DescribedSDK.Config.Moment]>.list(of: .cases(what: "a moment"), count: 1...10).map {
                    moments, _, _ in Set(moments)
                }, "When it is fetched; by default at each start of the process."),
            Field("method", \.config.method, .cases(what: "a method"), "GET, or POST with a body."),
            Field(
                "path", \.path, DeclaredForms.template, required: true,
                "Its path, which begins with \"/\"; placeholders are those of the query."),
            Field(
                "query", \.query, .map(of: DeclaredForms.textTemplate, count: 0...50), "Parts of the query."),
            Field("body", \.body, DeclaredForms.template, "What a POST sends: the device's present state."),
            Field(
                "every", \.config.every, .duration(.zero...(.hours(24 * 365))),
                "The least time from one fetch of a process to the next."),
            Field(
                "timeout", \.config.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time from the start of a fetch to the last byte of its answer."),
            Field(
                "holdsCapture", \.config.holds, DeclaredForms.orNone(.integer(1...1_000_000)),
                "How many events wait in memory for the answer or the failure of this fetch, the oldest giving way to newer "
                    + "ones; nothing is sent meanwhile, and what the answer forbids is suppressed. Or \"none\"."
            ),
            Field(
                "apply", \.turns,
                .map(of: Form<DescribedSDK.Config.Knob>.cases(what: "a knob"), count: 0...50),
                "What an answer turns: places (JSON pointers) and knobs. \"capture\" and \"upload\" are truth values, "
                    + "\"captureIfThere\" asks whether the place is there, \"flushBulkSize\" and \"batch\" are numbers of "
                    + "events, \"flushInterval\" is in seconds. What an answer does not have is as described."
            ),
            Field(
                "default", \.fallback, DeclaredForms.jsonObject,
                "What the collector answers as long as the timeline says nothing else."),
        ])
}

extension DeclaredForms {
    /// An object of any members.
    static let jsonObject = Form<JSONNode>(
        shape: { .map { .plain } },
        decode: { place, reading in
            guard place.node.isObject else {
                reading.report(.wrongType, place, allowed: "an object")
                return nil
            }
            return place.node
        },
        schema: { _ in .object([("type", .text("object"))]) })
}
