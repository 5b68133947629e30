import Snapshots
import Testing
import Timebase

@testable import Measurement

/// A level is a property and has its place in each of the lists beside it.
@Suite("Levels of fleets")
struct FleetGaugeTests {
    /// A number of its own in each level that is written.
    private static var filled: TimeSeries.Gauges {
        var gauges = TimeSeries.Gauges()
        for (number, level) in TimeSeries.Gauges.all.enumerated() {
            gauges[keyPath: level] = UInt64(number + 1)
        }
        return gauges
    }

    /// The levels that there are, by name.
    private static func levels(of gauges: TimeSeries.Gauges) -> [(name: String, level: UInt64)] {
        Mirror(reflecting: gauges).children.map { ($0.label ?? "", $0.value as? UInt64 ?? 0) }
    }

    @Test("each is written, and added up")
    func lists() {
        let filled = Self.levels(of: Self.filled)
        for (name, level) in filled { #expect(level > 0, "\(name) is missing in Gauges.all") }
        #expect(TimeSeries.Gauges.all.count == filled.count)
        for (one, sum) in zip(filled, Self.levels(of: Self.filled + Self.filled)) {
            #expect(sum.level == 2 * one.level, "\(one.name) is missing in the sum")
        }
    }

    @Test("the log of looks gives each back")
    func log() throws {
        var levels = FleetLevels()
        levels.gauges = Self.filled
        let look = FleetLook(at: Instant(nanoseconds: 7), levels: [levels], isDrained: true)
        var writer = SnapshotWriter()
        writer.write(look)
        var reader = SnapshotReader(writer.bytes[...])
        let read: FleetLook = try reader.value()
        #expect(read == look)
    }

    @Test("series keep the extremes of each that is a metric", arguments: FleetGauge.allCases)
    func extremes(gauge: FleetGauge) {
        let level = gauge.level(in: Self.filled)
        #expect(level > 0)
        #expect(
            gauge.level(in: TimeSeries.Gauges(Self.filled.levels)) == level,
            "\(gauge) is missing in Gauges.levels")
    }
}
