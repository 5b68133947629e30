import Timebase
import Wire
import World

/// What must hold, by metric: what its tags may name, and what no run could decide.
extension ScenarioBinder {
    mutating func bindThresholds(_ checker: ScenarioLoader.ThresholdChecker) -> [ScenarioThreshold] {
        var result: [ScenarioThreshold] = []
        for metric in draft.thresholds {
            checkTag(of: metric)
            checkPace(of: metric)
            let late = lateEntry(of: metric)
            for threshold in metric.value {
                guard let expression = threshold.expression else { continue }
                if let problem = checker(metric.name, expression.value) {
                    reading.report(
                        .threshold, expression.place, found: "\(metric.name): \(expression.value)",
                        allowed: problem)
                }
                if let late {
                    warnAboutEntry(late, expression.place)
                    continue
                }
                warnAboutAbort(threshold)
                result.append(
                    ScenarioThreshold(
                        metric: metric.name, expression: expression.value,
                        abortsOnFail: threshold.abortsOnFail,
                        delayAbortEval: threshold.delayAbortEval?.value ?? .zero,
                        pointer: expression.place.path.pointer,
                        position: expression.place.node.position))
            }
        }
        return result
    }

    /// The time series is the measure: a second of it belongs to one side or the other.
    mutating func checkMeasureFrom() {
        guard let from = draft.measureFrom else { return }
        let isWhole = from.value.nanoseconds % Interval.seconds(1).nanoseconds == 0
        guard !isWhole || from.value >= draft.duration else { return }
        reading.report(
            .outOfRange, from.place, found: from.value.text,
            allowed: "whole seconds, less than the duration (\(draft.duration.text))")
    }

    /// Where people live faster than sockets, neither the time of a request (under a load that no fleet
    /// offers) nor the age of an event or the time of a radio (in which a moment on the way counts as minutes)
    /// can be judged.
    private mutating func checkPace(of metric: Named<[ThresholdDraft]>) {
        guard draft.pace > 1, let figure = ScenarioBinder.pacedFigure(metric.name) else { return }
        reading.report(
            .conflict, metric.place, found: "\(metric.name) with a pace of \(draft.pace)",
            allowed: "no condition on \(figure) with a \"pace\" above 1")
    }

    /// What a pace distorts that a metric tells; `nil` if it tells nothing of the kind.
    private static func pacedFigure(_ metric: String) -> String? {
        let name = untagged(metric)
        switch name {
        case "http_req_failed": return nil
        case "event_freshness": return "freshness"
        case "time_to_recover": return "the time to recover"
        case "radio_seconds": return "radio time"
        default:
            if name.hasPrefix("freshness_") { return "freshness" }
            return name.hasPrefix("http_req_") ? "request times" : nil
        }
    }

    // MARK: Tags

    /// An entry of the timeline as a tag names it.
    private typealias TaggedEntry = (name: String, at: Interval)

    private func tagged(_ number: Int, _ located: Located<TimelineDraft>) -> TaggedEntry {
        (located.value.name?.value ?? String(number), located.value.at ?? .zero)
    }

    /// What the tag `{entry:NAME}` may say: the names, else the indices, of the entries that are measured, which come
    /// first, and of those that a run so short does not get to.
    private var taggedEntries: (measured: [TaggedEntry], late: [TaggedEntry]) {
        let all = draft.timeline.enumerated().map(tagged)
        let within = all.enumerated().filter { $0.element.at < draft.duration }
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        return (Array(within.prefix(CloseUpRange.limit)), all.filter { $0.at >= draft.duration })
    }

    /// Only the scenario knows its populations and entries; the rest of a tag is the checker's.
    private mutating func checkTag(of metric: Named<[ThresholdDraft]>) {
        guard let (key, name) = ScenarioBinder.tag(of: metric.name) else { return }
        switch key {
        case "population" where !populationNames.contains(name):
            reading.reportUnknown(name, metric.place, among: populationNames, what: "a population")
        case "entry":
            let entries = taggedEntries
            let known = (entries.measured + entries.late).map(\.name)
            guard !known.contains(name) else { return }
            reading.reportUnknown(
                name, metric.place, among: known,
                what: "one of the first \(CloseUpRange.limit) entries of the timeline")
        default: break
        }
    }

