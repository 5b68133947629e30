package import Measurement

/// What a policy costs and spares, from the figures of a run: per device, per day and per event, so that fleets of any
/// size and runs of any length can be held side by side.
package enum CostMeasures {
    /// A measure with what a reader has to know of it.
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var unit: MetricCatalogue.Unit
        package var summary: String
    }

    /// What becomes of events that devices take for delivered: what is said of loss does not see it.
    static let notKept = Entry(
        name: "events_not_kept", unit: .share,
        summary:
            "Events that were acknowledged and that the collector does not hold, of all that were captured: swallowed "
            + "by a planned fault, sent for a check only, or lost behind it. Known where there is an audit.")

    package static let all = [
        notKept,
        Entry(
            name: "requests_per_device_day", unit: .requests,
            summary: "Uploads of a device for a day of its user."),
        Entry(
            name: "bytes_per_device_day", unit: .bytes,
            summary: "Bytes that a device sends for a day of its user."),
        Entry(
            name: "bytes_per_delivered_event", unit: .bytes,
            summary: "Bytes sent for each event that the devices believe delivered."),
        Entry(
            name: "retry_amplification", unit: .requests,
            summary: "Uploads for each that carried a batch for the first time: 1 without retries."),
        Entry(
            name: "peak_to_mean_requests", unit: .requests,
            summary:
                "Uploads that leave in a second at the busiest moment against the mean while users act: the herd."
        ),
        Entry(
            name: "store_high_water", unit: .rows,
            summary: "Rows in the stores of all devices together, at most."),
        Entry(
            name: "radio_seconds_per_device_day", unit: .seconds,
            summary: "Seconds that requests kept a device's radio awake for a day of its user."),
        Entry(
            name: "radio_wakeups_per_device_day", unit: .wakeups,
            summary: "Times that a request woke a device's radio for a day of its user."),
    ]

    static func entry(_ name: String) -> Entry? { all.first { $0.name == name } }

    static func of(_ report: Report) -> [LabReport.NamedValue] {
        let requests = report.metrics.counter("http_reqs")?.count ?? 0
        let retries = report.metrics.counter("retries")?.count ?? 0
        let sent = report.metrics.counter("data_sent")?.count ?? 0
        let seconds = report.costSeconds
        let days = Double(report.devices) * seconds / 86_400
        let mean = ratio(requests, seconds) ?? 0
        let values = [
            report.audit.flatMap { ratio(Double($0.notKept), Double(report.events.captured)) },
            ratio(requests, days), ratio(sent, days), ratio(sent, report.countedDeliveries),
            ratio(requests, requests - retries),
            // In a run of seconds, uploads right at its end have a second that hardly counts in the mean.
            ratio(max(report.busiestSecond, mean), mean),
            report.highWater,
            report.metrics.counter("radio_seconds").flatMap { ratio($0.count, days) },
            report.metrics.counter("radio_wakeups").flatMap { ratio($0.count, days) },
        ]
        return zip(all, values).map { LabReport.NamedValue($0.name, $1) }
    }

    private static func ratio(_ part: Double, _ whole: Double) -> Double? { whole > 0 ? part / whole : nil }
}

extension Report {
    /// The seconds that a cost is divided by: those in which users acted, without what is not measured. The drain is
    /// none of them: it lasts as long as a policy takes to send what users left, and would make a slow one look cheap.
    fileprivate var costSeconds: Double {
        max(0, (usersSeconds ?? simulatedSeconds) - (measuredFromSeconds ?? 0))
    }

    /// Events that the devices believe delivered, of those that are measured. Older reports only have how many
    /// of them have a freshness.
    fileprivate var countedDeliveries: Double {
        guard measuredFromSeconds != nil else { return Double(events.delivered) }
        if let measuredDeliveries { return Double(measuredDeliveries) }
        return metrics.trend("event_freshness").map { Double($0.count) } ?? 0
    }

    /// Rows in all stores, at most: the gauge has looks that the series' intervals hide, but with a warm-up it is not of
    /// the whole run.
    fileprivate var highWater: Double? {
        let told = series.map(\.storedRange.high).max()
        guard measuredFromSeconds == nil,
            case .gauge(_, _, let maximum) = metrics.first(where: { $0.name == "store_depth" })?.value
        else { return told }
        return max(maximum, told ?? maximum)
    }

    /// Uploads a second, at most, in what is measured. Older reports only have when they ended.
    fileprivate var busiestSecond: Double {
        if let peakUploadRate { return peakUploadRate }
        let from = measuredFromSeconds ?? 0
        return series.lazy.filter { $0.second >= from }.map(\.requestRate.high).max() ?? 0
    }
}

extension Report.AuditCounts {
    /// Delivered to the devices' knowledge, and not held.
    fileprivate var notKept: UInt64 { swallowed + dryRun + ackedNotFound }
}
