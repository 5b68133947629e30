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
    /// events count as swallowed. `retryAfter` is sent as the header of that name, in whole seconds.
    /// With `stored` the events of an upload are stored first, and only the answer is another.
    case status(UInt16, retryAfter: Interval? = nil, stored: Bool = false)
    /// The events are stored, then the connection dies without an answer.
    case acceptThenDie
    /// The connection is reset before the request is read.
    case resetBeforeReading
    /// The events are stored, and the answer's body leaves drop by drop.
    case slowBody(SlowBodyFault)
    /// The events are stored, and the connection closes in the middle of an answer whose body was to be
    /// at least so many bytes long (1 or more). An answer that can have no body (304) comes whole.
    case truncate(bytes: Int)
    /// Somebody else answers, as a captive portal does: a page of HTML, and nothing is stored. With a
    /// 2xx the events count as swallowed where a client takes any 2xx for success.
    case wrongContent(status: UInt16, page: [UInt8])
    /// The collector serves only so many requests in a time; see ``CapacityQueue``.
    case capacity(CapacityFault)
    /// A rolling deployment; see ``DeployFault``.
    case deploy(DeployFault)

    /// The page of a captive portal that a scenario does not write itself.
    package static let portalPage = Array(
        """
        <!doctype html><html><head><title>Welcome</title></head>\
        <body><h1>Please sign in to use this network</h1></body></html>

        """.utf8)
}

/// An answer whose body takes its time: the head leaves at once, the body at a set pace.
package struct SlowBodyFault: Hashable, Sendable {
    /// 1 or more.
    package var bytesPerSecond: Int
    /// The body is filled up with spaces to this length, since the answers of collectors are a few bytes
    /// long, if they have a body at all; a longer body stays as it is.
    package var bytes: Int

    package init(bytesPerSecond: Int, bytes: Int) {
        self.bytesPerSecond = bytesPerSecond
        self.bytes = bytes
    }
}

/// A rolling deployment: over the window, one instance after the other restarts. Each of `instances`
/// has an equal part of the window; at its beginning the instance goes down, then warms up, then is as
/// before until the window ends.
///
/// A balancer that has not noticed spreads requests evenly by chance: one that falls on the instance
/// which is down is reset before it is read, and one that falls on the instance which warms up is
/// answered late.
package struct DeployFault: Hashable, Sendable {
    /// 1 or more.
    package var instances: Int
    /// How long an instance is away; with `warmUp` no longer than its part of the window.
    package var down: Interval
    /// How long it answers late afterwards.
    package var warmUp: Interval
    /// How late; milliseconds.
    package var latency: Distribution

    package init(instances: Int, down: Interval, warmUp: Interval, latency: Distribution) {
        self.instances = instances
        self.down = down
        self.warmUp = warmUp
        self.latency = latency
    }

    /// What an instance is doing.
    package enum State: Hashable, Sendable { case up, down, warmingUp }

    /// The instance that restarts at a moment, and how far it is; in a window that begins at `from` and
    /// lasts `length`.
    package func restarting(at now: Instant, from: Instant, length: Interval) -> (instance: Int, state: State)
    {
        let part = max(1, length.nanoseconds / Int64(instances))
        let passed = (now - from).nanoseconds
        let instance = min(Int(passed / part), instances - 1)
        let since = Interval(nanoseconds: passed - Int64(instance) * part)
        if since < down { return (instance, .down) }
        return (instance, since < down + warmUp ? .warmingUp : .up)
    }
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

/// Everything that the scenario's timeline asks of the collector, in order of `from`.
package struct CollectorPlan: Hashable, Sendable {
    package var faults: [FaultWindow] = []
    /// The configurations of all systems; before a system's first one its neutral one is served.
    package var configs: [ServedConfig] = []
    /// Paths that take uploads beside those that systems have of their own; of several for one path the
    /// first counts.
    package var uploadPaths: [UploadPath] = []
    /// Answer a wrong `crc` with this status; `nil` only counts it.
    package var wrongChecksumStatus: UInt16?
    /// Encryptions of GrowingIO's bodies beside those that the collector has of its own.
    package var growingCiphers = GrowingCiphers()
    /// Seed of the draws that decide which requests a share concerns.
    package var seed: UInt64 = 0

    package init() {}
}
