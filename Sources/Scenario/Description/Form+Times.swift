import Timebase
import Wire

extension Form where Value == Interval {
    /// The longest duration of a scenario: ten years.
    static let longest = Interval.hours(24 * 3650)

    /// A duration such as `1m30s`.
    static func duration(_ range: ClosedRange<Interval> = .zero...longest) -> Form<Interval> {
        Form<String>.matching(
            pattern: #"^(0|([0-9]+(\.[0-9]+)?(d|h|m|s|ms|us))+)$"#,
            what: "a duration such as \"10s\", \"1m30s\", \"250ms\" or \"7d\", "
                + "from \(range.lowerBound.text) to \(range.upperBound.text)"
        ) { text in
            Interval(text: text).flatMap { range.contains($0) ? $0 : nil }
        } encode: {
            .text($0.text)
        }
    }

    /// An offset from UTC such as `+08:00`.
    static let utcOffset: Form<Interval> = Form<String>.matching(
        pattern: "^(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$",
        what: "an offset from UTC such as \"+08:00\" or \"Z\""
    ) { text in
        if text == "Z" { return .zero }
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A,
            [1, 2, 4, 5].allSatisfy({ (0x30...0x39).contains(bytes[$0]) })
        else { return nil }
        func digits(_ index: Int) -> Int64 {
            Int64(bytes[index] - 0x30) * 10 + Int64(bytes[index + 1] - 0x30)
        }
        let hours = digits(1)
        let minutes = digits(4)
        guard hours <= 14, minutes < 60 else { return nil }
        return Interval.minutes(hours * 60 + minutes) * (bytes[0] == 0x2D ? -1 : 1)
    } encode: { offset in
        let minutes = abs(offset.nanoseconds) / 60_000_000_000
        func padded(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return .text("\(offset < .zero ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))")
    }
}

extension Form where Value == Instant {
    /// From 1970 to 2099, in UTC: clocks count from 1970. The nanoseconds of an instant end in 2262; from 2099 on there is
    /// room for the longest run and for the longest gap between two sessions after it, 146 years.
    private static let starts = Instant(nanoseconds: 0)..<Instant(milliseconds: 4_102_444_800_000)

    /// An RFC 3339 time with its zone, from 1970 to 2099.
    static let instant: Form<Instant> = Form<String>.matching(
        pattern:
            #"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"#,
        what: "a time from 1970 to 2099 (UTC) with its zone, such as \"2026-03-02T19:30:00+08:00\""
    ) { text in
        guard text.utf8.count <= 64, let instant = Instant(text: text), starts.contains(instant) else {
            return nil
        }
        return instant
    } encode: {
        .text($0.text)
    }
}
