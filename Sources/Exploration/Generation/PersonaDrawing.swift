import Timebase
import Wire

/// Draws users who do enough, and not too much, in the time of a world.
enum PersonaDrawing {
    /// `populations[].persona`: mostly one of its own, now and then one by name.
    @Sendable static func populationsPersona(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        if draw.chance(0.12) {
            let names = [
                "casual", "power", "micro", "b2b", "heavy", "reader", "steady", "bot", "regular", "regular",
            ]
            return .text(names[Int(draw.below(UInt64(names.count)))])
        }
        return own(&draw, frame, path)
    }

    @Sendable static func own(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        draw.chance(0.25) ? steady(&draw, frame) : visitor(&draw, frame)
    }

    /// One session for the whole run.
    private static func steady(_ draw: inout RandomStream, _ frame: WorldFrame) -> JSONNode {
        let perHour = frame.actions * 3_600_000 / Double(frame.duration)
        let rate = max(0.0001, (perHour * 10_000).rounded() / 10_000)
        var members: [(String, JSONNode)] = [
            ("extends", .text("steady")), ("rate", .text("\(decimal(rate))/h")),
        ]
        if draw.chance(0.3) { members.append(("actionGap", gap(frame, &draw))) }
        return .object(members + fates(&draw, frame))
    }

    /// Somebody who comes and goes.
    private static func visitor(_ draw: inout RandomStream, _ frame: WorldFrame) -> JSONNode {
        let sessions = 1 + Double(draw.below(5))
        let perDay = min(100_000, sessions * 86_400_000 / Double(frame.duration))
        let length = Double(frame.duration) / sessions * (0.1 + 0.5 * draw.uniform())
        let names = draw.chance(0.2) ? ["preset"] : ["extends"]
        var members: [(String, JSONNode)] = names.map {
            ($0, .text(["casual", "power", "micro"][Int(draw.below(3))]))
        }
        members += [
            ("sessionsPerDay", .number((perDay * 1000).rounded() / 1000)),
            ("sessionLength", distribution(length, frame, &draw)),
            ("actionGap", gap(frame, &draw)),
            ("returnGap", distribution(length * draw.uniform(), frame, &draw)),
        ]
        if draw.chance(0.4) { members.append(("sessionsPerDaySigma", .number(Double(draw.below(10)) / 5))) }
        if draw.chance(0.7) { members.append(("opensAtArrival", .bool(draw.chance(0.9)))) }
        if draw.chance(0.2) {
            let names = ["mobile", "b2b", "news", "flat"]
            let hours = draw.chance(0.3) ? PatternDrawing.hours(&draw) : .text(names[Int(draw.below(4))])
            members.append(("hours", hours))
        }
        if draw.chance(0.2) {
            let soon = WorldFrame.text(milliseconds: frame.duration / 10 + 1)
            let late = WorldFrame.text(milliseconds: frame.duration + 2)
            members.append(("retention", .object([(soon, .number(0.8)), (late, .number(0.3))])))
        }
        if draw.chance(0.4) { members.append(("endsAtExit", .bool(draw.chance(0.5)))) }
        members += fates(&draw, frame)
        if members.contains(where: { $0.0 == "retention" }), draw.chance(0.6) {
            // Soon enough for a world to see it.
            let after = WorldFrame.text(
                milliseconds: Int64(Double(frame.duration) * 0.3 * draw.uniform()) + 1)
            members.append(
                (
                    "reinstall",
                    .object([("share", .number(draw.chance(0.5) ? 1 : 0.5)), ("after", .text(after))])
                ))
        }
        return .object(members)
    }

    /// What happens to them: accounts, crashes, kills, updates.
    private static func fates(_ draw: inout RandomStream, _ frame: WorldFrame) -> [(String, JSONNode)] {
        let shares = [
            "returnChance", "tapChance", "loggedInShare", "signUpChance", "loginChance", "logoutChance",
            "crashChance", "killAtBackgroundChance", "passiveLaunchChance", "updateChance",
        ]
        var members: [(String, JSONNode)] = []
        for name in shares where draw.chance(0.4) {
            members.append((name, .number([0, 0.1, 0.3, 0.6, 1][Int(draw.below(5))])))
        }
        if draw.chance(0.5) {
            let mean = Double(frame.duration) * WorldFrame.logUniform(0.02, 2, &draw)
            members.append(("meanTimeToKill", .text(WorldFrame.text(milliseconds: Int64(mean) + 1))))
        }
        if draw.chance(0.2) { members.append(("tempo", .number([0.5, 1, 2][Int(draw.below(3))]))) }
        return members
    }

    private static func gap(_ frame: WorldFrame, _ draw: inout RandomStream) -> JSONNode {
        distribution(Double(frame.duration) / max(1, frame.actions * 2), frame, &draw)
    }

    /// A distribution of any kind with about this mean.
    private static func distribution(
        _ milliseconds: Double, _ frame: WorldFrame, _ draw: inout RandomStream
    ) -> JSONNode {
        func text(_ factor: Double) -> JSONNode {
            .text(frame.text(milliseconds: max(1, Int64(milliseconds * factor))))
        }
        switch draw.below(5) {
        case 0: return text(1)
        case 1: return .object([("min", text(0.3)), ("max", text(1.7))])
        case 2: return .object([("mean", text(1))])
        case 3: return .object([("median", text(0.8)), ("sigma", .number(0.7))])
        default: return .object([("min", text(0.4)), ("alpha", .number(1.5)), ("max", text(6))])
        }
    }

    /// A number without an exponent.
    private static func decimal(_ number: Double) -> String {
        let scaled = Int64((number * 10_000).rounded())
        let fraction = String(scaled % 10_000 + 10_000).dropFirst()
        return "\(scaled / 10_000).\(fraction)"
    }
}

/// Draws conditions that a run may have.
enum ThresholdDrawing {
    @Sendable static func some(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        let format = FormatSchema.current
        let metrics = format.root["properties"]?["thresholds"]?["properties"]?.members ?? []
        guard !metrics.isEmpty else { return .object([]) }
        // Each kind as likely: of some there are hardly any metrics.
        let kinds = Dictionary(grouping: metrics) { metric in
            metric.value["$ref"]?.string?.split(separator: "-").last.map(String.init) ?? ""
        }.sorted { $0.key < $1.key }
        let (kind, ofKind) = kinds[Int(draw.below(UInt64(kinds.count)))]
        let metric = ofKind[Int(draw.below(UInt64(ofKind.count)))]
        let expression =
            ["counter": "count>=0", "rate": "rate<=1", "gauge": "value>=0"][kind] ?? "p(95)<1e12"
        let condition: JSONNode =
            draw.chance(0.5)
            ? .text(expression)
            : .object([
                ("threshold", .text(expression)), ("abortOnFail", .bool(draw.chance(0.5))),
                ("delayAbortEval", .text(WorldFrame.text(milliseconds: Int64(draw.below(5000))))),
            ])
        return .object([(metric.key, .list([condition]))])
    }
}
