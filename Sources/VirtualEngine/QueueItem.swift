import World

/// What an entry of the event queue is about, packed into its payload: the kind in the low byte.
enum QueueItem {
    case wake
    case network(NetworkKind)
    /// Index of an open request, whose answer is due.
    case answer(UInt32)

    init(payload: UInt64) {
        switch payload & 0xFF {
        case 1: self = .network(NetworkKind(rawValue: UInt8(truncatingIfNeeded: payload >> 8)) ?? .wifi)
        case 2: self = .answer(UInt32(truncatingIfNeeded: payload >> 8))
        default: self = .wake
        }
    }

    var payload: UInt64 {
        switch self {
        case .wake: 0
        case .network(let kind): 1 | UInt64(kind.rawValue) << 8
        case .answer(let index): 2 | UInt64(index) << 8
        }
    }
}
