/// What a log's file that another process left, or that grows, holds at present.
enum LogContent {
    /// Not even a whole head: its process died at its making.
    case unmade
    /// What a log never begins with.
    case damaged
    case frames(LogPart)

    /// "BSWMLOG", the beginning of each kind's mark.
    private static let mark = Array("BSWMLOG".utf8)

    init(_ bytes: UnsafeRawBufferPointer) {
        guard zip(bytes, LogContent.mark).allSatisfy({ $0 == $1 }) else {
            self = .damaged
            return
        }
        guard bytes.count > LogContent.mark.count else {
            self = .unmade
            return
        }
        switch bytes[LogContent.mark.count] {
        case UInt8(ascii: "1"): self = LogContent.part(of: bytes, head: 16)
        case UInt8(ascii: "2"): self = LogContent.part(of: bytes, head: LogFile.headerBytes)
        default: self = .damaged
        }
    }

    private static func part(of bytes: UnsafeRawBufferPointer, head: Int) -> LogContent {
        guard bytes.count >= head else { return .unmade }
        return .frames(
            LogPart(
                base: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
                identity: head > 16 ? bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self) : nil,
                headerBytes: head, frames: UnsafeRawBufferPointer(rebasing: bytes[head...])))
    }
}

/// A log's file behind its head.
struct LogPart {
    /// The highest request number of what came before it.
    var base: Int64
    /// That of the store that it belongs to; files of the first kind do not say it.
    var identity: Int64?
    var headerBytes: Int
    /// Its frames, and at the end perhaps a part of one.
    var frames: UnsafeRawBufferPointer

    /// Whether it can be a store's, as far as it says.
    func belongs(to identity: Int64?) -> Bool { self.identity == nil || self.identity == identity }

    /// Where in the file something else begins than a frame, or than the part of one that an append left when it was
    /// broken off; `nil` where nothing does.
    ///
    /// - Parameter rest: What lies behind the whole frames, after a walk over them (``LogFrames/rest``).
    func damage(in rest: UnsafeRawBufferPointer) -> Int? {
        guard !LogFrame.isBrokenOff(rest, hasChecksum: identity != nil) else { return nil }
        return headerBytes + frames.count - rest.count
    }

    /// The requests whose events the whole frames have.
    var requests: Int {
        let unpacker = RowUnpacker()
        var (requests, latest) = (0, Int64.min)
        for frame in LogFrames(frames) {
            var reader = RowReader(frame.rows, unpacker: unpacker)
            while let row = reader.next() {
                if row.batch != latest { requests += 1 }
                latest = row.batch
            }
        }
        return requests
    }
}
