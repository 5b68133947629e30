import AppModel
import Timebase
import Wire

/// How active people are over the hours of a week, as decoded.
struct HoursDraft: Sendable {
    var weekday: [Double]?
    var weekend: [Double]?
    var hours: [Double]?
    var days: [Double]?

    /// A curve by name or in place.
    static let form: Form<WeekCurve> = .either(
        [(.string, named), (.object, Form<HoursDraft>.object(format).map { $0.curve($1, &$2) })],
        allowed: "a curve's name or an object with \(choices)",
        encode: { curve in Presets.hours.first { $0.curve == curve }.map { .text($0.name) } }
    ).named("hours")

    private static let named = Form<WeekCurve>.name(
        Presets.hours.map { ($0.name, $0.curve) }, what: "a curve")
    private static let choices = "\"weekday\" and \"weekend\", or \"hours\" and \"days\""

    private static let format: ObjectDescription<HoursDraft> = ObjectDescription(
        "Weights of the hours of local time: \(choices). Only their ratios count.", start: HoursDraft.init,
        [
            Field(
                "weekday", \.weekday, weights(24), "Of the 24 hours of Monday to Friday, from midnight on."),
            Field(
                "weekend", \.weekend, weights(24),
                "Of the 24 hours of Saturday and Sunday; those of \"weekday\" by default."),
            Field("hours", \.hours, weights(24), "Of the 24 hours of every day."),
            Field("days", \.days, weights(7), "Of the days from Monday to Sunday; all alike by default."),
        ])

    private static func weights(_ count: Int) -> Form<[Double]> {
        .list(of: .number(0...1e9), count: count...count)
    }

    private func curve(_ place: Place, _ reading: inout Reading) -> WeekCurve? {
        let curve: WeekCurve? =
            switch (weekday, weekend, hours, days) {
            case (let weekday?, let weekend, nil, nil):
                WeekCurve(weekday: weekday, weekend: weekend ?? weekday)
            case (nil, nil, let hours?, let days):
                WeekCurve(hours: hours, days: days ?? [Double](repeating: 1, count: 7))
            default: nil
            }
        // Weights that are not sound themselves have been told.
        let isRead = [("weekday", weekday), ("weekend", weekend), ("hours", hours), ("days", days)].allSatisfy
        {
            place.node[$0] == nil || $1 != nil
        }
        if curve == nil, isRead {
            reading.report(
                .conflict, place, found: place.node.members.map { quotedList($0.map(\.key)) } ?? "",
                allowed: HoursDraft.choices + ", with a weight above 0")
        }
        return curve
    }
}
