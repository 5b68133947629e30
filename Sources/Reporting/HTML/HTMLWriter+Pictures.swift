import Accounting
import Measurement

/// The sections that are pictures, each with a table of the same numbers.
extension HTMLWriter {
    func section(_ id: String, _ title: String, _ html: inout Markup, _ content: (inout Markup) -> Void) {
        html.element("section", ["id": id, "aria-labelledby": "\(id)-h"]) { html in
            html.element("h2", ["id": "\(id)-h"], title)
            content(&html)
        }
    }

    func ledger(_ report: Report, into html: inout Markup) {
        section("ledger", "Where every event went", &html) { html in
            html.element("p", HTMLWriter.balance(report.events))
            guard report.events.captured > 0 else { return }
            html.element("div", ["class": "panel"]) { html in
                LedgerFlow(report, .wide).write(into: &html)
                LedgerFlow(report, .narrow).write(into: &html)
                html.element("details") { html in
                    html.element("summary", "Table")
                    html.ledgerTable(report)
                }
            }
        }
    }

    private static func balance(_ events: Report.EventCounts) -> String {
        if events.captured == 0 { return "No event was captured." }
        guard events.balance == 0 else {
            return
                "The books do not balance: \(events.balance) of \(Numbers.count(events.captured)) captured events "
                + "have no single fate."
        }
        return
            "\(Numbers.count(events.captured)) events were captured, and each has exactly one fate: "
            + "the balance is 0."
    }

    func times(_ report: Report, into html: inout Markup) {
        guard let chart = PercentileChart(report.metrics) else { return }
        section("times", "How fresh, and how fast", &html) { html in
            html.element("p", HTMLWriter.freshness(report.metrics) + Report.durationNote)
            html.element("div", ["class": "panel"]) { html in
                chart.write(.wide, into: &html)
                chart.write(.narrow, into: &html)
                html.element("details") { html in
                    html.element("summary", "Table")
                    chart.table(into: &html)
                }
            }
            let curves = HTMLWriter.curves(report)
            guard !curves.isEmpty else { return }
            html.element("div", ["class": "charts below"]) { html in
                for curve in curves { curve.write(into: &html) }
            }
        }
    }

    /// The shares in time, in a sentence; they count what never arrived against the fleet.
    private static func freshness(_ metrics: [Metric]) -> String {
        let names = [
            ("freshness_within_1m", "a minute"), ("freshness_within_1h", "an hour"),
            ("freshness_within_24h", "a day"),
        ]
        let parts = names.compactMap { name, words in
            metrics.rate(name).map { "\(Numbers.percent($0.share)) within \(words)" }
        }
        guard !parts.isEmpty else { return "" }
        return "Of all events that should have arrived: " + parts.joined(separator: ", ") + ". "
    }

    func overTime(_ report: Report, into html: inout Markup) {
        guard !report.series.isEmpty else { return }
        section("series", "Over time", &html) { html in
            let points = SeriesMerging.merged(report.series, limit: 120)
            let merged = points.count < report.series.count
            html.element(
                "p",
                "Shaded: the timeline's faults and changes."
                    + (merged
                        ? " Percentiles are the largest of each interval; every interval is in timeseries.csv."
                        : ""))
            marks(report.marks, into: &html)
            html.element("div", ["class": "charts"]) { html in
                for chart in HTMLWriter.heatMaps(report) { chart.write(into: &html) }
                for chart in HTMLWriter.charts(report, points) { chart.write(into: &html) }
            }
        }
    }

    private static func heatMaps(_ report: Report) -> [HeatMapChart] {
        [
            ("h-time", "Upload time, all of it (http_req_duration)", "uploads", "http_req_duration"),
            ("h-fresh", "Event freshness, all of it", "events", "event_freshness"),
        ].compactMap { id, title, noun, metric in
            report.heatMaps.first { $0.metric == metric }.flatMap {
                HeatMapChart(id: id, title: title, noun: noun, map: $0, marks: report.marks)
            }
        }
    }

