package import Timebase

/// What happens to a request before its body is read.
package enum EarlyFault: Hashable, Sendable {
    /// The connection is reset; nothing is read.
    case reset
}

/// An answer in the place of the collector's own.
package struct SubstituteAnswer: Hashable, Sendable {
    package var status: UInt16
    /// Of HTML; empty for none.
    package var page: [UInt8] = []
    /// For a `Retry-After` header.
    package var retryAfter: Interval?
    /// Whether the events of an upload are stored all the same.
    package var isAfterStoring = false

    package init(
        status: UInt16, page: [UInt8] = [], retryAfter: Interval? = nil, isAfterStoring: Bool = false
    ) {
        self.status = status
        self.page = page
        self.retryAfter = retryAfter
        self.isAfterStoring = isAfterStoring
    }
}

/// What happens to a request that was read.
package struct LateFault: Hashable, Sendable {
    /// This answer instead of the collector's own, and nothing is stored unless it says so.
    package var answer: SubstituteAnswer?
    /// Some of the events are refused, and the upload with them.
    package var refusal: EventRefusal?
    /// The answer waits so long after the collector is done.
    package var delay = Interval.zero
    /// The answer does not leave before this instant (the end of a stall, or of a wait in a queue).
    package var releaseAt: Instant?
    /// The events are stored, then the connection is reset without an answer.
    package var diesAfterAccept = false
    /// The connection is reset and nothing is stored: a fault before reading that is meant for one
    /// device, which only the body names.
    package var resetsUnread = false
    /// The body is filled up to a length and leaves at a pace.
    package var slowBody: SlowBodyFault?
    /// The connection closes in the middle of a body of at least so many bytes.
    package var truncatedBytes: Int?

    /// No fault at all.
    package static let none = LateFault()

    package init() {}

    /// The status of the answer that is put in the place of the collector's own.
    package var status: UInt16? { answer?.status }

    /// Decides what becomes of the request, unless a window before has.
    mutating func decide(_ change: (inout LateFault) -> Void) {
        guard answer == nil, refusal == nil, !diesAfterAccept, !resetsUnread, truncatedBytes == nil else {
            return
        }
        change(&self)
    }

    /// Keeps the answer back until an instant, if nothing does so longer.
    mutating func release(at end: Instant) { releaseAt = max(releaseAt ?? end, end) }

    /// Lets the answer wait; milliseconds, of which a day is the most.
    mutating func wait(_ distribution: Distribution, _ draw: inout RandomStream) {
        let milliseconds = min(max(distribution.sample(&draw), 0), 86_400_000)
        delay = delay + Interval.fractional(seconds: milliseconds / 1000)
    }

    /// Gives an answer the form in which it leaves: another status for what was stored, its length, its pace, and
    /// where it ends early.
    func shape(_ reply: inout CollectorReply) {
        if let answer, answer.isAfterStoring, reply.disposition == .stored || reply.disposition == .dryRun {
            reply.status = answer.status
            reply.retryAfter = answer.retryAfter
            if !reply.isPositive || !reply.mayHaveBody {
                (reply.body, reply.contentType) = ([], "text/plain")
            }
        }
        guard reply.mayHaveBody else { return }
        let length = max(slowBody?.bytes ?? 0, truncatedBytes ?? 0)
        if reply.body.count < length {
            reply.body += repeatElement(UInt8(ascii: " "), count: length - reply.body.count)
        }
        reply.bytesPerSecond = slowBody?.bytesPerSecond
        if truncatedBytes != nil { reply.endsAfter = reply.body.count / 2 }
    }
}