    /// The entry that a metric is of, or the roll-out that it follows, where the run ends before it begins.
    private func lateEntry(of metric: Named<[ThresholdDraft]>) -> TaggedEntry? {
        if let (key, name) = ScenarioBinder.tag(of: metric.name), key == "entry" {
            return taggedEntries.late.first { $0.name == name }
        }
        guard ScenarioBinder.untagged(metric.name) == "rollout_reached" else { return nil }
        let rollOuts = draft.timeline.enumerated().filter { _, located in
            let entry = located.value
            return entry.sdk != nil || entry.remoteConfig != nil && entry.isRolledOut
        }
        .map(tagged)
        return rollOuts.allSatisfy { $0.at >= draft.duration } ? rollOuts.first : nil
    }

    /// Divides `name{population:ios}` as far as the names of a tag are concerned.
    private static func tag(of metric: String) -> (key: String, name: String)? {
        let whole = trimmed(metric[...])
        guard let open = whole.firstIndex(of: "{"), whole.last == "}" else { return nil }
        let inner = whole[whole.index(after: open)...].dropLast()
        guard let colon = inner.firstIndex(of: ":") else { return nil }
        return (String(trimmed(inner[..<colon])), String(trimmed(inner[inner.index(after: colon)...])))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text = text.dropLast() }
        return text
    }

    /// A metric's name without its tag.
    private static func untagged(_ metric: String) -> String {
        String(trimmed(metric.prefix { $0 != "{" }))
    }

    // MARK: Warnings

    /// A condition on what does not take place would fail for want of samples: so no short try of a scenario could pass.
    private mutating func warnAboutEntry(_ entry: TaggedEntry, _ place: Place) {
        reading.warn(
            place.path,
            "the entry \"\(entry.name)\" is at \(entry.at.text), which is not before the end of the run "
                + "(\(draft.duration.text)): the condition is left out")
    }

    private mutating func warnAboutAbort(_ threshold: ThresholdDraft) {
        guard let delay = threshold.delayAbortEval else { return }
        if !threshold.abortsOnFail {
            reading.warn(
                delay.place.path,
                "\"delayAbortEval\" without \"abortOnFail\": the condition never ends the run, so there is nothing to "
                    + "delay")
        } else if delay.value >= draft.duration + draft.drain {
            reading.warn(
                delay.place.path, "\"delayAbortEval\" is longer than the run: it will not abort")
        }
    }

    /// Conditions on what nothing in the scenario makes: without samples they fail, whatever happens.
    mutating func warnAboutSamples(
        _ thresholds: [ScenarioThreshold], _ timeline: [TimelineEntry], _ populations: [ScenarioPopulation]
    ) {
        let rollsOutConfig = timeline.contains { entry in
            guard case .remoteConfig(let config) = entry.change else { return false }
            return config.spread != nil
        }
        for threshold in thresholds {
            let tag = ScenarioBinder.tag(of: threshold.metric)
            let concerned = populations.filter { tag?.key != "population" || $0.name == tag?.name }
            let reason: String
            switch ScenarioBinder.untagged(threshold.metric) {
            case "rollout_reached":
                guard !rollsOutConfig, concerned.allSatisfy(\.rollOuts.isEmpty) else { continue }
                reason = "nothing in the timeline is rolled out"
            case "radio_seconds", "radio_wakeups":
                guard concerned.allSatisfy(\.network.isIdeal) else { continue }
                reason = "the networks are ideal"
            case "time_to_recover", "herd_peak":
                // A notification and a roll-out end too, without a `for`.
                let end = timeline.first { $0.reportName == tag?.name }?.until
                guard let name = tag?.name, end.map({ $0 >= draft.duration + draft.drain }) ?? true else {
                    continue
                }
                reason = "the entry \"\(name)\" does not end before the run does"
            default: continue
            }
            reading.warnings.append(
                ScenarioWarning(
                    pointer: threshold.pointer,
                    text: "the metric has no samples in this scenario (\(reason)), and without samples the "
                        + "condition fails"))
        }
    }
}
