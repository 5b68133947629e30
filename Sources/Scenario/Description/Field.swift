import Wire

/// One key of an object: its form, its place in the model, its doc; everything else (default,
/// range, names, schema) follows from those.
struct Field<Root: Sendable>: Sendable {
    let name: String
    let doc: String
    let isRequired: Bool
    let shape: @Sendable () -> Shape
    /// Decodes the key's value into the model.
    let apply: @Sendable (Place, inout Root, inout Reading) -> Void
    let schema: @Sendable (inout SchemaDefinitions) -> JSONNode
    /// The key's value in a model, as JSON.
    let present: @Sendable (Root) -> JSONNode?

    /// A key that sets a property.
    init<Value>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>,
        required: Bool = false, _ doc: String
    ) {
        self.init(name, doc, required, form) {
            $0[keyPath: property] = $1
        } get: {
            $0[keyPath: property]
        }
    }

    /// A key that sets an optional property.
    init<Value>(
        _ name: String, _ property: any WritableKeyPath<Root, Value?> & Sendable, _ form: Form<Value>,
        required: Bool = false, _ doc: String
    ) {
        self.init(name, doc, required, form) {
            $0[keyPath: property] = $1
        } get: {
            $0[keyPath: property]
        }
    }

    private init<Value>(
        _ name: String, _ doc: String, _ required: Bool, _ form: Form<Value>,
        set: @escaping @Sendable (inout Root, Value) -> Void, get: @escaping @Sendable (Root) -> Value?
    ) {
        self.name = name
        self.doc = doc
        isRequired = required
        shape = form.shape
        apply = { place, root, reading in
            if let value = form.decode(place, &reading) { set(&root, value) }
        }
        schema = form.schema
        present = { get($0).flatMap(form.encode) }
    }

    /// A key whose object sets properties of the same model.
    init(group name: String, _ description: ObjectDescription<Root>) {
        self.name = name
        doc = description.doc
        isRequired = false
        shape = description.shape
        apply = { description.decode($0, into: &$1, &$2) }
        schema = { description.schema(&$0) }
        present = { _ in nil }
    }
}

/// A key that belongs to the format, but that cannot be used in some object.
struct UnsupportedKey: Sendable {
    var name: String
    var instead: String
}

extension [UnsupportedKey] {
    /// Keys with one reason.
    static func keys(_ names: [String], _ instead: String) -> [UnsupportedKey] {
        names.map { UnsupportedKey(name: $0, instead: instead) }
    }
}

/// An object of the format: its keys, and the model that they fill.
struct ObjectDescription<Root: Sendable>: Sendable {
    let doc: String
    let fields: [Field<Root>]
    /// Keys that belong to the format, but that this build does not act on.
    let unsupported: [UnsupportedKey]
    /// The model without any key; its properties are the defaults.
    let start: @Sendable () -> Root
    /// Models whose defaults differ, each with the name that docs give it; the first is ``start``'s.
    let variants: [(name: String, model: Root)]
    /// Whether exactly one key must be present.
    let exactlyOne: Bool
    /// Keys of which exactly one must be present, for the schema: whoever binds the model tells what is wrong.
    let oneOf: [String]
    /// Schemas that hold beside the keys' own (`allOf`).
    let conditions: (@Sendable (inout SchemaDefinitions) -> [JSONNode])?

    init(
        _ doc: String, start: @escaping @Sendable () -> Root, variants: [(name: String, model: Root)] = [],
        exactlyOne: Bool = false, oneOf: [String] = [], unsupported: [UnsupportedKey] = [],
        conditions: (@Sendable (inout SchemaDefinitions) -> [JSONNode])? = nil, _ fields: [Field<Root>]
    ) {
        self.doc = doc
        self.fields = fields
        self.unsupported = unsupported
        self.start = start
        self.variants = variants
        self.exactlyOne = exactlyOne
        self.oneOf = oneOf
        self.conditions = conditions
    }

    var shape: @Sendable () -> Shape {
        { .object(fields.map { ($0.name, $0.shape) }) }
    }

