import Wire

/// What comes to light while a scenario is read.
struct Reading {
    var problems: [Problem] = []
    var warnings: [ScenarioWarning] = []
    var secrets: [String] = []

    /// Notes a problem of a value.
    mutating func report(
        _ kind: Problem.Kind, _ place: Place, found: String? = nil, allowed: String, nearest: String? = nil
    ) {
        problems.append(
            Problem(
                kind, at: place.path, position: place.node.position, found: found ?? place.node.summary,
                allowed: allowed, nearest: nearest))
    }

    /// Notes that a name is none of those known.
    mutating func reportUnknown(_ name: String, _ place: Place, among names: [String], what: String) {
        let list = names.isEmpty ? "none is defined" : names.map { "\"\($0)\"" }.joined(separator: ", ")
        report(
            .unknownName, place, found: "\"\(name)\"", allowed: "\(what): \(list)",
            nearest: NameDistance.nearest(to: name, among: names))
    }

    /// Reports the one character that no text may have, a key or a value: databases and C end their texts there.
    ///
    /// - Returns: whether the text has it.
    mutating func refusesNUL(in text: String, _ place: Place) -> Bool {
        guard text.unicodeScalars.contains("\u{0}") else { return false }
        report(.outOfRange, place, found: "\"\(text)\"", allowed: "a text without the character U+0000")
        return true
    }

    /// Problems of a value that were noted after the first so many say that another value is allowed as well.
    mutating func allow(_ other: String, at place: Place, beside known: Int) {
        for index in problems.indices.dropFirst(known) where problems[index].pointer == place.path.pointer {
            problems[index].allowed = "\(other), or \(problems[index].allowed)"
        }
    }

    /// Whether something was found wrong in a value.
    func hasProblem(in place: Place) -> Bool {
        let pointer = place.path.pointer
        return problems.contains { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }
    }

    /// Whether nothing was found wrong in these values of an object, as far as they are there. In the place of a wrong
    /// one stands a default, which contradicts nothing.
    func isSound(_ keys: [[String]], of object: Place) -> Bool {
        !keys.contains { object.value(at: $0).map(hasProblem(in:)) ?? false }
    }

    mutating func warn(_ path: JSONPath, _ text: String) {
        warnings.append(ScenarioWarning(pointer: path.pointer, text: text))
    }

    /// Warns of a value of an object, if it is there and there is something to warn of.
    mutating func warn(_ keys: [String], of object: Place, when isOdd: Bool = true, _ text: String) {
        guard isOdd, let place = object.value(at: keys) else { return }
        warn(place.path, text)
    }
}

/// A value and the way to it.
struct Place: Hashable, Sendable {
    var node: JSONNode
    var path: JSONPath
}

/// A decoded value that still knows its place, for checks that need more than the value itself.
struct Located<Value: Sendable>: Sendable {
    var value: Value
    var place: Place
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
