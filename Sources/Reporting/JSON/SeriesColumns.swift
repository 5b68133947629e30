import Wire

/// The columns of the time series: one list for `report.json` and for `timeseries.csv`.
enum SeriesColumns {
    /// How a column gets into a point and out of it.
    enum Access {
        case real(WritableKeyPath<Report.SeriesPoint, Double>)
        case count(WritableKeyPath<Report.SeriesPoint, UInt64>)
        case whole(WritableKeyPath<Report.SeriesPoint, Int>)
    }

    /// Names carry their unit; a name without one is a count.
    static var all: [(name: String, access: Access)] {
        [
            ("second", .real(\.second)), ("seconds", .real(\.seconds)),
            ("captured_events", .count(\.captured)), ("delivered_events", .count(\.delivered)),
            ("requests", .count(\.requests)), ("failed_requests", .count(\.failures)),
            ("sent_bytes", .count(\.bytesSent)),
            ("freshness_p50_ms", .real(\.freshnessP50)), ("freshness_p95_ms", .real(\.freshnessP95)),
            ("duration_p50_ms", .real(\.durationP50)), ("duration_p95_ms", .real(\.durationP95)),
            ("duration_p99_ms", .real(\.durationP99)),
            ("stored_rows", .count(\.storedRows)), ("active_devices", .whole(\.devicesActive)),
            ("connections", .whole(\.connections)), ("updated_devices", .whole(\.devicesUpdated)),
            ("generator_lag_p99_ms", .real(\.lagP99)),
        ] + spreads
    }

    /// Extremes within an interval.
    private static var spreads: [(name: String, access: Access)] {
        [
            ("captured_per_second_min", .real(\.capturedRate.low)),
            ("captured_per_second_max", .real(\.capturedRate.high)),
            ("delivered_per_second_min", .real(\.deliveredRate.low)),
            ("delivered_per_second_max", .real(\.deliveredRate.high)),
            ("requests_per_second_min", .real(\.requestRate.low)),
            ("requests_per_second_max", .real(\.requestRate.high)),
            ("failed_requests_per_second_min", .real(\.failureRate.low)),
            ("failed_requests_per_second_max", .real(\.failureRate.high)),
            ("sent_bytes_per_second_min", .real(\.sentRate.low)),
            ("sent_bytes_per_second_max", .real(\.sentRate.high)),
            ("stored_rows_min", .real(\.storedRange.low)), ("stored_rows_max", .real(\.storedRange.high)),
            ("active_devices_min", .real(\.activeRange.low)),
            ("active_devices_max", .real(\.activeRange.high)),
            ("connections_min", .real(\.connectionRange.low)),
            ("connections_max", .real(\.connectionRange.high)),
        ]
    }

    /// Whether columns of a report tell of extremes; those of older versions do not.
    static func haveExtremes(_ names: [String]) -> Bool { spreads.allSatisfy { names.contains($0.name) } }

    static func value(of access: Access, in point: Report.SeriesPoint) -> JSONNode {
        switch access {
        case .real(let path): .number(point[keyPath: path])
        case .count(let path): .int(point[keyPath: path])
        case .whole(let path): .int(point[keyPath: path])
        }
    }

    /// Puts a value read from a report into a point.
    static func set(_ access: Access, of point: inout Report.SeriesPoint, to value: ReportNode)
        throws(ReportReadError)
    {
        switch access {
        case .real(let path): point[keyPath: path] = try value.real()
        case .count(let path): point[keyPath: path] = try value.count()
        case .whole(let path): point[keyPath: path] = try value.integer()
        }
    }
}

extension ReportCodec<[Report.SeriesPoint]> {
    /// `{"columns": […], "rows": [[…], …]}`: a tenth of the size of an object for each point.
    static var series: ReportCodec {
        let (columns, rows) = ("columns", "rows")
        return ReportCodec({ series in
            let all = SeriesColumns.all
            return .object([
                (columns, .texts(all.map(\.name))),
                (
                    rows,
                    .list(
                        series.map { point in
                            .list(all.map { SeriesColumns.value(of: $0.access, in: point) })
                        })
                ),
            ])
        }) { node throws(ReportReadError) in
            try read(rows: node.required(rows), of: node.required(columns).strings())
        }
    }

    private static func read(rows: ReportNode, of names: [String]) throws(ReportReadError) -> Value {
        let known = SeriesColumns.all
        let columns = names.map { name in known.first { $0.name == name }?.access }
        let haveExtremes = SeriesColumns.haveExtremes(names)
        var series: [Report.SeriesPoint] = []
        for row in try rows.elements() {
            let cells = try row.elements()
            guard cells.count == columns.count else {
                throw ReportReadError(
                    key: row.key, message: "expected \(columns.count) values, found \(cells.count)")
            }
            var point = Report.SeriesPoint()
            for (access, cell) in zip(columns, cells) {
                if let access { try SeriesColumns.set(access, of: &point, to: cell) }
            }
            if !haveExtremes { point.spreadEvenly() }
            series.append(point)
        }
        return series
    }
}