    /// The curves of requests and of events: they are of different orders of size.
    private static func curves(_ report: Report) -> [CurveChart] {
        func curve(_ metric: String) -> PercentileCurve {
            report.curves.first { $0.metric == metric }?.curve ?? PercentileCurve()
        }
        return [
            CurveChart(
                id: "p-time", title: "Upload time by percentile",
                lines: [
                    ("http_req_duration", "a", curve("http_req_duration")),
                    ("http_req_service", "b", curve("http_req_service")),
                ]),
            CurveChart(
                id: "p-fresh", title: "Event freshness by percentile",
                lines: [("event_freshness", "a", curve("event_freshness"))]),
        ].compactMap { $0 }
    }

    private func marks(_ marks: [Report.Mark], into html: inout Markup) {
        guard !marks.isEmpty else { return }
        html.element("ol", ["class": "marks"]) { html in
            for (index, mark) in marks.enumerated() {
                html.element("li") { html in
                    html.element("b", String(index + 1))
                    let until = mark.until.map { " to " + Ticks.clockLabel($0) } ?? ""
                    html.add("\(mark.text), \(Ticks.clockLabel(mark.from))\(until)")
                }
            }
        }
    }

    private static func charts(_ report: Report, _ points: [Report.SeriesPoint]) -> [TimeChart] {
        func chart(
            _ id: String, _ title: String, _ unit: Axis.Unit,
            _ lines: [(name: String, tone: String, value: (Report.SeriesPoint) -> Double?)]
        ) -> TimeChart {
            TimeChart(id: id, title: title, unit: unit, points: points, marks: report.marks, lines: lines)
        }
        func rate(_ path: KeyPath<Report.SeriesPoint, UInt64>) -> (Report.SeriesPoint) -> Double? {
            { $0.seconds > 0 ? Double($0[keyPath: path]) / $0.seconds : nil }
        }
        /// Zero stands for no samples.
        func time(_ path: KeyPath<Report.SeriesPoint, Double>) -> (Report.SeriesPoint) -> Double? {
            { $0[keyPath: path] > 0 ? $0[keyPath: path] : nil }
        }
        var charts = [
            chart(
                "c-events", "Events captured and delivered", .perSecond,
                [("delivered", "a", rate(\.delivered)), ("captured", "b", rate(\.captured))]),
            chart(
                "c-fresh", "Event freshness", .time,
                [("p(50)", "a", time(\.freshnessP50)), ("p(95)", "b", time(\.freshnessP95))]),
            chart(
                "c-reqs", "Uploads", .perSecond,
                [("all", "a", rate(\.requests)), ("failed", "c", rate(\.failures))]),
            chart(
                "c-time", "Upload time (http_req_duration)", .time,
                [
                    ("p(50)", "a", time(\.durationP50)), ("p(95)", "b", time(\.durationP95)),
                    ("p(99)", "c", time(\.durationP99)),
                ]),
            chart("c-store", "Events waiting on devices", .count, [("rows", "a", { Double($0.storedRows) })]),
            chart("c-sent", "Traffic sent", .bytesPerSecond, [("sent", "a", rate(\.bytesSent))]),
        ]
        var fleet: [(name: String, tone: String, value: (Report.SeriesPoint) -> Double?)] = [
            ("active devices", "a", { Double($0.devicesActive) })
        ]
        if points.contains(where: { $0.connections > 0 }) {
            fleet.append(("connections", "b", { Double($0.connections) }))
        }
        charts.append(chart("c-fleet", "Devices", .count, fleet))
        if report.mode == .live {
            charts.append(chart("c-lag", "The generator's own lag", .time, [("p(99)", "a", time(\.lagP99))]))
        }
        // What was not measured, such as the freshness of a paced run, gets no empty frame.
        return charts.filter(\.hasSamples)
    }
}

extension Markup {
    /// The ledger in numbers.
    mutating func ledgerTable(_ report: Report) {
        let total = report.events.captured
        var rows = [["captured", Numbers.count(total), "100 %", ""]]
        for fate in report.events.fates {
            rows.append(
                [
                    fate.fate.rawValue, Numbers.count(fate.count), Numbers.percent(fate.count, of: total),
                    fate.meaning,
                ])
            let causes = fate.fate == .delivered ? report.deliveredAudit : fate.causes
            for cause in causes {
                rows.append(
                    [
                        "– \(cause.name)", Numbers.count(cause.count),
                        Numbers.percent(cause.count, of: total), "",
                    ])
            }
        }
        rows.append(["balance", String(report.events.balance), "", "captured less all fates"])
        table("The ledger", ["fate", "events", "share", "meaning"], rows, words: [3])
    }
}
