import Accounting
import Wire

/// Reads the key of one event's JSON, for stores that keep nothing else of it.
///
/// The members tell the system: `type` and `time`; `eventType` and `timestamp` (or `t` and `tm`); `event_name` and
/// `timestamp`; `log` and `line`; `eventName` and `eventTime`. A text that is no JSON may be a row of Kit's with
/// an id of the harness.
///
/// Not thread-safe: the parser's memory is used for one text after the other.
package final class EventKeyReader {
    private let parser = JSONParser(byteLimit: JSONBatch.textLimit)
    private var scratch = WireBuffer()
    private var growing = GrowingReader()
    private var trackingSDK = TrackingSDKReader()
    private var kit = KitReader()
    private var codeless = CodelessReader()

    package init() {}

    /// The key that a collector gives to the event; `nil` if the text is no event that it would take.
    package func key(of text: UnsafeRawBufferPointer) -> EventKey? {
        guard let value = try? parser.parse(text) else { return KitRow(text)?.id.map { .harness($0) } }
        guard value.kind == .object else { return nil }
        if let event = try? SensorsEvent(value) { return event.key(of: value, scratch: &scratch) }
        return growing.key(of: value) ?? trackingSDK.key(of: value) ?? kit.key(of: value)
            ?? codeless.key(of: value)
    }

    /// When the event was captured, by the device's clock, in milliseconds since 1970; `nil` if the text does not
    /// say it: items do not.
    ///
    /// What is no whole event may say it all the same, as a store does that keeps some members only.
    package func capturedAt(of text: UnsafeRawBufferPointer) -> Int64? {
        guard let value = try? parser.parse(text), value.kind == .object else { return nil }
        if let event = try? SensorsEvent(value) { return event.time }
        return growing.capturedAt(of: value) ?? TrackingSDKReader.capturedAt(of: value)
            ?? value["epochSeconds"]?.int64.map { $0.multipliedReportingOverflow(by: 1000).partialValue }
            ?? value["eventTime"]?.int64 ?? value["time"]?.int64
    }
}
