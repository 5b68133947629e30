import Timebase

/// What a device's disk makes of the SDK's writes.
package enum DiskCondition: UInt8, Sendable {
    case sound
    /// No block is left. A transaction begins with its journal, so every write fails (`SQLITE_FULL`),
    /// deletions too; reading goes on.
    case full
    /// Nothing can be written or created (`SQLITE_CANTOPEN` for the journal, `SQLITE_READONLY` for a
    /// file that was opened meanwhile); reading goes on.
    case readOnly
}

/// What the scenario lets happen to devices' disks.
package enum DiskFailure: String, CaseIterable, Sendable {
    /// ``DiskCondition/full`` for a while.
    case full
    /// ``DiskCondition/readOnly`` for a while.
    case readOnly
    /// The store's file is damaged, and stays so: no SQLite library repairs it (`SQLITE_NOTADB`), and
    /// neither version of the SDK ever puts a new one in its place.
    case corrupt
}

/// The failures of disks in a run, as one population meets them.
///
/// Which devices an entry concerns, and when their disks change, are pure functions of the seed, so
/// that every world agrees; engines know nothing of it.
package struct DiskSchedule: Sendable {
    /// A failure for a while, of a share of the devices. A damaged file stays damaged.
    package typealias Entry = ScheduledEntry<DiskFailure>

    package let entries: [Entry]
    /// Those of failures that end.
    private let passing: [Entry]

    /// Whether nothing ever happens to a disk.
    package var isIdle: Bool { entries.isEmpty }

    /// Takes the entries that last at all.
    package init(_ entries: [Entry] = []) {
        self.entries = entries.filter { $0.from < $0.until }
        passing = self.entries.filter { $0.value != .corrupt }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The first moment after another at which a device's disk changes; ``Instant/distantFuture`` for
    /// none. O(entries).
    func nextChange(after moment: Instant, faults: RandomStream) -> Instant {
        var next = Instant.distantFuture
        for entry in entries {
            for change in [entry.from, entry.until]
            where change > moment && change < next && entry.concerns(faults) {
                next = change
            }
        }
        return next
    }

    /// A device's disk from a moment on: as the entry says that began last (the later in the scenario
    /// at a tie), or sound. O(entries).
    func condition(at moment: Instant, faults: RandomStream) -> DiskCondition {
        switch passing.latest(at: moment, faults)?.value {
        case .full: return .full
        case .readOnly: return .readOnly
        case .corrupt, nil: return .sound
        }
    }

    /// Whether a device's file is damaged at this very moment. O(entries).
    func damages(at moment: Instant, faults: RandomStream) -> Bool {
        entries.contains { $0.value == .corrupt && $0.from == moment && $0.concerns(faults) }
    }
}

/// What happens to a device's disk at one moment.
package struct DiskChange: Sendable {
    /// From now on.
    package var condition: DiskCondition
    /// Whether the file is damaged now.
    package var isDamaged: Bool
}

/// When the disks of a fleet's devices change next. Nothing at all where the scenario leaves disks alone.
struct DiskTimers: Sendable {
    private let schedule: DiskSchedule
    private let streams: PopulationStreams
    private let share: ShardShare
    /// By slot; empty if no disk ever changes.
    private var due: ContiguousArray<Instant> = []

    /// - Parameter count: Devices of the share.
    init(plan: PopulationPlan, share: ShardShare, count: Int) {
        schedule = plan.disk
        streams = plan.streams
        self.share = share
        guard !schedule.isEmpty else { return }
        due = ContiguousArray(
            (0..<count).map {
                schedule.nextChange(after: Instant(nanoseconds: .min), faults: faults(of: $0))
            })
    }

    /// The moment of a device's next change; ``Timebase/Instant/distantFuture`` for none.
    subscript(slot: Int) -> Instant { due.isEmpty ? .distantFuture : due[slot] }

    /// The changes of a device's disk that are due, in order; they are made with that.
    mutating func takeChanges(of slot: Int, through now: Instant) -> ContiguousArray<DiskChange> {
        guard self[slot] <= now else { return [] }
        let faults = faults(of: slot)
        var changes = ContiguousArray<DiskChange>()
        while due[slot] <= now {
            changes.append(
                DiskChange(
                    condition: schedule.condition(at: due[slot], faults: faults),
                    isDamaged: schedule.damages(at: due[slot], faults: faults)))
            due[slot] = schedule.nextChange(after: due[slot], faults: faults)
        }
        return changes
    }

    /// What a device's disk is now; `nil` if no disk ever changes.
    func present(of slot: Int, at now: Instant) -> DiskChange? {
        guard !due.isEmpty else { return nil }
        return DiskChange(
            condition: schedule.condition(at: now, faults: faults(of: slot)), isDamaged: false)
    }

    private func faults(of slot: Int) -> RandomStream {
        streams.stream(.faults, index: share.populationIndex(ofSlot: slot))
    }
}
