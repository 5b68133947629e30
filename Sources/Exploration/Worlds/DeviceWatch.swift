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
    /// Sequences that have a fate: all below the mark, and some beyond.
    private var sealedBelow: UInt32 = 0
    private var sealedBeyond: Set<UInt32> = []

    /// So many uploads in the air leave room for one more of the connections that a device has.
    private static let severalUploads = 3

    struct Upload {
        var events: UInt64
        var network: NetworkKind
        var plannedAt: Instant
        var began: Instant
        var timeout: Interval
    }

    mutating func displace(to network: NetworkKind?) {
        displacedTo = network
        idleSince = nil
    }

    /// Its process is gone, and its requests with it.
    mutating func die() {
        (uploads, fetches) = ([:], [])
        restsUntil = Instant(nanoseconds: .min)
    }

    // MARK: Requests

    /// Notes a request that it asks for.
    ///
    /// - Returns: What is wrong with it.
    mutating func begin(_ request: OutgoingRequest, at now: Instant, under bounds: StatedBounds) -> [String] {
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
        // With several in the air this one may have been made before, on another network, and waited for a connection.
        if uploads.count < Self.severalUploads, !bounds.networks.contains(request.network) {
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
            began: now, timeout: request.timeout)
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

    /// Notes that an answer asks for a time without uploads.
    mutating func wait(_ asked: Interval, at now: Instant) {
        guard uploads.isEmpty else { return }
        restsUntil = max(restsUntil, now + min(asked, RetryPolicy.longestQuiet))
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
        guard let since, now - since > pause else { return nil }
        return "it had rows and no upload for \((now - since).text); its limit is \(pause.text)"
    }
}
