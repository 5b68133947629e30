import Timebase

/// Student's t distribution: what an interval for the mean of a few differences needs.
///
/// Its distribution function is an incomplete beta function, `1 − I_x(ν/2, 1/2) / 2` with `x = ν / (ν + t²)`
/// (Abramowitz and Stegun 26.7.1), found by Lentz's continued fraction (Press et al.: Numerical Recipes, 6.4). All
/// transcendental functions are the project's own, so that a verdict is the same on every machine.
package enum StudentT {
    /// The probability that a value is at most `t`.
    ///
    /// - Parameter degrees: Degrees of freedom, 1 or more; fractions are allowed.
    package static func distribution(_ t: Double, degrees: Double) -> Double {
        distribution(t, degrees: degrees, Beta(degrees / 2, 0.5))
    }

    private static func distribution(_ t: Double, degrees: Double, _ beta: Beta) -> Double {
        let tail = beta.incomplete(degrees / (degrees + t * t)) / 2
        return t < 0 ? tail : 1 - tail
    }

    /// The value below which lies the share `p`, to about 12 digits.
    ///
    /// - Parameters:
    ///   - p: 0.5 ≤ p < 1.
    ///   - degrees: Degrees of freedom, 1 or more.
    package static func quantile(_ p: Double, degrees: Double) -> Double {
        precondition(p >= 0.5 && p < 1 && degrees >= 1)
        let beta = Beta(degrees / 2, 0.5)
        var low = 0.0
        var high = 1.0
        while distribution(high, degrees: degrees, beta) < p { high *= 2 }
        // Halving ends where no number lies between.
        while true {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high else { return middle }
            if distribution(middle, degrees: degrees, beta) < p { low = middle } else { high = middle }
        }
    }

    /// The beta function of two parameters, whose logarithm is worked out once for all that is asked of it.
    struct Beta {
        private let (a, b): (Double, Double)
        private let logOfInverse: Double

        init(_ a: Double, _ b: Double) {
            (self.a, self.b) = (a, b)
            logOfInverse = logGamma(a + b) - logGamma(a) - logGamma(b)
        }

        /// The regularised incomplete beta function `I_x(a, b)`.
        func incomplete(_ x: Double) -> Double {
            if x <= 0 { return 0 }
            if x >= 1 { return 1 }
            let scale = DeterministicMath.exp(
                logOfInverse + a * DeterministicMath.log(x) + b * DeterministicMath.log(1 - x))
            // The fraction converges fast on this side of its mean; the other is its mirror.
            return x < (a + 1) / (a + b + 2)
                ? scale * fraction(x, a, b) / a : 1 - scale * fraction(1 - x, b, a) / b
        }
    }

    private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        let tiny = 1e-300
        func safe(_ value: Double) -> Double { value.magnitude < tiny ? tiny : value }
        var c = 1.0
        var d = 1 / safe(1 - (a + b) * x / (a + 1))
        var result = d
        for step in 1...500 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 / safe(1 + even * d)
            c = safe(1 + even / c)
            result *= d * c
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 / safe(1 + odd * d)
            c = safe(1 + odd / c)
            result *= d * c
            if (d * c - 1).magnitude < 1e-15 { break }
        }
        return result
    }

    /// The logarithm of the gamma function for x > 0: Lanczos' approximation with g = 7 and nine terms, good to 15
    /// digits (coefficients of P. Godfrey, 2001).
    static func logGamma(_ x: Double) -> Double {
        let coefficients = [
            676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
            12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
        ]
        let shifted = x - 1
        var sum = 0.99999999999980993
        for (index, coefficient) in coefficients.enumerated() {
            sum += coefficient / (shifted + Double(index) + 1)
        }
        let t = shifted + 7.5
        let halfLogOfTwoPi = 0.91893853320467274
        return halfLogOfTwoPi + (shifted + 0.5) * DeterministicMath.log(t) - t + DeterministicMath.log(sum)
    }
}
