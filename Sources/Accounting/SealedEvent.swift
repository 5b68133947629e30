package import Timebase

/// An event whose fate is final: the one value that the ledger, the fingerprint, the event file and
/// the freshness histogram are all made from.
package struct SealedEvent: Sendable {
    package var id: EventID
    /// Index into the fleet's table of event labels (type and name).
    package var label: UInt16
    /// Uploads that carried the event, 65,535 at most.
    package var attempts: UInt16
    package var disposition: Disposition
    /// The planned time of capture on the run's clock.
    package var capturedAt: Instant
    /// When the first positive answer was read; ``Instant/distantFuture`` if the event was not delivered.
    package var ackedAt: Instant
    /// The key under which a collector knows the event where it carries no id of the harness.
    package var naturalKey: NaturalKey?

    @inlinable @inline(__always)
    package init(
        id: EventID, label: UInt16, attempts: UInt16, disposition: Disposition, capturedAt: Instant,
        ackedAt: Instant = .distantFuture, naturalKey: NaturalKey? = nil
    ) {
        self.id = id
        self.label = label
        self.attempts = attempts
        self.disposition = disposition
        self.capturedAt = capturedAt
        self.ackedAt = ackedAt
        self.naturalKey = naturalKey
    }
}

/// What an event is, as event files and datasets name it.
package struct EventLabel: Hashable, Sendable {
    /// The system's type: `track`, `profile_set`, …
    package var type: String
    /// The event's name; empty where the type has none.
    package var name: String
    /// What the app calls its event, where the system sends it under another name.
    package var event: String?

    package init(type: String, name: String, event: String? = nil) {
        self.type = type
        self.name = name
        self.event = event
    }

    /// The app's name of the event, where it is one of the app's own; else the system's.
    package var ownName: String { event ?? name }
}

extension ContiguousArray<SealedEvent> {
    /// Calls `body` with each stretch of neighbours that ended alike: what is sealed together mostly did.
    @inline(__always)
    package func forEachStretch(_ body: (Disposition, ArraySlice<SealedEvent>) -> Void) {
        var first = startIndex
        while first < endIndex {
            let disposition = self[first].disposition
            var end = first + 1
            while end < endIndex, self[end].disposition == disposition { end += 1 }
            body(disposition, self[first..<end])
            first = end
        }
    }
}
