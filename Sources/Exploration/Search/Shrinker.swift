import Timebase
package import Wire

/// Makes a scenario smaller as long as the same invariant breaks: fewer populations, devices and entries, shorter,
/// knobs back to their defaults.
package struct Shrinker {
    /// Whether a scenario still shows the failure; `nil`-scenarios, which do not load, never do.
    private let stillFails: (JSONNode) async -> Bool
    private let isOver: () -> Bool
    private var budget: Int
    /// Scenarios tried.
    package private(set) var tried = 0

    /// - Parameters:
    ///   - budget: The most scenarios to try.
    ///   - isOver: Whether somebody wants an end before that: then the smallest so far will do.
    ///   - stillFails: Plays a scenario and tells whether the same invariant breaks.
    package init(
        budget: Int = 600, isOver: @escaping () -> Bool = { false },
        stillFails: @escaping (JSONNode) async -> Bool
    ) {
        self.budget = budget
        self.isOver = isOver
        self.stillFails = stillFails
    }

    /// The smallest scenario that was found.
    ///
    /// - Complexity: O(budget) worlds.
    package mutating func shrunk(_ scenario: JSONNode) async -> JSONNode {
        var best = scenario
        var isSmaller = true
        while isSmaller, goesOn {
            isSmaller = false
            for step in [removals, halvings] {
                var position = 0
                while goesOn {
                    let candidates = step(best)
                    guard position < candidates.count else { break }
                    if await holds(candidates[position]) {
                        best = candidates[position]
                        isSmaller = true
                    } else {
                        position += 1
                    }
                }
            }
        }
        return best
    }

    private var goesOn: Bool { budget > 0 && !isOver() }

    private mutating func holds(_ candidate: JSONNode) async -> Bool {
        budget -= 1
        tried += 1
        return await stillFails(candidate)
    }

    /// The scenario without one of its parts: large parts first, so that a whole population goes before its knobs.
    private func removals(_ scenario: JSONNode) -> [JSONNode] {
        var places: [[String]] = []
        func visit(_ node: JSONNode, _ path: [String]) {
            for (name, value) in node.children {
                places.append(path + [name])
                visit(value, path + [name])
            }
        }
        visit(scenario, [])
        let kept: Set<String> = ["seed", "duration", "populations"]
        return places.filter { $0.count != 1 || !kept.contains($0[0]) }
            .sorted { ($0.count, $0.joined(separator: "/")) < ($1.count, $1.joined(separator: "/")) }
            .compactMap { scenario.removing($0[...]) }
    }

    /// The scenario with one number or duration halved.
    private func halvings(_ scenario: JSONNode) -> [JSONNode] {
        var candidates: [JSONNode] = []
        func visit(_ node: JSONNode, _ path: [String]) {
            if path.count == 1, path[0] == "seed" { return }
            if let half = node.halved { candidates.append(scenario.replacing(path[...], with: half)) }
            for (name, value) in node.children { visit(value, path + [name]) }
        }
        visit(scenario, [])
        return candidates
    }
}

extension JSONNode {
    /// The members of an object, the elements of an array.
    fileprivate var children: [(String, JSONNode)] {
        switch content {
        case .object(let members): members.map { ($0.key, $0.value) }
        case .array(let elements): elements.enumerated().map { (String($0), $1) }
        default: []
        }
    }

    /// Half of a whole number, or of a duration; `nil` for what cannot be halved.
    fileprivate var halved: JSONNode? {
        switch content {
        case .number(let digits):
            guard let number = Int(digits), number > 1 else { return nil }
            return .int(number / 2)
        case .string(let text):
            guard let interval = Interval(text: text), interval > .milliseconds(1) else { return nil }
            return .text(WorldFrame.text(milliseconds: interval.nanoseconds / 2_000_000))
        default: return nil
        }
    }
}
