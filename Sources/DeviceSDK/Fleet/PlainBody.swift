package import Wire

/// What lies in the body of an upload before it is compressed, encoded or encrypted: what a collector has of it once it
/// has taken all of that off.
package enum PlainBody: Sendable {
    /// A JSON list of events.
    case list
    /// Messages of Protocol Buffers, with what the system writes around them.
    case messages
    /// Log files, as ``appendLog(name:content:to:)`` writes them.
    case logs

    /// Appends a log: the bytes of its name and of its content, each after their number in eight bytes of the machine's
    /// order.
    package static func appendLog(name: String, content: borrowing WireBuffer, to plain: inout WireBuffer) {
        withUnsafeBytes(of: name.utf8.count) { plain.append(contentsOf: $0) }
        plain.append(name)
        withUnsafeBytes(of: content.count) { plain.append(contentsOf: $0) }
        plain.append(contentsOf: content)
    }
}
