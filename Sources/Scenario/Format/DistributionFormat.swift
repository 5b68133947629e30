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

    private static func form(
        constant: Form<Double>, scalar: Form<Double>, allowed: String,
        _ kind: JSONKind
    ) -> Form<Distribution> {
        let object = Form<DistributionDraft>.object(format(scalar)).map { draft, place, reading in
            draft.distribution(place, &reading)
        }
        return .either(
            [(kind, constant.map { value, _, _ in .constant(value) }), (.object, object)],
            allowed: "\(allowed), or an object with \(choices)",
            encode: { encode($0, scalar) })
    }

    private static func format(_ scalar: Form<Double>) -> ObjectDescription<DistributionDraft> {
        ObjectDescription(
            "A distribution: \(choices).", start: DistributionDraft.init,
            [
                Field("min", \.minimum, scalar, "Lower bound."),
                Field("max", \.maximum, scalar, "Upper bound."),
                Field("mean", \.mean, scalar, "Mean of an exponential distribution."),
                Field("median", \.median, scalar, "Median of a lognormal distribution."),
                Field("sigma", \.sigma, .number(0...10), "Standard deviation of its logarithm."),
                Field(
                    "alpha", \.alpha, .number(0...100, above: true), "Tail index of a Pareto distribution."),
            ])
    }

    private func distribution(_ place: Place, _ reading: inout Reading) -> Distribution? {
        switch (minimum, maximum, mean, median, sigma, alpha) {
        case (let low?, let high?, nil, nil, nil, nil) where low <= high: return .uniform(low, high)
        case (nil, nil, let mean?, nil, nil, nil) where mean >= 0: return .exponential(mean: mean)
        case (nil, nil, nil, let median?, let sigma?, nil) where median > 0:
            return .lognormal(median: median, sigma: sigma)
        case (let low?, let high?, nil, nil, nil, let alpha?) where low > 0 && low <= high:
            return .pareto(minimum: low, alpha: alpha, maximum: high)
        default:
            reading.report(
                .conflict, place, found: place.node.members.map { quotedList($0.map(\.key)) } ?? "",
                allowed: DistributionDraft.choices + "; bounds in order, medians and Pareto's bounds above 0")
            return nil
        }
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
