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

    /// - Parameters:
    ///   - audit: The audit that misses events.
    ///   - path: The run's event file.
    ///   - times: When the run was; a file that tells of answers at other times is another run's.
    init?(_ audit: Audit, events path: String, during times: RunTimes?) {
        let missing = Set(audit.missing)
        guard !missing.isEmpty else { return nil }
        var uploads: [Upload: (carried: Int, missing: Int)] = [:]
        EventLines.forEach(in: path) { id, line in
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
        guard events > 0 else { return nil }
        if let run = times?.run, first < run.lowerBound || last > run.upperBound { return nil }
        start = times?.run.lowerBound
        isComplete = audit.ackedNotFound == missing.count
    }

    private let start: Instant?
    /// Whether every missing event is known by its id: else uploads may lack more.
    private let isComplete: Bool

    /// The text of an event's last member, `acked_at`, if it is a number.
    private static func ackedAt(in line: Slice<UnsafeRawBufferPointer>) -> String? {
        let key = Array("\"acked_at\":".utf8)
        let value = line.dropLast().reversed().prefix { $0 != UInt8(ascii: ":") }
        let head = line.dropLast(value.count + 1)
        guard line.last == UInt8(ascii: "}"), head.suffix(key.count).elementsEqual(key) else { return nil }
        let text = String(decoding: value.reversed(), as: UTF8.self)
        return text == "null" ? nil : text
    }

    /// One sentence for an audit's note.
    var sentence: String {
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
