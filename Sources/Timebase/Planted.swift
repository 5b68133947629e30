#if PLANTED
    /// Bugs that are built in to see whether the swarm finds them (`make planted`). No release has this file's content: it
    /// is compiled with `BEACONSWARM_PLANTED=1` alone, into a folder of its own.
    package enum Planted: String, CaseIterable, Sendable {
        case acknowledgeBeforeCommit = "acknowledge-before-commit"
        case evictOffByOne = "evict-off-by-one"
        case deleteOtherBatch = "delete-other-batch"
        case timerLostAfterBackground = "timer-lost-after-background"
        case retryForgetsRow = "retry-forgets-row"
        case detachedCountedTwice = "detached-counted-twice"
        case idReusedAfterRelaunch = "id-reused-after-relaunch"
        case parserOffByOne = "parser-off-by-one"
        case poolSlotLeaked = "pool-slot-leaked"
        case drainEndsEarly = "drain-ends-early"
        case dedupByCopy = "dedup-by-copy"
        case skewIntoFreshness = "skew-into-freshness"

        /// The one that is in force. Set once, before anything is played.
        nonisolated(unsafe) package static var bug: Planted?

        /// Whether a bug is in force.
        package static func has(_ planted: Planted) -> Bool { bug == planted }

        /// Worlds that may go by until it is found: from ten times of what one seed took up, so that no seed is unlucky.
        package var budget: UInt64 {
            switch self {
            case .timerLostAfterBackground, .retryForgetsRow, .detachedCountedTwice: 2000
            case .evictOffByOne: 1000
            default: 200
            }
        }
    }
#endif
