import Timebase

/// A vertical axis: where a value stands between the bottom (0) and the top (1), and its ticks.
package struct Axis {
    package enum Unit { case count, bytes, perSecond, bytesPerSecond, time, share }

    package let unit: Unit
    package let ticks: [Double]
    package let isLogarithmic: Bool

    /// Lines that stay below this share of the axis can hardly be told from nothing.
    private static let leastShare = 1.0 / 12
    /// The most powers of ten on a logarithmic axis for counts.
    private static let decadeLimit = 6

    /// An axis for these values. Times that spread over more than a factor of fifty stand on a
    /// logarithmic one; all else begins at zero, or where a value lies below it, there.
    package init(_ values: [Double], unit: Unit) {
        let high = values.max() ?? 0
        let low = values.filter { $0 > 0 }.min() ?? 0
        self.unit = unit
        if let least = values.min(), least < 0 {
            (ticks, isLogarithmic) = (Ticks.linear(from: least, to: max(0, high)), false)
            return
        }
        isLogarithmic = unit == .time && low > 0 && high / low > 50
        ticks = isLogarithmic ? Ticks.times(from: low, to: high) : Axis.linear(high, unit)
    }

    /// An axis for lines and the peaks above them. Where a line would lie on the floor because of a
    /// peak (or of another line) far above it, the axis is logarithmic, with nothing at its foot.
    ///
    /// - Parameters:
    ///   - lines: The values of each line.
    ///   - peaks: What else has to have room.
    package init(lines: [[Double]], peaks: [Double], unit: Unit) {
        let all = lines.flatMap { $0 } + peaks
        let tops = lines.compactMap { $0.max() }.filter { $0 > 0 }
        guard unit != .time, unit != .share, let high = all.max(), let least = tops.min(),
            least < high * Axis.leastShare, !all.contains(where: { $0 < 0 })
        else {
            self.init(all, unit: unit)
            return
        }
        let low = lines.flatMap { $0 }.filter { $0 > 0 }.min() ?? least
        self.init(unit: unit, ticks: Axis.decades(from: low, to: high), isLogarithmic: true)
    }

    private init(unit: Unit, ticks: [Double], isLogarithmic: Bool) {
        self.unit = unit
        self.ticks = ticks
        self.isLogarithmic = isLogarithmic
    }

    /// Nothing, and the powers of ten up to `high`, from `low` on or from as many as there is room for.
    private static func decades(from low: Double, to high: Double) -> [Double] {
        // Above it is none that ten times as much can be compared with.
        let high = min(high, 1e300)
        var last = 1.0
        while last < high { last *= 10 }
        while last / 10 >= high { last /= 10 }
        var decades = [last]
        while let first = decades.first, first > low, decades.count < Axis.decadeLimit {
            decades.insert(first / 10, at: 0)
        }
        return [0] + decades
    }

    private static func linear(_ high: Double, _ unit: Unit) -> [Double] {
        guard unit == .time, high >= 60_000 else { return Ticks.linear(upTo: high) }
        let steps = Ticks.clock(upTo: high / 1000).map { $0 * 1000 }
        let step = steps.count > 1 ? steps[1] : 60_000
        return steps + (steps.last ?? 0 < high ? [(steps.last ?? 0) + step] : [])
    }

    /// 0…1.
    package func position(_ value: Double) -> Double {
        guard let first = ticks.first, let last = ticks.last, last > first else { return 0 }
        // Whatever lies beyond the end stands there, what is infinite as well.
        let value = min(value, last)
        guard isLogarithmic else { return min(1, max(0, (value - first) / (last - first))) }
        guard first == 0 else { return Axis.position(value, from: first, to: last) }
        // Nothing has no logarithm: it stands a step below the least power of ten.
        guard value > 0, ticks.count > 2 else { return value > 0 ? 1 : 0 }
        let step = 1 / Double(ticks.count - 1)
        guard value > ticks[1] else { return value / ticks[1] * step }
        return step + Axis.position(value, from: ticks[1], to: last) * (1 - step)
    }

    private static func position(_ value: Double, from first: Double, to last: Double) -> Double {
        let low = DeterministicMath.log(first)
        let share = (DeterministicMath.log(max(value, first)) - low) / (DeterministicMath.log(last) - low)
        return min(1, share)
    }

    package func text(_ value: Double) -> String {
        switch unit {
        case .time: Numbers.duration(milliseconds: value)
        case .bytes: Numbers.bytes(value)
        case .bytesPerSecond: Numbers.bytes(value) + "/s"
        case .perSecond: Axis.compact(value) + "/s"
        case .count: Axis.compact(value)
        case .share: Numbers.percent(value)
        }
    }

    /// The label of a tick; units that the axis's title tells are left out.
    package func tickLabel(_ value: Double) -> String {
        if value == 0 { return "0" }
        switch unit {
        case .time: return Numbers.duration(milliseconds: value)
        case .bytes, .bytesPerSecond: return Numbers.bytes(value)
        case .perSecond, .count: return Axis.compact(value)
        case .share: return Numbers.percent(value)
        }
    }

    private static func compact(_ value: Double) -> String {
        if value.magnitude >= 1_000_000 { return Numbers.short(value / 1_000_000) + " M" }
        if value.magnitude >= 10_000 { return Numbers.short(value / 1000) + " k" }
        return Numbers.short(value)
    }

    /// What stands above the axis.
    package var title: String {
        let kind = isLogarithmic ? ", logarithmic" : ""
        switch unit {
        case .time: return "time\(kind)"
        case .bytes: return "bytes\(kind)"
        case .bytesPerSecond: return "bytes per second\(kind)"
        case .perSecond: return "per second\(kind)"
        case .count: return "count\(kind)"
        case .share: return "share\(kind)"
        }
    }
}
