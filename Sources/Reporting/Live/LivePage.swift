import Rendering

/// The page of work that is going on: a frame that a browser loads once, and the parts of `report.html` that it gets
/// anew as they change. The same code draws both.
package enum LivePage {
    /// A part of the page: what stands in the frame's element of the same name.
    package struct Part: Hashable, Sendable {
        package var id: String
        package var html: String

        package init(id: String, html: String) {
            self.id = id
            self.html = html
        }
    }

    /// What a browser may do with the page: run its one script, use its own style sheet, and talk to where it came from.
    package static let policy =
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'nonce-beaconswarm'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"

    /// The parts of the page that are no part of a report, in their order.
    private static let ownParts = ["name", "now", "timeline"]

    /// The frame, without any figure.
    ///
    /// - Parameter title: What is going on.
    package static func frame(title: String) -> [UInt8] {
        Markup.page(
            title: title,
            styles: [LiveStylesheet.text, CapacityHTML.style, ComparisonHTML.style, SweepHTML.style],
            hasPolicy: false,
            head: { html in html.literal("<script src=\"watch.js\" defer></script>\n") },
            header: { html in
                part("name", into: &html) { $0.element("h1", title) }
                html.literal(controls)
                for name in ownParts.dropFirst() { part(name, into: &html) { _ in } }
            }, footer: "Drawn as it happens; the report follows at the end."
        ) { html in
            for part in HTMLWriter.parts { LivePage.part(part.id, into: &html) { _ in } }
            part("log", into: &html) { _ in }
        }
    }

    private static func part(_ id: String, into html: inout Markup, _ content: (inout Markup) -> Void) {
        html.element("div", ["data-part": id], content)
    }

    private static let controls: StaticString = """
        <div class="watch">
        <p class="progress"><progress id="bar" max="1" aria-labelledby="line"></progress>
        <span id="line">waiting for the first figures</span></p>
        <p class="buttons"><button id="drain" type="button">Drain and end</button>
        <button id="stop" type="button">Stop at once</button>
        <span id="link" role="status">connecting</span></p>
        <noscript><p>This page needs its script to show anything. What is known of a run is also in \
        report.partial.json of its folder.</p></noscript>
        </div>

        """

    /// What was said on the way, as a terminal has it: the newest below. Nothing where nothing was said.
    package static func log(_ lines: [String]) -> Part {
        var html = Markup()
        guard !lines.isEmpty else { return Part(id: "log", html: "") }
        html.element("section", ["id": "log", "aria-labelledby": "log-h"]) { html in
            html.element("h2", ["id": "log-h"], "What was said")
            html.element("div", ["class": "log panel"]) { html in
                html.element("ol") { html in
                    for line in lines {
                        // What has columns keeps them; a sentence is broken where there is no room for it.
                        html.element(
                            "li", ["class": TerminalText.hasColumns(line) ? "columns" : "words"], line)
                    }
                }
            }
        }
        return Part(id: "log", html: html.text)
    }

    /// What is known of a run, drawn part by part.
    ///
    /// - Parameter report: Of a run that goes on (``Report/isPartial``), or of one that is over.
    package static func parts(of report: Report) -> [Part] {
        let report = report.summarised
        // A run that goes on is drawn again and again; what was close is drawn at its end.
        let writer = HTMLWriter(drawsCloseUps: !report.isPartial)
        let own = [
            drawn("name") { writer.name(report, into: &$0) },
            drawn("now") { html in
                if report.isPartial {
                    LiveVerdict(report).write(into: &html)
                    // Progress is told each second, and what costs more to draw less often: it says of when it is.
                    html.element("p", ["class": "moment"], "All figures are as of \(report.stateMoment).")
                } else {
                    writer.verdict(report, into: &html)
                }
                writer.tiles(report, into: &html)
                writer.notes("Warnings", report.warnings, into: &html)
            },
            drawn("timeline") { LiveTimeline(report).write(into: &$0) },
        ]
        return own + HTMLWriter.parts.map { part in drawn(part.id) { part.write(writer)(report, &$0) } }
    }

    /// What is known of a search, drawn part by part: the loads that were tried, and between which the limit lies.
    package static func parts(of report: CapacityReport) -> [Part] {
        [
            drawn("now") { CapacityHTML.tiles(report, into: &$0) },
            drawn("series") { html in
                CapacityHTML.pictures(report, into: &html)
                CapacityHTML.steps(report, into: &html)
            },
            drawn("thresholds") { CapacityHTML.conditions(report, into: &$0) },
            drawn("run") { CapacityHTML.howItWasRun(report, into: &$0) },
        ]
    }

    /// What is known of several runs of one scenario, drawn part by part: what they came to so far, side by side.
    package static func parts(of report: LabReport) -> [Part] {
        [
            drawn("now") { ComparisonHTML.standing(report, into: &$0) },
            drawn("series") { ComparisonHTML.content(report, comparisons: report.comparisons, into: &$0) },
        ]
    }

    /// What is known of a sweep, drawn part by part: the points that were played, and which of them nothing beats so far.
    package static func parts(of report: SweepReport) -> [Part] {
        [
            drawn("now") { SweepHTML.tiles(report, into: &$0) },
            drawn("series") { html in
                let report = report.overCommonSeeds
                SweepHTML.picture(report, into: &html)
                SweepHTML.table(report, sorts: false, into: &html)
            },
        ]
    }

    private static func drawn(_ id: String, _ draw: (inout Markup) -> Void) -> Part {
        var html = Markup()
        draw(&html)
        return Part(id: id, html: html.text)
    }
}
