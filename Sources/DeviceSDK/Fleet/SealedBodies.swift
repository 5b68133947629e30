package import Accounting
package import Wire

/// What events that end look like on the wire: each as an upload with nothing else would have it.
package struct SealedBodies {
    /// Of which events it is kept.
    package enum Wish: Sendable {
        case none
        /// Of those that were built and that no answer acknowledged.
        case undelivered
        /// Of all that were built.
        case all
    }

    /// A body among the others.
    package struct Entry {
        /// The event's index in ``DeviceEffects/sealed``.
        package var event: Int
        package var form: PlainBody
        /// Its bytes in ``SealedBodies/bytes``.
        package var range: Range<Int>
    }

    package var wish = Wish.none
    package private(set) var entries: ContiguousArray<Entry> = []
    /// All bodies, one after the other.
    package var bytes = WireBuffer()

    package init() {}

    /// Whether the body of an event with this fate is kept: one that was suppressed was never built.
    package func wants(_ disposition: Disposition) -> Bool {
        guard wish != .none else { return false }
        switch disposition.fate {
        case .suppressed: return false
        case .delivered: return wish == .all
        case .evicted, .rejected, .lost, .pending: return true
        }
    }

    /// Notes that what was appended to ``bytes`` since the last body is one.
    ///
    /// - Parameter event: The event's index in ``DeviceEffects/sealed``.
    package mutating func end(_ form: PlainBody, event: Int) {
        let begin = entries.last?.range.upperBound ?? 0
        entries.append(Entry(event: event, form: form, range: begin..<bytes.count))
    }

    package var isEmpty: Bool { entries.isEmpty && bytes.isEmpty }

    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll()
    }
}
