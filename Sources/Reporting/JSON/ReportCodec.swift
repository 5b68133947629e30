package import Timebase
import Wire

/// A kind of value as JSON, both ways.
struct ReportCodec<Value> {
    typealias Write = (Value) -> JSONNode
    typealias Read = (ReportNode) throws(ReportReadError) -> Value

    let write: Write
    let read: Read

    init(_ write: @escaping Write, _ read: @escaping Read) {
        self.write = write
        self.read = read
    }
}

/// A key of an object with what it holds: one entry of a table, by which the object is written and read.
struct ReportField<Object> {
    typealias Read = (ReportNode, inout Object) throws(ReportReadError) -> Void

    let key: String
    let write: (Object) -> JSONNode
    /// Whether the key is left out where its value is null: for what older versions did not know.
    var mayBeAbsent = false
    /// Takes the key from the object's node.
    let read: Read

    init(_ key: String, write: @escaping (Object) -> JSONNode, read: @escaping Read) {
        self.key = key
        self.write = write
        self.read = read
    }

    /// A key that must be there.
    init<Value>(_ key: String, _ path: WritableKeyPath<Object, Value>, _ codec: ReportCodec<Value>) {
        self.init(key, write: { codec.write($0[keyPath: path]) }) { node, object throws(ReportReadError) in
            object[keyPath: path] = try codec.read(node.required(key))
        }
    }

    /// A key that is null for `nil`, and may be missing.
    init<Value>(_ key: String, _ path: WritableKeyPath<Object, Value?>, _ codec: ReportCodec<Value>) {
        self.init(key, write: { $0[keyPath: path].map(codec.write) ?? .null }) {
            node, object throws(ReportReadError) in
            guard let value = try node.optional(key) else { return }
            object[keyPath: path] = try codec.read(value)
        }
    }

    /// A key that older versions did not write: without it, the property keeps its first value.
    static func later<Value>(
        _ key: String, _ path: WritableKeyPath<Object, Value>, _ codec: ReportCodec<Value>
    ) -> ReportField {
        ReportField(key, write: { codec.write($0[keyPath: path]) }) { node, object throws(ReportReadError) in
            guard let value = try node.optional(key) else { return }
            object[keyPath: path] = try codec.read(value)
        }
    }

    /// A key that is there only if there is something to be said.
    static func rare<Value>(
        _ key: String, _ path: WritableKeyPath<Object, Value?>, _ codec: ReportCodec<Value>
    ) -> ReportField {
        var field = ReportField(key, path, codec)
        field.mayBeAbsent = true
        return field
    }

    /// A key for readers elsewhere, made from other values.
    static func derived(_ key: String, _ write: @escaping (Object) -> JSONNode) -> ReportField {
        ReportField(key, write: write) { _, _ throws(ReportReadError) in }
    }
}

// MARK: - Plain values

extension ReportCodec<String> {
    static var text: ReportCodec {
        ReportCodec({ .text($0) }) { node throws(ReportReadError) in try node.string() }
    }

    /// The version of the program that wrote the file, with its name.
    static var tool: ReportCodec {
        let version = ReportField("version", \String.self, text)
        return object("", [.derived("name") { _ in .text("beaconswarm") }, version])
    }
}

extension ReportCodec<Bool> {
    static var boolean: ReportCodec {
        ReportCodec({ .bool($0) }) { node throws(ReportReadError) in try node.boolean() }
    }
}

extension ReportCodec<UInt64> {
    static var unsigned: ReportCodec {
        ReportCodec({ .int($0) }) { node throws(ReportReadError) in try node.unsigned() }
    }
    /// A number of things: small enough that sums of them cannot overflow.
    static var count: ReportCodec {
        ReportCodec({ .int($0) }) { node throws(ReportReadError) in try node.count() }
    }
}

extension ReportCodec<Int> {
    static var whole: ReportCodec {
        ReportCodec({ .int($0) }) { node throws(ReportReadError) in try node.integer() }
    }
}

extension ReportCodec<Int32> {
    static var clamped: ReportCodec {
        ReportCodec({ .int($0) }) { node throws(ReportReadError) in Int32(clamping: try node.integer()) }
    }
}

extension ReportCodec<Double> {
    static var real: ReportCodec {
        ReportCodec({ .number($0) }) { node throws(ReportReadError) in try node.real() }
    }
}

