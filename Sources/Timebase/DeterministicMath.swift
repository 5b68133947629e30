/// Logarithm, exponential and the normal quantile from IEEE 754's basic operations alone, so that
/// every processor gives the same bits. The C library's differ in the last place between machines.
package enum DeterministicMath {
    static let ln2High = 0x1.62e42fee00000p-1
    static let ln2Low = 0x1.a39ef35793c76p-33

    /// The natural logarithm, within 2 units in the last place.
    ///
    /// - Precondition: `x` is finite and positive.
    package static func log(_ x: Double) -> Double {
        precondition(x > 0 && x.isFinite)
        var exponent = Double(x.exponent)
        var significand = x.significand
        if significand > 0x1.6a09e667f3bcdp0 {
            significand /= 2
            exponent += 1
        }
        // ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.1716: the series ends at s^23.
        let s = (significand - 1) / (significand + 1)
        let square = s * s
        var sum: Double = 1 / 23
        sum = sum * square + 1 / 21
        sum = sum * square + 1 / 19
        sum = sum * square + 1 / 17
        sum = sum * square + 1 / 15
        sum = sum * square + 1 / 13
        sum = sum * square + 1 / 11
        sum = sum * square + 1 / 9
        sum = sum * square + 1 / 7
        sum = sum * square + 1 / 5
        sum = sum * square + 1 / 3
        sum = sum * square + 1
        return exponent * ln2High + (2 * s * sum + exponent * ln2Low)
    }

    /// The exponential function, within 2 units in the last place; 0 below -745, infinite above 709.7.
    package static func exp(_ x: Double) -> Double {
        if x < -745 { return 0 }
        if x > 709.7 { return .infinity }
        let n = rounded(x / (ln2High + ln2Low))
        let r = (x - n * ln2High) - n * ln2Low
        var sum = 1.0
        var k = 18.0
        while k >= 1 {
            sum = 1 + r / k * sum
            k -= 1
        }
        // Two steps, since 2^n alone can be subnormal while the product is not.
        let half = Int(n) / 2
        return sum * scale(half) * scale(Int(n) - half)
    }

    /// To the nearest whole number, halves away from zero, without a call of the C library; |`x`| < 2^52.
    private static func rounded(_ x: Double) -> Double {
        let whole = Double(Int64(x))
        let rest = x - whole
        return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
    }

    /// 2 to the power of an exponent from -1022 to 1023.
    static func scale(_ exponent: Int) -> Double {
        Double(bitPattern: UInt64(truncatingIfNeeded: exponent &+ 1023) &<< 52)
    }

    /// `base` to the power of `exponent`, for positive bases.
    package static func pow(_ base: Double, _ exponent: Double) -> Double { exp(exponent * log(base)) }

    /// The quantile function of the standard normal distribution, relative error below 1.2e-9
    /// (P. J. Acklam's rational approximation).
    ///
    /// - Precondition: `p` lies strictly between 0 and 1.
    package static func normalQuantile(_ p: Double) -> Double {
        precondition(p > 0 && p < 1)
        if p < 0.02425 { return tail((-2 * log(p)).squareRoot()) }
        if p > 1 - 0.02425 { return -tail((-2 * log(1 - p)).squareRoot()) }
        let q = p - 0.5
        let r = q * q
        let a = polynomial(
            r, -39.69683028665376, 220.9460984245205, -275.9285104469687,
            138.3577518672690, -30.66479806614716, 2.506628277459239)
        let b = polynomial(
            r, -54.47609879822406, 161.5858368580409, -155.6989798598866,
            66.80131188771972, -13.28068155288572, 1)
        return a * q / b
    }

    static func tail(_ q: Double) -> Double {
        polynomial(
            q, -0.007784894002430293, -0.3223964580411365, -2.400758277161838,
            -2.549732539343734, 4.374664141464968, 2.938163982698783)
            / polynomial(
                q, 0, 0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1)
    }

    static func polynomial(
        _ x: Double, _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double
    ) -> Double {
        ((((a * x + b) * x + c) * x + d) * x + e) * x + f
    }
}
