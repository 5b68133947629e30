import Timebase
import Wire

/// A place of the format, with a class of its values, that a world has to draw if it can, and the way there.
///
/// Chance alone draws some of them once in many thousand worlds: a key that hardly ever is there, within one that hardly
/// ever is there. So each has its turn once in ``period`` worlds.
struct Wish: Sendable {
    /// A step from a value to one within it, as ``Drawing`` takes it.
    enum Step: Hashable, Sendable {
        /// A key of an object, and what another key has to be so that this one is there.
        case key(String, given: Given?)
        /// One of several forms, by its number.
        case form(Int)
        /// The first element of a list, the first member of a map.
        case element, member
        /// The value itself.
        case value(JSONNode)
    }

    struct Given: Hashable, Sendable {
        var key: String
        var value: JSONNode
    }

    /// The class by its name, as ``FormatWalk`` gives it.
    var name: String
    var steps: [Step]

    /// Worlds in which each has one turn: about as many as there are classes, since two in one world may rule each
    /// other out.
    static let period: UInt64 = 1024

    /// Those of the world of a seed. Another class that the format gains moves the worlds of its own turn alone.
    static func of(seed: UInt64) -> [Wish] { turns[seed % period] ?? [] }

    /// Each there is.
    static let all = WishFinder(format: .current).wishes

    /// The first seed of which it is the turn; the others follow in steps of ``period``.
    var seed: UInt64 { RandomStream.hash(of: name) % Wish.period }

    private static let turns = Dictionary(grouping: all, by: \.seed)
}

/// Finds the way to each class of the format.
private struct WishFinder {
    let format: FormatSchema

    /// Where on a way: the path as the walk over the format names it, the path as the drawing has it, and the steps.
    private struct Position {
        var walked: [String] = []
        var drawn: [String] = []
        var steps: [Wish.Step] = []

        func deeper(_ name: String, drawn token: String, _ step: Wish.Step) -> Position {
            Position(walked: walked + [name], drawn: drawn + [token], steps: steps + [step])
        }

        func closer(_ step: Wish.Step) -> Position {
            Position(walked: walked, drawn: drawn, steps: steps + [step])
        }
    }

    /// By name, so that their order is that of nothing else.
    var wishes: [Wish] {
        var found: [String: Wish] = [:]
        var seen: Set<String> = []
        collect(format.root, Position(), &seen, into: &found)
        return found.values.sorted { $0.name < $1.name }
    }

    private func collect(
        _ node: JSONNode, _ start: Position, _ seen: inout Set<String>, into found: inout [String: Wish]
    ) {
        guard !DrawingRule.isOmitted(start.walked) else { return }
        var here = start
        here.drawn = Drawing.placed(start.drawn, node)
        // What draws itself knows nothing of wishes.
        let rule = DrawingRule.rule(at: here.drawn)
        guard rule?.value == nil, rule?.texts == nil, rule?.isElsewhere != true else { return }
        if let name = FormatSchema.name(of: node) {
            guard seen.insert(name).inserted else { return }
            here.walked = [name]
        }
        let schema = format.resolved(node)
        func add(_ value: String, _ steps: [Wish.Step]) {
            let name = "\(here.walked.joined(separator: "."))=\(value)"
            if found[name] == nil { found[name] = Wish(name: name, steps: steps) }
        }
        switch format.kind(of: schema) {
        case .choice(let values):
            for value in values { add(value.compactText, here.steps + [.value(value)]) }
        case .boolean:
            for value in [true, false] { add("\(value)", here.steps + [.value(.bool(value))]) }
        case .alternatives(let forms):
            for (number, form) in forms.enumerated() where forms.count == 1 || !format.isFreeText(form) {
                collect(form, here.closer(.form(number)), &seen, into: &found)
            }
        case .object: collectKeys(of: schema, here, &seen, into: &found)
        case .map(let member):
            add("some", here.steps + [.member])
            let name = DrawingRule.rule(at: here.drawn + ["{}"])?.texts?.first ?? "alpha"
            collect(member, here.deeper("{}", drawn: name, .member), &seen, into: &found)
        case .list(let element, _):
            add("some", here.steps + [.element])
            collect(element, here.deeper("[]", drawn: "0", .element), &seen, into: &found)
        case .anyObject: add("some", here.steps)
        default: add("given", here.steps)
        }
    }

    private func collectKeys(
        of schema: JSONNode, _ here: Position, _ seen: inout Set<String>, into found: inout [String: Wish]
    ) {
        let conditions = format.conditions(of: schema)
        func members(_ condition: FormatSchema.Condition) -> [JSONNode.Member] {
            (condition.then["properties"]?.members ?? []).filter { !($0.value.members?.isEmpty ?? true) }
        }
        let conditional = Set(conditions.flatMap { members($0).map(\.key) })
        for property in format.properties(of: schema, given: [:]) where !conditional.contains(property.name) {
            collect(
                property.schema,
                here.deeper(property.name, drawn: property.name, .key(property.name, given: nil)), &seen,
                into: &found)
        }
        for condition in conditions {
            guard let value = condition.values.first else { continue }
            let given = Wish.Given(key: condition.key, value: value)
            for member in members(condition) {
                collect(
                    member.value, here.deeper(member.key, drawn: member.key, .key(member.key, given: given)),
                    &seen, into: &found)
            }
        }
    }
}

/// What is left of the ways of some wishes.
typealias Wishes = [ArraySlice<Wish.Step>]

extension Wishes {
    /// What is left after a step, for those that take it.
    func taking(_ matches: (Wish.Step) -> Bool) -> Wishes {
        compactMap { steps in steps.first.flatMap { matches($0) ? steps.dropFirst() : nil } }
    }

    func taking(key: String) -> Wishes {
        taking { if case .key(key, _) = $0 { true } else { false } }
    }

    /// The keys that they need here, and what others have to be for that.
    var keys: [(name: String, given: Wish.Given?)] {
        compactMap { if case .key(let name, let given)? = $0.first { (name, given) } else { nil } }
    }

    /// The value itself.
    var value: JSONNode? {
        for steps in self { if case .value(let value)? = steps.first { return value } }
        return nil
    }

    /// The form that they need here.
    var form: Int? {
        for steps in self { if case .form(let number)? = steps.first { return number } }
        return nil
    }
}
