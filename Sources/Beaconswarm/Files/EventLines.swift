import Accounting
import Wire

/// Finds lines of an event file.
enum EventLines {
    /// The most bytes that a piece of a packed event file may unpack to: this program's have a few hundred kilobytes.
    private static let pieceLimit = 1 << 30

    /// The lines of these events, without their ends.
    ///
    /// - Parameter mayBePipe: Whether a user names the file, whose pipe is waited for.
    /// - Throws: ``CommandFailure`` with code 64 for a file that cannot be read to its end.
    static func lines(
        of ids: Set<EventID>, in path: String, mayBePipe: Bool = false
    ) throws(CommandFailure) -> [EventID: [UInt8]] {
        var found: [EventID: [UInt8]] = [:]
        guard !ids.isEmpty else { return found }
        try forEach(in: path, mayBePipe: mayBePipe) { id, line in
            if ids.contains(id) { found[id] = Array(line) }
        }
        return found
    }

    /// Calls back for each line of a file, packed or not, that tells of an event.
    ///
    /// - Parameter mayBePipe: Whether a user names the file, whose pipe is waited for.
    /// - Throws: ``CommandFailure`` with code 64 for a file that cannot be read to its end.
    static func forEach(
        in path: String, mayBePipe: Bool = false, _ body: (EventID, Slice<UnsafeRawBufferPointer>) -> Void
    ) throws(CommandFailure) {
        let content = try OutputFile.read(path, failing: .usage, mayBePipe: mayBePipe)
        guard path.hasSuffix(".gz") else {
            content.withUnsafeBytes { forEach(in: $0, body) }
            return
        }
        var rest: [UInt8] = []
        let problem = content.withUnsafeBytes { bytes -> GzipError? in
            do throws(GzipError) {
                try GzipDecoder(limit: pieceLimit).forEachMember(of: bytes) { take($0, &rest, body) }
                return nil
            } catch {
                return error
            }
        }
        rest.withUnsafeBytes { forEach(in: $0, body) }
        guard let problem else { return }
        switch problem {
        case .tooLarge:
            throw CommandFailure(
                .usage,
                "cannot read \(path): a piece of it unpacks to more than 1 GiB; unpack the file, and name that"
            )
        case .truncated, .corrupt:
            throw CommandFailure(.usage, "cannot read \(path): it is no gzip, or is cut or damaged")
        }
    }

    /// Walks the lines that end in a piece of the file, and keeps the beginning of the one that goes on in the next.
    private static func take(
        _ piece: UnsafeRawBufferPointer, _ rest: inout [UInt8],
        _ body: (EventID, Slice<UnsafeRawBufferPointer>) -> Void
    ) {
        rest.append(contentsOf: piece)
        guard let end = rest.lastIndex(of: 0x0A) else { return }
        rest.withUnsafeBytes { forEach(in: UnsafeRawBufferPointer(rebasing: $0[..<end]), body) }
        rest.removeFirst(end + 1)
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
