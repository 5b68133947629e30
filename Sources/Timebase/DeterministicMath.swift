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
        let isSubnormal = x < Double.leastNormalMagnitude
        let bits = (isSubnormal ? x * 0x1p54 : x).bitPattern
        // x = m 2^n with m from √½ to below √2, told from the bits alone.
        let rootOfHalf: UInt64 = 0x3fe6_a09e_667f_3bcd
        let n = Int64(bitPattern: bits &- rootOfHalf) >> 52
        let m = Double(bitPattern: bits &- UInt64(bitPattern: n) &<< 52)
        let exponent = Double(isSubnormal ? n &- 54 : n)
        // ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.1716: the series ends at s^23.
        let s = (m - 1) / (m + 1)
        let z = s * s
        let z2 = z * z
        let z4 = z2 * z2
        // In groups that do not wait for each other (G. Estrin's scheme).
        let low = (1 / 3 + z * (1 / 5)) + z2 * (1 / 7 + z * (1 / 9))
        let middle = (1 / 11 + z * (1 / 13)) + z2 * (1 / 15 + z * (1 / 17))
        let high = (1 / 19 + z * (1 / 21)) + z2 * (1 / 23)
        let rest = z * (low + z4 * (middle + z4 * high))
        return exponent * ln2High + (2 * s + (2 * s * rest + exponent * ln2Low))
    }

    /// The exponential function, within 2 units in the last place; 0 below -745, infinite above 709.7.
    package static func exp(_ x: Double) -> Double {
        if x < -745 { return 0 }
        if x > 709.7 { return .infinity }
        // x = n ln 2 + r with |r| < 0.35. What is added leaves no bits for less than whole numbers.
        let shifted = x * 0x1.7154_7652_b82f_ep0 + 0x1.8p52
        let n = shifted - 0x1.8p52
        let r = (x - n * ln2High) - n * ln2Low
        let r2 = r * r
        let r4 = r2 * r2
        // The series to r^13, in groups that do not wait for each other (G. Estrin's scheme).
        let low = (1 / 2 + r * (1 / 6)) + r2 * (1 / 24 + r * (1 / 120))
        let middle = (1 / 720 + r * (1 / 5040)) + r2 * (1 / 40_320 + r * (1 / 362_880))
        let high =
            (1 / 3_628_800 + r * (1 / 39_916_800)) + r2 * (1 / 479_001_600 + r * (1 / 6_227_020_800))
        let sum = 1 + (r + r2 * (low + r4 * (middle + r4 * high)))
        // Two steps, since 2^n alone can be subnormal while the product is not.
        let whole = Int(n)
        let half = whole / 2
        return sum * scale(half) * scale(whole - half)
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
        let x2 = x * x
        return ((a * x + b) * x2 + (c * x + d)) * x2 + (e * x + f)
    }
}
