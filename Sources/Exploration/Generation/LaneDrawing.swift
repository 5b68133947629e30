import Timebase
import Wire

/// Draws the lane that described SDKs have now and then, with requests that differ from the main one's.
enum LaneDrawing {
    /// The name by which events take it.
    static let name = "side"

    @Sendable static func lanes(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        let request = request(&draw, frame, path)
        var lane: [(String, JSONNode)] = [
            ("request", request), ("tag", .text("/side/bs_id")), ("common", common),
        ]
        if request["framing"]?.string == "one" {
            lane.append(("batch", .int(1)))
        } else if draw.chance(0.4) {
            lane.append(("batch", draw.chance(0.3) ? .text("all") : .int(1 + draw.below(20))))
        }
        if draw.chance(0.4) { lane.append(("waitsFor", .text(draw.chance(0.7) ? "login" : "none"))) }
        return .object([(name, .object(lane))])
    }

    private static let common = JSONNode.object([
        ("what", .text("{{name}}")), ("id", .text("{{id}}")), ("at", .text("{{time|ms}}")),
        ("side", .object([("more", .text("{{properties}}"))])),
        ("more", .object([("id", .text("{{id}}"))])),
    ])

    /// A form in the body or in the query, or else a body of any framing.
    private static func request(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        var request: [(String, JSONNode)] = [("path", .text("/described/side\(path[1])"))]
        func add(_ chance: Double, _ key: String, _ value: JSONNode) {
            if draw.chance(chance) { request.append((key, value)) }
        }
        add(0.2, "headers", .object([("X-Side", .text("{{apiKey}}"))]))
        add(0.2, "query", .object([("side", .text("{{app.name}}"))]))
        add(0.2, "perEvent", .object([("sentAt", .text("{{sent|ms}}"))]))
        if draw.chance(0.25) {
            let methods = ["POST", "PUT", "GET"]
            request.append(("method", .text(methods[Int(draw.below(3))])))
            request.append(("form", DescriptionDrawing.form(&draw, frame, path)))
            add(0.5, "escaping", .text(draw.chance(0.5) ? "query" : "unreserved"))
            return .object(request)
        }
        add(0.3, "method", .text(draw.chance(0.5) ? "POST" : "PUT"))
        add(0.4, "compress", .text(draw.chance(0.5) ? "gzip" : "none"))
        switch draw.below(6) {
        case 0: request += [("framing", .text("one"))]
        case 1: request += [("framing", .text("lines")), ("body", .text("{{events}}"))]
        case 2: request += [("framing", .text("list"))]
        case 3: request += [("body", DescriptionDrawing.body(&draw, frame, path))]
        default: break
        }
        return .object(request)
    }
}
