import Accounting
package import CollectorModel

/// Keeps copies of what it is given.
package struct RecordingSink: CollectedEventSink {
    package struct Row: Equatable {
        package var id: String
        package var copy: Int
        package var system: CollectorSystem
        package var systemName: String
        package var type: String
        package var name: String
        package var distinctID: String
        package var capturedAt: Int64
        package var payload: String
    }
    package var rows: [Row] = []

    package init() {}

    package mutating func store(_ event: CollectedEvent) {
        rows.append(
            Row(
                id: event.key.text, copy: event.copy, system: event.system, systemName: event.systemName,
                type: String(decoding: event.type, as: UTF8.self),
                name: String(decoding: event.name, as: UTF8.self),
                distinctID: String(decoding: event.distinctID, as: UTF8.self), capturedAt: event.capturedAt,
                payload: String(decoding: event.payload, as: UTF8.self)))
    }
}
