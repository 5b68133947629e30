package import Accounting
package import Wire

/// One decoded event, ready for a store. Every text is UTF-8 in memory that the decoder reuses: it is
/// valid only during the call that hands the event over.
package struct CollectedEvent {
    package var key: EventKey
    /// 0 for the first copy of an event.
    package var copy: Int
    package var system: CollectorSystem
    /// What the store calls the system: that of the client, where a system has several.
    package var systemName: String
    /// Who the event is about; empty where the type has no such member.
    package var distinctID: UnsafeRawBufferPointer
    /// The system's type: `track`, `VIEW_CLICK`, `100`, …; see the Store article.
    package var type: UnsafeRawBufferPointer
    /// The event's name; empty where the type has none.
    package var name: UnsafeRawBufferPointer
    /// The event's own time in milliseconds since the Unix epoch, by the device's clock; of an item, which has
    /// none, when it was received.
    package var capturedAt: Int64
    /// The event's JSON as received, or made of what was received in another form.
    package var payload: UnsafeRawBufferPointer
    /// ``payload`` as it was parsed.
    package var value: JSONValue
    /// Where ``payload`` came from, if it is a part of what was packed.
    package var packed: PackedText?
}

/// A text as it was received, packed together with others, and what it is unpacked.
package struct PackedText {
    /// A whole gzip stream.
    package var gzip: UnsafeRawBufferPointer
    package var text: UnsafeRawBufferPointer
}

/// Why an event that was acknowledged is not kept.
package enum NotKept: String, Sendable, CaseIterable {
    /// A planned fault answered for it.
    case swallowed
    /// The client asked for it to be checked alone.
    case dryRun = "dry_run"
}

/// Whoever keeps the events that a collector takes.
package protocol CollectedEventSink {
    /// Whether it looks at more of an event than its key; a collector may save the rest for one that does not.
    static var needsContent: Bool { get }

    /// Keeps one event; called once per copy, in the order of the request.
    mutating func store(_ event: CollectedEvent)

    /// Learns of an event that is acknowledged and not kept.
    mutating func pass(_ key: EventKey, _ reason: NotKept)
}

extension CollectedEventSink {
    package static var needsContent: Bool { true }
    package mutating func pass(_ key: EventKey, _ reason: NotKept) {}
}

/// A sink that keeps nothing: for worlds that need no more than the receipts.
package struct NullSink: CollectedEventSink {
    // ThreadSanitizer looks at the address of what is handed over inout, and an empty value has none (Swift 6.3).
    private var padding: UInt8 = 0

    package init() {}
    package static var needsContent: Bool { false }
    package mutating func store(_ event: CollectedEvent) {}
}
