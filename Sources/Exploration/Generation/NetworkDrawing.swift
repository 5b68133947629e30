import Timebase
import Wire
import World

/// Draws networks: of a chain's radios each has to lead to every other, which few would that are drawn key by key.
enum NetworkDrawing {
    /// `populations[].network`: as often the scenario's own as a preset, each of them as likely.
    @Sendable static func populationsNetwork(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        .text(
            draw.chance(0.5)
                ? "net" : NetworkPresets.names[Int(draw.below(UInt64(NetworkPresets.names.count)))])
    }

    /// `chain`: two radios or more, in a ring, with some short cuts.
    @Sendable static func chain(
        _ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]
    ) -> JSONNode {
        var names = ["wifi", "5g", "4g", "3g", "2g", "none"]
        for index in names.indices.dropLast() {
            names.swapAt(index, index + Int(draw.below(UInt64(names.count - index))))
        }
        let radios = Array(names.prefix(2 + Int(draw.below(5))))
        return .object(
            radios.enumerated().map { index, name in
                let next = radios[(index + 1) % radios.count]
                let others = radios.filter { $0 != name && ($0 == next || draw.chance(0.3)) }
                return (name, radio(leadingTo: others, &draw, frame))
            })
    }

    private static func radio(
        leadingTo others: [String], _ draw: inout RandomStream, _ frame: WorldFrame
    ) -> JSONNode {
        let run = Double(frame.duration)
        let dwell = Int64(WorldFrame.logUniform(max(1, run / 100), run * 2, &draw)) + 1
        var members: [(String, JSONNode)] = [
            ("dwell", .text(WorldFrame.text(milliseconds: dwell))),
            ("to", .object(others.map { ($0, .number([1, 0.25, 3][Int(draw.below(3))])) })),
        ]
        if draw.chance(0.3) { members.append(("regular", .bool(draw.chance(0.5)))) }
        for (name, value) in link(&draw) where draw.chance(0.25) { members.append((name, value)) }
        return .object(members)
    }

    /// Every number of a link, whether it is wanted or not: draws are always as many.
    private static func link(_ draw: inout RandomStream) -> [(String, JSONNode)] {
        let share = { (draw: inout RandomStream) in JSONNode.number([0, 0.05, 0.3, 1][Int(draw.below(4))]) }
        let rate: JSONNode = .number([0, 0.01, 0.2][Int(draw.below(3))])
        let loss: JSONNode =
            draw.chance(0.5)
            ? rate : .object([("rate", rate), ("burst", .number(Double(1 + draw.below(20))))])
        return [
            ("rttMin", .text("\(draw.below(200))ms")),
            ("up", .text(["20 kbit/s", "1 Mbit/s"][Int(draw.below(2))])),
            ("down", .text(["20 kbit/s", "1 Mbit/s"][Int(draw.below(2))])),
            ("loss", loss),
            ("setUp", .int(draw.below(4))),
            ("promotion", .text("\(draw.below(2000))ms")),
            ("tail", .text("\(draw.below(10_000))ms")),
            ("refused", share(&draw)), ("reset", share(&draw)), ("lostReply", share(&draw)),
        ]
    }
}
