import SDKDescription
import Timebase
import Wire

/// Draws what described SDKs fetch, and what collectors answer: each knob has one place in all answers, so that most
/// answers turn something.
enum ConfigDrawing {
    static let rules: [String: DrawingRule] = [
        "sdk-declared.config": DrawingRule(presence: 0.35, count: 1...3),
        "config.[]": DrawingRule(reconcile: reconciled),
        "config.[].on": DrawingRule(presence: 0.6, count: 1...3),
        "config.[].method": .presence(0.5),
        "config.[].path": .value { draw, _, path in
            let own = "/settings/p\(path[1])/\(path[path.count - 2])"
            return .text(draw.chance(0.3) ? own + "/{{apiKey}}" : own)
        },
        "config.[].query": DrawingRule(presence: 0.3, count: 1...2),
        "config.[].body": .value(presence: 0.6) { _, _, _ in
            .object([
                ("key", .text("{{apiKey}}")), ("who", .text("{{distinctId}}")),
                ("device", .text("{{device.model}}")), ("user", .text("{{userId?}}")),
                ("wifi", .text("{{network.wifi}}")), ("sent", .text("{{sent|ms}}")),
            ])
        },
        "config.[].every": .presence(0.4), "config.[].timeout": .presence(0.4),
        "config.[].holdsCapture": .most(40, presence: 0.4),
        "config.[].apply": .value(presence: 0.8, turns),
        "config.[].default": .value(presence: 0.6, answer),
        "timeline.[].remoteConfig": DrawingRule(reconcile: aloneIfAnswer),
        "remoteConfig.answer": .value(presence: 0.4, answer),
        // The places of the first populations' configurations.
        "remoteConfig.path": .value(presence: 0.4) { draw, _, _ in
            .text("/settings/p\(draw.below(2))/\(draw.below(2))" + (draw.chance(0.3) ? "/{key}" : ""))
        },
    ]

    /// Where the answers have what turns a knob.
    private static func way(of knob: DescribedSDK.Config.Knob) -> [String] {
        switch knob {
        case .capture: ["sdk", "on"]
        case .captureIfThere: ["sdk", "there"]
        case .upload: ["sdk", "upload"]
        case .flushBulkSize: ["flush", "at"]
        case .batch: ["flush", "batch"]
        case .flushInterval: ["flush", "every"]
        }
    }

    /// `apply`: some knobs, each mostly at its own place.
    @Sendable private static func turns(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        let knobs = DescribedSDK.Config.Knob.allCases
        var members: [(String, JSONNode)] = []
        for _ in 0...draw.below(3) {
            let knob = knobs[Int(draw.below(UInt64(knobs.count)))]
            // An answer of another type than the knob's turns nothing.
            let other = knobs[Int(draw.below(UInt64(knobs.count)))]
            let pointer = "/" + way(of: draw.chance(0.1) ? other : knob).joined(separator: "/")
            if !members.contains(where: { $0.0 == pointer }) {
                members.append((pointer, .text(knob.rawValue)))
            }
        }
        return .object(members)
    }

    /// What a collector answers: some of what there is to be turned.
    @Sendable private static func answer(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        var answer = JSONNode.object([("v", .int(draw.below(3)))])
        for knob in DescribedSDK.Config.Knob.allCases {
            let value = draw.chance(0.05) ? .text("x") : value(for: knob, &draw, frame)
            guard draw.chance(0.5) else { continue }
            let way = way(of: knob)
            answer.set(way[0], way[1], to: value)
        }
        return answer
    }

    private static func value(
        for knob: DescribedSDK.Config.Knob, _ draw: inout RandomStream, _ frame: WorldFrame
    ) -> JSONNode {
        switch knob {
        case .capture, .upload: .bool(draw.chance(0.6))
        case .captureIfThere: draw.chance(0.2) ? .null : .int(1)
        case .flushBulkSize, .batch: .int(1 + draw.below(20))
        case .flushInterval:
            .number(
                (WorldFrame.logUniform(0.1, max(0.2, Double(frame.duration) / 2000), &draw) * 10).rounded()
                    / 10)
        }
    }

    /// A body is a POST's, and a default needs something that it turns.
    @Sendable private static func reconciled(
        _ drawn: JSONNode, _ draw: inout RandomStream, _ frame: WorldFrame
    ) -> JSONNode {
        var config = drawn
        if config["method"]?.string != "POST" { config.take("body") }
        if config["apply"] == nil { config.take("default") }
        return config
    }

    /// What described SDKs are answered stands by itself.
    @Sendable private static func aloneIfAnswer(
        _ drawn: JSONNode, _ draw: inout RandomStream, _ frame: WorldFrame
    ) -> JSONNode {
        guard let answer = drawn["answer"] else {
            var config = drawn
            config.take("path")
            return config
        }
        return .object([("answer", answer)] + (drawn["path"].map { [("path", $0)] } ?? []))
    }
}
