package import Accounting
package import Timebase
package import World

/// Something that happened on a traced device.
package struct TraceStep: Sendable {
    /// On the run's clock.
    package var at: Instant
    package var what: What

    package init(at: Instant, _ what: What) {
        self.at = at
        self.what = what
    }

    /// What happened. At one instant in the order in which an engine acts on it: what was captured, deaths, fates,
    /// and then new requests.
    package enum What: Sendable {
        /// Captures of events began.
        ///
        /// - Parameter stored: Rows on the device after the step, without those that were suppressed.
        case captured(Range<UInt32>, stored: Int)
        /// The SDK asked for a request.
        case asked(TracedRequest)
        /// The collector stored the events of an upload; told in virtual time only.
        case stored(upload: UInt32)
        /// The collector read the events of an upload and kept none, though it means to answer with success; told in
        /// virtual time only.
        ///
        /// - Parameter isDryRun: Whether the client asked for it, else a planned fault answered in the collector's place.
        case notKept(upload: UInt32, isDryRun: Bool)
        /// A request ended.
        case ended(RequestNumber, TracedEnd)
        /// A process started of a new version of the app: the rules are those of a roll-out, by its number from 1.
        case updated(Int)
        /// The SDK stopped all uploads until something other than time lets them go on, or they may go on: not told of
        /// a process's death, which ends such a stop too.
        case latched(Bool)
        /// The app's process died, and with it the requests that were open.
        case died
        /// The timeline gave the device another network; `nil` for its own again.
        case network(NetworkKind?)
        /// An event's fate is final.
        case sealed(SealedEvent)
        /// The run is over: what has no fate yet is pending. At ``Timebase/Instant/distantFuture``, for no engine tells
        /// when.
        case finished
    }
}

/// A request that a traced device asked for.
package struct TracedRequest: Sendable {
    package var number: RequestNumber
    /// The due time of its trigger.
    package var plannedAt: Instant
    package var network: NetworkKind
    package var eventCount: Int
    /// The sequences that it carries, ascending; `nil` where only its bytes would tell.
    package var carried: [UInt32]?

    package init(
        number: RequestNumber, plannedAt: Instant, network: NetworkKind, eventCount: Int, carried: [UInt32]?
    ) {
        self.number = number
        self.plannedAt = plannedAt
        self.network = network
        self.eventCount = eventCount
        self.carried = carried
    }
}

/// How a request of a traced device ended.
package enum TracedEnd: Hashable, Sendable {
    /// - Parameter isAcknowledged: Whether the system takes the answer to an upload as success.
    case answered(status: UInt16, isAcknowledged: Bool)
    case failed(RequestFailure)
    /// It never left, since the run was over.
    case givenBack
}
