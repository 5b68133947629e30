package import Timebase
import Wire

/// Figures of work that goes on as a request of OpenTelemetry's protocol: `ExportMetricsServiceRequest` in the JSON of
/// OTLP/HTTP (opentelemetry-proto 1.x), under the names that ``LiveMetrics`` has.
package struct OTLPWriter {
    /// What the figures are of: `service.name` and the like.
    package var resource: [(key: String, value: String)]
    package var toolVersion: String
    /// When counting began, on the wall clock.
    package var start: Instant
    /// The series that were pushed.
    private var told: [Exposition.Family] = []

    package init(resource: [(key: String, value: String)], toolVersion: String, start: Instant) {
        self.resource = resource
        self.toolVersion = toolVersion
        self.start = start
    }

    /// The request's body. Whoever takes a push keeps what it said until another says something else, so that a series
    /// that was pushed once is pushed again, with 0 where it is nothing any more, and without a value where there is
    /// none (yet, in the next run of several).
    ///
    /// - Parameters:
    ///   - report: Of a run, if there is one.
    ///   - progress: How much of the work is done, 0…1.
    ///   - now: On the wall clock.
    package mutating func body(of report: Report?, progress: Double?, now: Instant) -> [UInt8] {
        var all = report.map { LiveMetrics.families(of: $0) } ?? Exposition()
        LiveMetrics.addProgress(progress, to: &all)
        all.addEnded(told: &told)
        let times = [
            ("startTimeUnixNano", JSONNode.text(String(start.nanoseconds))),
            ("timeUnixNano", JSONNode.text(String(now.nanoseconds))),
        ]
        let metrics = all.families.filter { !$0.samples.isEmpty }.map { OTLPWriter.metric($0, times) }
        let scope = JSONNode.object([("name", .text("beaconswarm")), ("version", .text(toolVersion))])
        let scoped = JSONNode.object([("scope", scope), ("metrics", .list(metrics))])
        let attributes = JSONNode.object([("attributes", OTLPWriter.attributes(resource))])
        let whole = JSONNode.object([("resource", attributes), ("scopeMetrics", .list([scoped]))])
        return JSONNode.object([("resourceMetrics", .list([whole]))]).bytes(.compact)
    }

    private typealias Fields = [(String, JSONNode)]

    private static func attributes(_ pairs: [(String, String)]) -> JSONNode {
        .list(
            pairs.map { key, value in
                .object([("key", .text(key)), ("value", .object([("stringValue", .text(value))]))])
            })
    }

    private static func metric(_ family: Exposition.Family, _ times: Fields) -> JSONNode {
        let head: Fields = [("name", .text(family.name)), ("description", .text(family.help))]
        let data: Fields =
            switch family.kind {
            case .gauge: [("gauge", .object([("dataPoints", .list(points(family, times)))]))]
            case .counter:
                [
                    (
                        "sum",
                        .object([
                            ("dataPoints", .list(points(family, times))),
                            // Cumulative: since `start`.
                            ("aggregationTemporality", .int(2)), ("isMonotonic", .bool(true)),
                        ])
                    )
                ]
            case .summary: [("summary", .object([("dataPoints", .list(summaries(family, times)))]))]
            }
        return .object(head + data)
    }

    private static func points(_ family: Exposition.Family, _ times: Fields) -> [JSONNode] {
        family.samples.map { sample in
            let value = sample.value.isFinite ? ("asDouble", JSONNode.number(sample.value)) : noValue
            return .object([("attributes", attributes(sample.labels))] + times + [value])
        }
    }

    /// `DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK` of the protocol.
    private static let noValue = ("flags", JSONNode.int(1))

    /// Samples with the same labels, but for the quantile, are one point.
    private static func summaries(_ family: Exposition.Family, _ times: Fields) -> [JSONNode] {
        struct Point {
            var labels: [(String, String)]
            var quantiles: [JSONNode] = []
            var sum = 0.0
            var count = 0.0
            var hasValue = true
        }
        var points: [Point] = []
        for sample in family.samples {
            let labels = sample.labels.filter { $0.0 != "quantile" }
            let known = points.firstIndex { $0.labels.elementsEqual(labels, by: ==) }
            if known == nil { points.append(Point(labels: labels)) }
            let index = known ?? points.count - 1
            if sample.value.isNaN {
                points[index].hasValue = false
            } else if sample.name == family.name + "_sum" {
                points[index].sum = sample.value
            } else if sample.name == family.name + "_count" {
                points[index].count = sample.value
            } else if let quantile = sample.labels.last.flatMap({ Double($0.1) }) {
                points[index].quantiles.append(
                    .object([("quantile", .number(quantile)), ("value", .number(sample.value))]))
            }
        }
        return points.map { point in
            let figures: Fields = [
                ("count", .text(String(UInt64(max(0, point.count))))), ("sum", .number(point.sum)),
                ("quantileValues", .list(point.quantiles)),
            ]
            return .object(
                [("attributes", attributes(point.labels))] + times + (point.hasValue ? figures : [noValue]))
        }
    }
}
