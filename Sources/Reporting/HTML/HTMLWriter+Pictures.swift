import Accounting
import Measurement
import Rendering

/// The sections that are pictures, each with a table of the same numbers.
extension HTMLWriter {
    /// - Parameter heading: The element of its heading: a deeper one for what is a part of another section.
    func section(
        _ id: String, _ title: String, heading: StaticString = "h2", _ html: inout Markup,
        _ content: (inout Markup) -> Void
    ) {
        html.element("section", ["id": id, "aria-labelledby": "\(id)-h"]) { html in
            html.element(heading, ["id": "\(id)-h"], title)
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
        if events.captured == 1, events.balance == 0 {
            return "1 event was captured, and has exactly one fate: the balance is 0."
        }
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
            html.element("p", HTMLWriter.freshness(report.metrics) + report.durationNote)
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

    /// The curves of requests and of events: they are of different orders of size.
    private static func curves(_ report: Report) -> [CurveChart] {
        func line(_ metric: String, _ tone: String) -> CurveChart.Line {
            CurveChart.Line(
                name: metric, tone: tone,
                curve: report.curves.first { $0.metric == metric }?.curve ?? PercentileCurve(),
                summary: report.metrics.trend(metric))
        }
        return [
            CurveChart(
                id: "p-time", title: "Upload time by percentile",
                lines: [line("http_req_duration", "a"), line("http_req_service", "b")]),
            CurveChart(
                id: "p-fresh", title: "Event freshness by percentile",
                lines: [line("event_freshness", "a")]),
        ].compactMap { $0 }
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
