/// Numbers as people read them. The same everywhere, whatever the machine's locale.
package enum Numbers {
    /// With commas between thousands: `1,234,567`.
    package static func count(_ value: UInt64) -> String {
        guard value >= 1000 else { return String(value) }
        let rest = String(value % 1000)
        return count(value / 1000) + "," + String(repeating: "0", count: 3 - rest.count) + rest
    }

    package static func count(_ value: Int) -> String {
        value < 0 ? "-" + count(UInt64(value.magnitude)) : count(UInt64(value))
    }

    /// `1 device`, `1,234 devices`.
    package static func devices(_ count: Int) -> String { self.count(count, of: "device") }

    /// A number with what it counts, whose plural ends with "s": `1 seed`, `20 seeds`.
    package static func count(_ value: Int, of noun: String) -> String {
        value == 1 ? "1 \(noun)" : "\(count(value)) \(noun)s"
    }

    package static func count(_ value: UInt64, of noun: String) -> String {
        count(Int(clamping: value), of: noun)
    }

    /// A fixed number of decimals, rounded half away from zero, commas between thousands.
    package static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return value.description }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = UInt64((value.magnitude * scale).rounded())
        let whole = scaled / UInt64(scale)
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + count(whole) }
        let fraction = String(scaled % UInt64(scale))
        return sign + count(whole) + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// About three digits: `0.012`, `1.23`, `45.6`, `1,234`; whole numbers stay whole. What is not quite nothing has up to
    /// twelve decimals.
    package static func short(_ value: Double) -> String {
        let size = value.magnitude
        if size == size.rounded() || size >= 100 { return fixed(value, 0) }
        if size >= 10 { return trimmed(fixed(value, 1)) }
        if size >= 1 { return trimmed(fixed(value, 2)) }
        return trimmed(fixed(value, size >= 0.01 ? 3 : fewestDecimals(of: value)))
    }

    private static func trimmed(_ text: String) -> String {
        guard text.contains(".") else { return text }
        var text = Substring(text)
        while text.last == "0" { text = text.dropLast() }
        if text.last == "." { text = text.dropLast() }
        return String(text)
    }

    /// Up to six decimals, or twelve where it would read as nothing, without commas: what can be typed back into a
    /// threshold.
    package static func plain(_ value: Double) -> String {
        trimmed(fixed(value, fewestDecimals(of: value))).filter { $0 != "," }
    }

    private static func fewestDecimals(of value: Double) -> Int {
        // Half of a millionth is the least that does not read as nothing with six decimals.
        value.magnitude >= 1000 ? 1 : value.magnitude >= 0.000_000_5 ? 6 : 12
    }

    /// The same with commas between thousands, for people.
    ///
    /// - Parameter limit: What it is held against: it has the decimals that it takes to read as on its side of
    ///   that: at most six, or twelve below 1.
    package static func exact(_ value: Double, besides limit: Double? = nil) -> String {
        let fewest = fewestDecimals(of: value)
        // Of larger numbers, there are hardly decimals.
        guard let limit, value != limit, value.magnitude < 1e12 else { return trimmed(fixed(value, fewest)) }
        let most = value.magnitude < 1 ? 12 : 6
        var scale = fewest == 1 ? 10.0 : 1e6
        for decimals in fewest..<most {
            let told = (value * scale).rounded() / scale
            if told != limit, (told < limit) == (value < limit) { return trimmed(fixed(value, decimals)) }
            scale *= 10
        }
        return trimmed(fixed(value, most))
    }

    /// A share 0…1 in per cent. What is not quite nothing or not quite all never reads as that.
    package static func percent(_ share: Double) -> String {
        if share <= 0 { return "0 %" }
        if share >= 1 { return share > 1 ? fixed(share * 100, 1) + " %" : "100 %" }
        if share < 0.0001 { return "<0.01 %" }
        if share > 0.9999 { return ">99.99 %" }
        let decimals = share < 0.1 || share > 0.99 ? 2 : 1
        return fixed(share * 100, decimals) + " %"
    }

    package static func percent(_ part: UInt64, of whole: UInt64) -> String {
        whole == 0 ? "–" : percent(Double(part) / Double(whole))
    }

    /// A length of time: `85 µs`, `1.24 ms`, `12.3 s`, `3m 20s`, `2h 05m`, `3d 4h`.
    package static func duration(milliseconds: Double) -> String {
        guard milliseconds.isFinite else { return "–" }
        guard milliseconds.magnitude < 1e15 else { return milliseconds.description + " ms" }
        if milliseconds < 0 { return "-" + duration(milliseconds: -milliseconds) }
        if milliseconds == 0 { return "0 ms" }
        if milliseconds < 0.9995 { return fixed(milliseconds * 1000, 0) + " µs" }
        if milliseconds < 999.5 { return short(milliseconds) + " ms" }
        let seconds = milliseconds / 1000
        if seconds < 59.95 { return short(seconds) + " s" }
        let whole = UInt64(seconds.rounded())
        if whole < 3600 { return whole % 60 == 0 ? "\(whole / 60)m" : "\(whole / 60)m \(whole % 60)s" }
        let minutes = (whole + 30) / 60
        if minutes < 2880 {
            return minutes % 60 == 0 ? "\(minutes / 60)h" : "\(minutes / 60)h \(minutes % 60)m"
        }
        let hours = (minutes + 30) / 60
        return hours % 24 == 0 ? "\(hours / 24)d" : "\(hours / 24)d \(hours % 24)h"
    }

    package static func duration(seconds: Double) -> String { duration(milliseconds: seconds * 1000) }

    /// Decimal units, as k6 prints them: `2.4 MB`.
    package static func bytes(_ value: Double) -> String {
        var value = value
        for unit in ["B", "kB", "MB", "GB", "TB"] {
            if value.magnitude < 999.5 || unit == "TB" { return short(value) + " " + unit }
            value /= 1000
        }
        return short(value) + " PB"
    }

    /// A mean with its margin, both to the second digit of the margin: `31.2 ± 1.4`.
    package static func estimate(_ mean: Double, margin: Double) -> String {
        guard margin > 0 else { return "\(short(mean)) ± 0" }
        var decimals = 0
        var limit = 9.95
        while decimals < 4, margin < limit {
            decimals += 1
            limit /= 10
        }
        return "\(fixed(mean, decimals)) ± \(fixed(margin, decimals))"
    }
}
