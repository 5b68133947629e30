import Measurement
import Rendering
import Timebase

/// `capacity.html`: one file without network or script, for laptop and phone, light and dark.
package enum CapacityHTML {
    /// The whole file.
    package static func write(_ report: CapacityReport) -> [UInt8] {
        Markup.page(
            title: "\(report.scenario.name): capacity", styles: [style],
            header: { opening(report, into: &$0) },
            footer: "Beaconswarm \(report.toolVersion) · \(CapacityJSON.schema)"
        ) { html in
            pictures(report, into: &html)
            steps(report, into: &html)
            if let target = report.targetMetrics {
                HTMLWriter().target([target], marks: target.marks, scale: .elapsed, into: &html)
            }
            conditions(report, into: &html)
            howItWasRun(report, into: &html)
        }
    }

    static let style: StaticString = """
        .point{fill:none;stroke:var(--c);stroke-width:2;stroke-dasharray:none}
        .point .disc{fill:var(--card)}.point .cross{stroke-width:2.4;stroke-linecap:round}
        .point .triangle{fill:var(--c)}
        .key .point{color:var(--ink);--c:var(--ink)}.key svg{width:16px;height:16px;display:inline-block;
        vertical-align:-3px;margin-right:6px}
        .capacity .note{font-size:12.5px;font-weight:600}
        .key:has(+.charts){margin-bottom:12px}
        """

    private static func opening(_ report: CapacityReport, into html: inout Markup) {
        let day = CivilTime(report.startedAt)
        html.element(
            "p", ["class": "eyebrow"],
            "Beaconswarm · capacity, \(report.mode.rawValue) · \(day.dateText) \(day.timeText.prefix(5)) UTC"
        )
        html.element("h1", report.scenario.name)
        if !report.scenario.description.isEmpty {
            html.element("p", ["class": "lead"], report.scenario.description)
        }
        html.element("div", ["class": "verdict \(tone(report))"]) { html in
            html.element("p", ["class": "word"], word(report))
            if let reason = report.reasons.first { html.element("p", ["class": "why"], reason) }
            if report.reasons.count > 1 {
                html.element("ul") { html in
                    for reason in report.reasons.dropFirst() { html.element("li", reason) }
                }
            }
        }
        tiles(report, into: &html)
        HTMLWriter().notes("Warnings", report.warnings, into: &html)
    }

    private static func tone(_ report: CapacityReport) -> String {
        switch report.ending {
        case .knee, .maximum, .time: report.exitCode == 0 ? "passed" : "failed"
        case .floor, .unsettled, .unreachable: "failed"
        case .generator: "invalid"
        case .stopped: report.endedBy?.cause == .guard ? "failed" : "invalid"
        case .interrupted: "interrupted"
        }
    }

    private static func word(_ report: CapacityReport) -> String {
        let word =
            switch report.ending {
            case .knee: "Knee found"
            case .maximum: "Holds up to the maximum"
            case .floor: "Breaks from the start"
            case .generator: "The generator was the limit"
            case .unsettled: "Unsettled"
            case .time: "The time was up"
            case .stopped: "Ended at once"
            case .unreachable: "The target went away"
            case .interrupted: "Interrupted"
            }
        return word + (report.exitCode == 0 ? "" : " (exit code \(report.exitCode))")
    }

    static func tiles(_ report: CapacityReport, into html: inout Markup) {
        guard let level = report.holds else { return }
        let tiles = [
            ("Holds at", CapacityText.rate(level.requestsOffered) + " req/s", trials(level)),
            (
                "Breaks at", report.breaks.map { CapacityText.rate($0.requestsOffered) + " req/s" } ?? "–",
                report.breaks.map(trials) ?? "nothing broke"
            ),
            (
                "Events", CapacityText.rate(level.eventsOffered) + "/s",
                "\(CapacityText.rate(level.eventsDelivered))/s delivered"
            ),
            (
                "Load", CapacityText.load(level.load, report.scaling),
                report.scaling == .devices
                    ? "devices" : "of the scenario's rate, \(Numbers.devices(level.devices))"
            ),
            ("Request p(99)", Numbers.duration(milliseconds: level.durationP99), "where it holds"),
            ("Freshness p(95)", Numbers.duration(milliseconds: level.freshnessP95), "where it holds"),
        ]
        html.element("dl", ["class": "tiles"]) { html in
            for (name, value, more) in tiles {
                html.element("div") { html in
                    html.element("dt", name)
                    html.element("dd") { html in
                        html.add(value)
                        html.element("small", more)
                    }
                }
            }
        }
    }

    private static func trials(_ level: CapacityReport.Level) -> String {
        "in \(level.trials) of \(Numbers.count(level.trialsInAll, of: "trial"))"
    }

    // MARK: - Pictures

    static func pictures(_ report: CapacityReport, into html: inout Markup) {
        guard report.steps.contains(where: \.isOfTarget) else { return }
        HTMLWriter().section("rate", "Rate against latency, freshness and loss", &html) { html in
            // Where no knee was found, nothing is shaded.
            let shaded =
                CapacityScale(report).knee == nil
                ? "" : " Shaded: from the load that holds to the one that breaks."
            html.element(
                "p",
                "Each step is a point at the rate that was offered in its window; lines go through the means of "
                    + "the loads." + shaded)
            key(into: &html)
            html.element("div", ["class": "charts"]) { html in
                for chart in charts(report) { chart.write(into: &html) }
            }
        }
    }

    private static func charts(_ report: CapacityReport) -> [CapacityChart] {
        typealias Step = CapacityReport.Step
        func time(_ path: KeyPath<Step, Double>, _ count: KeyPath<Step, UInt64>) -> (Step) -> Double? {
            { $0[keyPath: count] > 0 ? $0[keyPath: path] : nil }
        }
        return CapacityChart.leading(report) + [
            CapacityChart(
                id: "latency", title: "Latency of a request", unit: .time, report: report,
                series: [
                    .init(name: "p(50)", tone: "a", value: time(\.duration.median, \.duration.count)),
                    .init(name: "p(95)", tone: "b", value: time(\.duration.p95, \.duration.count)),
                    .init(name: "p(99)", tone: "c", value: time(\.duration.p99, \.duration.count)),
                ]),
            CapacityChart(
                id: "freshness", title: "Freshness of events", unit: .time, report: report,
                series: [
                    .init(name: "p(50)", tone: "a", value: time(\.freshness.median, \.freshness.count)),
                    .init(name: "p(95)", tone: "b", value: time(\.freshness.p95, \.freshness.count)),
                ]),
            CapacityChart(
                id: "loss", title: "Failed requests and lost events", unit: .count, axisTitle: "per cent",
                report: report,
                series: [
                    .init(name: "requests failed", tone: "b", value: { $0.failed.map { $0 * 100 } }),
                    .init(name: "events lost", tone: "c", value: { $0.lost.map { $0 * 100 } }),
                ]),
            CapacityChart(
                id: "throughput", title: "What came of the rate", unit: .perSecond, report: report,
                series: [
                    .init(name: "events captured", tone: "a", value: { $0.eventsOffered }),
                    .init(name: "events delivered", tone: "b", value: { $0.eventsDelivered }),
                ]),
        ]
    }

    private static func key(into html: inout Markup) {
        html.element("ul", ["class": "key"]) { html in
            for verdict in [CapacityReport.Step.Verdict.held, .broke, .generatorLimited] {
                html.element("li") { html in
                    html.literal("<svg class=\"point\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">")
                    CapacityChart.shape(verdict, 8, 8, into: &html)
                    html.literal("</svg>")
                    html.add(CapacityChart.word(verdict))
                }
            }
        }
    }

    // MARK: - Tables

    static func steps(_ report: CapacityReport, into html: inout Markup) {
        guard !report.steps.isEmpty else { return }
        HTMLWriter().section("steps", "Steps", &html) { html in
            html.element(
                "p",
                (CapacityText.meaning(report).map { $0 + " " } ?? "")
                    + "In the order in which they were played. Rates are per second of the window; offered requests "
                    + "are those whose planned start lay in it, retries among them. "
                    + storesMeaning(report)
                    + CapacityChart.legend(report))
            let columns = CapacityColumn.all(report)
            let header =
                ["step", "", "load", "req/s offered", "answered", "retries", "events/s", "delivered"]
                + columns.map(\.name) + ["window"]
            html.element("div", ["class": "panel"]) { html in
                html.table(
                    "Steps", header, report.steps.map { row($0, report.scaling, columns) }, words: [1])
            }
            reasons(report, into: &html)
        }
    }

    /// What the column of stores has; nothing where it is one thing.
    private static func storesMeaning(_ report: CapacityReport) -> String {
        guard report.steps.contains(where: { $0.storesGrowBeyond != nil }) else { return "" }
        return
            "Stores: how fast they grow; of a step that was compared with a collector without limits, how much faster than "
            + "there. "
    }

    /// Why steps broke, and what else is to be known of them.
    private static func reasons(_ report: CapacityReport, into html: inout Markup) {
        let steps = report.steps.filter { !$0.reasons.isEmpty || !$0.notes.isEmpty }
        guard !steps.isEmpty else { return }
        html.element("h3", "What there is to say of them")
        html.element("ul", ["class": "notes"]) { html in
            for step in steps {
                html.element(
                    "li", "Step \(step.number): " + (step.reasons + step.notes).joined(separator: " "))
            }
        }
    }

    private static func row(
        _ step: CapacityReport.Step, _ scaling: CapacityReport.Scaling, _ columns: [CapacityColumn]
    ) -> [String] {
        [
            "\(step.number) \(step.purpose)", CapacityChart.sign(step.verdict),
            CapacityText.load(step.load, scaling),
            CapacityText.rate(step.requestsOffered), CapacityText.rate(step.requestsAnswered),
            Numbers.short(step.retries), CapacityText.rate(step.eventsOffered),
            CapacityText.rate(step.eventsDelivered),
        ] + columns.map { $0.cell(step) } + [Numbers.duration(seconds: step.windowSeconds)]
    }

    static func conditions(_ report: CapacityReport, into html: inout Markup) {
        HTMLWriter().section("conditions", "Conditions for a load", &html) { html in
            let rows = report.conditions.map { condition in
                let origin =
                    switch condition.origin {
                    case .scenario: "the scenario"
                    case .default: "default: the scenario asks for nothing"
                    case .steadiness: "what makes a load a steady one"
                    }
                return [condition.metric, condition.expression, origin]
            }
            html.element("div", ["class": "panel"]) { html in
                html.table("Conditions", ["metric", "has to keep", "from"], rows, words: [1, 2])
            }
        }
    }

    static func howItWasRun(_ report: CapacityReport, into html: inout Markup) {
        HTMLWriter().section("run", "How it was run", &html) { html in
            html.element("pre") { html in html.element("code", report.repeatCommand.text) }
            if let command = report.playCommand {
                html.element("p", "The load that holds, alone:")
                html.element("pre") { html in html.element("code", command.text) }
            }
            let facts = [
                ("Target", report.run.target), ("Seed", String(report.seed)),
                ("Scenario's SHA-256", report.scenario.sha256), ("Started", report.startedAt.text),
                ("Took", Numbers.duration(seconds: report.wallSeconds)), ("Host", report.run.host),
                ("Operating system", report.run.operatingSystem), ("Cores", String(report.run.cores)),
                ("Precision", Numbers.percent(report.precision)),
            ]
            html.element("dl", ["class": "facts"]) { html in
                for (name, value) in facts {
                    html.element("div") { html in
                        html.element("dt", name)
                        html.element("dd", value)
                    }
                }
            }
        }
    }
}
