/// A distribution of non-negative numbers, sampled by inversion: always exactly one draw.
package enum Distribution: Sendable, Hashable {
    case constant(Double)
    /// Evenly between the bounds.
    case uniform(Double, Double)
    case exponential(mean: Double)
    /// `median` = e^μ and `sigma` as usual.
    case lognormal(median: Double, sigma: Double)
    /// Pareto from `minimum` with the tail index `alpha`, cut at `maximum`.
    case pareto(minimum: Double, alpha: Double, maximum: Double)

    /// Draws one value.
    package func sample(_ stream: inout RandomStream) -> Double {
        let u = stream.uniform()
        if case .uniform(let low, let high) = self { return low + (high - low) * u }
        return quantile(Distribution.open(u))
    }

    /// The value that a share of all are below; of ``exponential(mean:)`` and ``pareto(minimum:alpha:maximum:)``,
    /// above.
    ///
    /// - Precondition: `share` lies strictly between 0 and 1.
    package func quantile(_ share: Double) -> Double {
        switch self {
        case .constant(let value): return value
        case .uniform(let low, let high): return low + (high - low) * share
        case .exponential(let mean): return -mean * DeterministicMath.log(share)
        case .lognormal(let median, let sigma):
            return median * DeterministicMath.exp(sigma * DeterministicMath.normalQuantile(share))
        case .pareto(let minimum, let alpha, let maximum):
            return min(maximum, minimum * DeterministicMath.pow(share, -1 / alpha))
        }
    }

    /// The mean, for forecasts of the offered load; of a cut Pareto the mean of the cut variable.
    package var mean: Double {
        switch self {
        case .constant(let value): return value
        case .uniform(let low, let high): return (low + high) / 2
        case .exponential(let mean): return mean
        case .lognormal(let median, let sigma): return median * DeterministicMath.exp(sigma * sigma / 2)
        case .pareto(let minimum, let alpha, let maximum):
            guard maximum > minimum else { return minimum }
            let ratio = minimum / maximum
            if alpha == 1 { return minimum * (1 - DeterministicMath.log(ratio)) }
            let body = alpha * minimum / (alpha - 1) * (1 - DeterministicMath.pow(ratio, alpha - 1))
            return body + maximum * DeterministicMath.pow(ratio, alpha)
        }
    }
}

extension Distribution {
    /// The standard deviation; of a Pareto, as it would be without its cut if it has one, else half of the range.
    package var deviation: Double {
        switch self {
        case .constant: return 0
        case .uniform(let low, let high): return (high - low) / 12.0.squareRoot()
        case .exponential(let mean): return mean
        case .lognormal(_, let sigma):
            return mean * max(0, DeterministicMath.exp(sigma * sigma) - 1).squareRoot()
        case .pareto(let minimum, let alpha, let maximum):
            guard alpha > 2 else { return (maximum - minimum) / 2 }
            return minimum / (alpha - 1) * (alpha / (alpha - 2)).squareRoot()
        }
    }
}

/// A choice among numbered alternatives by weight: one draw, O(1) on average, O(log n) at worst.
package struct WeightedChoice: Sendable, Hashable {
    /// Running sums of the weights.
    package let cumulative: [Double]
    /// Where to look: what a draw from one of equal parts of [0, 1) may choose lies between the part's number here
    /// and the next part's. As many parts as alternatives, up to the next power of two.
    package let guide: [UInt32]

    /// Makes a choice; the weights need not add up to 1.
    ///
    /// - Precondition: at least one weight is positive and none negative.
    package init(weights: [Double]) {
        var sum = 0.0
        let cumulative = weights.map { weight in
            precondition(weight >= 0 && weight.isFinite)
            sum += weight
            return sum
        }
        precondition(sum > 0)
        self.cumulative = cumulative
        guide = WeightedChoice.guide(to: cumulative)
    }

    /// Chen and Asau, "On Generating Random Variates from an Empirical Distribution", AIIE Transactions 6 (1974).
    ///
    /// A part's bounds and a draw within are multiplied by the sum in the same way, and rounding keeps the order: so
    /// what the search finds between the two numbers is what it would find among all.
    private static func guide(to cumulative: [Double]) -> [UInt32] {
        var parts = 1
        while parts < cumulative.count { parts *= 2 }
        let last = cumulative.count - 1
        var index = 0
        return (0...parts).map { part in
            let target = Double(part) / Double(parts) * cumulative[last]
            while index < last, cumulative[index] <= target { index += 1 }
            return UInt32(index)
        }
    }

    /// Zipf's law: rank r (from 0) has the weight (r + 1)^-exponent.
    package static func zipf(count: Int, exponent: Double) -> WeightedChoice {
        WeightedChoice(weights: (1...count).map { DeterministicMath.pow(Double($0), -exponent) })
    }

    /// The number of alternatives.
    package var count: Int { cumulative.count }

    /// Draws the index of an alternative.
    package func sample(_ stream: inout RandomStream) -> Int {
        cumulative.withUnsafeBufferPointer { sums in
            guide.withUnsafeBufferPointer { guide in
                guard let first = sums.baseAddress, let parts = guide.baseAddress else { return 0 }
                return WeightedChoice.sample(
                    &stream, cumulative: first, count: sums.count, guide: parts, parts: guide.count - 1)
            }
        }
    }

    /// Draws from running sums and their guide that lie elsewhere.
    ///
    /// - Precondition: `count` > 0, and so many sums, the last one positive, are in the memory; and `parts` + 1 numbers
    ///   of their guide.
    @inlinable
    package static func sample(
        _ stream: inout RandomStream, cumulative: UnsafePointer<Double>, count: Int,
        guide: UnsafePointer<UInt32>, parts: Int
    ) -> Int {
        let draw = stream.uniform()
        let target = draw * cumulative[count - 1]
        // Exact, for the number of parts is a power of two.
        let part = Int(draw * Double(parts))
        var low = Int(guide[part])
        var high = Int(guide[part + 1])
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > target { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
