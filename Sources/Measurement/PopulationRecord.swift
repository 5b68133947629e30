package import Accounting
import Timebase
package import World

/// Everything measured of one population: its books, its requests, its freshness. Constant memory,
/// exactly mergeable over shards.
package struct PopulationRecord: Sendable {
    package var ledger = Ledger()
    /// Whether it says something how old events are when they arrive. It does not where the run's clock is
    /// faster than the sockets: a moment on the way would count as minutes.
    package private(set) var measuresFreshness = true
    package private(set) var freshness = LatencyHistogram()
    private var deliveredWithin = [UInt64](repeating: 0, count: PopulationRecord.freshnessBounds.count)

    private var duration = LatencyHistogram()
    private var service = LatencyHistogram()
    private var blocked = LatencyHistogram()
    private var lookingUp = LatencyHistogram()
    private var connecting = LatencyHistogram()
    private var handshaking = LatencyHistogram()
    private var sending = LatencyHistogram()
    private var waiting = LatencyHistogram()
    private var receiving = LatencyHistogram()
    private var batchSize = SizeHistogram()
    package private(set) var requests: UInt64 = 0
    package private(set) var failedRequests: UInt64 = 0
    /// Of the failed, those of apps whose process died: no target can do anything about them.
    package private(set) var abandonedRequests: UInt64 = 0
    private var retries: UInt64 = 0
    private var configFetches: UInt64 = 0
    private var bytesSent: UInt64 = 0
    private var bytesReceived: UInt64 = 0
    /// Uploads that were not sent because the device had no network.
    package private(set) var offlineAttempts: UInt64 = 0
    /// Whole answers by status, in the order in which they came first.
    private var statusCounts: [(status: UInt16, count: UInt64)] = []
    /// Uploads without a whole answer.
    private var failureCounts = CaseTable<RequestFailure, UInt64>(repeating: 0)
    private var storeDepth = GaugeRange()
    private var devicesActive = GaugeRange()

    static let freshnessBounds: [(name: String, bound: Interval)] = [
        ("1m", .minutes(1)), ("1h", .hours(1)), ("24h", .hours(24)),
    ]

    package init(measuresFreshness: Bool = true) { self.measuresFreshness = measuresFreshness }

    /// Books an event's fate, and its freshness if it was delivered.
    package mutating func note(_ event: SealedEvent) {
        ledger.seal(event.disposition)
        guard case .delivered = event.disposition, measuresFreshness else { return }
        let age = event.ackedAt - event.capturedAt
        freshness.record(age)
        // The bounds ascend: from the largest down to the first that is passed.
        var index = deliveredWithin.count - 1
        while index >= 0, age.nanoseconds <= PopulationRecord.freshnessBounds[index].bound.nanoseconds {
            deliveredWithin[index] += 1
            index -= 1
        }
    }

    /// Records a finished request. Uploads begun without a network count only as attempts.
    package mutating func note(_ sample: RequestSample) {
        if sample.isConfig {
            configFetches += 1
            return
        }
        if sample.isOffline {
            offlineAttempts += 1
            return
        }
        requests += 1
        if sample.failed { failedRequests += 1 }
        if sample.isAbandoned { abandonedRequests += 1 }
        if sample.isRetry { retries += 1 }
        bytesSent += sample.bytesSent
        bytesReceived += sample.bytesReceived
        batchSize.record(UInt64(sample.eventCount))
        if let failure = sample.failure { failureCounts[failure] += 1 } else { count(status: sample.status) }
        blocked.record(sample.blocked)
        if let lookingUp = sample.lookingUp { self.lookingUp.record(lookingUp) }
        if let connecting = sample.connecting { self.connecting.record(connecting) }
        if let handshaking = sample.handshaking { self.handshaking.record(handshaking) }
        // Only whole answers have a duration: a refusal within a millisecond is not a fast answer.
        guard sample.failure == nil else { return }
        duration.record(sample.duration)
        service.record(sample.service)
        sending.record(sample.sending)
        waiting.record(sample.waiting)
        receiving.record(sample.receiving)
    }

    private mutating func count(status: UInt16, times: UInt64 = 1) {
        if let index = statusCounts.firstIndex(where: { $0.status == status }) {
            statusCounts[index].count += times
        } else {
            statusCounts.append((status, times))
        }
    }

    /// How many uploads ended by a failure.
    package func count(of failure: RequestFailure) -> UInt64 { failureCounts[failure] }

    /// Notes how many rows are stored and how many devices are in the foreground now.
    package mutating func note(storedRows: UInt64, devicesActive active: UInt64) {
        storeDepth.note(Double(storedRows))
        devicesActive.note(Double(active))
    }

    /// Sets the extremes of gauges that are known better than by adding populations up.
    mutating func setGaugeExtremes(_ extremes: SeriesExtremes) {
        storeDepth.set(extremes.lowGauges.storedRows, extremes.highGauges.storedRows)
        devicesActive.set(extremes.lowGauges.devicesActive, extremes.highGauges.devicesActive)
    }

    /// Answers by status or name of failure, the most frequent first, ties by name.
    package var answers: [(name: String, count: UInt64)] {
        let whole = statusCounts.map { (name: String($0.status), count: $0.count) }
        let failed = RequestFailure.allCases.map { (name: $0.name, count: failureCounts[$0]) }
        return (whole + failed.filter { $0.count > 0 }).sorted {
            $0.count != $1.count ? $0.count > $1.count : $0.name < $1.name
        }
    }

    /// Adds another shard's or population's record.
    package mutating func merge(_ other: PopulationRecord) {
        ledger.merge(other.ledger)
        measuresFreshness = measuresFreshness && other.measuresFreshness
        freshness.merge(other.freshness)
        for index in deliveredWithin.indices { deliveredWithin[index] += other.deliveredWithin[index] }
        duration.merge(other.duration)
        service.merge(other.service)
        blocked.merge(other.blocked)
        lookingUp.merge(other.lookingUp)
        connecting.merge(other.connecting)
        handshaking.merge(other.handshaking)
        sending.merge(other.sending)
        waiting.merge(other.waiting)
        receiving.merge(other.receiving)
        batchSize.merge(other.batchSize)
        requests += other.requests
        failedRequests += other.failedRequests
        abandonedRequests += other.abandonedRequests
        retries += other.retries
        configFetches += other.configFetches
        bytesSent += other.bytesSent
        bytesReceived += other.bytesReceived
        offlineAttempts += other.offlineAttempts
        for entry in other.statusCounts { count(status: entry.status, times: entry.count) }
        failureCounts.merge(other.failureCounts, +)
        storeDepth.merge(other.storeDepth)
        devicesActive.merge(other.devicesActive)
    }

    /// The record as metrics under their contract names.
    ///
    /// - Parameter seconds: The length of the run that rates are told over.
    package func metrics(seconds: Double) -> [Metric] {
        func counter(_ name: String, _ count: UInt64) -> Metric {
            Metric(name, .counter(count: Double(count), perSecond: seconds > 0 ? Double(count) / seconds : 0))
        }
        func time(_ name: String, _ histogram: LatencyHistogram) -> Metric {
            Metric(name, .trend(.time(histogram)))
        }
        // Without samples where freshness is not measured.
        let recorded =
            measuresFreshness ? ledger.captured - min(ledger.captured, ledger.count(of: .suppressed)) : 0
        let within = zip(PopulationRecord.freshnessBounds, deliveredWithin).map { bound, count in
            Metric(
                "freshness_within_\(bound.name)",
                .rate(passes: count, fails: recorded - min(recorded, count)))
        }
        let lost = ledger.lostInAnyWay
        return [
            counter("events_captured", ledger.captured),
            Metric("events_lost", .rate(passes: lost, fails: ledger.captured - min(ledger.captured, lost))),
            time("event_freshness", freshness),
        ] + within + [
            counter("http_reqs", requests),
            Metric("http_req_failed", .rate(passes: failedRequests, fails: requests - failedRequests)),
            time("http_req_duration", duration), time("http_req_service", service),
            time("http_req_blocked", blocked), time("http_req_looking_up", lookingUp),
            time("http_req_connecting", connecting), time("http_req_tls_handshaking", handshaking),
            time("http_req_sending", sending),
            time("http_req_waiting", waiting), time("http_req_receiving", receiving),
            counter("data_sent", bytesSent), counter("data_received", bytesReceived),
            Metric("batch_size", .trend(.size(batchSize))), counter("retries", retries),
            counter("config_fetches", configFetches),
            Metric("store_depth", storeDepth.metric), Metric("devices_active", devicesActive.metric),
        ]
    }
}

