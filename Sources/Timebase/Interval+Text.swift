extension Interval {
    /// The units of a duration text with their lengths in nanoseconds, longest first.
    static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
        ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
    ]

    /// Reads a duration such as `10s`, `1m30s`, `250ms`, `1.5h` or `7d`.
    ///
    /// Each part is a decimal number, with digits on both sides of its point, and one of the units `d h m s ms us`;
    /// parts add up. A bare `0` needs no unit.
    ///
    /// - Returns: `nil` if the text is anything else, negative, or longer than 292 years.
    package init?(text: String) {
        if text == "0" {
            self = .zero
            return
        }
        var rest = Substring(text)
        var total: Int64 = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard Interval.isDecimal(number), let value = Double(number), value.isFinite,
                let scale = Interval.units.first(where: { $0.name == unit })?.nanoseconds
            else { return nil }
            let part = value * Double(scale)
            guard part < 9e18 else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(Int64(part.rounded()))
            guard !overflow else { return nil }
            total = sum
        }
        self.init(nanoseconds: total)
    }

    /// Whether a text of digits and points has one point at most, and digits on both sides of it, as the scenario's schema
    /// wants them.
    private static func isDecimal(_ number: Substring) -> Bool {
        let sides = number.split(separator: ".", omittingEmptySubsequences: false)
        return sides.count <= 2 && sides.allSatisfy { !$0.isEmpty }
    }

    /// The shortest text that ``init(text:)`` reads back as the same value, such as `1m30s`, but for what is below a
    /// microsecond: that is left out.
    package var text: String {
        guard nanoseconds > 0 else {
            return nanoseconds == 0 ? "0s" : "-" + Interval(nanoseconds: -nanoseconds).text
        }
        var rest = nanoseconds
        var parts = ""
        for (name, scale) in Interval.units where rest >= scale {
            parts += "\(rest / scale)\(name)"
            rest %= scale
        }
        return parts.isEmpty ? "0s" : parts
    }
}
