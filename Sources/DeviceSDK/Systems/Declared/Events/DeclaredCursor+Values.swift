import DeviceSDK
import SDKDescription
import Timebase
import Wire

/// Numbers, times and ids as text.
extension DeclaredCursor {
    /// 00 … 99. Digits are written here as in ``DecimalDigits``, which is a twentieth of an event slower in this place.
    private static var digitPairs: StaticString {
        """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839\
        40414243444546474849505152535455565758596061626364656667686970717273747576777879\
        8081828384858687888990919293949596979899
        """
    }

    @inline(__always)
    mutating func put(_ value: Int64) {
        if value < 0 { put(byte: UInt8(ascii: "-")) }
        put(value.magnitude)
    }

    mutating func put(_ value: UInt64) {
        let count = Self.digitCount(of: value)
        var rest = value
        var target = end + count
        let pairs = UnsafeRawPointer(Self.digitPairs.utf8Start)
        while rest >= 100 {
            let quotient = rest / 100
            target -= 2
            target.copyMemory(
                from: pairs + Int(truncatingIfNeeded: rest &- quotient &* 100) &* 2, byteCount: 2)
            rest = quotient
        }
        if rest >= 10 {
            (target - 2).copyMemory(from: pairs + Int(truncatingIfNeeded: rest) &* 2, byteCount: 2)
        } else {
            (target - 1).storeBytes(of: UInt8(truncatingIfNeeded: rest) &+ 48, as: UInt8.self)
        }
        skip(count)
    }

    private static func digitCount(of value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10_000 {
            rest /= 10_000
            count &+= 4
        }
        return count &+ (rest < 10 ? 0 : rest < 100 ? 1 : rest < 1000 ? 2 : 3)
    }

    /// Writes a number with zeros before it up to a number of digits.
    mutating func put(_ value: UInt64, digits: Int) {
        var missing = digits - Self.digitCount(of: value)
        while missing > 0 {
            put(byte: UInt8(ascii: "0"))
            missing -= 1
        }
        put(value)
    }

    /// Two digits of a number below 100.
    @inline(__always)
    mutating func put(pair value: Int64) {
        end.copyMemory(
            from: UnsafeRawPointer(Self.digitPairs.utf8Start) + Int(truncatingIfNeeded: value) &* 2,
            byteCount: 2)
        skip(2)
    }

    /// Writes `value` / 10^`decimals` without zeros at the end: 3500 with 3 becomes `3.5`.
    mutating func put(_ value: Int64, decimals: Int, scale: UInt64) {
        if value < 0 { put(byte: UInt8(ascii: "-")) }
        var (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: scale)
        put(whole)
        guard fraction > 0 else { return }
        var digits = decimals
        whole = fraction / 10
        while whole &* 10 == fraction {
            fraction = whole
            whole = fraction / 10
            digits -= 1
        }
        put(byte: UInt8(ascii: "."))
        put(fraction, digits: digits)
    }

    // MARK: Times

    /// The most bytes of a time in any form.
    static let timeLimit = 32

    /// Writes a time as `2026-03-02T11:30:00.123Z`.
    mutating func put(iso instant: Instant) {
        let milliseconds = instant.milliseconds
        let day = (milliseconds - (milliseconds < 0 ? 86_399_999 : 0)) / 86_400_000
        var rest = milliseconds - day * 86_400_000
        let date = Self.civil(day)
        put(UInt64(max(0, date.year)), digits: 4)
        put(byte: UInt8(ascii: "-"))
        put(pair: date.month)
        put(byte: UInt8(ascii: "-"))
        put(pair: date.day)
        put(byte: UInt8(ascii: "T"))
        put(pair: rest / 3_600_000)
        rest %= 3_600_000
        put(byte: UInt8(ascii: ":"))
        put(pair: rest / 60_000)
        rest %= 60_000
        put(byte: UInt8(ascii: ":"))
        put(pair: rest / 1000)
        rest %= 1000
        put(byte: UInt8(ascii: "."))
        put(byte: 48 + UInt8(truncatingIfNeeded: rest / 100))
        put(pair: rest % 100)
        put(byte: UInt8(ascii: "Z"))
    }

    /// The date of a day since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = dayOfYear - (153 * month + 2) / 5 + 1
        let isLate = month >= 10
        return (yearOfEra + era * 400 + (isLate ? 1 : 0), isLate ? month - 9 : month + 3, date)
    }

    // MARK: Ids

    /// The most bytes of an id.
    static let idLimit = 36

    /// Writes the lowest hexadecimal digits of a number, 16 at most.
    @inline(__always)
    mutating func put(hexadecimal value: UInt64, digits: Int, upperCase: Bool) {
        if digits > 8 { put(upTo8: value >> 32, digits: digits - 8, upperCase) }
        put(upTo8: value, digits: min(digits, 8), upperCase)
    }

    @inline(__always)
    private mutating func put(upTo8 value: UInt64, digits: Int, _ upperCase: Bool) {
        // Eight bytes are stored, of which the first ones count.
        let first = UInt32(truncatingIfNeeded: value) << UInt32(32 - 4 * digits)
        let text = DeviceUUID.eightDigits(of: first, upperCase: upperCase).littleEndian
        end.storeBytes(of: text, as: UInt64.self)
        skip(digits)
    }

    /// Writes an id.
    ///
    /// - Parameters:
    ///   - stream: Gives its random bits, from its first draw on.
    ///   - moment: What ids that begin with a time tell.
    ///   - letters: Of the hexadecimal digits; by default those of the kind.
    mutating func put(
        _ kind: DescribedSDK.Identity.Kind, _ stream: RandomStream, at moment: Instant,
        letters: DeclaredSlotForm.Letters
    ) {
        var stream = stream
        switch kind {
        case .uuid:
            let id = DeviceUUID(stream: stream)
            put(id.high, id.low, upperCase: letters != .lower)
        case .hex16: put(hexadecimal: stream.next(), digits: 16, upperCase: letters == .upper)
        case .uuid7:
            // RFC 9562, section 5.7: 48 bits of milliseconds, the version, 12 random bits, the variant, 62 random bits.
            let time = UInt64(max(0, moment.milliseconds))
            let high = time << 16 | 0x7000 | stream.next() >> 52
            put(high, stream.next() & ~(3 << 62) | 1 << 63, upperCase: letters == .upper)
        }
    }

    /// The 36 characters of a UUID.
    private mutating func put(_ high: UInt64, _ low: UInt64, upperCase: Bool) {
        put(hexadecimal: high >> 32, digits: 8, upperCase: upperCase)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: high >> 16, digits: 4, upperCase: upperCase)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: high, digits: 4, upperCase: upperCase)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: low >> 48, digits: 4, upperCase: upperCase)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: low, digits: 12, upperCase: upperCase)
    }
}
