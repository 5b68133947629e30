import Files
import Glibc
import Timebase

/// Joins the parts' lines of events: by the time at which each event got its fate, then by device.
struct EventMerge {
    private let folders: [PartFolder]

    init(_ folders: [PartFolder]) { self.folders = folders }

    /// - Complexity: O(lines · parts); a line of each part is in memory.
    /// - Throws: ``CommandFailure`` for lines that cannot be read, and with code 105 if the merge is to end.
    func write(to file: EventFile, _ control: MergeControl) throws(CommandFailure) {
        var lines = 0
        var sources: [SealedLines] = []
        for folder in folders {
            let source = try SealedLines(folder.file(PartFolder.eventsName))
            if source.current != nil { sources.append(source) }
        }
        while !sources.isEmpty {
            lines += 1
            if lines % 1024 == 0 { try control.check() }
            var least = 0
            for index in sources.indices.dropFirst() where sources[index].precedes(sources[least]) {
                least = index
            }
            if let line = sources[least].current { file.write(line: line.text) }
            try sources[least].advance()
            if sources[least].current == nil { sources.remove(at: least) }
        }
    }
}

/// The lines of one part, one at a time: the time in nanoseconds, a tab, the line of the event.
private final class SealedLines {
    struct Line {
        var sealedAt: Int64
        var device: UInt32
        var text: [UInt8]
    }

    private(set) var current: Line?
    private let path: String
    private let file: UnsafeMutablePointer<FILE>
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0

    init(_ path: String) throws(CommandFailure) {
        let descriptor: Int32
        do { descriptor = try FoundFile.open(path) } catch { throw CommandFailure(.usage, error) }
        guard let file = fdopen(descriptor, "r") else {
            let failure = OutputFile.failure("read", path, code: .usage)
            close(descriptor)
            throw failure
        }
        self.file = file
        self.path = path
        try advance()
    }

    deinit {
        free(buffer)
        fclose(file)
    }

    func precedes(_ other: SealedLines) -> Bool {
        guard let mine = current, let theirs = other.current else { return false }
        return (mine.sealedAt, mine.device) < (theirs.sealedAt, theirs.device)
    }

    func advance() throws(CommandFailure) {
        let count = getline(&buffer, &capacity, file)
        guard count > 0, let buffer else {
            guard ferror(file) == 0 else { throw OutputFile.failure("read", path, code: .usage) }
            current = nil
            return
        }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
        guard let tab = bytes.firstIndex(of: UInt8(ascii: "\t")), bytes.last == UInt8(ascii: "\n"),
            let sealedAt = Int64(String(decoding: bytes[..<tab], as: UTF8.self)),
            let device = SealedLines.device(of: bytes[(tab + 1)...])
        else {
            throw CommandFailure(
                .usage, "\(path): not the lines of a part's events: the file is cut or was changed")
        }
        current = Line(sealedAt: sealedAt, device: device, text: Array(bytes[(tab + 1)...]))
    }

    /// Of a line that begins with the event's id.
    private static func device(of line: Slice<UnsafeRawBufferPointer>) -> UInt32? {
        let head = Array("{\"id\":\"".utf8)
        guard line.starts(with: head) else { return nil }
        let digits = line.dropFirst(head.count).prefix { $0 != UInt8(ascii: "-") }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }
}
