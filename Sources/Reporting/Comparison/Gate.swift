/// A condition on a candidate that speaks of its base: `events_lost<=base+0.0005`, `event_freshness.p(95)<=base*1.1`.
package struct Gate: Hashable, Sendable {
    /// As written.
    package var text: String
    package var figure: Figure
    package var comparison: Threshold.Comparison
    /// The limit is `factor` times the base plus `addend`; a limit without `base` has the factor 0.
    package var factor: Double
    package var addend: Double

    /// The limit for a base.
    package func limit(for base: Double) -> Double { factor * base + addend }

    /// How far a value is beyond a limit: 0 where nothing but rounding parts them, as 55 from 50 * 1.1.
    func distance(of value: Double, beyond limit: Double) -> Double {
        let distance = value - limit
        return distance.magnitude <= rounding(value, limit) ? 0 : distance
    }

    /// The same of the means of values and of limits that do not belong together in pairs.
    func distance(_ difference: MeanDifference, of value: Double, beyond limit: Double) -> MeanDifference {
        let rounding = rounding(value, limit)
        guard difference.mean.magnitude <= rounding else { return difference }
        var exact = difference
        exact.mean = 0
        if let interval = exact.interval, interval.upperBound - interval.lowerBound <= 2 * rounding {
            exact.interval = 0...0
        }
        return exact
    }

    /// What rounding makes of a value and of a limit that is reckoned from a base: some units in the last place of the
    /// greatest number in it.
    private func rounding(_ value: Double, _ limit: Double) -> Double {
        4 * max(value.magnitude, limit.magnitude, addend.magnitude).ulp
    }

    /// Reads a gate.
    ///
    /// - Throws: ``ThresholdError`` with what is wrong.
    package static func parse(_ text: String) throws(ThresholdError) -> Gate {
        let plain = text.filter { $0 != " " && $0 != "\t" }
        // A tag has no comparison in it.
        guard let start = plain.firstIndex(where: { "<>=!".contains($0) }) else {
            throw ThresholdError(found: text, allowed: "a gate such as events_lost<=base+0.0005")
        }
        let symbol = String(plain[start...].prefix { "<>=!".contains($0) })
        guard let comparison = Threshold.Comparison(rawValue: symbol), comparison != .equal,
            comparison != .unequal
        else { throw ThresholdError(found: symbol, allowed: "one of < <= > >=") }
        let figure = try Figure.parse(String(plain[..<start]))
        let limit = plain[start...].dropFirst(symbol.count)
        let (factor, addend) = try Gate.limit(limit)
        // A share of 5 is beyond all: such a gate would hold, or fail, whatever came out.
        guard !figure.isShare || (factor == 0 ? 0...1 : -1...1).contains(addend) else {
            throw ThresholdError(found: String(limit), allowed: Gate.share)
        }
        return Gate(text: text, figure: figure, comparison: comparison, factor: factor, addend: addend)
    }

    /// What a number may be that is held against a share.
    package static let share = "a share from 0 to 1: 5 % are 0.05"

    private static func limit(_ text: Substring) throws(ThresholdError) -> (factor: Double, addend: Double) {
        let wrong = ThresholdError(
            found: String(text),
            allowed:
                "base, base+X, base-X, base*X, or a number; times are milliseconds; numbers are up to 1e18")
        guard text.hasPrefix("base") else {
            guard let number = number(text) else { throw wrong }
            return (0, number)
        }
        let rest = text.dropFirst(4)
        guard let sign = rest.first else { return (1, 0) }
        guard let number = number(rest.dropFirst()), number >= 0 else { throw wrong }
        switch sign {
        case "+": return (1, number)
        case "-": return (1, -number)
        case "*": return (number, 0)
        default: throw wrong
        }
    }

    private static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || ".eE+-".contains($0)) }) else { return nil }
        // As of what reports hold: no product of two such numbers, nor its square, is too great to be told.
        return Double(text).flatMap { $0.magnitude <= ReportNode.greatest ? $0 : nil }
    }
}
