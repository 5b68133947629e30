import Wire

/// Reads the key of one event's JSON, for stores that keep nothing else of it.
///
/// Not thread-safe: the parser's memory is used for one text after the other.
package final class EventKeyReader {
    private let parser = JSONParser(byteLimit: SensorsDecoder.textLimit)
    private var scratch = WireBuffer()

    package init() {}

    /// The key that a collector gives to the event; `nil` if the text is no event that it would take.
    package func key(of text: UnsafeRawBufferPointer) -> EventKey? {
        guard let value = try? parser.parse(text), let event = try? SensorsEvent(value) else { return nil }
        return event.key(of: value, scratch: &scratch)
    }
}
