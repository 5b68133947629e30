package import Timebase

/// What a collector can be made to do wrong. A closed set: the compiler names every place that
/// has to act on a new one.
package enum CollectorFault: Hashable, Sendable {
    /// Connections are refused, and open ones are reset at the next request.
    case outage
    /// The request is read, and nothing is answered until the window ends (`nil`) or the time is over.
    case stall(Interval?)
    /// Every answer waits; milliseconds.
    case latency(Distribution)
    /// This status instead of the collector's own; nothing is stored. A 2xx here is a lie: the
    /// events count as swallowed.
    case status(UInt16)
    /// The events are stored, then the connection dies without an answer.
    case acceptThenDie
    /// The connection is reset before the request is read.
    case resetBeforeReading
}

/// One fault for a while, for a share of the requests.
package struct FaultWindow: Hashable, Sendable {
    package var from: Instant
    /// Exclusive.
    package var until: Instant
    package var fault: CollectorFault
    /// Share of the requests in the window that meet the fault, 0…1. An outage has no share below 1.
    package var share = 1.0
    /// Only requests of this device, and only its upload number n, where set: for tests and for
    /// reproducing one device's story.
    package var device: UInt32?
    package var uploadNumber: UInt32?

    package init(from: Instant, until: Instant, fault: CollectorFault, share: Double = 1) {
        self.from = from
        self.until = until
        self.fault = fault
        self.share = share
    }
}

/// A configuration that the collector serves from some time on.
package struct ServedConfig: Hashable, Sendable {
    package var from: Instant
    /// The version `v`; requests that name it get 304.
    package var version: String
    /// The JSON of the answer, whole: `{"v":…,"configs":{…}}`.
    package var body: [UInt8]

    package init(from: Instant, version: String, body: [UInt8]) {
        self.from = from
        self.version = version
        self.body = body
    }
}

/// Everything that the scenario's timeline asks of the collector, in order of `from`.
package struct CollectorPlan: Hashable, Sendable {
    package var faults: [FaultWindow] = []
    package var configs: [ServedConfig] = []
    /// Answer a wrong `crc` with this status; `nil` only counts it.
    package var wrongChecksumStatus: UInt16?
    /// Seed of the draws that decide which requests a share concerns.
    package var seed: UInt64 = 0

    package init() {}
}
