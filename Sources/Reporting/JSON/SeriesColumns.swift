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
            ("connections", .whole(\.connections)), ("generator_lag_p99_ms", .real(\.lagP99)),
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

    /// `{"columns": […], "rows": [[…], …]}`: a tenth of the size of an object for each point.
    static func value(of series: [Report.SeriesPoint]) -> JSONValue {
        let columns = all
        return .members([
            "columns": .array(columns.map { .string($0.name) }),
            "rows": .array(series.map { point in .array(columns.map { value(of: $0.access, in: point) }) }),
        ])
    }

    static func value(of access: Access, in point: Report.SeriesPoint) -> JSONValue {
        switch access {
        case .real(let path): .double(point[keyPath: path])
        case .count(let path): .unsigned(point[keyPath: path])
        case .whole(let path): .integer(Int64(point[keyPath: path]))
        }
    }

    /// Puts a value read from a report into a point.
    static func set(_ access: Access, of point: inout Report.SeriesPoint, to value: ReportNode)
        throws(ReportReadError)
    {
        switch access {
        case .real(let path): point[keyPath: path] = try value.double()
        case .count(let path): point[keyPath: path] = try value.count()
        case .whole(let path): point[keyPath: path] = try value.integer()
        }
    }
}
