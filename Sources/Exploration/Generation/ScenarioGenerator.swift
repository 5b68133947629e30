import Timebase
package import Wire

/// Draws scenarios: everything that the format can say, in worlds that are small.
///
/// The grammar is the format's own schema (``FormatSchema``), so what the format gains is drawn at once;
/// ``DrawingRule`` tells what a schema cannot: which names refer to something, and how large is small. What the loader
/// refuses is taken out again, value by value. Every draw has a stream of its own, named by the place that it
/// fills: a knob that is new moves no other. What chance would hardly ever draw has its turn (``Wish``).
package struct ScenarioGenerator: Sendable {
    private let format = FormatSchema.current

    package init() {}

    /// How often a scenario is drawn anew that the loader refuses whole.
    private static let attempts: UInt64 = 40

    /// How often one is drawn anew that does not say what it was to say.
    private static let wishingAttempts = 3

    /// The scenario of a seed. The same seed gives the same scenario.
    ///
    /// - Returns: `nil` where nothing that the seed draws is sound, which is a defect of the generator.
    package func scenario(seed: UInt64) -> JSONNode? {
        let root = RandomStream(key: RandomStream.hash(of: "swarm")).child(seed)
        var wishes = Wish.of(seed: seed)
        var best: (scenario: JSONNode, said: Int)?
        var tried = 0
        for attempt in 0..<ScenarioGenerator.attempts where tried < ScenarioGenerator.wishingAttempts {
            // What nothing sound can say is given up.
            if attempt == ScenarioGenerator.attempts / 4, best == nil { wishes = [] }
            let stream = root.child(attempt)
            let drawing = Drawing(format: format, frame: WorldFrame(stream.child(1)))
            let drawn = drawing.value(format.root, [], stream.child(2), wishes.map { $0.steps[...] })
            guard let drawn, let sound = ScenarioPruner.sound(drawn) else { continue }
            let said = wishes.isEmpty ? 0 : count(of: wishes, in: sound)
            if said > best?.said ?? -1 { best = (sound, said) }
            if said == wishes.count { break }
            tried += 1
        }
        return best?.scenario
    }

    /// How many of the wishes a scenario says.
    private func count(of wishes: [Wish], in scenario: JSONNode) -> Int {
        var open = Set(wishes.map(\.name))
        FormatWalk(format: format).visit(scenario) { open.remove($0) }
        return wishes.count - open.count
    }
}
