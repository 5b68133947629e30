package import Timebase

/// How the modelled server behaves where no fault on the timeline says otherwise.
package struct ServerRules: Hashable, Sendable {
    /// From the last byte of a request to the last byte of the answer, for a server without a model of its work;
    /// with one, what turning a request away takes.
    package var serviceTime: Interval
    /// How the server works; `nil` for one that never has too much to do.
    package var work: ServerWork?

    /// One millisecond: a collector on the same machine that does its work (an assumption; a
    /// scenario's latency faults add to it).
    package init(serviceTime: Interval = .milliseconds(1)) { self.serviceTime = serviceTime }
}

/// A server with workers, a queue in front of them, and a limit of its rate.
package struct ServerWork: Hashable, Sendable {
    /// Requests that are served at the same time; 1 or more.
    package var workers = 1
    /// What a request takes of a worker; milliseconds.
    package var serviceTime = Distribution.constant(1)
    /// Requests that may wait; `nil` for any number.
    package var queue: Int?
    /// How much longer a request is served that finds the queue full, in proportion for a shorter one: the
    /// capacity falls as the load rises. Without a bound of the queue it has no meaning.
    package var degrade = 0.0
    /// The answer to a request that finds no place.
    package var full = Refusal(status: 503)
    /// At most so many requests in a time.
    package var limit: RateLimit?

    package init() {}

    /// An answer to a request that is turned away.
    package struct Refusal: Hashable, Sendable {
        package var status: UInt16
        package var retryAfter: Interval?

        package init(status: UInt16, retryAfter: Interval? = nil) {
            self.status = status
            self.retryAfter = retryAfter
        }
    }

    /// A rate that is not to be passed: a bucket of ``burst`` requests that fills at ``rate``.
    package struct RateLimit: Hashable, Sendable {
        /// Requests per second; above 0.
        package var rate = 1.0
        /// Requests that may come at once; 1 or more.
        package var burst = 1
        package var refusal = Refusal(status: 429)

        package init() {}
    }
}
