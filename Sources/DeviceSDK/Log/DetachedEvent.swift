package import Accounting

/// An event that left the store while a request carries it: evicted, or deleted after an answer to
/// another request. Its fate waits for the last answer, because a positive one beats every other; an
/// acknowledged one (settled) waits until no request is left that is still to carry it.
package struct DetachedEvent {
    package var record: EventRecord
    /// What it left the store for.
    package var disposition: Disposition
}

extension ContiguousArray<DetachedEvent> {
    /// A request that carried some of them has ended.
    ///
    /// - Parameter rows: What it carried, by ascending sequences.
    /// - Returns: those that have their fate now: delivered by a positive answer, or what they left the store
    ///   for once no request carries them any more. Each comes once.
    package mutating func release(
        carriedBy rows: ContiguousArray<EventRecord>, isPositive: Bool
    ) -> ContiguousArray<DetachedEvent> {
        var kept = ContiguousArray<DetachedEvent>()
        var ended = ContiguousArray<DetachedEvent>()
        for var event in self {
            guard rows.contains(sequence: event.record.sequence) else {
                kept.append(event)
                continue
            }
            event.record.inFlight -= 1
            if isPositive && !event.record.isSettled {
                ended.append(DetachedEvent(record: event.record, disposition: .delivered))
                event.record.isSettled = true
            }
            if event.record.inFlight > 0 {
                kept.append(event)
            } else if !event.record.isSettled {
                ended.append(event)
            }
        }
        self = kept.isEmpty ? [] : kept
        return ended
    }
}

extension ContiguousArray<EventRecord> {
    /// Whether rows with ascending sequences have one among them. O(log rows), and O(1) for a sequence that is older or
    /// newer than all of them: mostly it is, and thousands of events are asked about at once.
    package func contains(sequence: UInt32) -> Bool {
        guard let first, let last, first.sequence <= sequence, sequence <= last.sequence else { return false }
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].sequence == sequence
    }
}
