import Timebase
import Wire

/// Draws what is planted in the data: of events, properties and versions that some app has.
enum PatternDrawing {
    static let rules: [String: DrawingRule] = [
        "^patterns": DrawingRule(presence: 0.25, count: 1...3),
        "patterns.[].population": .texts("p0", "p1", presence: 0.3),
        "patterns.[].event": .texts("Alpha", "ViewHome", "ViewProduct"),
        "patterns.[].of": .texts("Beta", "Alpha", "ViewHome"),
        "patterns.[].version": .texts("1.0.0", "5.2.1", "9.0.0", presence: 0.3),
        "patterns.[].property": .texts("price", "load_time_ms", "is_cache"),
        "patterns.[].value": .value { draw, _, _ in draw.chance(0.5) ? .text("many") : .bool(true) },
        "patterns.[].factor": .value { draw, _, _ in .number([0, 0.2, 1][Int(draw.below(3))]) },
        "patterns.[].timeZone": .texts("UTC", presence: 0.5),
        "patterns.[].at": .value(presence: 0.4) { draw, frame, _ in
            .text(frame.text(milliseconds: Int64(draw.uniform() * Double(frame.duration))))
        },
        "patterns.[].for": .value(presence: 0.7) { draw, frame, _ in
            .text(frame.text(milliseconds: Int64(draw.uniform() * Double(frame.duration)) + 1))
        },
        "patterns.[].persona": .presence(0.6),
        "^measureFrom": .value(presence: 0.08) { draw, frame, _ in
            .text("\(Int64(draw.uniform() * Double(frame.duration) / 1000))s")
        },
    ]

    /// `hours` of a persona: each hour, or each hour and each day.
    static func hours(_ draw: inout RandomStream) -> JSONNode {
        let names = draw.chance(0.5) ? ("weekday", "weekend", 24) : ("hours", "days", 7)
        var members = [(names.0, weights(24, &draw))]
        if draw.chance(0.5) { members.append((names.1, weights(names.2, &draw))) }
        return .object(members)
    }

    /// Of which none may be more than nothing: the first is something.
    private static func weights(_ count: Int, _ draw: inout RandomStream) -> JSONNode {
        .list((0..<count).map { .number($0 == 0 ? 1 : [0, 0.5, 1, 20][Int(draw.below(4))]) })
    }
}
