import Timebase
import Wire

/// A distribution as decoded: which of the numbers are there tells which it is.
struct DistributionDraft: Sendable {
    var minimum: Double?
    var maximum: Double?
    var mean: Double?
    var median: Double?
    var sigma: Double?
    var alpha: Double?

    /// Numbers, negative ones too.
    static let number = form(
        constant: Form<Double>.number(-1e15...1e15), scalar: Form<Double>.number(-1e15...1e15),
        allowed: "a number", .number)
    /// Durations, in seconds.
    static let seconds = form(durations: 1e9)
    /// Durations, in milliseconds.
    static let milliseconds = form(durations: 1e6)

    private static let choices =
        "\"min\" and \"max\" (even), \"mean\" (exponential), \"median\" and \"sigma\" "
        + "(lognormal), or \"min\", \"alpha\" and \"max\" (Pareto)"

    private static func form(durations unit: Double) -> Form<Distribution> {
        let scalar = Form<Interval>.duration().map(
            { interval, _, _ in Double(interval.nanoseconds) / unit },
            encode: { .text(Interval(nanoseconds: Int64(($0 * unit).rounded())).text) })
        return form(constant: scalar, scalar: scalar, allowed: "a duration", .string)
            .named("duration-distribution")
    }

    /// The distributions that a generator's key names: each has keys of its own, and no others.
    enum Family: String, Sendable {
        case uniform, exponential, lognormal, pareto

        var keys: [String] {
            switch self {
            case .uniform: ["min", "max"]
            case .exponential: ["mean"]
            case .lognormal: ["median", "sigma"]
            case .pareto: ["min", "alpha", "max"]
            }
        }
    }

    /// Numbers of one family.
    static func number(of family: Family) -> Form<Distribution> {
        let keys = family.keys
        let own = fields(Form<Double>.number(-1e15...1e15), required: true)
        return object(
            ObjectDescription(
                "A distribution: \(quotedList(keys)).", start: DistributionDraft.init,
                own.filter { keys.contains($0.name) }))
    }

    private static func form(
        constant: Form<Double>, scalar: Form<Double>, allowed: String,
        _ kind: JSONKind
    ) -> Form<Distribution> {
        let format = ObjectDescription<DistributionDraft>(
            "A distribution: \(choices).", start: DistributionDraft.init, fields(scalar, required: false))
        return .either(
            [(kind, constant.map { value, _, _ in .constant(value) }), (.object, object(format))],
            allowed: "\(allowed), or an object with \(choices)",
            encode: { encode($0, scalar) })
    }

    private static func object(_ format: ObjectDescription<DistributionDraft>) -> Form<Distribution> {
        let draft = Form<DistributionDraft>.object(format)
        return Form<Distribution>(
            shape: draft.shape,
            decode: { place, reading in
                let before = reading.problems.count
                // Where a key is wrong by itself, it is not known which distribution was meant.
                guard let found = draft.decode(place, &reading), reading.problems.count == before else {
                    return nil
                }
                return found.distribution(place, &reading)
            },
            schema: draft.schema)
    }

    private static func fields(_ scalar: Form<Double>, required: Bool) -> [Field<DistributionDraft>] {
        [
            Field("min", \.minimum, scalar, required: required, "Lower bound."),
            Field("max", \.maximum, scalar, required: required, "Upper bound."),
            Field("mean", \.mean, scalar, required: required, "Mean of an exponential distribution."),
            Field("median", \.median, scalar, required: required, "Median of a lognormal distribution."),
            Field(
                "sigma", \.sigma, .number(0...10), required: required,
                "Standard deviation of its logarithm."),
            Field(
                "alpha", \.alpha, .number(0...100, above: true), required: required,
                "Tail index of a Pareto distribution."),
        ]
    }

    private func distribution(_ place: Place, _ reading: inout Reading) -> Distribution? {
        switch (minimum, maximum, mean, median, sigma, alpha) {
        case (let low?, let high?, nil, nil, nil, nil):
            return isInOrder(low, high, place, &reading) ? .uniform(low, high) : nil
        case (nil, nil, let mean?, nil, nil, nil):
            return isPositive(mean, "mean", place, &reading) ? .exponential(mean: mean) : nil
        case (nil, nil, nil, let median?, let sigma?, nil):
            return isPositive(median, "median", place, &reading)
                ? .lognormal(median: median, sigma: sigma) : nil
        case (let low?, let high?, nil, nil, nil, let alpha?):
            guard isPositive(low, "min", place, &reading), isInOrder(low, high, place, &reading) else {
                return nil
            }
            return .pareto(minimum: low, alpha: alpha, maximum: high)
        default:
            let keys = (place.node.members ?? []).map(\.key)
            reading.report(
                .conflict, place, found: keys.isEmpty ? "none of them" : quotedList(keys),
                allowed: DistributionDraft.choices)
            return nil
        }
    }

    private func isInOrder(_ low: Double, _ high: Double, _ place: Place, _ reading: inout Reading) -> Bool {
        guard low > high else { return true }
        let written = ["min", "max"].map { key in
            let node = place.node[key]
            return "\(key) \(node?.string ?? node?.summary ?? "")"
        }
        reading.report(
            .conflict, place, found: written.joined(separator: ", "), allowed: "\"min\" not above \"max\"")
        return false
    }

    private func isPositive(
        _ value: Double, _ key: String, _ place: Place, _ reading: inout Reading
    ) -> Bool {
        guard value <= 0 else { return true }
        reading.report(
            .outOfRange, place.value(at: [key]) ?? place,
            allowed: "more than 0: of bounds, only those of an even distribution may be less")
        return false
    }

    private static func encode(_ value: Distribution, _ scalar: Form<Double>) -> JSONNode? {
        let members: [(String, JSONNode?)]
        switch value {
        case .constant(let constant): return scalar.encode(constant)
        case .uniform(let low, let high):
            members = [("min", scalar.encode(low)), ("max", scalar.encode(high))]
        case .exponential(let mean): members = [("mean", scalar.encode(mean))]
        case .lognormal(let median, let sigma):
            members = [("median", scalar.encode(median)), ("sigma", .number(sigma))]
        case .pareto(let low, let alpha, let high):
            members = [("min", scalar.encode(low)), ("alpha", .number(alpha)), ("max", scalar.encode(high))]
        }
        return .object(members.compactMap { name, node in node.map { (name, $0) } })
    }
}
