package import Timebase

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

/// Everything that the scenario's timeline asks of the collector, in order of `from`.
package struct CollectorPlan: Hashable, Sendable {
    package var faults: [FaultWindow] = []
    /// The configurations of all systems; before a system's first one its neutral one is served.
    package var configs: [ServedConfig] = []
    /// Paths that take uploads beside those that systems have of their own; of several for one path the
    /// first counts.
    package var uploadPaths: [UploadPath] = []
    /// Clients that are known by description, beside the public products: the likelier first.
    package var descriptions: [UploadDescription] = []
    /// Which of ``descriptions`` is a population's, by its index in the scenario; `nil` for a system that is programmed.
    /// Several may upload to one path: of an upload without its bytes nothing else tells whose it is.
    package var ownDescriptions: [Int?] = []
    /// Answer a wrong `crc` with this status; `nil` only counts it.
    package var wrongChecksumStatus: UInt16?
    /// Encryptions of GrowingIO's bodies beside those that the collector has of its own.
    package var growingCiphers = GrowingCiphers()
    /// Seed of the draws that decide which requests a share concerns.
    package var seed: UInt64 = 0

    package init() {}
}
