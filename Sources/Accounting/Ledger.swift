package import Snapshots

/// The books of a population: how many events ended where.
///
/// The number captured is counted by the devices themselves, apart from the fates, so that
/// ``balance`` is a check that can fail.
package struct Ledger: Equatable, Sendable {
    /// Events whose capture began.
    package var captured: UInt64 = 0
    package private(set) var delivered: UInt64 = 0
    private var suppressed = [UInt64](repeating: 0, count: Disposition.Suppression.allCases.count)
    private var evicted = [UInt64](repeating: 0, count: Disposition.Eviction.allCases.count)
    private var lost = [UInt64](repeating: 0, count: Disposition.Loss.allCases.count)
    private var pending = [UInt64](repeating: 0, count: Disposition.Pending.allCases.count)
    /// Ascending by status.
    private var rejected: [StatusCount] = []

    private struct StatusCount: Equatable, Sendable {
        var status: UInt16
        var count: UInt64
    }

    package init() {}

    /// Books one event's final fate. O(1), for rejections O(different statuses).
    package mutating func seal(_ disposition: Disposition, times: UInt64 = 1) {
        switch disposition {
        case .delivered: delivered += times
        case .suppressed(let cause): suppressed[Int(cause.rawValue)] += times
        case .evicted(let cause): evicted[Int(cause.rawValue)] += times
        case .lost(let cause): lost[Int(cause.rawValue)] += times
        case .pending(let cause): pending[Int(cause.rawValue)] += times
        case .rejected(let status):
            let index = rejected.firstIndex { $0.status >= status } ?? rejected.count
            if index == rejected.count || rejected[index].status != status {
                rejected.insert(StatusCount(status: status, count: 0), at: index)
            }
            rejected[index].count += times
        }
    }

    /// Adds another population's or shard's books.
    package mutating func merge(_ other: Ledger) {
        captured += other.captured
        delivered += other.delivered
        for index in suppressed.indices { suppressed[index] += other.suppressed[index] }
        for index in evicted.indices { evicted[index] += other.evicted[index] }
        for index in lost.indices { lost[index] += other.lost[index] }
        for index in pending.indices { pending[index] += other.pending[index] }
        for entry in other.rejected { seal(.rejected(status: entry.status), times: entry.count) }
    }

    /// The count of one fate over all its causes.
    package func count(of fate: Fate) -> UInt64 {
        fate == .delivered ? delivered : causes(of: fate).reduce(0) { $0 + $1.count }
    }

    /// The causes of a fate with their counts, zeros included, in a fixed order; empty for delivered.
    package func causes(of fate: Fate) -> [(name: String, count: UInt64)] {
        switch fate {
        case .delivered: []
        case .suppressed: Disposition.Suppression.allCases.map { ($0.name, suppressed[Int($0.rawValue)]) }
        case .evicted: Disposition.Eviction.allCases.map { ($0.name, evicted[Int($0.rawValue)]) }
        case .rejected: rejected.map { (Disposition.rejectionName($0.status), $0.count) }
        case .lost: Disposition.Loss.allCases.map { ($0.name, lost[Int($0.rawValue)]) }
        case .pending: Disposition.Pending.allCases.map { ($0.name, pending[Int($0.rawValue)]) }
        }
    }

    /// The sum of all fates.
    package var sealed: UInt64 { Fate.allCases.reduce(0) { $0 + count(of: $1) } }

    /// captured − sealed: 0 when the books are right at the end of a run.
    package var balance: Int64 { Int64(captured) - Int64(sealed) }

    /// Evicted, rejected and lost events: what `events_lost` counts.
    package var lostInAnyWay: UInt64 { count(of: .evicted) + count(of: .rejected) + count(of: .lost) }
}

extension Ledger: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(captured)
        writer.write(delivered)
        for list in [suppressed, evicted, lost, pending] {
            writer.write(UInt64(list.count))
            for count in list { writer.write(count) }
        }
        writer.write(UInt64(rejected.count))
        for entry in rejected {
            writer.write(UInt64(entry.status))
            writer.write(entry.count)
        }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        captured = try reader.unsigned()
        delivered = try reader.unsigned()
        for list in [\Ledger.suppressed, \Ledger.evicted, \Ledger.lost, \Ledger.pending] {
            guard try reader.count() == self[keyPath: list].count else { throw reader.impossible }
            for index in self[keyPath: list].indices { self[keyPath: list][index] = try reader.unsigned() }
        }
        for _ in 0..<(try reader.count()) {
            let status: UInt16 = try reader.integer()
            seal(.rejected(status: status), times: try reader.unsigned())
        }
    }
}
