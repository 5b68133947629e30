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
}
