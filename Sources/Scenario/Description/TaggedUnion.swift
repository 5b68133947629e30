import Wire

/// An object that is one of several things: the value of one key tells which, and each has keys of its own beside
/// those that all of them share.
struct TaggedUnion<Common: Sendable, Value: Sendable>: Sendable {
    /// A decoded object.
    struct Draft: Sendable {
        var common: Common
        /// `nil` where it cannot be told; then a problem has been reported.
        var value: Value?
    }

    let doc: String
    /// The key that tells, such as `fault`, which is also what its values are called.
    let tag: String
    /// Values of the tag that belong to the format, but that this build does not act on.
    let unsupported: [String]
    /// The keys of all alternatives.
    let common: ObjectDescription<Common>
    let alternatives: [Alternative<Value>]

    private var tagForm: Form<Int> {
        .name(
            alternatives.enumerated().map { ($1.name, $0) }, unsupported: unsupported, what: "a \(tag)")
    }

    private var tagDoc: String {
        alternatives.map { "\($0.name): \($0.doc)" }.joined(separator: "; ") + "."
    }

    var form: Form<Draft> {
        Form(
            shape: {
                .object(
                    [(tag, tagForm.shape)] + common.fields.map { ($0.name, $0.shape) }
                        + alternatives.flatMap { $0.keys.map { ($0.name, $0.shape) } })
            },
            decode: { decode($0, &$1) }, schema: { schema(&$0) })
    }

    private func decode(_ place: Place, _ reading: inout Reading) -> Draft? {
        let names = [tag] + common.fields.map(\.name)
        guard let members = place.node.members else {
            let own = alternatives.flatMap { $0.keys.map(\.name) }
            reading.report(
                .wrongType, place, allowed: "an object with keys of: " + quotedList(unique(names + own)))
            return nil
        }
        var draft = Draft(common: common.start(), value: nil)
        let alternative = alternative(in: place, &reading)
        for member in members where member.key != tag {
            let own = Place(node: member.value, path: place.path.appending(member.key))
            if let field = common.fields.first(where: { $0.name == member.key }) {
                field.apply(own, &draft.common, &reading)
            } else if alternative?[member.key] == nil {
                let keys = (alternative.map { [$0] } ?? alternatives).flatMap { $0.keys.map(\.name) }
                refuse(member, own, alternative, among: unique(names + keys), &reading)
            }
        }
        draft.value = alternative?.decode(place, tag, &reading)
        return draft
    }

    private func alternative(in place: Place, _ reading: inout Reading) -> Alternative<Value>? {
        guard let node = place.node[tag] else {
            reading.report(.missingKey, place, found: "no key \"\(tag)\"", allowed: "\"\(tag)\": \(tagDoc)")
            return nil
        }
        let name = Place(node: node, path: place.path.appending(tag))
        return tagForm.decode(name, &reading).map { alternatives[$0] }
    }

    /// Reports a key that the alternative does not have.
    private func refuse(
        _ member: JSONNode.Member, _ place: Place, _ alternative: Alternative<Value>?,
        among names: [String], _ reading: inout Reading
    ) {
        let owners = alternatives.filter { $0[member.key] != nil }
        guard let owner = owners.first else {
            common.reportKey(member, place, names, &reading)
            return
        }
        owner[member.key]?.check(place, &reading)
        guard alternative != nil else { return }
        let noun = owners.count == 1 ? tag : tag + "s"
        reading.report(
            .conflict, place,
            allowed: "\"\(member.key)\" only for the \(noun) \(quotedList(owners.map(\.name)))")
    }

    /// The shared keys, and for each value of the tag which others there are.
    private func schema(_ definitions: inout SchemaDefinitions) -> JSONNode {
        let names = JSONNode.object([
            ("description", .text(tagDoc)), ("enum", .texts(alternatives.map(\.name))),
        ])
        let shared = [(tag, names)] + common.properties(&definitions)
        let conditions = alternatives.map { alternative -> JSONNode in
            let name = JSONNode.object([("enum", .texts([alternative.name]))])
            var then: [(String, JSONNode)] = [
                (
                    "properties",
                    .object(shared.map { ($0.0, .object([])) } + alternative.properties(&definitions))
                )
            ]
            let required = alternative.keys.filter(\.isRequired).map(\.name)
            if !required.isEmpty { then.append(("required", .texts(required))) }
            return .object([
                (
                    "if",
                    .object([("properties", .object([(tag, name)])), ("required", .texts([tag]))])
                ),
                ("then", .object(then + [("additionalProperties", .bool(false))])),
            ])
        }
        return .object([
            ("type", .text("object")), ("description", .text(doc)), ("properties", .object(shared)),
            ("required", .texts([tag])), ("allOf", .list(conditions)),
        ])
    }

    private func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// One alternative of a tagged union: its name, its own keys, and the value that they make.
struct Alternative<Value: Sendable>: Sendable {
    /// A key of its own.
    struct Key: Sendable {
        let name: String
        let isRequired: Bool
        let shape: @Sendable () -> Shape
        /// Reports what is wrong with a value.
        let check: @Sendable (Place, inout Reading) -> Void
    }

    let name: String
    /// What it means, as part of a sentence.
    let doc: String
    let keys: [Key]
    let properties: @Sendable (inout SchemaDefinitions) -> [(String, JSONNode)]
    private let read: @Sendable (Place, inout Reading) -> Value

    /// Describes an alternative.
    ///
    /// - Parameters:
    ///   - start: The model before any key; required ones replace what it has for them.
    ///   - make: Makes the value of the model.
    init<Model: Sendable>(
        _ name: String, _ doc: String, start: Model, _ fields: [Field<Model>] = [],
        make: @escaping @Sendable (Model) -> Value
    ) {
        self.name = name
        self.doc = doc
        keys = fields.map { field in
            Key(name: field.name, isRequired: field.isRequired, shape: field.shape) { place, reading in
                var ignored = start
                field.apply(place, &ignored, &reading)
            }
        }
        let description = ObjectDescription(doc, start: { start }, fields)
        properties = { description.properties(&$0) }
        read = { place, reading in
            var model = start
            for field in fields {
                guard let node = place.node[field.name] else { continue }
                field.apply(
                    Place(node: node, path: place.path.appending(field.name)), &model, &reading)
            }
            return make(model)
        }
    }

    subscript(key: String) -> Key? { keys.first { $0.name == key } }

    /// Makes the value of an object's members; `nil` if a key of the alternative is missing or wrong.
    func decode(_ place: Place, _ tag: String, _ reading: inout Reading) -> Value? {
        let before = reading.problems.count
        for key in keys where key.isRequired && place.node[key.name] == nil {
            reading.report(
                .missingKey, place, found: "no key \"\(key.name)\"",
                allowed: "\"\(key.name)\" for the \(tag) \"\(name)\"")
        }
        let value = read(place, &reading)
        return reading.problems.count == before ? value : nil
    }
}
