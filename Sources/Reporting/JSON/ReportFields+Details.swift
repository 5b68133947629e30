import Measurement
import Timebase
import Wire

/// The parts of a report that pictures and lists are made from.

extension ReportCodec<Report.Mark> {
    static var mark: ReportCodec {
        object(
            Report.Mark(from: 0, until: nil, text: ""),
            [
                ReportField("from_seconds", \.from, .real),
                ReportField("until_seconds", \.until, .real),
                ReportField("text", \.text, .text),
                .later("name", \.name, .text),
            ])
    }
}

extension ReportCodec<Report.Clock> {
    static var clock: ReportCodec {
        object(
            Report.Clock(startsAt: Instant(nanoseconds: 0), utcOffsetMinutes: 0, zone: ""),
            [
                ReportField("starts_at", \.startsAt, .time),
                ReportField("utc_offset_minutes", \.utcOffsetMinutes, .whole),
                ReportField("zone", \.zone, .text),
                .rare("changes", \.someChanges, .list(.change)),
            ])
    }
}

extension Report.Clock {
    /// `nil` for none.
    fileprivate var someChanges: [Change]? {
        get { changes.isEmpty ? nil : changes }
        set { changes = newValue ?? [] }
    }
}

extension ReportCodec<Report.Clock.Change> {
    fileprivate static var change: ReportCodec {
        object(
            Report.Clock.Change(second: 0, utcOffsetMinutes: 0),
            [
                ReportField("after_seconds", \.second, .real),
                ReportField("utc_offset_minutes", \.utcOffsetMinutes, .whole),
            ])
    }
}

extension ReportCodec<Report.Entry> {
    /// Under its name.
    static var entry: ReportCodec {
        object(
            Report.Entry(name: "", mark: 0, metrics: []),
            [ReportField("mark", \.mark, .whole), ReportField("metrics", \.metrics, .metrics)])
    }
}

extension ReportCodec<Report.CloseUp> {
    static var closeUp: ReportCodec {
        object(
            Report.CloseUp(mark: 0, points: []),
            [ReportField("mark", \.mark, .whole), ReportField("series", \.points, .series)])
    }
}

extension ReportCodec<Report.NamedCurve> {
    /// Under its metric.
    static var curve: ReportCodec {
        let curve = ReportCodec<PercentileCurve>.object(
            PercentileCurve(),
            [
                ReportField("count", \.totalCount, .count),
                ReportField("mean", \.mean, .real),
                ReportField("stddev", \.standardDeviation, .real),
                ReportField("max", \.maximum, .real),
                ReportField("buckets", \.buckets, .whole),
                ReportField("sub_buckets", \.subBuckets, .whole),
                .derived("columns") { _ in .texts(["value_ms", "percentile", "total_count"]) },
                ReportField("rows", \.points, .list(.point)),
            ])
        return property(\.curve, curve, of: Report.NamedCurve(metric: "", curve: PercentileCurve()))
    }
}

extension ReportCodec<PercentileCurve.Point> {
    /// A row of three cells.
    static var point: ReportCodec {
        ReportCodec({
            .list([.number($0.milliseconds), .number($0.percentile), .int($0.totalCount)])
        }) { row throws(ReportReadError) in
            let cells = try row.elements()
            guard cells.count == 3 else {
                throw ReportReadError(key: row.key, message: "expected 3 values, found \(cells.count)")
            }
            guard (0...100).contains(try cells[1].double()) else {
                throw ReportReadError(key: cells[1].key, message: "expected a percentile from 0 to 100")
            }
            return PercentileCurve.Point(
                milliseconds: try cells[0].double(), percentile: try cells[1].double(),
                totalCount: try cells[2].count())
        }
    }
}

extension ReportCodec<HeatMap> {
    /// Under its metric.
    static var heatMap: ReportCodec {
        let map = object(
            HeatMap(metric: "", columnSeconds: 0, bounds: [], columns: []),
            [
                ReportField("column_seconds", \.columnSeconds, .real),
                ReportField("bounds_ms", \.bounds, .bounds),
                ReportField("columns", \.columns, .list(.list(.cell))),
            ])
        return ReportCodec(map.write) { node throws(ReportReadError) in
            let read = try map.read(node)
            for (index, column) in read.columns.enumerated()
            where !column.isEmpty && column.count + 1 != read.bounds.count {
                throw ReportReadError(
                    key: "\(node.key).columns[\(index)]",
                    message: "expected \(read.bounds.count - 1) counts, found \(column.count)")
            }
            return read
        }
    }
}

extension ReportCodec<[Double]> {
    /// Bounds of rows.
    static var bounds: ReportCodec {
        ReportCodec(list(.real).write) { node throws(ReportReadError) in
            var bounds: [Double] = []
            for bound in try node.elements() {
                let value = try bound.double()
                guard value > bounds.last ?? 0, value.isFinite else {
                    throw ReportReadError(key: bound.key, message: "expected bounds above 0 that ascend")
                }
                bounds.append(value)
            }
            return bounds
        }
    }
}

extension ReportCodec<UInt64> {
    /// Sums over a whole map must not overflow.
    fileprivate static var cell: ReportCodec {
        ReportCodec(count.write) { node throws(ReportReadError) in
            let count = try node.count()
            guard count < 1 << 40 else {
                throw ReportReadError(key: node.key, message: "expected a count below 2^40")
            }
            return count
        }
    }
}

extension ReportCodec<Report.UnexpectedAnswer> {
    /// As `errors.ndjson` has it too.
    static var answer: ReportCodec {
        object(
            Report.UnexpectedAnswer(
                at: Instant(nanoseconds: 0), population: "", status: 0, failure: nil, headers: "", body: ""),
            [
                ReportField("at", \.at, .milliseconds),
                ReportField("population", \.population, .text),
                ReportField("status", \.status, .status),
                ReportField("failure", \.failure, .text),
                ReportField("headers", \.headers, .text),
                ReportField("body", \.body, .text),
                .later("request", \.request, .text),
            ])
    }
}

extension Report.UnexpectedAnswer {
    /// What was answered, as text.
    fileprivate var request: String {
        get { isConfig ? "config" : "upload" }
        set { isConfig = newValue == "config" }
    }
}

extension ReportCodec<UInt16> {
    static var status: ReportCodec {
        ReportCodec({ .int($0) }) { node throws(ReportReadError) in
            guard let code = UInt16(exactly: try node.unsigned()) else {
                throw ReportReadError(key: node.key, message: "expected a status")
            }
            return code
        }
    }
}

extension ReportJSON {
    /// The first answer of an upload that failed, in short: for readers elsewhere.
    static func value(of answer: Report.FailedAnswer) -> JSONNode {
        .object([
            ("at", ReportCodec.milliseconds.write(answer.at)),
            ("population", .text(answer.population)),
            ("status", answer.status == 0 ? .null : .int(answer.status)),
            ("failure", answer.failure.map(JSONNode.text) ?? .null), ("body", .text(answer.body)),
        ])
    }
}

/// `errors.ndjson`: the first answers that no device hopes for, one a line.
package enum ErrorsWriter {
    package static let fileName = "errors.ndjson"

    package static func render(_ answers: [Report.UnexpectedAnswer]) -> [UInt8] {
        answers.flatMap { ReportCodec.answer.write($0).bytes(.compact) + [0x0A] }
    }
}
