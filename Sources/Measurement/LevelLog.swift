package import Snapshots
package import Timebase

/// What a fleet tells at a look at it: its levels, and what it counts itself.
package struct FleetLevels: Hashable, Sendable {
    package var gauges = TimeSeries.Gauges()
    package var captured: UInt64 = 0
    /// Of the captured, those that devices brought along from before the run.
    package var prefilled: UInt64 = 0
    /// How long radios were awake so far; `nil` where nobody counts.
    package var radioTime: TotalTime?
    /// How often they were woken so far.
    package var radioWakeups: UInt64?

    package init() {}

    /// Adds the levels of other devices at the same moment.
    package static func + (left: FleetLevels, right: FleetLevels) -> FleetLevels {
        var sum = left
        sum.gauges = left.gauges + right.gauges
        sum.captured += right.captured
        sum.prefilled += right.prefilled
        if let theirs = right.radioTime { sum.radioTime = (left.radioTime ?? .zero) + theirs }
        if let theirs = right.radioWakeups { sum.radioWakeups = (left.radioWakeups ?? 0) + theirs }
        return sum
    }
}

/// A look at the fleets of a part of a run.
package struct FleetLook: Hashable, Sendable {
    package var at: Instant
    /// By population.
    package var levels: [FleetLevels]
    /// Whether the drain would be over if these devices were all.
    package var isDrained: Bool

    package init(at: Instant, levels: [FleetLevels], isDrained: Bool) {
        self.at = at
        self.levels = levels
        self.isDrained = isDrained
    }

    /// Adds the look at other devices at the same moment.
    package static func + (left: FleetLook, right: FleetLook) -> FleetLook {
        FleetLook(
            at: left.at, levels: zip(left.levels, right.levels).map(+),
            isDrained: left.isDrained && right.isDrained)
    }
}

extension FleetLook: Snapshotable {
    /// As the only look of a log.
    package func write(to writer: inout SnapshotWriter) {
        var log = LevelLog(populationCount: levels.count)
        log.append(self)
        writer.write(log)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let log: LevelLog = try reader.value()
        var looks = log.looks
        guard let look = try looks.next() else { throw reader.impossible }
        self = look
    }
}

/// All looks at the fleets of a part of a run, in order: what levels were reached at the same moment is known only if
/// every look can be added to those of the other parts.
///
/// A look takes a few bytes, for most levels stay what they were.
package struct LevelLog: Sendable {
    package private(set) var count = 0
    private var writer = SnapshotWriter()
    private var last: FleetLook

    package init(populationCount: Int) { last = LevelLog.origin(populationCount) }

    private static func origin(_ populationCount: Int) -> FleetLook {
        FleetLook(
            at: Instant(nanoseconds: 0),
            levels: Array(repeating: FleetLevels(), count: populationCount), isDrained: false)
    }

    /// Adds the next look.
    package mutating func append(_ look: FleetLook) {
        writer.write(look.at - last.at)
        writer.write(look.isDrained)
        let fields = LevelLog.fields
        for (levels, before) in zip(look.levels, last.levels) {
            let hasRadio = levels.radioTime != nil
            writer.write(hasRadio)
            for field in fields {
                writer.write(Int64(bitPattern: levels[keyPath: field] &- before[keyPath: field]))
            }
        }
        last = look
        count += 1
    }

    /// What is written of each population. Made once: joining key paths takes longer than reading a look.
    ///
    /// Unsafe only by its type: nothing changes it, and these paths capture nothing.
    private nonisolated(unsafe) static let fields: [WritableKeyPath<FleetLevels, UInt64>] = {
        let gauges: WritableKeyPath<FleetLevels, TimeSeries.Gauges> = \.gauges
        let own: [WritableKeyPath<FleetLevels, UInt64>] = [
            \.captured, \.prefilled, \.awakeLow, \.awakeHigh, \.wakeupCount,
        ]
        return TimeSeries.Gauges.all.map { gauges.appending(path: $0) } + own
    }()

    /// Reads the looks again, one by one.
    package struct Looks {
        private var reader: SnapshotReader
        private var rest: Int
        private var last: FleetLook

        fileprivate init(_ bytes: [UInt8], count: Int, last: FleetLook) {
            reader = SnapshotReader(bytes[...])
            rest = count
            self.last = last
        }

        /// The next look; `nil` behind the last.
        ///
        /// - Throws: ``Snapshots/SnapshotError`` for a log whose bytes are not those of looks.
        package mutating func next() throws(SnapshotError) -> FleetLook? {
            guard rest > 0 else { return nil }
            rest -= 1
            last.at = last.at + (try reader.value() as Interval)
            last.isDrained = try reader.bool()
            for index in last.levels.indices {
                let hasRadio = try reader.bool()
                var levels = last.levels[index]
                for field in LevelLog.fields {
                    levels[keyPath: field] = levels[keyPath: field] &+ UInt64(bitPattern: try reader.signed())
                }
                if !hasRadio { (levels.radioTime, levels.radioWakeups) = (nil, nil) }
                last.levels[index] = levels
            }
            return last
        }
    }

    package var looks: Looks {
        Looks(writer.bytes, count: count, last: LevelLog.origin(last.levels.count))
    }
}

extension FleetLevels {
    fileprivate var awakeLow: UInt64 {
        get { (radioTime ?? .zero).low }
        set { radioTime = TotalTime(high: awakeHigh, low: newValue) }
    }
    fileprivate var awakeHigh: UInt64 {
        get { (radioTime ?? .zero).high }
        set { radioTime = TotalTime(high: newValue, low: awakeLow) }
    }
    fileprivate var wakeupCount: UInt64 {
        get { radioWakeups ?? 0 }
        set { radioWakeups = newValue }
    }
}

extension LevelLog: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(UInt64(last.levels.count))
        writer.write(UInt64(count))
        writer.write(self.writer.bytes)
    }

    /// What is made is to be read, not to be appended to.
    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        last = LevelLog.origin(try reader.integer() as Int)
        count = try reader.integer()
        writer.append(try reader.raw())
    }
}
