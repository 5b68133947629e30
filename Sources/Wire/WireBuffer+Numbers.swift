/// The powers of ten that fit into 64 bits.
let powersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

extension WireBuffer {
    /// Appends an integer in decimal.
    @inlinable
    package mutating func appendDecimal(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        appendDecimal(value.magnitude)
    }

    /// Appends an integer in decimal.
    @inlinable
    package mutating func appendDecimal(_ value: Int) { appendDecimal(Int64(value)) }

    /// Appends an integer in decimal.
    package mutating func appendDecimal(_ value: UInt64) {
        if value < 10 {
            append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
            return
        }
        let count = DecimalDigits.count(of: value)
        prepare(for: count)
        used &+= count
        DecimalDigits.write(value, endingAt: base + used)
    }

    /// Appends `value` / 10^`decimals` with exactly `decimals` digits after the point: 3482 with 3
    /// becomes `3.482`, -5 with 2 `-0.05`.
    ///
    /// - Parameters:
    ///   - value: The number in units of its last digit.
    ///   - decimals: Digits after the point, 0 to 19.
    ///   - trimmingZeros: Leaves out zeros at the end, and the point with nothing after it, as
    ///     printers of floating-point numbers do: 3500 with 3 becomes `3.5`.
    package mutating func appendFixed(_ value: Int64, decimals: Int, trimmingZeros: Bool = false) {
        precondition(decimals >= 0 && decimals < powersOfTen.count)
        if value < 0 { append(UInt8(ascii: "-")) }
        let (whole, initialFraction) = value.magnitude.quotientAndRemainder(
            dividingBy: powersOfTen[decimals])
        appendDecimal(whole)
        var fraction = initialFraction
        var digits = decimals
        while trimmingZeros, digits > 0, fraction.isMultiple(of: 10) {
            fraction /= 10
            digits -= 1
        }
        guard digits > 0 else { return }
        append(UInt8(ascii: "."))
        for _ in 0..<digits - DecimalDigits.count(of: fraction) { append(UInt8(ascii: "0")) }
        appendDecimal(fraction)
    }

    /// Appends a number so that JSON and Swift read back the same value, in the shortest form:
    /// `1`, `9.5`, `1e+20`; minus zero is `-0.0`.
    ///
    /// JSON has no infinities and no NaN; they become `null`, as in ECMAScript's `JSON.stringify`.
    package mutating func appendDecimal(_ value: Double) {
        guard value.isFinite else {
            append("null")
            return
        }
        if appendShortDecimal(value) { return }
        var text = value.description
        text.withUTF8 { digits in
            // Swift writes whole numbers as 1.0; two bytes are enough to tell.
            let isWhole =
                digits.count > 2 && digits[digits.count - 1] == UInt8(ascii: "0")
                && digits[digits.count - 2] == UInt8(ascii: ".") && value != 0
            append(
                contentsOf: UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(digits)[..<(digits.count - (isWhole ? 2 : 0))]))
        }
    }

    /// Appends whole numbers and those with up to six decimals without a text in between.
    ///
    /// A decimal of at most 15 digits is the only one of that length that rounds to its double, and
    /// the division of two exact numbers is correctly rounded: so if `scaled / 10^n == value`, then
    /// the digits of `scaled` are the shortest for `value`.
    private mutating func appendShortDecimal(_ value: Double) -> Bool {
        if value == 0 {
            if value.sign == .minus { append("-0.0") } else { append(UInt8(ascii: "0")) }
            return true
        }
        var power = 1.0
        for decimals in 0...6 {
            let product = value * power
            guard product.magnitude < 1e15 else { return false }
            // Rounds by truncation: `rounded()` would be a call into the C mathematical library.
            let scaled = Int64(product + (product < 0 ? -0.5 : 0.5))
            if Double(scaled) / power == value {
                appendFixed(scaled, decimals: decimals)
                return true
            }
            power *= 10
        }
        return false
    }
}
