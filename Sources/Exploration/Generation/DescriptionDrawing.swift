import SDKDescription
import Timebase
import Wire

/// Draws what a described SDK says: templates and tables of answers, of which a schema knows no more than that they
/// are there.
enum DescriptionDrawing {
    static let rules: [String: DrawingRule] = [
        "sdk-declared.preset": .presence(0.75),
        "sdk-declared.answers": .value(presence: 0.2, answers),
        "sdk-declared.request": .presence(0.4),
        "request.path": .value(presence: 0.4) { _, _, path in .text("/described/p\(path[1])") },
        "request.query": DrawingRule(presence: 0.3, count: 1...2),
        "query.{}": .texts("format", "source"),
        "query.format": .texts("{{apiKey}}", "x y&z"),
        "query.source": .texts("{{app.name}}", "{{app.id}}"),
        "request.headers": DrawingRule(presence: 0.2, count: 1...2),
        "request.headers.{}": .texts("X-Key", "X-App"),
        "headers.X-Key": .texts("{{apiKey}}", "x"),
        "headers.X-App": .texts("{{app.name}}"),
        "request.body": .value(presence: 0.3, body),
        "sdk-declared.storage.limit": .value(presence: 0.4) { draw, _, _ in some(2..<62, &draw) },
        "sdk-declared.storage.maxBytes": .value(presence: 0.2) { draw, _, _ in some(300..<30_300, &draw) },
        "sdk-declared.upload.maxBytes": .value(presence: 0.2) { draw, _, _ in some(200..<20_200, &draw) },
        "storage.seal": .presence(0.25),
        "storage.seal.at": .presence(0.5), "storage.seal.together": .presence(0.5),
        "storage.seal.bytes": .value(presence: 0.3) { draw, _, _ in some(200..<20_200, &draw) },
        "request.form": .value(presence: 0.25, form),
        "request.escaping": .presence(0.3),
        "sdk-declared.consent": .presence(0.35),
        "request.perEvent": .value(presence: 0.2) { _, _, _ in
            .object([("sentAt", .text("{{sent|ms}}"))])
        },
        "sdk-declared.lanes": .value(presence: 0.2, LaneDrawing.lanes),
        "sdk-action.lane": .texts("side", presence: 0.3),
        "sdk-declared.events": .presence(0.6),
        "events.common": .value(presence: 0.4, envelope),
        "events.tag": .texts("/more/bs_id", presence: 0.3),
        "events.key": .value(presence: 0.3) { draw, _, _ in
            .list([.text(draw.chance(0.5) ? "/id" : "/more/id")])
        },
        "sdk-action.name": .texts("captured", "{{event}}", presence: 0.6),
        "sdk-action.properties": .value(presence: 0.3, properties),
        "sdk-action.fields": .value(presence: 0.3, fields),
        "sdk-action.off": .presence(0.2),
        "sdk-action.before": DrawingRule(presence: 0.4, count: 1...3),
        "sdk-action.after": DrawingRule(presence: 0.4, count: 1...3),
    ]
    .merging(DescribedSDK.Action.allCases.map { ("events.\($0.rawValue)", DrawingRule.presence(0.25)) }) {
        $1
    }

    /// A limit, or now and then none.
    private static func some(_ range: Range<UInt64>, _ draw: inout RandomStream) -> JSONNode {
        draw.chance(0.15)
            ? .text("none") : .int(range.lowerBound + draw.below(range.upperBound - range.lowerBound))
    }

    // MARK: Requests

    /// Rules for some statuses before one for each other end of an upload.
    ///
    /// Only a success is taken for one: what an SDK believes beyond that, no collector holds.
    @Sendable private static func answers(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        let verdicts = ["drop", "keep", "retry", "halve", "split"]
        var rules: [(String, String)] = [("2xx", draw.chance(0.8) ? "delivered" : "deliveredClear")]
        for matches in ["413", "408 429", "4xx", "5xx", "timeout", "network"] where draw.chance(0.5) {
            rules.append((matches, verdicts[Int(draw.below(UInt64(verdicts.count)))]))
        }
        if draw.chance(0.5), !(200...299).contains(frame.status) {
            rules.insert((String(frame.status), verdicts[Int(draw.below(UInt64(verdicts.count)))]), at: 1)
        }
        rules.append(("*", ["keep", "retry", "drop"][Int(draw.below(3))]))
        var table = rules.map { JSONNode.list([.text($0.0), .text($0.1)]) }
        if draw.chance(0.4) { table.insert(dropListed(&draw), at: 1) }
        return .list(table)
    }

    /// A rule for answers that list what they refuse.
    private static func dropListed(_ draw: inout RandomStream) -> JSONNode {
        let pointers = ["/invalid", "/errors/*", "/failed/*/index"]
        return .list([
            .text("400 422"), .text("dropListed"),
            .texts([pointers[Int(draw.below(UInt64(pointers.count)))]]),
        ])
    }

    @Sendable static func body(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        let bodies: [JSONNode] = [
            .text("{{events}}"),
            .object([("list", .text("{{events}}")), ("sent", .text("{{sent|iso}}"))]),
            .object([("key", .text("{{apiKey}}")), ("in", .object([("rows", .text("{{events}}"))]))]),
            .object([("who", .text("{{userId?}}")), ("rows", .text("{{events}}"))]),
        ]
        return bodies[Int(draw.below(UInt64(bodies.count)))]
    }

    /// A form whose body lies in one of its fields, packed or not.
    @Sendable static func form(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        let packing = ["", "|base64", "|gzip|base64"][Int(draw.below(3))]
        var fields: [(String, JSONNode)] = [("data", .text("{{body\(packing)}}"))]
        if draw.chance(0.4) { fields.insert(("sum", .text("{{body\(packing)|javaHash}}")), at: 0) }
        if draw.chance(0.4) { fields.append(("who", .text("{{anonymousId}} & {{sent|ms}}"))) }
        return .object(fields)
    }

    // MARK: Events

    /// An envelope that says all that a collector reads, at places of its own.
    @Sendable static func envelope(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("what", .text("{{name}}")), ("id", .text("{{id}}")), ("who", .text("{{distinctId}}")),
            ("at", .text(["{{time|ms}}", "{{time|s}}", "{{time|iso}}"][Int(draw.below(3))])),
        ]
        var more: [(String, JSONNode)] = [("...", .text("{{properties}}")), ("id", .text("{{id}}"))]
        if draw.chance(0.5) { more.append(("screen", .text("{{screen.name?}}"))) }
        if draw.chance(0.5) { more.append(("session", .text("{{session.id}}"))) }
        members.append(("more", .object(more)))
        return .object(members)
    }

    @Sendable private static func properties(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        .object([
            ("...", .text("{{properties}}")),
            (
                "own",
                draw.chance(0.5) ? .text("{{app.version}} \u{201C}x\u{201D}") : .list([.int(1), .bool(true)])
            ),
        ])
    }

    @Sendable private static func fields(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        .object([
            ("kind", .text(draw.chance(0.5) ? "special" : "{{network.wifi}}")),
            ("element", .text("{{element.text?}}")),
        ])
    }
}
