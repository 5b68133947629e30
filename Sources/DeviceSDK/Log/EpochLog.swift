/// What was true on a device when its stored events were captured: one entry per change, and only
/// where an event was captured in between.
///
/// The present entry lives in the value itself, so a device whose state never changes, or whose
/// store is empty, has no memory beyond it. Indices count up over a device's whole life and stay
/// valid while entries before them are trimmed.
package struct EpochLog<Epoch: Hashable & Sendable>: Sendable {
    /// What is true now.
    package private(set) var current: Epoch
    /// Entries before the present one.
    private var history: ContiguousArray<Epoch> = []
    /// The index of the present entry. Kept, so that most events ask nothing of the history.
    private var present: UInt32 = 0
    private var isReferenced = false

    /// The index of the first entry.
    private var base: UInt32 { present - UInt32(history.count) }

    /// Makes a log with the state at the beginning.
    package init(_ initial: Epoch) { current = initial }

    /// The number of entries kept.
    package var count: Int { history.count + 1 }

    /// The index of the present entry, for an event that is captured now.
    package mutating func reference() -> UInt32 {
        isReferenced = true
        return present
    }

    /// Makes another state the present one. O(1) amortised; nothing is kept of a state to which no
    /// event refers.
    package mutating func change(_ body: (inout Epoch) -> Void) {
        var changed = current
        body(&changed)
        guard changed != current else { return }
        if isReferenced {
            history.append(current)
            present += 1
        }
        isReferenced = false
        current = changed
    }

    /// The entry with an index that ``reference()`` gave out and that was not trimmed.
    package subscript(index: UInt32) -> Epoch {
        if index == present { return current }
        let position = Int(index) - Int(base)
        precondition(history.indices.contains(position), "the epoch is gone")
        return history[position]
    }

    /// Drops the entries before `oldest`, the lowest index to which anything still refers; `nil` if
    /// nothing refers to any entry. O(entries kept).
    package mutating func trim(before oldest: UInt32?) {
        if oldest == nil { isReferenced = false }
        guard !history.isEmpty else { return }
        let keep = min(max(oldest ?? present, base), present)
        if keep == present {
            history = []
        } else {
            history.removeFirst(Int(keep - base))
        }
    }
}
