import Accounting
import Reporting
import Timebase

/// When, and by which uploads, the events were acknowledged that a store lacks. That leads to the cause: whole uploads of
/// a few seconds are what a process took with it, whole uploads all along were answered without being stored, and events
/// out of the middle of uploads were dropped one by one.
struct MissingUploads {
    /// An upload by its device and the time of its answer.
    private struct Upload: Hashable {
        var device: UInt32
        var ackedAt: String
    }

    private var events = 0
    private var whole = 0
    private var partly = 0
    private var first = Instant.distantFuture
    private var last = Instant(nanoseconds: 0)
    /// The file's lines of missing events, without their ends.
    private(set) var lines: [EventID: [UInt8]] = [:]

    /// Reads an event file, once: it may be a pipe.
    ///
    /// - Parameters:
    ///   - audit: The audit that misses events.
    ///   - path: The run's event file.
    ///   - mayBePipe: Whether a user names it, whose pipe is waited for.
    ///   - times: When the run was; a file that tells of answers at other times is another run's.
    /// - Throws: ``CommandFailure`` with code 64 for a file that cannot be read to its end.
    init(
        _ audit: Audit, events path: String, mayBePipe: Bool = false, during times: RunTimes?
    ) throws(CommandFailure) {
        start = times?.run.lowerBound
        let missing = Set(audit.missing)
        var lines: [EventID: [UInt8]] = [:]
        var uploads: [Upload: (carried: Int, missing: Int)] = [:]
        try EventLines.forEach(in: path, mayBePipe: mayBePipe) { id, line in
            if missing.contains(id) { lines[id] = Array(line) }
            guard let time = MissingUploads.ackedAt(in: line) else { return }
            let upload = Upload(device: id.device, ackedAt: time)
            let (carried, lost) = uploads[upload, default: (0, 0)]
            uploads[upload] = (carried + 1, lost + (missing.contains(id) ? 1 : 0))
        }
        for (upload, count) in uploads where count.missing > 0 {
            guard let at = Double(upload.ackedAt).flatMap(Instant.init(exactMilliseconds:)) else { continue }
            (first, last) = (min(first, at), max(last, at))
            events += count.missing
            if count.missing == count.carried { whole += 1 } else { partly += 1 }
        }
        self.lines = lines
        isComplete = audit.ackedNotFound == events
        isOfRun = events > 0
        if let run = times?.run, first < run.lowerBound || last > run.upperBound { isOfRun = false }
    }

    private let start: Instant?
    /// Whether the file tells of every missing event: else uploads may lack more.
    private var isComplete = false
    /// Whether the file tells of missing events, and of the run's time.
    private var isOfRun = false

    /// The text of an event's last member, `acked_at`, if it is a number.
    private static func ackedAt(in line: Slice<UnsafeRawBufferPointer>) -> String? {
        let key = Array("\"acked_at\":".utf8)
        let value = line.dropLast().reversed().prefix { $0 != UInt8(ascii: ":") }
        let head = line.dropLast(value.count + 1)
        guard line.last == UInt8(ascii: "}"), head.suffix(key.count).elementsEqual(key) else { return nil }
        let text = String(decoding: value.reversed(), as: UTF8.self)
        return text == "null" ? nil : text
    }

    /// One sentence for an audit's note; `nil` where the file tells nothing of the run's missing events.
    var sentence: String? {
        guard isOfRun else { return nil }
        let which = isComplete ? "All" : "\(events)"
        let span =
            first == last
            ? "at \(first.text)\(offset(first))"
            : "from \(first.text)\(offset(first)) to \(last.text)\(offset(last))"
        let uploads = (whole + partly).of("upload")
        return
            "\(which) of acked_not_found were acknowledged \(span), by \(uploads)\(isComplete ? split : "")."
    }

    private func offset(_ at: Instant) -> String {
        start.map { " (\(StoryClock.words(at - $0)) into the run)" } ?? ""
    }

    private var split: String {
        let several = whole + partly > 1
        if partly == 0 {
            return several ? "; the store holds nothing of any of them" : "; the store holds nothing of it"
        }
        if whole == 0 {
            return several ? "; the store holds the rest of each" : "; the store holds the rest of it"
        }
        return "; the store holds nothing of \(whole) of them, and the rest of \(partly)"
    }
}
