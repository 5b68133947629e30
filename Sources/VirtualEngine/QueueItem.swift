/// What an entry of the event queue is about, packed into its payload: the kind in the low byte.
enum QueueItem {
    case wake
    /// Index of an open request, whose answer is due.
    case answer(UInt32)

    init(payload: UInt64) {
        self = payload & 0xFF == 1 ? .answer(UInt32(truncatingIfNeeded: payload >> 8)) : .wake
    }

    var payload: UInt64 {
        switch self {
        case .wake: 0
        case .answer(let index): 1 | UInt64(index) << 8
        }
    }
}
