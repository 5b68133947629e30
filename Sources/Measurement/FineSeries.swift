package import Snapshots
package import Timebase

/// What was counted in one interval.
package struct Tally: Hashable, Sendable {
    package var captured: UInt64 = 0
    package var delivered: UInt64 = 0
    package var requests: UInt64 = 0
    package var failures: UInt64 = 0
    /// Of the failures, those of uploads that ended with their process.
    package var abandoned: UInt64 = 0
    package var bytesSent: UInt64 = 0

    package init() {}

    package static func += (left: inout Tally, right: Tally) {
        left.captured += right.captured
        left.delivered += right.delivered
        left.requests += right.requests
        left.failures += right.failures
        left.abandoned += right.abandoned
        left.bytesSent += right.bytesSent
    }

    /// The lesser of each count.
    package static func lesser(_ one: Tally, _ other: Tally) -> Tally {
        joined(one, other, min)
    }

    /// The greater of each count.
    package static func greater(_ one: Tally, _ other: Tally) -> Tally {
        joined(one, other, max)
    }

    private static func joined(
        _ one: Tally, _ other: Tally, _ join: (UInt64, UInt64) -> UInt64
    ) -> Tally {
        var result = Tally()
        result.captured = join(one.captured, other.captured)
        result.delivered = join(one.delivered, other.delivered)
        result.requests = join(one.requests, other.requests)
        result.failures = join(one.failures, other.failures)
        result.abandoned = join(one.abandoned, other.abandoned)
        result.bytesSent = join(one.bytesSent, other.bytesSent)
        return result
    }
}

/// The extremes that an interval of a series hides: of its counts over the shorter intervals that it is made
/// of, and of its gauges over the ends of those.
package struct SeriesExtremes: Hashable, Sendable {
    /// The length of the shorter intervals that ``low`` and ``high`` count.
    package var width: Interval
    package var low: Tally
    package var high: Tally
    package var lowGauges: TimeSeries.Gauges
    package var highGauges: TimeSeries.Gauges
}

/// Counts and gauges of a series in shorter intervals than its own: up to ``FineSeries/partsLimit`` for each.
///
/// Counts merge exactly over shards. So do gauges as long as no pairs of intervals were joined (10 h of
/// seconds); from then on the extremes of several shards add up to bounds, since nobody knows any more
/// whether they were reached at the same moment. One recorder's extremes are exact for ever.
struct FineSeries: Sendable {
    /// The most short intervals in one of the series'.
    static let partsLimit: Int64 = 32

    private typealias Levels = TimeSeries.Gauges.Levels

    private struct Cell: Sendable {
        /// Captured, delivered, requests, failures.
        var counts = SIMD4<UInt32>.zero
        var bytesSent: UInt64 = 0
        /// Uploads that left in it: ``counts`` has those that ended.
        var begun: UInt32 = 0
        /// Gauges at the end, and their extremes at earlier ends that were joined with it.
        var last = Levels.zero
        var low = Levels(repeating: .max)
        var high = Levels.zero

        var lowest: Levels { pointwiseMin(low, last) }
        var highest: Levels { pointwiseMax(high, last) }

        /// Takes in the cell that follows.
        mutating func join(_ next: Cell) {
            counts &+= next.counts
            bytesSent += next.bytesSent
            begun &+= next.begun
            low = pointwiseMin(lowest, next.low)
            high = pointwiseMax(highest, next.high)
            last = next.last
        }

        /// Takes in the cell of another shard at the same time.
        mutating func add(_ other: Cell) {
            counts &+= other.counts
            bytesSent += other.bytesSent
            begun &+= other.begun
            let isJoined = low[0] != .max || other.low[0] != .max
            let sums = (lowest &+ other.lowest, highest &+ other.highest)
            if isJoined { (low, high) = sums }
            last &+= other.last
        }
    }

    private(set) var width: Interval
    private let shortest: Interval
    private var cells: ContiguousArray<Cell> = []

    init(width: Interval) {
        self.width = width
        shortest = width
    }

    var count: Int { cells.count }

    /// The events captured in each cell.
    var captured: [UInt64] { cells.map { UInt64($0.counts.x) } }

    mutating func count(_ tally: Tally, at index: Int) {
        reach(index)
        cells[index].counts &+= SIMD4(
            UInt32(truncatingIfNeeded: tally.captured), UInt32(truncatingIfNeeded: tally.delivered),
            UInt32(truncatingIfNeeded: tally.requests), UInt32(truncatingIfNeeded: tally.failures))
        cells[index].bytesSent += tally.bytesSent
    }

    /// Notes that an upload left.
    mutating func countBegun(at index: Int) {
        reach(index)
        cells[index].begun &+= 1
    }

    /// The most uploads that left in any cell from one on.
    func mostBegun(from index: Int) -> UInt32 { cells.dropFirst(index).lazy.map(\.begun).max() ?? 0 }

