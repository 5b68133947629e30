import Timebase

/// A vertical axis: where a value stands between the bottom (0) and the top (1), and its ticks.
struct Axis {
    enum Unit { case count, perSecond, bytesPerSecond, time }

    let unit: Unit
    let ticks: [Double]
    let isLogarithmic: Bool

    /// An axis for these values. Times that spread over more than a factor of fifty stand on a
    /// logarithmic one; all else begins at zero.
    init(_ values: [Double], unit: Unit) {
        self.unit = unit
        let high = values.max() ?? 0
        let low = values.filter { $0 > 0 }.min() ?? 0
        isLogarithmic = unit == .time && low > 0 && high / low > 50
        if isLogarithmic {
            ticks = Ticks.times(from: low, to: high)
        } else if unit == .time, high >= 60_000 {
            let steps = Ticks.clock(upTo: high / 1000).map { $0 * 1000 }
            let step = steps.count > 1 ? steps[1] : 60_000
            ticks = steps + (steps.last ?? 0 < high ? [(steps.last ?? 0) + step] : [])
        } else {
            ticks = Ticks.linear(upTo: high)
        }
    }

    /// 0…1.
    func position(_ value: Double) -> Double {
        guard let first = ticks.first, let last = ticks.last, last > first else { return 0 }
        if isLogarithmic {
            let low = DeterministicMath.log(first)
            let place = (DeterministicMath.log(max(value, first)) - low) / (DeterministicMath.log(last) - low)
            return min(1, place)
        }
        return min(1, max(0, (value - first) / (last - first)))
    }

    func text(_ value: Double) -> String {
        switch unit {
        case .time: Numbers.duration(milliseconds: value)
        case .bytesPerSecond: Numbers.bytes(value) + "/s"
        case .perSecond: Axis.compact(value) + "/s"
        case .count: Axis.compact(value)
        }
    }

    /// The label of a tick; units that the axis's title tells are left out.
    func tickLabel(_ value: Double) -> String {
        if value == 0 { return "0" }
        switch unit {
        case .time: return Numbers.duration(milliseconds: value)
        case .bytesPerSecond: return Numbers.bytes(value)
        case .perSecond, .count: return Axis.compact(value)
        }
    }

    private static func compact(_ value: Double) -> String {
        if value >= 1_000_000 { return Numbers.short(value / 1_000_000) + " M" }
        if value >= 10_000 { return Numbers.short(value / 1000) + " k" }
        return Numbers.short(value)
    }

    /// What stands above the axis.
    var title: String {
        let kind = isLogarithmic ? ", logarithmic" : ""
        switch unit {
        case .time: return "time\(kind)"
        case .bytesPerSecond: return "bytes per second"
        case .perSecond: return "per second"
        case .count: return "count"
        }
    }
}
