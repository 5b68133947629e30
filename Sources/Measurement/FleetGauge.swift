package import Snapshots

/// A state of a fleet that is a metric, in the order in which reports show them.
enum FleetGauge: UInt8, CaseIterable {
    case storedRows, devicesActive

    /// The metric.
    var entry: MetricCatalogue.Entry {
        switch self {
        case .storedRows:
            .init("store_depth", .rows, .gauge(self), "Events waiting on all devices, on disk or in memory.")
        case .devicesActive:
            .init(
                "devices_active", .devices, .gauge(self), "Devices whose app is in the foreground.",
                more: .neither)
        }
    }

    func level(in state: TimeSeries.Gauges) -> UInt64 {
        switch self {
        case .storedRows: state.storedRows
        case .devicesActive: state.devicesActive
        }
    }
}

extension TimeSeries {
    /// States of the fleet at one moment, those included that are no metrics.
    package struct Gauges: Hashable, Sendable {
        package var storedRows: UInt64 = 0
        package var devicesActive: UInt64 = 0
        package var devicesStarted: UInt64 = 0
        package var connections: UInt64 = 0
        /// Devices that run the latest roll-out, and all that have started where there are roll-outs.
        package var devicesUpdated: UInt64 = 0
        package var devicesUpdatable: UInt64 = 0

        package init() {}

        package static func + (left: Gauges, right: Gauges) -> Gauges {
            var sum = left
            sum.storedRows += right.storedRows
            sum.devicesActive += right.devicesActive
            sum.devicesStarted += right.devicesStarted
            sum.connections += right.connections
            sum.devicesUpdated += right.devicesUpdated
            sum.devicesUpdatable += right.devicesUpdatable
            return sum
        }

        /// All of them, in the order in which they are written.
        static var all: [WritableKeyPath<Gauges, UInt64>] {
            [
                \.storedRows, \.devicesActive, \.devicesStarted, \.connections, \.devicesUpdated,
                \.devicesUpdatable,
            ]
        }

        /// As ``FineSeries`` keeps them: stored rows, active devices, started devices, connections. What a roll-out has
        /// reached only grows, so nobody asks for its extremes.
        typealias Levels = SIMD4<UInt32>

        var levels: Levels {
            Levels(
                UInt32(clamping: storedRows), UInt32(clamping: devicesActive),
                UInt32(clamping: devicesStarted), UInt32(clamping: connections))
        }

        init(_ levels: Levels) {
            storedRows = UInt64(levels.x)
            devicesActive = UInt64(levels.y)
            devicesStarted = UInt64(levels.z)
            connections = UInt64(levels.w)
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

    /// Takes bounds of the extremes where they are the tighter ones.
    mutating func narrow(_ low: UInt64, _ high: UInt64) {
        minimum = Swift.min(Swift.max(minimum, Double(low)), last)
        maximum = Swift.max(Swift.min(maximum, Double(high)), last)
    }

    var metric: MetricValue { .gauge(value: last, minimum: minimum, maximum: maximum) }
}

extension GaugeRange: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(isEmpty)
        for level in [last, minimum, maximum] { writer.write(UInt64(level)) }
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        isEmpty = try reader.bool()
        last = Double(try reader.unsigned())
        minimum = Double(try reader.unsigned())
        maximum = Double(try reader.unsigned())
    }
}

extension TimeSeries.Gauges: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        for level in Self.all { writer.write(self[keyPath: level]) }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        for level in Self.all { self[keyPath: level] = try reader.unsigned() }
    }
}
