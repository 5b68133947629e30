/// A state of a fleet that is a metric.
enum FleetGauge: UInt8, CaseIterable {
    case storedRows, devicesActive

    func level(in state: TimeSeries.Gauges) -> UInt64 {
        switch self {
        case .storedRows: state.storedRows
        case .devicesActive: state.devicesActive
        }
    }
}

/// The last value of a gauge and its extremes.
struct GaugeRange: Sendable {
    private var last = 0.0
    private var minimum = 0.0
    private var maximum = 0.0
    private var isEmpty = true

    mutating func note(_ value: Double) {
        last = value
        minimum = isEmpty ? value : min(minimum, value)
        maximum = isEmpty ? value : max(maximum, value)
        isEmpty = false
    }

    /// Adds up: exact for the last value, a bound for the extremes, which shards may reach at
    /// different moments.
    mutating func merge(_ other: GaugeRange) {
        last += other.last
        minimum += other.minimum
        maximum += other.maximum
        isEmpty = isEmpty && other.isEmpty
    }

    mutating func set(_ low: UInt64, _ high: UInt64) {
        minimum = Swift.min(Double(low), last)
        maximum = Swift.max(Double(high), last)
    }

    var metric: MetricValue { .gauge(value: last, minimum: minimum, maximum: maximum) }
}