    /// Decodes an object; keys that are missing keep their defaults.
    func decode(_ place: Place, _ reading: inout Reading) -> Root? {
        guard place.node.isObject else {
            reading.report(
                .wrongType, place, allowed: "an object with keys of: " + quotedList(fields.map(\.name)))
            return nil
        }
        var root = start()
        decode(place, into: &root, &reading)
        return root
    }

    /// Decodes an object into a model that has its defaults already.
    func decode(_ place: Place, into root: inout Root, _ reading: inout Reading) {
        let names = fields.map(\.name)
        guard let members = place.node.members else {
            reading.report(.wrongType, place, allowed: "an object with keys of: " + quotedList(names))
            return
        }
        for member in members {
            let memberPlace = Place(node: member.value, path: place.path.appending(member.key))
            if let field = fields.first(where: { $0.name == member.key }) {
                field.apply(memberPlace, &root, &reading)
            } else {
                reportKey(member, memberPlace, names, &reading)
            }
        }
        for field in fields where field.isRequired && !members.contains(where: { $0.key == field.name }) {
            reading.report(
                .missingKey, place, found: "no key \"\(field.name)\"",
                allowed: "\"\(field.name)\": \(field.doc)")
        }
        if exactlyOne, members.count != 1 {
            reading.report(
                .conflict, place, found: "\(members.count) keys",
                allowed: "exactly one of: " + quotedList(names))
        }
    }

    /// Reports a key that the object does not have.
    func reportKey(
        _ member: JSONNode.Member, _ place: Place, _ names: [String], _ reading: inout Reading
    ) {
        let known = unsupported.first { $0.name == member.key }
        reading.problems.append(
            Problem(
                known == nil ? .unknownKey : .notSupported, at: place.path,
                position: member.keyPosition == .none ? place.node.position : member.keyPosition,
                found: "\"\(member.key)\"", allowed: known?.instead ?? quotedList(names),
                nearest: known == nil ? NameDistance.nearest(to: member.key, among: names) : nil))
    }

    /// The object's JSON Schema.
    func schema(_ definitions: inout SchemaDefinitions) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("type", .text("object")), ("description", .text(doc)),
            ("properties", .object(properties(&definitions))),
        ]
        let required = fields.filter(\.isRequired).map(\.name)
        if !required.isEmpty { members.append(("required", .texts(required))) }
        members.append(("additionalProperties", .bool(false)))
        if exactlyOne { members += [("minProperties", .int(1)), ("maxProperties", .int(1))] }
        if !oneOf.isEmpty {
            members.append(("oneOf", .list(oneOf.map { .object([("required", .texts([$0]))]) })))
        }
        if let conditions { members.append(("allOf", .list(conditions(&definitions)))) }
        return .object(members)
    }

    /// The schemas of the keys.
    func properties(_ definitions: inout SchemaDefinitions) -> [(String, JSONNode)] {
        fields.map { ($0.name, schema(of: $0, &definitions)) }
    }

    private func schema(of field: Field<Root>, _ definitions: inout SchemaDefinitions) -> JSONNode {
        var schema = field.schema(&definitions)
        guard case .object(var members) = schema.content else { return schema }
        let defaults = (variants.isEmpty ? [("", start())] : variants).compactMap { name, model in
            field.present(model).map { (name: name, value: $0) }
        }
        var doc = field.doc
        var extra: [JSONNode.Member] = []
        if let first = defaults.first, !field.isRequired {
            if defaults.allSatisfy({ $0.value == first.value }) {
                extra = [.init("default", first.value)]
            } else {
                let list = defaults.map { "\($0.name): \($0.value.compactText)" }.joined(separator: "; ")
                doc += " Default by version: \(list)."
            }
        }
        members.removeAll { $0.key == "description" }
        members.insert(.init("description", .text(doc)), at: 0)
        members.insert(contentsOf: extra, at: 1)
        schema.content = .object(members)
        return schema
    }
}
