/// A mean difference, with its interval.
package struct MeanDifference: Hashable, Sendable {
    package var mean: Double
    /// 95 %; `nil` where there is but one value, or where values are too great for sums of them to be numbers.
    package var interval: ClosedRange<Double>?
    /// Values on the side that has fewer.
    package var count: Int

    /// The interval of the paired t test: mean ± t(0.975, n − 1) · s / √n.
    ///
    /// Differences over seeds are independent and identically distributed, each a mean or a share over a whole fleet:
    /// near normal, which is all that the t interval asks for.
    ///
    /// - Parameter differences: One for each seed, not empty.
    package init(_ differences: [Double]) {
        count = differences.count
        let number = Double(count)
        mean = differences.reduce(0, +) / number
        guard count > 1 else { return }
        let mean = mean
        let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let error = (squares / (number - 1) / number).squareRoot()
        let half = StudentT.quantile(0.975, degrees: number - 1) * error
        // All alike: the sum's rounding is no spread.
        guard let first = differences.first, differences.contains(where: { $0 != first }) else {
            self.mean = differences[0]
            interval = MeanDifference.around(differences[0], 0)
            return
        }
        interval = MeanDifference.around(mean, half)
    }

    /// The interval of Welch's t test, for values that do not belong together in pairs: the difference of the means
    /// ± t(0.975, ν) · √(s₁²/n₁ + s₂²/n₂), where ν is Welch's and Satterthwaite's (B. L. Welch: The generalization of
    /// "Student's" problem when several different population variances are involved, Biometrika 34, 1947).
    ///
    /// - Parameters:
    ///   - base: Not empty.
    ///   - candidate: Not empty.
    package init(base: [Double], candidate: [Double]) {
        let (one, other) = (Sample(base), Sample(candidate))
        count = min(base.count, candidate.count)
        mean = other.mean - one.mean
        guard count > 1 else { return }
        let sum = one.squaredError + other.squaredError
        guard sum > 0, sum.isFinite else {
            interval = sum == 0 ? MeanDifference.around(mean, 0) : nil
            return
        }
        let degrees =
            sum * sum
            / (one.squaredError * one.squaredError / Double(base.count - 1)
                + other.squaredError * other.squaredError / Double(candidate.count - 1))
        let half = StudentT.quantile(0.975, degrees: max(1, degrees)) * sum.squareRoot()
        interval = MeanDifference.around(mean, half)
    }

    private static func around(_ mean: Double, _ half: Double) -> ClosedRange<Double>? {
        let (low, high) = (mean - half, mean + half)
        return low.isFinite && high.isFinite && low <= high ? low...high : nil
    }

    /// A mean, and the square of its standard error.
    private struct Sample {
        var mean: Double
        var squaredError = 0.0

        init(_ values: [Double]) {
            // All alike: the sum's rounding is no spread.
            guard let first = values.first, values.contains(where: { $0 != first }) else {
                mean = values[0]
                return
            }
            let number = Double(values.count)
            mean = values.reduce(0, +) / number
            let mean = mean
            squaredError = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (number - 1) / number
        }
    }
}
