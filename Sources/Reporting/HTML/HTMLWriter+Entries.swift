import Measurement
import Rendering

/// The section on entries of the timeline.
extension HTMLWriter {
    func entries(_ report: Report, into html: inout Markup) {
        guard !report.entries.isEmpty else { return }
        section("entries", "What each entry of the timeline did", &html) { html in
            html.element(
                "p",
                "Of the events captured while it lasted and the uploads that were due in it; and how long after its end "
                    + "those events were acknowledged."
                    + (report.isPartial
                        ? " So far only events whose fate is known are counted: not those that still wait."
                        : ""))
            html.element("div", ["class": "panel"]) { html in
                html.table("Entries", EntryFigures.header, EntryFigures.rows(of: report), words: [1])
            }
            if let note = EntryFigures.note(report) { html.element("p", ["class": "quiet"], note) }
        }
    }
}

/// What pages tell of each entry, a row each.
enum EntryFigures {
    /// Columns of numbers.
    static var numbers: Set<Int> { Set(2..<header.count) }

    static let header = [
        "entry", "in thresholds", "captured", "gone for good", "freshness p(95)", "uploads per event",
        "uploads", "failed",
        "recovered p(95)", "herd peak",
    ]

    /// Said below the rows where entries are without one; `nil` if all have theirs.
    static func note(_ report: Report) -> String? {
        guard report.marks.count > report.entries.count else { return nil }
        return
            "Only the first \(report.entries.count) of \(Numbers.count(report.marks.count)) entries have figures of "
            + "their own."
    }

    static func rows(of report: Report) -> [[String]] {
        report.entries.map { entry in
            let metrics = entry.metrics
            let time = { (name: String) in
                metrics.trend(name).map { Numbers.duration(milliseconds: $0.p95) } ?? "–"
            }
            let share = { (name: String) in metrics.rate(name).map { Numbers.percent($0.share) } ?? "–" }
            let count = { (name: String) in
                metrics.counter(name).map { Numbers.fixed($0.count, 0) } ?? "–"
            }
            let herd = metrics.gauge("herd_peak").map { Numbers.short($0) + "/s" }
            return [
                // The number that it has beside marks and charts; thresholds know it by its name or its place as written.
                report.marks.indices.contains(entry.mark)
                    ? "\(entry.mark + 1) \(report.marks[entry.mark].text)" : entry.name,
                "{entry:\(entry.name)}", count("events_captured"), share("events_lost"),
                time("event_freshness"),
                metrics.trend("event_attempts").map { Numbers.fixed($0.average, 2) } ?? "–",
                count("http_reqs"), share("http_req_failed"), time("time_to_recover"), herd ?? "–",
            ]
        }
    }
}
