import Measurement
import Timebase

/// The parts of a report that pictures and lists are made from, both ways.
extension ReportJSON {
    static func missing(_ missing: Report.MissingEvents) -> JSONValue {
        let fates = missing.neverAccepted.map { fate in
            JSONMember(fate.fate, .object(fate.causes.map { JSONMember($0.name, .unsigned($0.count)) }))
        }
        return .members([
            "never_accepted": .object(fates), "accepted_then_lost": .unsigned(missing.acceptedThenLost),
        ])
    }

    static func missing(_ node: ReportNode) throws(ReportReadError) -> Report.MissingEvents {
        var missing = Report.MissingEvents()
        missing.acceptedThenLost = try node.required("accepted_then_lost").count()
        for (fate, causes) in try node.required("never_accepted").members() {
            missing.neverAccepted.append(Report.FateCounts(fate: fate, causes: try causes.counts()))
        }
        return missing
    }

    static func curve(_ curve: PercentileCurve) -> JSONValue {
        .members([
            "count": .unsigned(curve.totalCount), "mean": .double(curve.mean),
            "stddev": .double(curve.standardDeviation), "max": .double(curve.maximum),
            "buckets": .integer(Int64(curve.buckets)), "sub_buckets": .integer(Int64(curve.subBuckets)),
            "columns": .array([.string("value_ms"), .string("percentile"), .string("total_count")]),
            "rows": .array(
                curve.points.map { point in
                    .array([
                        .double(point.milliseconds), .double(point.percentile), .unsigned(point.totalCount),
                    ])
                }),
        ])
    }

    static func curve(_ node: ReportNode) throws(ReportReadError) -> PercentileCurve {
        var curve = PercentileCurve()
        curve.totalCount = try node.required("count").count()
        curve.mean = try node.required("mean").double()
        curve.standardDeviation = try node.required("stddev").double()
        curve.maximum = try node.required("max").double()
        curve.buckets = try node.required("buckets").integer()
        curve.subBuckets = try node.required("sub_buckets").integer()
        for row in try node.required("rows").elements() {
            let cells = try row.elements()
            guard cells.count == 3 else {
                throw ReportReadError(key: row.key, message: "expected 3 values, found \(cells.count)")
            }
            guard (0...100).contains(try cells[1].double()) else {
                throw ReportReadError(key: cells[1].key, message: "expected a percentile from 0 to 100")
            }
            curve.points.append(
                PercentileCurve.Point(
                    milliseconds: try cells[0].double(), percentile: try cells[1].double(),
                    totalCount: try cells[2].count()))
        }
        return curve
    }

    static func heatMap(_ map: HeatMap) -> JSONValue {
        .members([
            "column_seconds": .double(map.columnSeconds), "bounds_ms": .array(map.bounds.map { .double($0) }),
            "columns": .array(map.columns.map { .array($0.map { .unsigned($0) }) }),
        ])
    }

    static func heatMap(_ metric: String, _ node: ReportNode) throws(ReportReadError) -> HeatMap {
        var map = HeatMap(
            metric: metric, columnSeconds: try node.required("column_seconds").double(), bounds: [],
            columns: [])
        for bound in try node.required("bounds_ms").elements() {
            let value = try bound.double()
            guard value > map.bounds.last ?? 0, value.isFinite else {
                throw ReportReadError(key: bound.key, message: "expected bounds above 0 that ascend")
            }
            map.bounds.append(value)
        }
        for column in try node.required("columns").elements() {
            var counts: [UInt64] = []
            for cell in try column.elements() {
                let count = try cell.count()
                // Sums over a whole map must not overflow.
                guard count < 1 << 40 else {
                    throw ReportReadError(key: cell.key, message: "expected a count below 2^40")
                }
                counts.append(count)
            }
            guard counts.isEmpty || counts.count + 1 == map.bounds.count else {
                throw ReportReadError(
                    key: column.key, message: "expected \(map.bounds.count - 1) counts, found \(counts.count)"
                )
            }
            map.columns.append(counts)
        }
        return map
    }

    /// An answer, as `errors.ndjson` has it too.
    static func value(of answer: Report.UnexpectedAnswer) -> JSONValue {
        .members([
            "at": .double(Double(answer.at.nanoseconds / 1000) / 1000),
            "population": .string(answer.population), "status": .unsigned(UInt64(answer.status)),
            "failure": answer.failure.map(JSONValue.string) ?? .null, "headers": .string(answer.headers),
            "body": .string(answer.body), "request": .string(answer.isConfig ? "config" : "upload"),
        ])
    }

    /// The first answer of an upload that failed, in short.
    static func value(of answer: Report.FailedAnswer) -> JSONValue {
        .members([
            "at": .double(Double(answer.at.nanoseconds / 1000) / 1000),
            "population": .string(answer.population),
            "status": answer.status == 0 ? .null : .unsigned(UInt64(answer.status)),
            "failure": answer.failure.map(JSONValue.string) ?? .null, "body": .string(answer.body),
        ])
    }

    static func answer(_ node: ReportNode) throws(ReportReadError) -> Report.UnexpectedAnswer {
        let at = try node.required("at")
        let milliseconds = try at.double()
        guard milliseconds.magnitude < 9e12 else {
            throw ReportReadError(key: at.key, message: "expected milliseconds since 1970")
        }
        let status = try node.required("status")
        guard let code = UInt16(exactly: try status.unsigned()) else {
            throw ReportReadError(key: status.key, message: "expected a status")
        }
        return Report.UnexpectedAnswer(
            at: Instant(nanoseconds: Int64((milliseconds * 1000).rounded()) * 1000),
            population: try node.required("population").string(), status: code,
            failure: try node.optional("failure")?.string(),
            headers: try node.required("headers").string(), body: try node.required("body").string(),
            isConfig: try node.optional("request")?.string() == "config")
    }
}

/// `errors.ndjson`: the first answers that no device hopes for, one a line.
package enum ErrorsWriter {
    package static let fileName = "errors.ndjson"

    package static func render(_ answers: [Report.UnexpectedAnswer]) -> [UInt8] {
        answers.flatMap { JSONText.write(ReportJSON.value(of: $0), pretty: false) + [0x0A] }
    }
}
