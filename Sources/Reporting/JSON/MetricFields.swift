import Measurement
import Wire

extension ReportCodec<[Metric]> {
    static var metrics: ReportCodec {
        let blank = Metric("", .counter(count: 0, perSecond: 0))
        return named(\.name, .property(\.value, .metric, of: blank))
    }
}

extension ReportCodec<TrendSummary> {
    static var trend: ReportCodec {
        object(
            TrendSummary(),
            [
                ReportField("count", \.count, .count),
                ReportField("min", \.minimum, .real),
                ReportField(MetricKeys.trend, \.average, .real),
                ReportField("med", \.median, .real),
                ReportField("max", \.maximum, .real),
                ReportField("p(90)", \.p90, .real),
                ReportField("p(95)", \.p95, .real),
                ReportField("p(99)", \.p99, .real),
                ReportField("p(99.9)", \.p999, .real),
            ])
    }
}

/// The keys that tell kinds of metrics apart.
private enum MetricKeys {
    static let trend = "avg"
    static let rate = "passes"
    static let gauge = "value"
}

private struct Counter {
    var count = 0.0
    var perSecond = 0.0

    static var codec: ReportCodec<Counter> {
        .object(
            Counter(),
            [ReportField("count", \.count, .real), ReportField("rate", \.perSecond, .real)])
    }
}

private struct Rate {
    var passes: UInt64 = 0
    var fails: UInt64 = 0

    static var codec: ReportCodec<Rate> {
        .object(
            Rate(),
            [
                .derived("rate") { .number(MetricCatalogue.share(passes: $0.passes, fails: $0.fails) ?? 0) },
                ReportField(MetricKeys.rate, \.passes, .count), ReportField("fails", \.fails, .count),
            ])
    }
}

private struct Gauge {
    var value = 0.0
    var minimum = 0.0
    var maximum = 0.0

    static var codec: ReportCodec<Gauge> {
        .object(
            Gauge(),
            [
                ReportField(MetricKeys.gauge, \.value, .real), ReportField("min", \.minimum, .real),
                ReportField("max", \.maximum, .real),
            ])
    }
}

extension ReportCodec<MetricValue> {
    static var metric: ReportCodec {
        ReportCodec({ metric in
            switch metric {
            case .trend(let trend): ReportCodec<TrendSummary>.trend.write(trend.summary)
            case .counter(let count, let perSecond):
                Counter.codec.write(Counter(count: count, perSecond: perSecond))
            case .rate(let passes, let fails): Rate.codec.write(Rate(passes: passes, fails: fails))
            case .gauge(let value, let minimum, let maximum):
                Gauge.codec.write(Gauge(value: value, minimum: minimum, maximum: maximum))
            }
        }) { node throws(ReportReadError) in
            if try node.optional(MetricKeys.trend) != nil {
                return .trend(.summary(try ReportCodec<TrendSummary>.trend.read(node)))
            }
            if try node.optional(MetricKeys.rate) != nil {
                let rate = try Rate.codec.read(node)
                return .rate(passes: rate.passes, fails: rate.fails)
            }
            if try node.optional(MetricKeys.gauge) != nil {
                let gauge = try Gauge.codec.read(node)
                return .gauge(value: gauge.value, minimum: gauge.minimum, maximum: gauge.maximum)
            }
            let counter = try Counter.codec.read(node)
            return .counter(count: counter.count, perSecond: counter.perSecond)
        }
    }
}
