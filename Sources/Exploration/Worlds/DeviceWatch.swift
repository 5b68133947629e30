import Accounting
import DeviceSDK
import Timebase
import World

/// What is known of a device that is watched, and what its system's rules forbid it.
struct DeviceWatch {
    var rows = 0
    /// Its uploads in the air, by number.
    private(set) var uploads: [UInt32: Upload] = [:]
    /// Fetches in the air, by number.
    private(set) var fetches: Set<UInt32> = []
    /// The network that the timeline gave it; `nil` where it is on its own.
    private(set) var displacedTo: NetworkKind?
    var isClosed = false
    /// The number of its latest upload.
    private var latest: UInt32?
    /// Since when it has rows, a network, and no upload in the air.
    private var idleSince: Instant?
    /// When an upload ended last, and until when none begins after that.
    private var (endedAt, restsUntil) = (Instant(nanoseconds: .min), Instant(nanoseconds: .min))
    /// What failures in a row may have put off, at most; how many there were; and what an answer of 413 leaves of a batch.
    private var (putOffUntil, failures, batch) = (Instant(nanoseconds: .min), UInt32(0), Int.max)
    /// Sequences that have a fate: all below the mark, and some beyond.
    private var sealedBelow: UInt32 = 0
    private var sealedBeyond: Set<UInt32> = []
    /// How many of its events have a fate.
    var sealedCount: Int { Int(sealedBelow) + sealedBeyond.count }

    /// So many uploads in the air leave room for one more of the connections that a device has.
    private static let severalUploads = 3

    struct Upload {
        var events: UInt64
        var network: NetworkKind
        var plannedAt: Instant
        var began: Instant
        var timeout: Interval
        /// When its connection breaks, unless it is over.
        var breaksAt = Instant.distantFuture
        /// Events of the device that had their fates when it began.
        var sealed = 0
    }

    mutating func displace(to network: NetworkKind?) {
        displacedTo = network
        idleSince = nil
    }

    /// Its process is gone, and its requests with it.
    mutating func die() {
        (uploads, fetches) = ([:], [])
        (restsUntil, putOffUntil) = (Instant(nanoseconds: .min), Instant(nanoseconds: .min))
        (failures, batch) = (0, .max)
    }

    // MARK: Requests

    /// Notes a request that it asks for.
    ///
    /// - Parameter breaksAt: When its connection breaks, unless it is over.
    /// - Returns: What is wrong with it.
    mutating func begin(
        _ request: OutgoingRequest, at now: Instant, breaksAt: Instant, under bounds: StatedBounds
    ) -> [String] {
        let number = request.number.number
        idleSince = nil
        guard request.number.kind == .upload else {
            fetches.insert(number)
            return []
        }
        var wrong: [String] = []
        if let latest, number <= latest { wrong.append("upload \(number) came after upload \(latest)") }
        if Int(request.eventCount) > bounds.batch {
            wrong.append(
                "upload \(number) carries \(request.eventCount) events; its limit is \(bounds.batch)")
        }
        if uploads.isEmpty, !bounds.cutsAfter413, Int(request.eventCount) > batch {
            wrong.append("upload \(number) carries \(request.eventCount) events; a 413 left \(batch)")
        }
        // With several in the air this one may have been made before, on another network, and waited for a connection.
        let goesOn = bounds.asksOncePerFlush && endedAt == now
        if uploads.count < Self.severalUploads, !goesOn, !bounds.networks.contains(request.network) {
            wrong.append("upload \(number) began on \(request.network), where none may")
        }
        if let displacedTo, displacedTo != request.network {
            wrong.append("upload \(number) began on \(request.network), and the timeline says \(displacedTo)")
        }
        if now < restsUntil {
            wrong.append(
                "upload \(number) began \((restsUntil - now).text) before the wait after a failure was over")
        }
        latest = number
        uploads[number] = Upload(
            events: UInt64(request.eventCount), network: request.network, plannedAt: request.plannedAt,
            began: now, timeout: request.timeout, breaksAt: breaksAt, sealed: sealedCount)
        return wrong
    }

