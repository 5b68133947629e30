/// Round numbers for axes.
package enum Ticks {
    /// From 0 to at least `maximum` in three to six round steps.
    package static func linear(upTo maximum: Double) -> [Double] {
        // Steps of the least numbers that there are would be nothing.
        guard maximum > 1e-300, maximum.isFinite else { return [0, 1] }
        var magnitude = 1.0
        while magnitude * 10 <= maximum { magnitude *= 10 }
        while magnitude > maximum { magnitude /= 10 }
        let steps = [0.2, 0.25, 0.5, 1, 2, 2.5].map { $0 * magnitude }
        let step = steps.first { maximum / $0 <= 5 } ?? magnitude * 2.5
        let count = Int((maximum / step).rounded(.up))
        return (0...max(1, count)).map { Double($0) * step }
    }

    /// From at most `low`, which is below nothing, to at least `high`, in round steps with 0 among them.
    package static func linear(from low: Double, to high: Double) -> [Double] {
        // What lies beyond stands at the end of the axis.
        let (low, high) = (max(low, -1e300), min(high, 1e300))
        let steps = linear(upTo: high - low)
        let step = steps[1] - steps[0]
        let (first, last) = (Int((low / step).rounded(.down)), Int((high / step).rounded(.up)))
        return (first...max(first + 1, last)).map { Double($0) * step }
    }

    /// Times in milliseconds for a logarithmic axis that covers `low` to `high`: decades below a
    /// second, and above it what clocks show.
    package static func times(from low: Double, to high: Double) -> [Double] {
        let all: [Double] = [
            0.001, 0.01, 0.1, 1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000,
            604_800_000, 6_048_000_000, 60_480_000_000,
        ]
        let last = max(1, all.firstIndex { $0 >= high } ?? all.count - 1)
        let first = min(all.lastIndex { $0 <= low } ?? 0, last - 1)
        return Array(all[first...last])
    }

    /// Round times in milliseconds from `low` to `high`: those of ``times(from:to:)``, and more between them
    /// where these are few.
    package static func within(_ low: Double, _ high: Double) -> [Double] {
        let coarse = times(from: low, to: high).filter { $0 >= low && $0 <= high }
        if coarse.count > 2 { return coarse }
        let decades: [Double] = [0.001, 0.01, 0.1, 1, 10, 100]
        let seconds: [Double] = [
            1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
            172_800, 345_600, 604_800, 1_209_600, 2_592_000, 5_184_000,
        ]
        let fine = (decades.flatMap { [$0, 2 * $0, 5 * $0] } + seconds.map { $0 * 1000 })
            .filter { $0 >= low && $0 <= high }
        return fine.isEmpty ? [low, high] : fine
    }

    /// Seconds since the start of the run, from one to another, at what clocks show.
    package static func clock(from: Double, to end: Double) -> [Double] {
        let steps = clock(upTo: end - from)
        guard from > 0, steps.count > 1 else { return steps.map { $0 + from } }
        let step = steps[1] - steps[0]
        let first = (from / step).rounded(.up)
        return stride(from: first, through: (end / step).rounded(.down), by: 1).map { $0 * step }
    }

    /// Seconds since the start, in four to seven steps that clocks show.
    package static func clock(upTo seconds: Double) -> [Double] {
        let steps: [Double] = [
            0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
            86_400, 172_800, 604_800, 2_592_000,
        ]
        guard seconds > 0 else { return [0] }
        let years = (seconds / 31_536_000 / 6).rounded(.up)
        let step = steps.first { seconds / $0 <= 7 } ?? years * 31_536_000
        return (0...Int(seconds / step)).map { Double($0) * step }
    }

    /// A time since the start, to the millisecond: `0`, `30s`, `1m30s`, `2h`, `1d23h57m`.
    package static func clockLabel(_ seconds: Double) -> String {
        if seconds == 0 { return "0" }
        guard seconds.magnitude < 1e12 else { return Numbers.short(seconds) + "s" }
        if seconds < 0 { return "-" + clockLabel(-seconds) }
        let milliseconds = Int((seconds * 1000).rounded())
        guard milliseconds > 0 else { return Numbers.short(seconds) + "s" }
        let minutes = milliseconds / 60_000
        let parts = [(minutes / 1440, "d"), (minutes / 60 % 24, "h"), (minutes % 60, "m")]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        let rest = milliseconds % 60_000
        return rest == 0 ? text : text + Numbers.plain(Double(rest) / 1000) + "s"
    }
}
