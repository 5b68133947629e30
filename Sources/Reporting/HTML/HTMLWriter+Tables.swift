import Accounting
import Measurement
import Rendering
import Timebase

/// The sections that are tables.
extension HTMLWriter {
    func answers(_ report: Report, into html: inout Markup) {
        let total = report.answers.reduce(0) { $0 + $1.count }
        guard total > 0 else { return }
        section("answers", "How uploads were answered", &html) { html in
            html.element("p", "By HTTP status, or by what went wrong where there was no whole answer.")
            html.element("div", ["class": "panel"]) { html in
                html.bars(
                    "Answers", ["answer", "uploads", "share", ""], picture: 3,
                    report.answers.map { answer in
                        let tone = answer.name.hasPrefix("2") ? "delivered" : "rejected"
                        let share = Double(answer.count) / Double(total)
                        return Bar(
                            cells: [answer.name, Numbers.count(answer.count), Numbers.percent(share)],
                            parts: [(tone, share)])
                    })
            }
            if let first = report.firstFailedAnswer {
                html.element("p", "The first that failed: \(first.text)")
            }
            unexpected(report.unexpectedAnswers, into: &html)
        }
    }

    /// The first answers that no device hopes for, each to be opened.
    private func unexpected(_ answers: [Report.UnexpectedAnswer], into html: inout Markup) {
        guard !answers.isEmpty else { return }
        html.element("h3", "The first unexpected answers")
        for answer in answers {
            html.element("details", ["class": "answer"]) { html in
                let what = answer.failure ?? ""
                let status = answer.status == 0 ? "" : String(answer.status)
                let words = [status, what, answer.population, answer.at.text].filter { !$0.isEmpty }
                html.element("summary", words.joined(separator: " · "))
                let parts = [("headers", answer.headers), ("body", answer.body)]
                for (name, text) in parts {
                    let text = text.filter { $0 != "\r" }
                        .replacing("\r\n", with: "\n")
                    html.element("p", ["class": "quiet"], text.isEmpty ? "no \(name)" : name)
                    if !text.isEmpty { html.element("pre") { html in html.element("code", text) } }
                }
            }
        }
    }

    func populations(_ report: Report, into html: inout Markup) {
        guard !report.populations.isEmpty else { return }
        section("populations", "By population", &html) { html in
            if let note = report.pairingNote { html.element("p", note) }
            HTMLWriter.key(into: &html)
            html.element("div", ["class": "panel"]) { html in
                let header = [
                    "population", "fates", "devices", "captured", "delivered", "gone for good",
                    "freshness p(95)", "request p(95)",
                ]
                html.bars("Populations", header, picture: 1, report.populations.map(HTMLWriter.bar))
            }
        }
    }

    private static func bar(_ population: Report.Population) -> Bar {
        let events = population.events
        let time = { (name: String) in
            population.metrics.trend(name).map { Numbers.duration(milliseconds: $0.p95) } ?? "–"
        }
        let system = [population.system, population.version].filter { !$0.isEmpty }.joined(separator: " ")
        let total = Double(max(1, events.captured))
        return Bar(
            cells: [
                system.isEmpty ? population.name : "\(population.name) (\(system))",
                Numbers.count(population.devices),
                Numbers.count(events.captured), Numbers.percent(events.delivered, of: events.captured),
                Numbers.percent(events.gone, of: events.captured), time("event_freshness"),
                time("http_req_duration"),
            ],
            parts: events.fates.map { ($0.fate.rawValue, Double($0.count) / total) })
    }

    /// Which colour is which fate.
    private static func key(into html: inout Markup) {
        html.element("ul", ["class": "key"]) { html in
            for fate in Report.EventCounts().fates {
                html.element("li") { html in
                    html.literal("<svg class=\"swatch\" viewBox=\"0 0 22 10\" aria-hidden=\"true\">")
                    html.rectangle(0, 0, 22, 10, fate.fate.rawValue)
                    html.literal("</svg>")
                    html.add(fate.fate.rawValue)
                }
            }
        }
    }

