package import Measurement

extension Report {
    /// Adds what pictures and distribution files are made from: the curves of the metrics that the report
    /// holds in full, and the heat maps of a series.
    package mutating func addDistributions(of series: TimeSeries) {
        curves = PercentileWriter.metrics.compactMap { name in
            guard case .trend(.time(let histogram)) = metrics.first(where: { $0.name == name })?.value,
                histogram.count > 0
            else { return nil }
            return NamedCurve(metric: name, curve: histogram.percentileCurve)
        }
        heatMaps = [
            HeatMap(metric: "http_req_duration", series: series, \.duration),
            HeatMap(metric: "event_freshness", series: series, \.freshness),
        ].compactMap { $0 }
    }
}
