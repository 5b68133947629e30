import Measurement
import Rendering

/// What a run that goes on comes to so far: the verdict that it would get if it ended as it stands.
struct LiveVerdict {
    /// Whether nothing speaks against the run so far.
    let holds: Bool
    /// The reasons, the heaviest first.
    let reasons: [String]

    /// - Parameter report: Of a run that goes on.
    init(_ report: Report) {
        var ended = report
        ended.isPartial = false
        ended.isInterrupted = false
        // What has no samples yet says nothing yet.
        ended.thresholds.removeAll { $0.value == nil }
        ended.judge()
        let early = [VerdictRules.Cause.nothingDelivered.rawValue, VerdictRules.Cause.guardMissing.rawValue]
        let isEarly = ended.causes.allSatisfy(early.contains) && !ended.causes.isEmpty
        holds = ended.exitCode == 0 || isEarly
        if isEarly {
            reasons = ["Nothing speaks against the run so far, but nothing was delivered yet."]
        } else if holds {
            reasons = [LiveVerdict.held(ended)]
        } else {
            reasons = ended.reasons
        }
    }

    private static func held(_ report: Report) -> String {
        let captured = "\(Numbers.count(report.events.captured, of: "event")) captured so far"
        switch report.thresholds.count {
        case 0: return "\(captured), and nothing speaks against the run."
        case 1: return "\(captured), and the threshold holds."
        case 2: return "\(captured), and both thresholds with samples hold."
        case let count: return "\(captured), and all \(count) thresholds with samples hold."
        }
    }

    func write(into html: inout Markup) {
        html.element("div", ["class": "verdict \(holds ? "going" : "failed")"]) { html in
            html.element("p", ["class": "word"]) { html in
                html.literal(
                    "<svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle cx=\"10\" cy=\"10\" r=\"10\"/>")
                html.empty("path", ["d": holds ? "M8 5.5l6 4.5-6 4.5z" : "M6.5 6.5l7 7M13.5 6.5l-7 7"])
                html.literal("</svg>")
                html.element("span", holds ? "Holds so far" : "Does not hold so far")
            }
            if let reason = reasons.first { html.element("p", ["class": "why"], reason) }
            if reasons.count > 1 {
                html.element("ul") { html in
                    for reason in reasons.dropFirst() { html.element("li", reason) }
                }
            }
        }
    }
}