    func thresholds(_ report: Report, into html: inout Markup) {
        guard !report.thresholds.isEmpty else { return }
        section("thresholds", "Thresholds", &html) { html in
            html.scroller("Thresholds", columns: 4, classes: "panel ") { html in
                html.open("table")
                html.element("caption", "Thresholds")
                html.element("thead") { html in
                    html.element("tr") { html in
                        for name in ["", "metric", "has to keep", "was"] {
                            html.element("th", ["scope": "col", "class": name == "was" ? "n" : "w"], name)
                        }
                    }
                }
                html.element("tbody") { html in
                    for result in report.thresholds {
                        HTMLWriter.row(result, isFinal: !report.isPartial, into: &html)
                    }
                }
                html.close("table")
            }
        }
    }

    private static func row(
        _ result: Report.ThresholdResult, isFinal: Bool, into html: inout Markup
    ) {
        html.element("tr") { html in
            if isFinal {
                let verdict = result.ok ? "✓ held" : result.aborted ? "✗ broken, ended the run" : "✗ broken"
                html.element("td", ["class": result.ok ? "ok" : "no"], verdict)
            } else {
                html.element("td", ["class": "quiet"], result.ok ? "holds so far" : "broken so far")
            }
            html.element("th", ["scope": "row"], result.metric)
            html.element("td") { html in html.element("code", result.expression) }
            html.element("td", ["class": "n"], Numbers.observed(result))
        }
    }

    func audit(_ report: Report, into html: inout Markup) {
        section("audit", "What the collector holds", &html) { html in
            if let note = report.auditNote { html.element("p", note) }
            guard let audit = report.audit else {
                if report.auditNote == nil {
                    html.element(
                        "p",
                        report.earlyAuditNote
                            ?? "Not known: this collector's store was not read. beaconswarm audit fills it in later."
                    )
                }
                return
            }
            html.element("div", ["class": "panel"]) { html in
                let rows = AuditFields.all.map { field in
                    [field.key, Numbers.count(audit[keyPath: field.path]), AuditFields.meaning(field.key)]
                }
                html.table("Audit", ["count", "events", "meaning"], rows, words: [2])
            }
            let lines = report.missingLines
            guard !lines.isEmpty else { return }
            html.element("h3", "Where the missing events are")
            html.element("div", ["class": "panel"]) { html in
                let rows = lines.map { line in
                    [
                        String(repeating: "– ", count: max(0, line.level - 1)) + line.name,
                        Numbers.count(line.count), line.meaning,
                    ]
                }
                html.table("Missing events", ["place", "events", "meaning"], rows, words: [2])
            }
        }
    }

    func metrics(_ report: Report, into html: inout Markup) {
        guard !report.metrics.isEmpty else { return }
        section("metrics", "All metrics", &html) { html in
            if let note = report.prefilledNote { html.element("p", note) }
            html.element("details") { html in
                html.element("summary", "Every metric of the fleet, with its meaning")
                html.element("div", ["class": "panel"]) { html in
                    let rows = report.metrics.map { metric in
                        let entry = MetricCatalogue.entry(metric.name)
                        return [metric.name, MetricText.line(metric), entry?.summary ?? ""]
                    }
                    html.table("All metrics", ["metric", "value", "meaning"], rows, words: [1, 2])
                }
            }
        }
    }

    func howItWasRun(_ report: Report, into html: inout Markup) {
        section("run", "How it was run, and how to run it again", &html) { html in
            html.element("pre") { html in html.element("code", report.repeatCommand.text) }
            html.element("dl", ["class": "facts"]) { html in
                for (name, value) in RunFacts.of(report) where !value.isEmpty {
                    html.element("div") { html in
                        html.element("dt", name)
                        html.element("dd", value)
                    }
                }
            }
            notes(
                "Changed from the scenario file", report.scenario.typedOverrides, heading: "h3", into: &html)
        }
    }
}

extension AuditFields {
    /// What a count of the audit says.
    static func meaning(_ key: String) -> String {
        switch key {
        case "received": "events that reached the collector, copies included"
        case "unique": "different events among them"
        case "duplicates": "copies beyond the first"
        case "confirmed": "acknowledged and held"
        case "acked_not_found": "acknowledged, yet not held: has to be 0"
        case "swallowed": "acknowledged by a fault that the scenario planned, and not kept"
        case "dry_run": "checked by the collector's debug mode, and not kept by its design"
        case "recovered": "held, though the device never learned so"
        case "unexpected": "ids that no device made: has to be 0"
        case "undecodable": "rows that could not be read"
        default: ""
        }
    }
}
