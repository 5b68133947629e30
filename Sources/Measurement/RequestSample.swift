package import Timebase
package import World

/// One request as it was measured. Phases that did not happen are zero or `nil`.
package struct RequestSample: Sendable {
    /// A config fetch is counted apart; `http_*` are uploads only.
    package var isConfig = false
    /// The due time of the trigger, on the run's clock.
    package var plannedAt: Instant
    /// When it left, on the run's clock: when its first byte was sent, in a simulation when the collector had it. Of one
    /// that never left, when its device began to try.
    package var begunAt: Instant
    package var finishedAt: Instant
    /// Seconds of the run's clock in a real second. All lengths are of real time.
    package var pace: Int64
    /// The status of a whole answer, or 0.
    package var status: UInt16 = 0
    /// Why there was no whole answer; `nil` where there was one.
    package var failure: RequestFailure?
    /// Whether the system that sent it takes the answer as success.
    package var isAcknowledged = false
    package var eventCount: UInt32 = 0
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
        begunAt = plannedAt
        self.finishedAt = finishedAt
        self.pace = pace
    }
}

extension RequestSample {
    /// No answer that its system takes as success.
    package var failed: Bool { !isAcknowledged }

    /// Unanswered because the app's process died.
    var isAbandoned: Bool { if case .processDied = failure { true } else { false } }

    /// Begun without a network: nothing was sent.
    package var isOffline: Bool { if case .offline = failure { true } else { false } }

    /// First byte sent → last byte of the answer.
    var service: Interval { sending + waiting + receiving }
}

// MARK: - What is measured of every upload

/// A time that is measured of uploads, each a metric with a distribution of its own.
enum RequestTime: UInt8, CaseIterable {
    case duration, service, blocked, lookingUp, connecting, handshaking, sending, waiting, receiving

    /// The metric.
    var entry: MetricCatalogue.Entry {
        let (name, summary) = description
        return MetricCatalogue.Entry("http_req_\(name)", .milliseconds, .time(self), summary)
    }

    private var description: (name: String, summary: String) {
        switch self {
        case .duration:
            (
                "duration",
                "Planned start (the due time of the trigger) to last byte of the answer: not k6's meaning."
            )
        case .service:
            ("service", "First byte sent to last byte of the answer: what k6 calls http_req_duration.")
        case .blocked:
            ("blocked", "Waiting for a connection, for the generator, or for the SDK's upload before it.")
        case .lookingUp: ("looking_up", "Looking up the host's name, where its address was not known.")
        case .connecting: ("connecting", "Setting up the TCP connection, where a new one was made.")
        case .handshaking: ("tls_handshaking", "The TLS handshake, where there was one.")
        case .sending: ("sending", "First to last byte of the request.")
        case .waiting:
            (
                "waiting",
                "Last byte of the request to first byte of the answer, or of an interim one (1xx): the collector's own "
                    + "time and the way."
            )
        case .receiving: ("receiving", "First to last byte of the answer.")
        }
    }
}

/// A number that is measured of uploads, each a metric with a distribution of its own.
enum RequestSize: UInt8, CaseIterable {
    /// Events in the upload.
    case batch
}

/// What is counted of uploads; of fetches of the configuration, and of uploads begun without a network, only
/// the case of their own.
enum RequestCount: UInt8, CaseIterable {
    case uploads, failed
    /// Of the failed, those of apps whose process died.
    case abandoned
    case retries, bytesSent, bytesReceived
    case configFetches, offlineAttempts
}

extension RequestSample {
    /// Records the upload's times. Only whole answers have a duration: a refusal within a millisecond is not a
    /// fast answer.
    func record(in times: inout CaseTable<RequestTime, LatencyHistogram>) {
        times[.blocked].record(blocked)
        if let lookingUp { times[.lookingUp].record(lookingUp) }
        if let connecting { times[.connecting].record(connecting) }
        if let handshaking { times[.handshaking].record(handshaking) }
        guard failure == nil else { return }
        times[.duration].record(duration)
        times[.service].record(service)
        times[.sending].record(sending)
        times[.waiting].record(waiting)
        times[.receiving].record(receiving)
    }

    /// Records the upload's sizes.
    func record(in sizes: inout CaseTable<RequestSize, SizeHistogram>) {
        sizes[.batch].record(UInt64(eventCount))
    }

    /// Counts the upload.
    func count(in counts: inout CaseTable<RequestCount, UInt64>) {
        counts[.uploads] += 1
        if failed { counts[.failed] += 1 }
        if isAbandoned { counts[.abandoned] += 1 }
        if isRetry { counts[.retries] += 1 }
        counts[.bytesSent] += bytesSent
        counts[.bytesReceived] += bytesReceived
    }
}
