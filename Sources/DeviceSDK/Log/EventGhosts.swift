import Accounting

/// An event that left the store while a request carries it: evicted, or deleted after an answer to
/// another request. Its fate waits for the last answer, because a positive one beats every other.
struct EventGhost {
    var record: EventRecord
    var disposition: EventFate
}

/// The fates that a removal from the store can mean.
enum EventFate {
    case evicted
    case rejected(status: UInt16)
    /// The file with the row was damaged.
    case storageError
    /// The SDK deleted the row without sending it.
    case clearedUnsent
}

extension EventFate {
    var disposition: Disposition {
        switch self {
        case .evicted: .evicted(.storageLimit)
        case .rejected(let status): .rejected(status: status)
        case .storageError: .lost(.storageError)
        case .clearedUnsent: .lost(.clearedUnsent)
        }
    }
}

extension ContiguousArray<EventGhost> {
    /// A request that carried some of them has ended.
    ///
    /// - Parameter rows: What it carried, by ascending sequences.
    /// - Returns: those that have their fate now: delivered by a positive answer, or what they left the store
    ///   for once no request carries them any more. Each comes once.
    mutating func release(
        carriedBy rows: ContiguousArray<EventRecord>, isPositive: Bool
    ) -> ContiguousArray<(record: EventRecord, disposition: Disposition)> {
        var kept = ContiguousArray<EventGhost>()
        var ended = ContiguousArray<(record: EventRecord, disposition: Disposition)>()
        for var ghost in self {
            guard rows.contains(sequence: ghost.record.sequence) else {
                kept.append(ghost)
                continue
            }
            ghost.record.inFlight -= 1
            if isPositive && !ghost.record.isSettled {
                ended.append((ghost.record, .delivered))
                ghost.record.isSettled = true
            }
            if ghost.record.inFlight > 0 {
                kept.append(ghost)
            } else if !ghost.record.isSettled {
                ended.append((ghost.record, ghost.disposition.disposition))
            }
        }
        self = kept.isEmpty ? [] : kept
        return ended
    }
}

extension ContiguousArray<EventRecord> {
    /// Whether rows with ascending sequences have one among them. O(log rows).
    func contains(sequence: UInt32) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].sequence == sequence
    }
}
