import Rendering

/// Where a run is in its timeline: what is over, what is in force, what is to come.
struct LiveTimeline {
    private let entries: [Entry]

    private struct Entry {
        var tone: StaticString
        var word: String
        var text: String
    }

    init(_ report: Report) {
        let scale = TimeScale(report)
        let now = report.simulatedSeconds
        entries = report.marks.map { mark in
            let end = mark.until.map { "to \(scale.label($0))" }
            let span = ["from \(scale.label(mark.from))", end].compactMap(\.self).joined(separator: " ")
            let text = "\(mark.text), \(mark.until == nil ? scale.label(from: mark.from) : span)"
            if now < mark.from {
                let ahead = Numbers.duration(seconds: (mark.from - now).rounded(.up))
                return Entry(
                    tone: "ahead", word: report.isPartial ? "in \(ahead)" : "not reached", text: text)
            }
            if let until = mark.until, now >= until { return Entry(tone: "over", word: "over", text: text) }
            return Entry(tone: "force", word: report.isPartial ? "in force" : "until the end", text: text)
        }
    }

    func write(into html: inout Markup) {
        guard !entries.isEmpty else { return }
        html.element("h2", ["class": "small"], "Timeline")
        html.element("ol", ["class": "course"]) { html in
            for entry in entries {
                html.element("li", ["class": entry.tone.description]) { html in
                    html.element("b", entry.word)
                    html.element("span", entry.text)
                }
            }
        }
    }
}
