import Measurement
import Rendering
import Timebase

/// `report.html`: one file without network or script, for laptop and phone, light and dark.
///
/// The policy in its head forbids everything but its own style sheet, so that even a text that got
/// through unescaped could load and run nothing.
package struct HTMLWriter: ReportWriter {
    package static let format = "html"
    package static let fileName = "report.html"
    /// Whether the time around each entry of the timeline is drawn closely too, which costs as much again for each.
    let drawsCloseUps: Bool
    package init() { self.init(drawsCloseUps: true) }
    init(drawsCloseUps: Bool) { self.drawsCloseUps = drawsCloseUps }

    package func render(_ report: Report) -> [UInt8] {
        let report = report.summarised
        let fingerprint = report.fingerprint.isEmpty ? "" : " · fingerprint \(report.fingerprint)"
        return Markup.page(
            title: "\(report.scenario.name): \(report.headline)",
            header: { html in
                name(report, into: &html)
                verdict(report, into: &html)
                tiles(report, into: &html)
                notes("Warnings", report.warnings, into: &html)
            }, footer: "Beaconswarm \(report.toolVersion)\(fingerprint)"
        ) { html in
            for part in HTMLWriter.parts { part.write(self)(report, &html) }
        }
    }

    /// A part of the page that is drawn from the report alone: a page that is renewed gets each by itself.
    struct Part {
        /// Unique in the page.
        var id: String
        var write: (HTMLWriter) -> (Report, inout Markup) -> Void
    }

    /// What follows the head of the page, in order. A part may have nothing to show.
    static var parts: [Part] {
        [
            Part(id: "ledger", write: ledger), Part(id: "times", write: times),
            Part(id: "series", write: overTime), Part(id: "target", write: target),
            Part(id: "answers", write: answers),
            Part(id: "populations", write: populations), Part(id: "entries", write: entries),
            Part(id: "thresholds", write: thresholds), Part(id: "audit", write: audit),
            Part(id: "metrics", write: metrics), Part(id: "run", write: howItWasRun),
        ]
    }

    /// What was run, and when.
    func name(_ report: Report, into html: inout Markup) {
        for note in [report.paceNote, report.warmUpNote].compactMap(\.self) {
            html.element("p", ["class": "pace", "role": "note"], note)
        }
        let world = report.mode == .live ? "live run" : "virtual run"
        let day = CivilTime(report.startedAt)
        let when = "\(day.dateText) \(day.timeText.prefix(5)) UTC"
        html.element("p", ["class": "eyebrow"], "Beaconswarm · \(world) · \(when)")
        html.element("h1", report.scenario.name)
        if !report.scenario.description.isEmpty {
            html.element("p", ["class": "lead"], report.scenario.description)
        }
    }

    func verdict(_ report: Report, into html: inout Markup) {
        html.element("div", ["class": "verdict \(report.verdict.rawValue)"]) { html in
            html.element("p", ["class": "word"]) { html in
                html.literal(
                    "<svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle cx=\"10\" cy=\"10\" r=\"10\"/>")
                html.empty("path", ["d": HTMLWriter.sign(report.verdict)])
                html.literal("</svg>")
                // A run of which only a state is left ended with no code that anybody knows.
                let isJudged = report.exitCode != 0 && !report.isPartial
                let code = isJudged ? " (exit code \(report.exitCode))" : ""
                html.element(
                    "span", report.headline.prefix(1).uppercased() + report.headline.dropFirst() + code)
            }
            if let reason = report.reasons.first { html.element("p", ["class": "why"], reason) }
            if report.reasons.count > 1 {
                html.element("ul") { html in
                    for reason in report.reasons.dropFirst() { html.element("li", reason) }
                }
            }
        }
    }

    private static func sign(_ verdict: Report.Verdict) -> String {
        switch verdict {
        case .passed: "M5.5 10.5l3 3 6-7"
        case .failed: "M6.5 6.5l7 7M13.5 6.5l-7 7"
        case .invalid: "M10 5v6M10 14.5v.1"
        case .interrupted: "M7.5 6.5v7M12.5 6.5v7"
        }
    }

    func tiles(_ report: Report, into html: inout Markup) {
        let events = report.events
        html.element("dl", ["class": "tiles"]) { html in
            tile(
                &html, "Devices", Numbers.count(report.devices),
                "\(Numbers.count(report.devicesStarted)) started")
            tile(
                &html, "Delivered", Numbers.percent(events.delivered, of: events.captured),
                "\(Numbers.count(events.delivered)) of \(Numbers.count(events.captured))")
            tile(
                &html, "Gone for good", Numbers.percent(events.gone, of: events.captured),
                "\(Numbers.count(events.gone)) evicted, rejected or lost")
            if let trend = report.metrics.trend("event_freshness") {
                let median = Numbers.duration(milliseconds: trend.median)
                tile(&html, "Freshness p(95)", Numbers.duration(milliseconds: trend.p95), "median \(median)")
            }
            if let trend = report.metrics.trend("http_req_duration") {
                let median = Numbers.duration(milliseconds: trend.median)
                tile(&html, "Request p(95)", Numbers.duration(milliseconds: trend.p95), "median \(median)")
            }
            if let requests = report.metrics.counter("http_reqs") {
                let failed = report.metrics.rate("http_req_failed").map {
                    Numbers.percent($0.share) + " failed"
                }
                // At a pace, a rate by people's clocks is none that anybody met.
                let uploads =
                    report.pace > 1
                    ? Numbers.fixed(requests.count, 0) : Numbers.short(requests.perSecond) + "/s"
                tile(&html, "Uploads", uploads, failed ?? "none")
            }
        }
    }

    private func tile(_ html: inout Markup, _ name: String, _ value: String, _ more: String) {
        html.element("div") { html in
            html.element("dt", name)
            html.element("dd") { html in
                html.add(value)
                html.element("small", more)
            }
        }
    }

    /// A list under a small heading, nothing where it is empty.
    ///
    /// - Parameter heading: The element of its heading, where it stands in a section, below whose heading its own is.
    func notes(_ title: String, _ notes: [String], heading: StaticString? = nil, into html: inout Markup) {
        guard !notes.isEmpty else { return }
        if let heading {
            html.element(heading, title)
        } else {
            html.element("h2", ["class": "small"], title)
        }
        html.element("ul", ["class": "notes"]) { html in
            for note in notes { html.element("li", note) }
        }
    }
}
