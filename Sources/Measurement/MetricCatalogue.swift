/// Every metric that a run can report, with its kind, unit, meaning and source, in the order in which every
/// output shows them: what records are told by, what thresholds are checked against, what the scenario's
/// schema offers.
package enum MetricCatalogue {
    /// k6's four kinds of metric.
    package enum Kind: String, CaseIterable, Sendable {
        case trend, counter, rate, gauge

        /// What a threshold may ask of such a metric.
        package var aggregations: String {
            switch self {
            case .trend: "avg, min, med, max, p(N), count"
            case .counter: "count, rate"
            case .rate: "rate"
            case .gauge: "value"
            }
        }
    }

    /// What the numbers are of.
    package enum Unit: String, Sendable {
        case milliseconds, seconds, bytes, events, requests, rows, devices, wakeups
        /// A rate's 0…1.
        case share
    }

    /// What more of a metric means where two runs are compared.
    package enum More: Sendable { case worse, better, neither }

    /// A metric.
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var unit: Unit
        var source: MetricSource
        /// One sentence.
        package var summary: String
        package var more: More

        init(
            _ name: String, _ unit: Unit, _ source: MetricSource, _ summary: String, more: More = .worse
        ) {
            self.name = name
            self.unit = unit
            self.source = source
            self.summary = summary
            self.more = more
        }

        package var kind: Kind { source.kind }

        /// What the samples of a distribution are, which its `count` counts.
        package var sampleUnit: Unit {
            switch source {
            case .freshness, .entry: .events
            default: .requests
            }
        }
    }

    /// In the order in which reports show them.
    package static let all: [Entry] = fleet + requests + RequestTime.allCases.map(\.entry) + traffic

    /// What is told of an entry of the timeline, under the tag `{entry:NAME}`: events captured while it lasted, uploads
    /// that were due in it, and what came after it.
    package static let ofEntries: [Entry] =
        [
            "events_captured", "events_lost", "event_freshness", "freshness_within_1m", "freshness_within_1h",
            "freshness_within_24h", "batch_size", "retries", "http_reqs", "http_req_failed", "data_sent",
        ].compactMap { name in all.first { $0.name == name } } + ofEntriesAlone

    /// What no population has for itself: copies are not told apart by population.
    package static let ofFleetAlone = ["events_duplicated"]

    /// What nothing but an entry has.
    package static let ofEntriesAlone: [Entry] = [
        Entry(
            "event_attempts", .requests, .entry(.attempts),
            "Uploads that carried an event captured in the entry, of events that any carried."),
        Entry(
            "time_to_recover", .milliseconds, .entry(.recovery),
            "End of the entry to the answer that acknowledged an event captured in it; 0 for one acknowledged before."
        ),
        Entry(
            "herd_peak", .requests, .entry(.herd),
            "Uploads that began in the busiest second of the ten minutes after the entry."),
    ]

    /// The entry of a metric, `nil` for a name that does not exist.
    package static func entry(_ name: String) -> Entry? {
        all.first { $0.name == name } ?? ofEntriesAlone.first { $0.name == name }
    }

    /// `passes` as a share of all samples, 0…1; `nil` without samples.
    package static func share(passes: UInt64, fails: UInt64) -> Double? {
        passes + fails == 0 ? nil : Double(passes) / Double(passes + fails)
    }

    private static let fleet: [Entry] = events + FleetGauge.allCases.map(\.entry) + [rollOut]

    private static let rollOut = Entry(
        "rollout_reached", .share, .rollOut,
        "Devices that run the latest roll-out, of those that have started; only with roll-outs.",
        more: .neither)

    private static let events: [Entry] = [
        Entry(
            "events_captured", .events, .captured,
            "Events that the SDK began to build, suppressed ones included.", more: .neither),
        Entry("events_lost", .share, .lost, "Events evicted, rejected or lost, of all that were captured."),
        Entry("events_duplicated", .events, .audit, "Copies beyond the first that the collector holds."),
        Entry(
            "event_freshness", .milliseconds, .freshness,
            "Planned capture of an event to the answer that acknowledged it; delivered events only."),
        Entry(
            "freshness_within_1m", .share, .deliveredWithin(.minute),
            "Events delivered within a minute, of all that were captured and not suppressed.", more: .better),
        Entry(
            "freshness_within_1h", .share, .deliveredWithin(.hour),
            "Events delivered within an hour, of all that were captured and not suppressed.", more: .better),
        Entry(
            "freshness_within_24h", .share, .deliveredWithin(.day),
            "Events delivered within a day, of all that were captured and not suppressed.", more: .better),
        Entry("batch_size", .events, .size(.batch), "Events in one upload.", more: .neither),
        Entry(
            "retries", .requests, .count(.retries), "Uploads that carried a batch again after a failure."),
        Entry(
            "config_fetches", .requests, .count(.configFetches), "Fetches of remote configuration."),
    ]

    private static let requests: [Entry] = [
        Entry(
            "http_reqs", .requests, .count(.uploads),
            "Uploads, those unanswered at the end included; one begun without a radio is not counted."),
        Entry(
            "http_req_failed", .share, .share(.failed, of: .uploads),
            "Uploads without an answer that the SDK takes as success."),
    ]

    private static let traffic: [Entry] = [
        Entry("data_sent", .bytes, .count(.bytesSent), "Bytes of requests, heads included."),
        Entry("data_received", .bytes, .count(.bytesReceived), "Bytes of answers, heads included."),
        Entry(
            "radio_seconds", .seconds, .radioTime,
            "How long requests kept the devices' radios awake, tails included; only with networks that are not ideal."
        ),
        Entry(
            "radio_wakeups", .wakeups, .radioWakeups,
            "Times that a request found the device's radio asleep; only with networks that are not ideal."),
    ]
}

/// What of a ``PopulationRecord`` a metric tells.
enum MetricSource: Hashable, Sendable {
    case captured, lost, freshness, radioTime, radioWakeups, rollOut
    case deliveredWithin(FreshnessBound)
    case time(RequestTime)
    case size(RequestSize)
    case count(RequestCount)
    case share(RequestCount, of: RequestCount)
    case gauge(FleetGauge)
    /// Nothing: it is known after an audit only.
    case audit
    /// Nothing: an ``EntryWindow`` tells it.
    case entry(EntryMeasure)

    var kind: MetricCatalogue.Kind {
        switch self {
        case .freshness, .time, .size, .entry(.attempts), .entry(.recovery): .trend
        case .captured, .count, .audit, .radioTime, .radioWakeups: .counter
        case .lost, .deliveredWithin, .share, .rollOut: .rate
        case .gauge, .entry(.herd): .gauge
        }
    }
}
