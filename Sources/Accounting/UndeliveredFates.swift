/// The fates of events that were not delivered, as runs of neighbouring sequences of a device with
/// the same fate: 16 bytes a run. Stores evict, lose and keep neighbours, so there are far fewer runs
/// than events.
///
/// Suppressed events are left out: they never were in a store, so no request can have carried them.
package struct UndeliveredFates: Sendable {
    /// Neighbours of one device with the same fate.
    package struct Run: Hashable, Sendable {
        package var device: UInt32
        package var first: UInt32
        package var last: UInt32
        /// ``Disposition/code``.
        package var code: UInt32

        package init(device: UInt32, first: UInt32, last: UInt32, code: UInt32) {
            self.device = device
            self.first = first
            self.last = last
            self.code = code
        }
    }

    /// In the order in which they came; the first ``joinedCount`` of them sorted and joined.
    private var runs: ContiguousArray<Run> = []
    private var joinedCount = 0

    /// Makes an empty set.
    package init() {}

    /// Notes the fate of an event, once per event.
    ///
    /// - Complexity: O(log runs) amortised.
    package mutating func note(_ id: EventID, _ disposition: Disposition) {
        guard disposition.fate != .suppressed else { return }
        let code = disposition.code
        if let last = runs.last, last.device == id.device, last.code == code, last.last &+ 1 == id.sequence,
            id.sequence > 0
        {
            runs[runs.count - 1].last = id.sequence
        } else {
            note(Run(device: id.device, first: id.sequence, last: id.sequence, code: code))
        }
    }

    /// Notes a run of which no event was noted before.
    package mutating func note(_ run: Run) {
        runs.append(run)
        if runs.count > 2 * joinedCount + 1024 { joinRuns() }
    }

    /// Adds the fates of other events.
    package mutating func merge(_ other: UndeliveredFates) {
        runs.append(contentsOf: other.runs)
        joinRuns()
    }

    /// Sorts the runs and joins neighbours.
    private mutating func joinRuns() {
        runs.sort { ($0.device, $0.first) < ($1.device, $1.first) }
        var joined: ContiguousArray<Run> = []
        for run in runs {
            if let last = joined.last, last.device == run.device, last.code == run.code,
                last.last < run.first, last.last + 1 == run.first
            {
                joined[joined.count - 1].last = run.last
            } else {
                joined.append(run)
            }
        }
        runs = joined
        joinedCount = joined.count
    }

    /// All runs by device and sequence, as few as possible, and a way to look them up.
    package var sorted: Sorted {
        var copy = self
        copy.joinRuns()
        return Sorted(runs: copy.runs)
    }

    /// The fates in order.
    package struct Sorted: Sendable, Equatable {
        package let runs: ContiguousArray<Run>

        /// The ``Disposition/code`` of an event; `nil` if it has no fate here.
        ///
        /// - Complexity: O(log runs).
        package func code(of id: EventID) -> UInt32? {
            var low = 0
            var high = runs.count
            while low < high {
                let middle = (low + high) / 2
                if (runs[middle].device, runs[middle].last) < (id.device, id.sequence) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            guard low < runs.count, runs[low].device == id.device, runs[low].first <= id.sequence else {
                return nil
            }
            return runs[low].code
        }
    }
}

extension UndeliveredFates: Equatable {
    /// Two sets are equal when the same events have the same fates, in whatever order they came.
    package static func == (left: UndeliveredFates, right: UndeliveredFates) -> Bool {
        left.sorted == right.sorted
    }
}
