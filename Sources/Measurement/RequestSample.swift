package import Timebase
package import World

/// One request as it was measured. Phases that did not happen are zero or `nil`.
package struct RequestSample: Sendable {
    /// A config fetch is counted apart; `http_*` are uploads only.
    package var isConfig = false
    /// The due time of the trigger, on the run's clock.
    package var plannedAt: Instant
    package var finishedAt: Instant
    /// Seconds of the run's clock in a real second. All lengths are of real time.
    package var pace: Int64
    /// The status of a whole answer, or 0.
    package var status: UInt16 = 0
    /// Why there was no whole answer; `nil` where there was one.
    package var failure: RequestFailure?
    /// Whether the system that sent it takes the answer as success.
    package var isAcknowledged = false
    package var eventCount: UInt16 = 0
    package var isRetry = false
    package var bytesSent: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    /// Waiting for a socket or the generator.
    package var blocked = Interval.zero
    /// Looking up the host's name; `nil` where its address was known.
    package var lookingUp: Interval?
    /// TCP connect; `nil` where an open connection was used.
    package var connecting: Interval?
    /// The TLS handshake; `nil` where there was none.
    package var handshaking: Interval?
    /// First byte of the request written → last byte written.
    package var sending = Interval.zero
    /// Last byte written → first byte of the answer.
    package var waiting = Interval.zero
    /// First → last byte of the answer.
    package var receiving = Interval.zero

    /// Everything that a connection of its own took.
    package var settingUp: Interval {
        (lookingUp ?? .zero) + (connecting ?? .zero) + (handshaking ?? .zero)
    }

    /// Planned start → last byte of the answer.
    package var duration: Interval { (finishedAt - plannedAt) / pace }

    package init(plannedAt: Instant, finishedAt: Instant, pace: Int64 = 1) {
        self.plannedAt = plannedAt
        self.finishedAt = finishedAt
        self.pace = pace
    }
}
