package import Timebase

/// What can be said of a device in advance, as its system's rules state it.
package struct StatedBounds: Hashable, Sendable {
    /// Rows in its stores, at most.
    package var rows = Int.max
    /// Its uploads in the air, at most.
    package var uploads = Int.max
    /// Events of an upload, at most.
    package var batch = Int.max
    /// The networks on which uploads begin.
    package var networks = NetworkMask(nil)
    /// Whether only the first upload of a flush asks for its network.
    package var asksOncePerFlush = false
    /// How long an app in the foreground with rows goes without an upload, at most, on one of ``pausesOn`` and with none
    /// in the air; `nil` where nothing but users' doings or an answer may set one off.
    package var pause: Interval?
    /// Rows with which a capture sets off an upload, where none is in the air, on one of ``pausesOn``; `nil` where
    /// nothing is said.
    package var bulk: Int?
    /// Whether ``bulk`` is said of events of pages in web views, too.
    package var bulkCountsPages = true
    /// How long no upload begins after one that began after the last failure has failed itself; `nil` where nothing is
    /// said.
    package var rest: Interval?
    /// Whether no upload begins before the time that an answer of 429 or 503 asks for, a day at most.
    package var heedsRetryAfter = false
    /// How failures put off what ``pause`` says.
    package var retry = RetryPolicy()
    /// Whether a 413 may leave what was refused, to go in halves.
    package var splitsOn413 = false
    /// Whether a 413 cuts what it refused, and leaves other uploads as they are made already.
    package var cutsAfter413 = false
    /// Which answers keep what an upload carried; `nil` where nothing is said.
    package var keeps: KeepRule?
    /// Whether an answer that neither is a success nor keeps what an upload carried surely rejects it.
    package var rejects = false
    /// The networks for which ``pause`` and ``bulk`` are said.
    package var pausesOn = NetworkMask(nil)
    /// Whether events for which there was no room are older than all that stay.
    package var evictsOldest = false
    /// Events that leave together when there is no room, never fewer; 1 where nothing is said.
    package var evicts = 1
    /// Whether one upload may carry an event twice.
    package var carriesTwice = false
    /// Whether the SDK may clear rows that it did not send.
    package var clearsUnsent = true

    /// Bounds that nothing states.
    package init() {}

    /// States what a policy makes of failures.
    package mutating func obey(_ policy: RetryPolicy) {
        retry = policy
        splitsOn413 = policy.splitsOn413
        rest = policy.shortestWait
        heedsRetryAfter = policy.heedsRetryAfter
    }

    /// What holds of a device that follows one of several rules after the other.
    package init(all: [StatedBounds]) {
        rows = all.map(\.rows).max() ?? .max
        uploads = all.map(\.uploads).max() ?? .max
        batch = all.map(\.batch).max() ?? .max
        networks = NetworkMask(anyOf: all.map(\.networks))
        asksOncePerFlush = all.contains(where: \.asksOncePerFlush)
        // What one of them has begun to wait for may give way to another's wait.
        let pauses = all.compactMap(\.pause)
        pause = pauses.isEmpty || pauses.count < all.count ? nil : pauses.reduce(.zero, +)
        let bulks = all.compactMap(\.bulk)
        bulk = bulks.count < all.count ? nil : bulks.max()
        bulkCountsPages = all.allSatisfy(\.bulkCountsPages)
        let rests = all.compactMap(\.rest)
        rest = rests.count < all.count ? nil : rests.min()
        heedsRetryAfter = !all.isEmpty && all.allSatisfy(\.heedsRetryAfter)
        let policies = Set(all.map(\.retry))
        retry = all.first?.retry ?? RetryPolicy()
        // What has begun under one of them is not known to the other.
        if policies.count > 1 { (retry, pause) = (RetryPolicy(), nil) }
        splitsOn413 = all.contains(where: \.splitsOn413)
        cutsAfter413 = all.contains(where: \.cutsAfter413)
        let kept = Set(all.map(\.keeps))
        keeps = kept.count == 1 ? all[0].keeps : nil
        rejects = !all.isEmpty && all.allSatisfy(\.rejects)
        pausesOn = NetworkMask(allOf: all.map(\.pausesOn))
        evictsOldest = !all.isEmpty && all.allSatisfy(\.evictsOldest)
        let evictions = Set(all.map(\.evicts))
        evicts = evictions.count == 1 ? all[0].evicts : 1
        carriesTwice = all.contains(where: \.carriesTwice)
        clearsUnsent = all.isEmpty || all.contains(where: \.clearsUnsent)
    }
}
