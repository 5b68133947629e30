import Accounting
import Wire

/// Finds lines of an event file.
enum EventLines {
    /// The most bytes that a packed event file may unpack to.
    private static let unpackedLimit = 1 << 30

    /// The lines of these events, without their ends; empty where the file cannot be read.
    static func lines(of ids: Set<EventID>, in path: String) -> [EventID: [UInt8]] {
        var found: [EventID: [UInt8]] = [:]
        guard !ids.isEmpty else { return found }
        forEach(in: path) { id, line in
            if ids.contains(id) { found[id] = Array(line) }
        }
        return found
    }

    /// Calls back for each line of a file, packed or not, that tells of an event; for none where it cannot be read.
    static func forEach(in path: String, _ body: (EventID, Slice<UnsafeRawBufferPointer>) -> Void) {
        guard let content = try? OutputFile.read(path, failing: .usage) else { return }
        guard path.hasSuffix(".gz") else { return content.withUnsafeBytes { forEach(in: $0, body) } }
        var text = WireBuffer()
        let decoder = GzipDecoder(limit: unpackedLimit)
        guard (try? content.withUnsafeBytes({ try decoder.decompress($0, into: &text) })) != nil else {
            return
        }
        text.withUnsafeBytes { forEach(in: $0, body) }
    }

    private static func forEach(
        in bytes: UnsafeRawBufferPointer, _ body: (EventID, Slice<UnsafeRawBufferPointer>) -> Void
    ) {
        let prefix = Array("{\"id\":\"".utf8)
        for line in bytes.split(separator: 0x0A) where line.starts(with: prefix) {
            let id = line.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "\"") }
            if let id = EventID(text: id) { body(id, line) }
        }
    }
}
