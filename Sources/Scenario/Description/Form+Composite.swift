import Wire

/// A member of a map: its key is a name that the scenario chose.
struct Named<Value: Sendable>: Sendable {
    var name: String
    var value: Value
    var place: Place
}

extension Form {
    /// An array.
    static func list<Element: Sendable>(
        of element: Form<Element>, count: ClosedRange<Int> = 0...10_000, what: String = "elements"
    ) -> Form<[Element]> where Value == [Element] {
        Form<[Element]>(
            shape: { .list(element.shape) },
            decode: { place, reading in
                let allowed = "an array of \(count.lowerBound) to \(count.upperBound) \(what)"
                guard let nodes = place.node.elements else {
                    reading.report(.wrongType, place, allowed: allowed)
                    return nil
                }
                guard count.contains(nodes.count) else {
                    reading.report(.outOfRange, place, found: "\(nodes.count) elements", allowed: allowed)
                    return nil
                }
                let values = nodes.enumerated().map { index, node in
                    element.decode(Place(node: node, path: place.path.appending(index)), &reading)
                }
                let good = values.compactMap { $0 }
                return good.count == values.count ? good : nil
            },
            schema: { definitions in
                var members: [(String, JSONNode)] = [
                    ("type", .text("array")), ("items", element.schema(&definitions)),
                ]
                if count.lowerBound > 0 { members.append(("minItems", .int(count.lowerBound))) }
                return .object(members + [("maxItems", .int(count.upperBound))])
            },
            encode: { values in
                // What the form itself refuses is no value that somebody could write, and so no default.
                guard count.contains(values.count) else { return nil }
                let nodes = values.map(element.encode)
                return nodes.contains(nil) ? nil : .list(nodes.compactMap { $0 })
            })
    }

    /// An object with keys of the scenario's choice, in the order of the file.
    static func map<Element: Sendable>(
        of element: Form<Element>, count: ClosedRange<Int> = 0...10_000
    ) -> Form<[Named<Element>]> where Value == [Named<Element>] {
        Form<[Named<Element>]>(
            shape: { .map(element.shape) },
            decode: { place, reading in
                let allowed = "an object of \(count.lowerBound) to \(count.upperBound) members"
                guard let members = place.node.members else {
                    reading.report(.wrongType, place, allowed: allowed)
                    return nil
                }
                guard count.contains(members.count) else {
                    reading.report(.outOfRange, place, found: "\(members.count) members", allowed: allowed)
                    return nil
                }
                return members.compactMap { member in
                    let place = Place(node: member.value, path: place.path.appending(member.key))
                    guard !reading.refusesNUL(in: member.key, place) else { return nil }
                    return element.decode(place, &reading).map {
                        Named(name: member.key, value: $0, place: place)
                    }
                }
            },
            schema: { definitions in
                var members: [(String, JSONNode)] = [
                    ("type", .text("object")), ("additionalProperties", element.schema(&definitions)),
                ]
                if count.lowerBound > 0 { members.append(("minProperties", .int(count.lowerBound))) }
                return .object(members + [("maxProperties", .int(count.upperBound))])
            },
            encode: { $0.isEmpty ? .object([]) : nil })
    }

    /// One of several forms, told apart by the kind of JSON value.
    ///
    /// - Parameter alternatives: at most one for each kind.
    static func either(
        _ alternatives: [(kind: JSONKind, form: Form)], allowed: String,
        encode: @escaping @Sendable (Value) -> JSONNode? = { _ in nil }
    ) -> Form {
        Form(
            shape: { .either(alternatives.map { $0.form.shape() }) },
            decode: { place, reading in
                guard let form = alternatives.first(where: { $0.kind == place.node.kind })?.form else {
                    reading.report(.wrongType, place, allowed: allowed)
                    return nil
                }
                return form.decode(place, &reading)
            },
            schema: { definitions in
                .object([("anyOf", .list(alternatives.map { $0.form.schema(&definitions) }))])
            },
            encode: encode)
    }

    /// An object that a description names the keys of.
    static func object(_ description: ObjectDescription<Value>) -> Form {
        Form(
            shape: description.shape,
            decode: { description.decode($0, &$1) },
            schema: { description.schema(&$0) })
    }
}

extension Form where Value: Equatable {
    /// A whole number in a range, or a word in its place; whatever else is there is told of both.
    static func integer(
        _ range: ClosedRange<Int>, or word: String, is value: Value,
        make: @escaping @Sendable (Int) -> Value, encode: @escaping @Sendable (Value) -> JSONNode
    ) -> Form {
        let number =
            range.count == 1
            ? "\(range.lowerBound)" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let allowed = "\(number), or \"\(word)\""
        let both = Form.either(
            [
                (.number, Form<Int>.integer(range).map { number, _, _ in make(number) }),
                (.string, .name([(word, value)], what: word)),
            ], allowed: allowed, encode: encode)
        return Form(
            shape: both.shape,
            decode: { place, reading in
                let before = reading.problems.count
                let value = both.decode(place, &reading)
                for index in reading.problems.indices.dropFirst(before) {
                    reading.problems[index].allowed = allowed
                }
                return value
            }, schema: both.schema, encode: encode)
    }
}

/// The kinds of JSON values.
enum JSONKind: Hashable, Sendable {
    case null, bool, number, string, array, object
}

extension JSONNode {
    var kind: JSONKind {
        switch content {
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    var isObject: Bool { kind == .object }
}
