import Wire

/// How the JSON of one kind of value reads: decoding, schema and the spelling of defaults come from
/// one description.
struct Form<Value: Sendable>: Sendable {
    /// What `--set` may put here.
    var shape: @Sendable () -> Shape
    /// Gives the value, or reports problems and gives `nil`.
    var decode: @Sendable (Place, inout Reading) -> Value?
    /// The JSON Schema of the value.
    var schema: @Sendable (inout SchemaDefinitions) -> JSONNode
    /// The value as JSON, for printing defaults; `nil` where a default is told in words.
    var encode: @Sendable (Value) -> JSONNode?

    init(
        shape: @escaping @Sendable () -> Shape = { .plain },
        decode: @escaping @Sendable (Place, inout Reading) -> Value?,
        schema: @escaping @Sendable (inout SchemaDefinitions) -> JSONNode,
        encode: @escaping @Sendable (Value) -> JSONNode? = { _ in nil }
    ) {
        self.shape = shape
        self.decode = decode
        self.schema = schema
        self.encode = encode
    }

    /// The form of another type, made from this one's values. The conversion reports its own
    /// problems.
    func map<Other: Sendable>(
        _ convert: @escaping @Sendable (Value, Place, inout Reading) -> Other?,
        encode: @escaping @Sendable (Other) -> JSONNode? = { _ in nil }
    ) -> Form<Other> {
        let base = self
        return Form<Other>(
            shape: base.shape,
            decode: { place, reading in
                base.decode(place, &reading).flatMap { convert($0, place, &reading) }
            },
            schema: base.schema, encode: encode)
    }

    /// The same form, its schema kept once under a name and referred to.
    func named(_ name: String) -> Form {
        var form = self
        let base = schema
        form.schema = { definitions in definitions.reference(to: name) { base(&$0) } }
        return form
    }

    /// A form that is looked up when it is used: for values that hold others of their own kind.
    static func lazy(_ form: @escaping @Sendable () -> Form) -> Form {
        Form(
            shape: { form().shape() }, decode: { form().decode($0, &$1) },
            schema: { form().schema(&$0) }, encode: { form().encode($0) })
    }
}

extension Form {
    /// The same form, whose values keep their places.
    var located: Form<Located<Value>> {
        map { value, place, _ in Located(value: value, place: place) }
    }
}

extension Form where Value == Place {
    /// A value that is decoded later, when more is known; until then only its place is kept.
    static func deferred<Other>(_ form: Form<Other>) -> Form<Place> {
        Form(shape: form.shape, decode: { place, _ in place }, schema: form.schema)
    }
}

/// What `--set` may put at a place: decides whether an argument is read as JSON or as raw text.
indirect enum Shape {
    /// Text only: an argument that is no JSON string is taken as it stands.
    case text
    /// Numbers, switches, or values that are not told apart here.
    case plain
    case object([(name: String, shape: @Sendable () -> Shape)])
    case map(@Sendable () -> Shape)
    case list(@Sendable () -> Shape)
    case either([Shape])

    /// Whether raw text may stand here.
    var takesText: Bool {
        switch self {
        case .text: true
        case .either(let shapes): shapes.contains(where: \.takesText)
        default: false
        }
    }

    /// Whether nothing but text may stand here.
    var takesOnlyText: Bool {
        switch self {
        case .text: true
        case .either(let shapes): shapes.allSatisfy(\.takesOnlyText)
        default: false
        }
    }

    /// Whether an array may stand here.
    var isList: Bool {
        switch self {
        case .list: true
        case .either(let shapes): shapes.contains(where: \.isList)
        default: false
        }
    }

    /// The shape of a member or element; `nil` where the format knows none.
    func child(_ token: String) -> Shape? {
        switch self {
        case .text, .plain: nil
        case .object(let members): members.first { $0.name == token }?.shape()
        case .map(let shape), .list(let shape): shape()
        case .either(let shapes): Shape.either(of: shapes.compactMap { $0.child(token) })
        }
    }

    /// What any of some shapes is; `nil` for none.
    private static func either(of shapes: [Shape]) -> Shape? {
        shapes.count < 2 ? shapes.first : .either(shapes)
    }
}

/// The schemas that are kept once under `$defs`.
struct SchemaDefinitions {
    private(set) var entries: [(name: String, schema: JSONNode)] = []
    private var begun: [String] = []

    /// A reference to a named schema, which is made at its first use.
    mutating func reference(to name: String, _ make: (inout SchemaDefinitions) -> JSONNode) -> JSONNode {
        if !begun.contains(name) {
            begun.append(name)
            let schema = make(&self)
            entries.append((name, schema))
        }
        return .object([("$ref", .text("#/$defs/\(name)"))])
    }
}
