import Wire

extension Report {
    /// Those of a run that was asked about by one process, or by one part of it.
    var soleTargetMetrics: TargetMetrics? {
        get { targetMetrics.count == 1 ? targetMetrics[0] : nil }
        set { if let newValue { targetMetrics = [newValue] } }
    }

    /// Those of several parts of a run, each by itself.
    var partedTargetMetrics: [TargetMetrics]? {
        get { targetMetrics.count > 1 ? targetMetrics : nil }
        set { if let newValue { targetMetrics = newValue } }
    }
}

extension ReportCodec<Report.TargetMetrics> {
    static var targetMetrics: ReportCodec {
        ReportCodec(fields.write) { node throws(ReportReadError) in
            let metrics = try fields.read(node)
            for index in metrics.series.indices
            where metrics.series[index].values.count != metrics.seconds.count {
                throw ReportReadError(
                    key: "\(node.key).series[\(index)].values",
                    message:
                        "expected \(metrics.seconds.count) values, found \(metrics.series[index].values.count)"
                )
            }
            return metrics
        }
    }

    private static var fields: ReportCodec {
        object(
            Report.TargetMetrics(),
            [
                .rare("part", \.part, .text),
                ReportField("url", \.url, .text),
                ReportField("every_seconds", \.everySeconds, .real),
                ReportField("scrapes", \.scrapes, .count),
                ReportField("failures", \.failures, .count),
                .rare("problem", \.problem, .text),
                ReportField("omitted_series", \.omitted, .whole),
                .later("unnumbered_values", \.unnumbered, .count),
                .later("unreadable_lines", \.unreadable, .count),
                .later("marks", \.marks, .list(.mark)),
                ReportField("seconds", \.seconds, .list(.real)),
                ReportField("series", \.series, .list(.targetSeries)),
            ])
    }
}

extension ReportCodec<Report.TargetSeries> {
    fileprivate static var targetSeries: ReportCodec {
        object(
            Report.TargetSeries(),
            [
                ReportField("name", \.name, .text),
                ReportField("labels", \.labels, .text),
                ReportField("counter", \.isCounter, .boolean),
                ReportField("values", \.values, .list(.known)),
            ])
    }
}

extension ReportCodec<Double?> {
    /// A number, or null for none.
    fileprivate static var known: ReportCodec {
        ReportCodec({ $0.map { .number($0) } ?? .null }) { node throws(ReportReadError) in
            if case .null = node.value.content { return nil }
            return try node.double()
        }
    }
}
