import AppModel
import Timebase
import Wire

/// Where a property's value comes from, as decoded: exactly one of these is set.
struct GeneratorDraft: Sendable {
    var isDate = false
    var constant: PropertyValue?
    var choice: ChoiceDraft?
    var zipf: ZipfDraft?
    var number: NumberDraft?
    var counter: PrefixDraft?
    var entity: Located<String>?
    var entityID: EntityDraft?
    /// Boxed in an array, since a struct cannot hold itself.
    var list: ListDraft?
    var device: DeviceReading?

    static let form: Form<GeneratorDraft> = .either(
        [
            (.string, date),
            (.object, .object(format)),
        ], allowed: "\"date\", or an object with one generator"
    ).named("generator")

    private static let date: Form<GeneratorDraft> = Form<Bool>.name([("date", true)], what: "a generator").map
    { _, _, _ in
        GeneratorDraft(isDate: true)
    }

    /// Properties by key.
    static let properties: Form<[Named<GeneratorDraft>]> = Form<[Named<GeneratorDraft>]>.map(
        of: .lazy { form }, count: 0...1000)

    private static let format: ObjectDescription<GeneratorDraft> = ObjectDescription(
        "A generator of values.", start: { GeneratorDraft() }, exactlyOne: true,
        [
            Field("constant", \.constant, value, "Always this value."),
            Field(
                "choice", \.choice, ChoiceDraft.form,
                "One of some values: an array (even), or weights by text."),
            Field(
                "zipf", \.zipf, .object(ZipfDraft.format),
                "A number from 1 by Zipf's law; with a prefix, a text."),
            number("number", DistributionDraft.number, "A number by any distribution."),
            number(.lognormal, "The same, for \"median\" and \"sigma\"."),
            number(.uniform, "The same, for \"min\" and \"max\"."),
            number(.exponential, "The same, for \"mean\"."),
            number(.pareto, "The same, for \"min\", \"alpha\" and \"max\"."),
            Field("counter", \.counter, .object(PrefixDraft.format), "The event's own number on the device."),
            Field(
                "entity", \.entity, Form<String>.text().located,
                "A field of the thing concerned, such as \"products.price\"."),
            Field("entityID", \.entityID, .object(EntityDraft.format), "The id of the thing concerned."),
            Field("list", \.list, .object(ListDraft.format), "A list of values."),
            Field(
                "device", \.device, .cases(what: "what an app reads off its device"),
                "What the app reads off its device at the event, of \"dynamicSuperProperties\" alone: the charge of "
                    + "its battery in per cent, whether it shows the dark appearance, whether somebody is signed in."
            ),
        ])

    private static func number(
        _ name: String, _ distribution: Form<Distribution>, _ doc: String
    ) -> Field<GeneratorDraft> {
        Field(name, \.number, NumberDraft.form(distribution), doc)
    }

    /// A number of the distribution that its key names.
    private static func number(
        _ family: DistributionDraft.Family, _ doc: String
    ) -> Field<GeneratorDraft> {
        number(family.rawValue, DistributionDraft.number(of: family), doc)
    }

    /// Any JSON value that a property may have: all but objects. What is wrong in an array is told at its element.
    static let value: Form<PropertyValue> = Form(
        shape: { .either([.plain, .text]) }, decode: { propertyValue($0, &$1) },
        schema: { valueSchema(&$0) })

    /// Of a property's value, and of whatever an array of them holds.
    private static func valueSchema(_ definitions: inout SchemaDefinitions) -> JSONNode {
        definitions.reference(to: "propertyValue") { definitions in
            .object([
                ("type", .texts(["string", "number", "boolean", "null", "array"])),
                ("items", valueSchema(&definitions)),
            ])
        }
    }

    private static func propertyValue(_ place: Place, _ reading: inout Reading) -> PropertyValue? {
        switch place.node.content {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let text):
            if let value = Double(text), value.isFinite {
                return isExact(text, value, place, &reading) ? .number(value) : nil
            }
        case .string(let text): return reading.refusesNUL(in: text, place) ? nil : .string(text)
        case .array(let elements):
            let values = elements.enumerated().map { index, node in
                propertyValue(Place(node: node, path: place.path.appending(index)), &reading)
            }
            let good = values.compactMap { $0 }
            return good.count == values.count ? .list(good) : nil
        case .object: break
        }
        reading.report(.wrongType, place, allowed: "a text, number, switch, null or array of these")
        return nil
    }

    /// Whether devices would send an integer as it is written, since their numbers are doubles; reports one that they
    /// would not.
    private static func isExact(
        _ text: String, _ double: Double, _ place: Place, _ reading: inout Reading
    ) -> Bool {
        guard text.allSatisfy({ $0.isNumber || $0 == "-" }) else { return true }
        if let whole = Int64(text) {
            if Int64(exactly: double) == whole { return true }
        } else if let whole = UInt64(text), UInt64(exactly: double) == whole {
            return true
        }
        // What is larger still holds its digits by chance at best.
        reading.report(
            .outOfRange, place, found: text,
            allowed: "whole numbers that a double holds exactly, as all up to 9007199254740992; a text")
        return false
    }
}

/// A choice as decoded.
struct ChoiceDraft: Sendable {
    var values: [PropertyValue]
    var weights: [Double]