extension ReportCodec<Instant> {
    /// A time as people read it.
    static var time: ReportCodec {
        ReportCodec({ .text($0.text) }) { node throws(ReportReadError) in
            guard let instant = Instant(text: try node.string()) else {
                throw ReportReadError(
                    key: node.key, message: "expected a time such as 2026-01-05T00:00:00Z")
            }
            return instant
        }
    }

    /// Milliseconds since 1970, exact to the microsecond.
    static var milliseconds: ReportCodec {
        ReportCodec({ .number(Double($0.nanoseconds / 1000) / 1000) }) { node throws(ReportReadError) in
            guard let instant = Instant(exactMilliseconds: try node.double()) else {
                throw ReportReadError(key: node.key, message: "expected milliseconds since 1970")
            }
            return instant
        }
    }
}

extension ReportCodec where Value: RawRepresentable<String> & CaseIterable {
    /// One of a closed set of words.
    static var choice: ReportCodec {
        ReportCodec({ .text($0.rawValue) }) { node throws(ReportReadError) in
            let text = try node.string()
            guard let choice = Value(rawValue: text) else {
                let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw ReportReadError(key: node.key, message: "expected one of \(allowed), found \(text)")
            }
            return choice
        }
    }
}

// MARK: - Values made of others

extension ReportCodec {
    /// An object with these keys, in this order; those that it does not know are passed over.
    ///
    /// - Parameter blank: What reading fills.
    static func object(_ blank: Value, _ fields: [ReportField<Value>]) -> ReportCodec {
        ReportCodec({ value in
            .object(
                fields.map { ($0, $0.write(value)) }.filter { !$0.mayBeAbsent || $1 != .null }
                    .map { ($0.key, $1) })
        }) {
            node throws(ReportReadError) in
            var object = blank
            for field in fields { try field.read(node, &object) }
            return object
        }
    }

    static func list<Element>(_ codec: ReportCodec<Element>) -> ReportCodec where Value == [Element] {
        ReportCodec({ .list($0.map(codec.write)) }) { node throws(ReportReadError) in
            var values: [Element] = []
            for element in try node.elements() { values.append(try codec.read(element)) }
            return values
        }
    }

    /// An object whose keys are the elements' names.
    static func named<Element>(
        _ name: WritableKeyPath<Element, String>, _ codec: ReportCodec<Element>
    ) -> ReportCodec where Value == [Element] {
        ReportCodec({ .object($0.map { ($0[keyPath: name], codec.write($0)) }) }) {
            node throws(ReportReadError) in
            var values: [Element] = []
            for (key, member) in try node.members() {
                var value = try codec.read(member)
                value[keyPath: name] = key
                values.append(value)
            }
            return values
        }
    }

    /// A property of an element in its place, beside the name that is its key.
    static func property<Property>(
        _ path: WritableKeyPath<Value, Property>, _ codec: ReportCodec<Property>, of blank: Value
    ) -> ReportCodec {
        ReportCodec({ codec.write($0[keyPath: path]) }) { node throws(ReportReadError) in
            var value = blank
            value[keyPath: path] = try codec.read(node)
            return value
        }
    }
}

extension ReportCodec<[String]> {
    static var texts: ReportCodec { list(.text) }
}

extension ReportCodec<[Report.NamedCount]> {
    static var counts: ReportCodec {
        named(\.name, .property(\.count, .count, of: Report.NamedCount("", 0)))
    }

    /// The causes that readers may rely on come first and always; others follow as they are.
    static func counts(always names: [String]) -> ReportCodec {
        ReportCodec(
            { all in
                let always = names.map { name in
                    Report.NamedCount(name, all.reduce(0) { $1.name == name ? $0 + $1.count : $0 })
                }
                return counts.write(always + all.filter { !names.contains($0.name) })
            }, counts.read)
    }
}

extension Instant {
    /// Makes an instant from milliseconds since 1970 as files have them, exact to the microsecond; `nil` for one that
    /// no file of a run has.
    package init?(exactMilliseconds milliseconds: Double) {
        guard milliseconds.magnitude < 9e12 else { return nil }
        self.init(credibleNanoseconds: Int64((milliseconds * 1000).rounded()) * 1000)
    }
}