    /// Notes that a request is over; `nil` for an upload that is not open, and for fetches.
    mutating func end(_ request: RequestNumber) -> Upload? {
        guard request.kind == .upload else {
            fetches.remove(request.number)
            return nil
        }
        return uploads.removeValue(forKey: request.number)
    }

    /// Notes how an upload ended.
    ///
    /// - Parameter rest: ``StatedBounds/rest``; `nil` for an upload that was answered.
    mutating func end(_ upload: Upload, at now: Instant, rest: Interval?) {
        // What was in the air beside another one that failed does not begin a wait; and where several are, more may have
        // been made that wait for a connection.
        if let rest, upload.began > endedAt, uploads.isEmpty { restsUntil = now + rest }
        endedAt = now
    }

    /// The time without uploads that an answer asks for, of those that an SDK may heed; a day at most.
    static func wait(askedBy outcome: RequestOutcome) -> Interval? {
        guard case .answered(let status, _, let asked?, _) = outcome, status == 429 || status == 503 else {
            return nil
        }
        return min(asked, RetryPolicy.longestQuiet)
    }

    /// Notes that an answer asks for a time without uploads.
    mutating func wait(_ asked: Interval, at now: Instant) {
        guard uploads.isEmpty else { return }
        restsUntil = max(restsUntil, now + asked)
    }

    /// Notes what a failure may change, and a success ends.
    ///
    /// - Parameter isOver: Whether the system has done with what the upload carried.
    mutating func end(
        _ upload: Upload, _ outcome: RequestOutcome, isOver: Bool, under policy: RetryPolicy, at now: Instant
    ) {
        if case .answered(413, _, _, _) = outcome, policy.splitsOn413, upload.events > 1 {
            batch = min(batch, Int(upload.events) / 2)
        }
        if policy.heedsRetryAfter, let asked = DeviceWatch.wait(askedBy: outcome) {
            putOffUntil = max(putOffUntil, now + asked)
        }
        failures = isOver ? 0 : failures + 1
        guard var backoff = policy.backoff, failures > 0 else { return }
        backoff.jitter = 0
        putOffUntil = max(putOffUntil, now + backoff.delay(after: failures, RandomStream(key: 0)))
    }

    // MARK: Events

    /// Notes that events have their fates.
    ///
    /// - Returns: What is wrong with that.
    mutating func seal(_ events: ArraySlice<SealedEvent>, under bounds: StatedBounds) -> String? {
        for event in events { sealedBeyond.insert(event.id.sequence) }
        while sealedBeyond.remove(sealedBelow) != nil { sealedBelow += 1 }
        // What is in the air may have been given up by the store, and has no fate before its answer.
        guard bounds.evictsOldest, uploads.isEmpty else { return nil }
        let young = events.first { $0.disposition == .evicted(.storageLimit) && $0.id.sequence > sealedBelow }
        return young.map {
            "event \($0.id.sequence) had to make room, and the older one \(sealedBelow) stayed"
        }
    }

    // MARK: Time

    /// Looks at the device after something was done with it.
    ///
    /// - Parameters:
    ///   - isWaiting: Whether its app is in the foreground with rows.
    ///   - pause: ``StatedBounds/pause``.
    /// - Returns: What is wrong.
    mutating func look(at now: Instant, isWaiting: Bool, pause: Interval) -> String? {
        let since = idleSince
        idleSince = isWaiting && uploads.isEmpty ? since ?? now : nil
        guard let since, now - max(since, putOffUntil) > pause else { return nil }
        let waited = putOffUntil > since ? ", \((putOffUntil - since).text) of them after failures" : ""
        return "it had rows and no upload for \((now - since).text)\(waited); its limit is \(pause.text)"
    }
}
