import AppModel
import Timebase
import Wire

/// How long people keep an app.
enum RetentionFormat {
    /// A curve by name, or its anchors.
    static let form: Form<Retention> = .either(
        [
            (.string, Form<Retention>.name([("mobile", Presets.mobileRetention)], what: "a curve")),
            (
                .object,
                Form<[Named<Double>]>.map(of: .number(0...1), count: 2...100).map { curve($0, $1, &$2) }
            ),
        ], allowed: "\"mobile\", or an object of times and shares such as {\"1d\": 0.25, \"30d\": 0.06}",
        encode: { $0 == Presets.mobileRetention ? .text("mobile") : nil })

    /// `reinstall`.
    static let reinstallation = Form<Reinstallation>.object(
        ObjectDescription<Reinstallation>(
            "People who install an app again that they had deleted.", start: Reinstallation.init,
            [
                Field(
                    "share", \.share, .share, required: true,
                    "The share of the deletions after which somebody does."),
                Field(
                    "after", \.after, DistributionDraft.seconds, required: true,
                    "How long after the deletion: a time, or a distribution."),
            ]))

    private static func curve(_ members: [Named<Double>], _ place: Place, _ reading: inout Reading)
        -> Retention?
    {
        var anchors: [Retention.Anchor] = []
        for member in members {
            guard let time = Interval(text: member.name), time > .zero else {
                reading.report(
                    .conflict, member.place, found: "\"\(member.name)\"",
                    allowed: "a duration above 0 as the key, such as \"7d\"")
                return nil
            }
            anchors.append(.init(seconds: time.fractionalSeconds, share: member.value))
        }
        anchors.sort { $0.seconds < $1.seconds }
        guard let curve = Retention(anchors) else {
            reading.report(
                .conflict, place,
                allowed: "shares between 0 and 1 that fall from each time to the next")
            return nil
        }
        return curve
    }
}