    static let form: Form<ChoiceDraft> = .either(
        [
            (.array, even), (.object, weighted),
        ], allowed: "an array of values, or an object of weights by text")

    private static let even: Form<ChoiceDraft> = Form<[PropertyValue]>.list(
        of: GeneratorDraft.value, count: 1...10_000
    ).map { values, _, _ in
        ChoiceDraft(values: values, weights: values.map { _ in 1 })
    }

    private static let weighted: Form<ChoiceDraft> = Form<[Named<Double>]>.map(
        of: .number(0...1e9), count: 1...10_000
    ).map { members, place, reading in
        // What is wrong with one of them is told.
        guard members.count == place.node.members?.count else { return nil }
        guard members.contains(where: { $0.value > 0 }) else {
            reading.report(.outOfRange, place, allowed: "at least one weight above 0")
            return nil
        }
        return ChoiceDraft(values: members.map { .string($0.name) }, weights: members.map(\.value))
    }
}

/// A number by Zipf's law as decoded.
struct ZipfDraft: Sendable {
    var count = 1
    var exponent = 1.0
    var prefix: String?

    static let format: ObjectDescription<ZipfDraft> = ObjectDescription(
        "A number from 1 to \"count\" by Zipf's law.", start: ZipfDraft.init,
        [
            Field("count", \.count, .integer(1...1_000_000), required: true, "The highest number."),
            Field("exponent", \.exponent, .number(0...10), "Zipf's exponent; 0 is even."),
            Field(
                "prefix", \.prefix, .text(limit: 255, mayBeEmpty: true), "Makes it a text such as \"sku-17\"."
            ),
        ])
}

/// A number by a distribution as decoded.
struct NumberDraft: Sendable {
    var distribution: Distribution
    var decimals: Int

    private struct Decimals: Sendable { var count = 2 }
    private static let decimals = Field<Decimals>(
        "decimals", \.count, .integer(0...9), "Decimals that are kept.")

    /// A distribution with `decimals` beside its own keys.
    static func form(_ distribution: Form<Distribution>) -> Form<NumberDraft> {
        Form<NumberDraft>(
            decode: { place, reading in
                var decimals = Decimals()
                var own = place
                if case .object(let members) = place.node.content {
                    own.node.content = .object(members.filter { $0.key != "decimals" })
                    if let node = place.node["decimals"] {
                        let place = Place(node: node, path: place.path.appending("decimals"))
                        NumberDraft.decimals.apply(place, &decimals, &reading)
                    }
                }
                let before = reading.problems.count
                let found = distribution.decode(own, &reading)
                // A distribution itself does not know of the key beside its own.
                for index in reading.problems.indices.dropFirst(before)
                where reading.problems[index].kind == .unknownKey {
                    reading.problems[index].allowed += ", \"decimals\""
                }
                return found.map { NumberDraft(distribution: $0, decimals: decimals.count) }
            },
            schema: { definitions in
                let decimals = NumberDraft.decimals
                var schema = distribution.schema(&definitions)
                schema = schema.addingProperty("decimals", decimals.schema(&definitions))
                return schema
            })
    }
}

/// A counter's prefix as decoded.
struct PrefixDraft: Sendable {
    var prefix: String?

    static let format: ObjectDescription<PrefixDraft> = ObjectDescription(
        "The event's own number on the device.", start: PrefixDraft.init,
        [
            Field(
                "prefix", \.prefix, .text(limit: 255, mayBeEmpty: true),
                "Makes it a text such as \"order-17\".")
        ])
}

/// An entity's id as decoded.
struct EntityDraft: Sendable {
    var catalogue: Located<String>?
    var prefix = ""

    static let format: ObjectDescription<EntityDraft> = ObjectDescription(
        "The id of a thing of a catalogue, such as \"sku-00017\".", start: EntityDraft.init,
        [
            Field(
                "catalogue", \.catalogue, Form<String>.text().located, required: true, "The catalogue's name."
            ),
            Field("prefix", \.prefix, .text(limit: 255, mayBeEmpty: true), "What the id begins with."),
        ])
}

/// A list of values as decoded.
struct ListDraft: Sendable {
    /// The one generator of the elements.
    var element: [GeneratorDraft] = []
    var minimum = 0
    var maximum = 3

    static let format: ObjectDescription<ListDraft> = ObjectDescription(
        "A list of values.", start: ListDraft.init,
        [
            Field(
                "of", \.element,
                Form<GeneratorDraft>.lazy { GeneratorDraft.form }.map { draft, _, _ in [draft] },
                required: true, "Where each element comes from."),
            Field("min", \.minimum, .integer(0...1000), "The fewest elements."),
            Field("max", \.maximum, .integer(0...1000), "The most elements."),
        ])
}

extension JSONNode {
    /// An object schema with one more property; in a choice of schemas, in every object of it.
    fileprivate func addingProperty(_ name: String, _ schema: JSONNode) -> JSONNode {
        guard case .object(var members) = content else { return self }
        for index in members.indices {
            if members[index].key == "properties", case .object(let properties) = members[index].value.content
            {
                members[index].value = JSONNode(.object(properties + [Member(name, schema)]))
            } else if members[index].key == "anyOf", let choices = members[index].value.elements {
                members[index].value = .list(choices.map { $0.addingProperty(name, schema) })
            }
        }
        return JSONNode(.object(members))
    }
}
