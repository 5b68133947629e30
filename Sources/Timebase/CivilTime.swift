/// A calendar date and a time of day in the proleptic Gregorian calendar, without a zone.
///
/// The conversions are Howard Hinnant's `days_from_civil` and `civil_from_days`
/// (howardhinnant.github.io/date_algorithms.html).
package struct CivilTime: Equatable, Sendable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to 31.
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int
    /// 0 to 999.
    package var millisecond: Int

    /// The date and time that a clock shows which is `offset` ahead of UTC.
    package init(_ instant: Instant, offset: Interval = .zero) {
        let milliseconds = instant.milliseconds + offset.milliseconds
        let days = CivilTime.floorDivide(milliseconds, 86_400_000)
        let inDay = Int(milliseconds - days * 86_400_000)
        let z = days + 719_468
        let era = CivilTime.floorDivide(z, 146_097)
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
        month = Int(shifted < 10 ? shifted + 3 : shifted - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        hour = inDay / 3_600_000
        minute = inDay / 60_000 % 60
        second = inDay / 1000 % 60
        millisecond = inDay % 1000
    }

    /// The number of the day since 1970-01-01 that a clock shows which is `offset` ahead of UTC.
    package static func dayNumber(_ instant: Instant, offset: Interval = .zero) -> Int64 {
        floorDivide(instant.milliseconds + offset.milliseconds, 86_400_000)
    }

    /// Days since 1970-01-01 of a date.
    package static func days(year: Int, month: Int, day: Int) -> Int64 {
        let y = Int64(month <= 2 ? year - 1 : year)
        let era = floorDivide(y, 400)
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func floorDivide(_ left: Int64, _ right: Int64) -> Int64 {
        let quotient = left / right
        return left % right < 0 ? quotient - 1 : quotient
    }
}

extension CivilTime {
    /// `yyyy-MM-dd HH:mm:ss.SSS`, the form in which the SDKs send dates.
    package var text: String { "\(dateText) \(timeText).\(Self.padded(millisecond, 3))" }

    /// `yyyy-MM-dd`.
    package var dateText: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    /// `HH:mm:ss`.
    package var timeText: String {
        "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
    }

    static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Instant {
    /// RFC 3339 in UTC with milliseconds, such as `2026-01-05T00:00:00.000Z`.
    package var text: String {
        let civil = CivilTime(self)
        return "\(civil.dateText)T\(civil.timeText).\(CivilTime.padded(civil.millisecond, 3))Z"
    }

    /// `yyyymmddThhmmssZ`, the form in the names of run folders.
    package var compactText: String {
        let civil = CivilTime(self)
        return (civil.dateText + "T" + civil.timeText + "Z").filter { $0 != "-" && $0 != ":" }
    }

    /// Reads an RFC 3339 time such as `2026-03-02T19:30:00+08:00`; a zone is required.
    ///
    /// - Returns: `nil` for anything else, an offset of a day or more among it, and for years before 1678 or after 2261.
    package init?(text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        func character(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
        guard let year = number(0..<4), character(4) == 45, let month = number(5..<7), character(7) == 45,
            let day = number(8..<10), character(10) | 32 == 116, let hour = number(11..<13),
            character(13) == 58,
            let minute = number(14..<16), character(16) == 58, let second = number(17..<19),
            Instant.years.contains(year), (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second < 61
        else { return nil }
        var index = 19
        guard let fraction = Instant.fraction(bytes, &index) else { return nil }
        var offset = 0
        switch character(index) {
        case 90, 122: index += 1
        case 43, 45:
            guard let hours = number(index + 1..<index + 3), character(index + 3) == 58,
                let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (character(index) == 43 ? 1 : -1)
            index += 6
        default: return nil
        }
        guard index == bytes.count else { return nil }
        let days = CivilTime.days(year: year, month: month, day: day)
        guard CivilTime(Instant(milliseconds: days * 86_400_000)).day == day else { return nil }
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset * 60)
        self.init(milliseconds: seconds * 1000 + Int64((fraction * 1000).rounded()))
    }

    /// What stands behind a full stop; 0 without one, and `nil` for a full stop alone.
    ///
    /// - Parameter index: Moves to what follows.
    private static func fraction(_ bytes: [UInt8], _ index: inout Int) -> Double? {
        guard index < bytes.count, bytes[index] == 46 else { return 0 }
        let digits = bytes[(index + 1)...].prefix { (48...57).contains($0) }
        guard !digits.isEmpty else { return nil }
        index = digits.endIndex
        var (fraction, scale) = (0.0, 0.1)
        for digit in digits {
            fraction += Double(digit - 48) * scale
            scale /= 10
        }
        return fraction
    }

    /// The years that lie wholly within what nanoseconds in 64 bits reach.
    private static let years = 1678...2261
}