    /// Sets the gauges of a cell and of those after it.
    mutating func setGauges(_ gauges: TimeSeries.Gauges, at index: Int) {
        reach(index)
        let levels = gauges.levels
        // In an interval of several samples, none is forgotten for the next.
        if width > shortest {
            cells[index].low = pointwiseMin(cells[index].low, levels)
            cells[index].high = pointwiseMax(cells[index].high, levels)
        }
        for later in index..<cells.count { cells[later].last = levels }
    }

    /// A quiet interval keeps the gauges of the one before.
    private mutating func reach(_ index: Int) {
        guard index >= cells.count else { return }
        var blank = Cell()
        blank.last = cells.last?.last ?? .zero
        cells.append(contentsOf: repeatElement(blank, count: index + 1 - cells.count))
    }

    /// Joins pairs until intervals are as long as that.
    mutating func widen(to wanted: Interval) {
        while width < wanted {
            width = width * 2
            var joined = ContiguousArray<Cell>()
            joined.reserveCapacity(cells.count / 2 + 1)
            for index in stride(from: 0, to: cells.count, by: 2) {
                var cell = cells[index]
                if index + 1 < cells.count { cell.join(cells[index + 1]) }
                joined.append(cell)
            }
            cells = joined
        }
    }

    /// Adds another shard's, of the same width.
    mutating func add(_ other: FineSeries) {
        let common = min(count, other.count)
        // Nothing happens any more in the shard that ended first; its gauges stay.
        var rest = Cell()
        rest.last = (count < other.count ? cells : other.cells).last?.last ?? .zero
        for index in 0..<common { cells[index].add(other.cells[index]) }
        if other.count > common {
            for var cell in other.cells[common...] {
                cell.add(rest)
                cells.append(cell)
            }
        } else {
            for index in common..<count { cells[index].add(rest) }
        }
    }

    /// Takes over the gauges of another series of the same width.
    mutating func takeGauges(of other: FineSeries) {
        if let end = other.count > count ? other.count - 1 : nil { reach(end) }
        var rest = Cell()
        rest.last = other.cells.last?.last ?? .zero
        for index in cells.indices {
            let theirs = index < other.count ? other.cells[index] : rest
            (cells[index].last, cells[index].low, cells[index].high) = (theirs.last, theirs.low, theirs.high)
        }
    }

    /// The extremes of some cells; `nil` where there are none.
    func extremes(of range: Range<Int>) -> SeriesExtremes? {
        let range = range.clamped(to: 0..<count)
        guard let first = range.first else { return nil }
        var (low, high) = (cells[first].lowest, cells[first].highest)
        var (least, most) = (FineSeries.tally(cells[first]), FineSeries.tally(cells[first]))
        for index in range.dropFirst() {
            low = pointwiseMin(low, cells[index].lowest)
            high = pointwiseMax(high, cells[index].highest)
            least = Tally.lesser(least, FineSeries.tally(cells[index]))
            most = Tally.greater(most, FineSeries.tally(cells[index]))
        }
        return SeriesExtremes(
            width: width, low: least, high: most, lowGauges: TimeSeries.Gauges(low),
            highGauges: TimeSeries.Gauges(high))
    }

    private static func tally(_ cell: Cell) -> Tally {
        var tally = Tally()
        tally.captured = UInt64(cell.counts.x)
        tally.delivered = UInt64(cell.counts.y)
        tally.requests = UInt64(cell.counts.z)
        tally.failures = UInt64(cell.counts.w)
        tally.bytesSent = cell.bytesSent
        return tally
    }
}

extension Tally: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        for count in [captured, delivered, requests, failures, abandoned, bytesSent] { writer.write(count) }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        captured = try reader.unsigned()
        delivered = try reader.unsigned()
        requests = try reader.unsigned()
        failures = try reader.unsigned()
        abandoned = try reader.unsigned()
        bytesSent = try reader.unsigned()
    }
}

extension FineSeries: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(width)
        writer.write(shortest)
        writer.write(UInt64(cells.count))
        for cell in cells {
            for group in [cell.counts, cell.last, cell.low, cell.high] {
                for index in 0..<4 { writer.write(UInt64(group[index])) }
            }
            writer.write(cell.bytesSent)
            writer.write(UInt64(cell.begun))
        }
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        width = try reader.value()
        shortest = try reader.value()
        guard shortest > .zero, width >= shortest else { throw reader.impossible }
        for _ in 0..<(try reader.count()) {
            var cell = Cell()
            for group in [\Cell.counts, \Cell.last, \Cell.low, \Cell.high] {
                for index in 0..<4 { cell[keyPath: group][index] = try reader.integer() }
            }
            cell.bytesSent = try reader.unsigned()
            cell.begun = try reader.integer()
            cells.append(cell)
        }
    }
}
