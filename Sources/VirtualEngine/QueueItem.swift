/// What an entry of the event queue is about, packed into its payload: the kind in the low byte.
enum QueueItem {
    case wake
    /// Index of an open request, whose answer is due.
    case answer(UInt32)
    /// Index of an open request that was held up on the client's side and leaves now.
    case departure(UInt32)
    /// Index of what a device asks for now that did so ahead of the clock: see ``Lookahead``.
    case effects(UInt32)

    init(payload: UInt64) {
        let index = UInt32(truncatingIfNeeded: payload >> 8)
        switch payload & 0xFF {
        case 1: self = .answer(index)
        case 2: self = .departure(index)
        case 3: self = .effects(index)
        default: self = .wake
        }
    }

    var payload: UInt64 {
        switch self {
        case .wake: 0
        case .answer(let index): 1 | UInt64(index) << 8
        case .departure(let index): 2 | UInt64(index) << 8
        case .effects(let index): 3 | UInt64(index) << 8
        }
    }
}
