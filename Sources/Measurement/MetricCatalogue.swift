/// Every metric that a run can report, with its kind, unit and meaning: what thresholds are checked
/// against, what the scenario's schema offers, and what the outputs explain.
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
        case milliseconds, bytes, events, requests, rows, devices
        /// A rate's 0…1.
        case share
    }

    /// A metric.
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var kind: Kind
        package var unit: Unit
        /// One sentence.
        package var summary: String
    }

    /// In the order in which reports show them.
    package static let all: [Entry] = fleet + http + traffic

    /// The entry of a metric, `nil` for a name that does not exist.
    package static func entry(_ name: String) -> Entry? { all.first { $0.name == name } }

    /// `passes` as a share of all samples, 0…1; `nil` without samples.
    package static func share(passes: UInt64, fails: UInt64) -> Double? {
        passes + fails == 0 ? nil : Double(passes) / Double(passes + fails)
    }

    private static func metric(_ name: String, _ kind: Kind, _ unit: Unit, _ summary: String) -> Entry {
        Entry(name: name, kind: kind, unit: unit, summary: summary)
    }

    private static let fleet: [Entry] = [
        metric(
            "event_freshness", .trend, .milliseconds,
            "Planned capture of an event to the answer that acknowledged it; delivered events only."),
        metric(
            "freshness_within_1m", .rate, .share,
            "Events delivered within a minute, of all that were captured and not suppressed."),
        metric(
            "freshness_within_1h", .rate, .share,
            "Events delivered within an hour, of all that were captured and not suppressed."),
        metric(
            "freshness_within_24h", .rate, .share,
            "Events delivered within a day, of all that were captured and not suppressed."),
        metric(
            "events_captured", .counter, .events,
            "Events that the SDK began to build, suppressed ones included."),
        metric("events_lost", .rate, .share, "Events evicted, rejected or lost, of all that were captured."),
        metric("events_duplicated", .counter, .events, "Copies beyond the first that the collector holds."),
        metric("batch_size", .trend, .events, "Events in one upload."),
        metric("retries", .counter, .requests, "Uploads that carried a batch again after a failure."),
        metric("store_depth", .gauge, .rows, "Events waiting on all devices, on disk or in memory."),
        metric("devices_active", .gauge, .devices, "Devices whose app is in the foreground."),
        metric("config_fetches", .counter, .requests, "Fetches of remote configuration."),
    ]

    private static let http: [Entry] = [
        metric(
            "http_reqs", .counter, .requests,
            "Uploads, those unanswered at the end included; one begun without a radio is not counted."),
        metric(
            "http_req_duration", .trend, .milliseconds,
            "Planned start (the due time of the trigger) to last byte of the answer: not k6's meaning."),
        metric(
            "http_req_service", .trend, .milliseconds,
            "First byte sent to last byte of the answer: what k6 calls http_req_duration."),
        metric("http_req_blocked", .trend, .milliseconds, "Waiting for a connection or for the generator."),
        metric(
            "http_req_looking_up", .trend, .milliseconds,
            "Looking up the host's name, where its address was not known."),
        metric(
            "http_req_connecting", .trend, .milliseconds,
            "Setting up the TCP connection, where a new one was made."),
        metric("http_req_tls_handshaking", .trend, .milliseconds, "The TLS handshake, where there was one."),
        metric("http_req_sending", .trend, .milliseconds, "First to last byte of the request."),
        metric(
            "http_req_waiting", .trend, .milliseconds,
            "Last byte of the request to first byte of the answer: the collector's own time and the way."),
        metric("http_req_receiving", .trend, .milliseconds, "First to last byte of the answer."),
        metric("http_req_failed", .rate, .share, "Uploads without an answer that the SDK takes as success."),
    ]

    private static let traffic: [Entry] = [
        metric("data_sent", .counter, .bytes, "Bytes of requests, heads included."),
        metric("data_received", .counter, .bytes, "Bytes of answers, heads included."),
    ]
}