/// The last value of a gauge and its extremes.
struct GaugeRange: Sendable {
    var last = 0.0
    var minimum = 0.0
    var maximum = 0.0
    var isEmpty = true

    mutating func note(_ value: Double) {
        last = value
        minimum = isEmpty ? value : min(minimum, value)
        maximum = isEmpty ? value : max(maximum, value)
        isEmpty = false
    }

    /// Adds up: exact for the last value, a bound for the extremes, which shards may reach at
    /// different moments.
    mutating func merge(_ other: GaugeRange) {
        last += other.last
        minimum += other.minimum
        maximum += other.maximum
        isEmpty = isEmpty && other.isEmpty
    }

    mutating func set(_ low: UInt64, _ high: UInt64) {
        minimum = Swift.min(Double(low), last)
        maximum = Swift.max(Double(high), last)
    }

    var metric: MetricValue { .gauge(value: last, minimum: minimum, maximum: maximum) }
}

extension RequestSample {
    /// No answer that its system takes as success.
    package var failed: Bool { !isAcknowledged }

    /// First byte sent → last byte of the answer.
    var service: Interval { sending + waiting + receiving }

    /// Unanswered because the app's process died.
    var isAbandoned: Bool { failure == .processDied }

    /// Begun without a network: nothing was sent.
    package var isOffline: Bool { failure == .offline }
}
