import Rendering

/// The target's own metrics beside ours: counters by what they grow in a second, gauges as they are.
extension HTMLWriter {
    /// The most charts; what is left is in `report.json`.
    private static let targetChartLimit = 24
    /// The most lines of a chart.
    private static let targetLineLimit = 3
    /// The most points of a chart.
    private static let targetPointLimit = 120
    /// The most letters of a line's name: what fits above a chart.
    private static let targetNameLimit = 44

    func target(_ report: Report, into html: inout Markup) {
        target(report.targetMetrics, marks: report.marks, scale: TimeScale(report), into: &html)
    }

    /// - Parameters:
    ///   - all: What was told to each that asked; the page has nothing to say of nobody.
    ///   - marks: What is shaded.
    ///   - scale: Of the charts' time.
    func target(
        _ all: [Report.TargetMetrics], marks: [Report.Mark], scale: TimeScale, into html: inout Markup
    ) {
        guard !all.isEmpty else { return }
        section("target", "The target's own metrics", &html) { html in
            for (number, metrics) in all.enumerated() {
                html.element("p", HTMLWriter.reading(metrics))
                let charts = HTMLWriter.charts(metrics, marks: marks, scale: scale, id: "t\(number)")
                html.element("div", ["class": "charts"]) { html in
                    for chart in charts.prefix(HTMLWriter.targetChartLimit) { chart.write(into: &html) }
                }
                guard charts.count > HTMLWriter.targetChartLimit else { continue }
                html.element(
                    "p", ["class": "quiet"],
                    "\(charts.count - HTMLWriter.targetChartLimit) further metrics are in report.json.")
            }
        }
    }

    private static func reading(_ metrics: Report.TargetMetrics) -> String {
        let who = metrics.part.map { "Part \($0) asked \(metrics.url)" } ?? "Asked of \(metrics.url)"
        var text =
            "\(who) every \(Numbers.duration(seconds: metrics.everySeconds)). Counters are shown by what they "
            + "grow by in a second, gauges as they are."
        if metrics.omitted > 0 { text += " \(metrics.omitted) further series were left out." }
        if metrics.unnumbered > 0 {
            text += " Values without a finite number (NaN, Inf) were left out: \(metrics.unnumbered)."
        }
        if metrics.unreadable > 0 {
            text += " Lines that cannot be read were left out: \(metrics.unreadable)."
        }
        if metrics.failures > 0 {
            text += " \(metrics.failures) of \(metrics.scrapes) questions had no answer that could be read"
            text += metrics.problem.map { "; the last reason: \($0)." } ?? "."
        }
        return text
    }

    /// A chart for each name, in the order of the series.
    ///
    /// - Parameter id: What the charts' own ids begin with.
    static func charts(
        _ metrics: Report.TargetMetrics, marks: [Report.Mark], scale: TimeScale, id: String = "t0"
    ) -> [TimeChart] {
        var names: [String] = []
        for series in metrics.series where !names.contains(series.name) { names.append(series.name) }
        let seconds = drawnMoments(metrics).map { metrics.seconds[$0] }
        let intervals = points(between: seconds)
        // A gauge is known at the last moment too, which begins no interval.
        let moments = points(between: seconds + seconds.suffix(1))
        return names.enumerated().map { index, name in
            let all = metrics.series.filter { $0.name == name }
            // Of many, those that are the largest.
            let largest = all.enumerated().sorted { left, right in
                let (a, b) = (top(left.element), top(right.element))
                return a == b ? left.offset < right.offset : a > b
            }
            let shown = largest.prefix(targetLineLimit).sorted { $0.offset < $1.offset }.map(\.element)
            let isCounter = all[0].isCounter
            return TimeChart(
                id: "\(id)-\(index)",
                title: all.count > shown.count ? "\(name) (\(shown.count) of \(all.count))" : name,
                unit: unit(name, isCounter: isCounter), points: isCounter ? intervals : moments,
                marks: marks,
                lines: zip(zip(shown, lineNames(shown)), ["a", "b", "c"]).map { line, tone in
                    measure(line.0, line.1, tone: tone, metrics)
                }, scale: scale, isOfMoments: !isCounter)
        }.filter(\.hasSamples)
    }

    /// What tells a chart's lines apart: their labels, without those that all of them have.
    static func lineNames(_ shown: [Report.TargetSeries]) -> [String] {
        let all = shown.map { pairs(of: $0.labels) }
        return zip(shown, all).map { series, own in
            let telling = own.filter { pair in all.count == 1 || !all.allSatisfy { $0.contains(pair) } }
            guard !telling.isEmpty else { return series.isCounter ? "per second" : "value" }
            let name = telling.joined(separator: ",")
            return name.count <= targetNameLimit ? name : name.prefix(targetNameLimit - 1) + "…"
        }
    }

    /// `name="value"`, each by itself: a value may have commas, quotes after a backslash, and marks that would join
    /// one.
    private static func pairs(of labels: String) -> [String] {
        var pairs = [""]
        var (isQuoted, isEscaped) = (false, false)
        for letter in labels.unicodeScalars {
            if letter == ",", !isQuoted {
                pairs.append("")
                continue
            }
            if letter == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = letter == "\\" && !isEscaped
            pairs[pairs.count - 1].unicodeScalars.append(letter)
        }
        return pairs.filter { !$0.isEmpty }
    }

    /// Whether a gauge is a length of time, and no moment.
    private static func isTime(_ name: String, isCounter: Bool) -> Bool {
        !isCounter && name.hasSuffix("_seconds") && !name.hasSuffix("time_seconds")
            && !name.hasSuffix("timestamp_seconds")
    }

    private static func unit(_ name: String, isCounter: Bool) -> Axis.Unit {
        if isTime(name, isCounter: isCounter) { return .time }
        let isBytes = name.contains("bytes")
        return isCounter ? (isBytes ? .bytesPerSecond : .perSecond) : isBytes ? .bytes : .count
    }

    /// Every so many moments, and the last.
    private static func drawnMoments(_ metrics: Report.TargetMetrics) -> [Int] {
        let count = metrics.seconds.count
        let size = max(1, (count + targetPointLimit - 1) / targetPointLimit)
        let drawn = Array(stride(from: 0, to: count, by: size))
        return drawn.last == count - 1 ? drawn : drawn + [count - 1].filter { $0 >= 0 }
    }

    private static func measure(
        _ series: Report.TargetSeries, _ name: String, tone: String, _ metrics: Report.TargetMetrics
    ) -> TimeChart.Measure {
        let drawn = drawnMoments(metrics)
        // Axes of time are in milliseconds.
        let factor = isTime(series.name, isCounter: series.isCounter) ? 1000.0 : 1
        var values: [Double: Double] = [:]
        var spreads: [Double: Report.Spread] = [:]
        if series.isCounter {
            for (moment, next) in zip(drawn, drawn.dropFirst()) {
                values[metrics.seconds[moment]] = growth(of: series, from: moment, to: next, metrics)
            }
        } else {
            for (moment, next) in zip(drawn, drawn.dropFirst() + [metrics.seconds.count]) {
                let known = series.values[moment..<next].compactMap { $0 }.map { $0 * factor }
                values[metrics.seconds[moment]] = series.values[moment].map { $0 * factor }
                if let low = known.min(), let high = known.max() {
                    spreads[metrics.seconds[moment]] = Report.Spread(low, high)
                }
            }
        }
        var measure = TimeChart.Measure(name: name, tone: tone, value: { [values] in values[$0.second] })
        if !series.isCounter, drawn.count < metrics.seconds.count {
            measure.spread = { [spreads] in spreads[$0.second] }
        }
        return measure
    }

    /// What a counter grew by in one of an interval's seconds, however often it began anew.
    private static func growth(
        of series: Report.TargetSeries, from moment: Int, to next: Int, _ metrics: Report.TargetMetrics
    ) -> Double? {
        let seconds = metrics.seconds[next] - metrics.seconds[moment]
        guard series.values[moment] != nil, series.values[next] != nil, seconds > 0 else { return nil }
        return growth(over: series.values[moment...next].compactMap { $0 }) / seconds
    }

    /// What a counter grew by in all. One that is lower than before has begun anew.
    private static func growth(over known: [Double]) -> Double {
        zip(known, known.dropFirst()).reduce(0) { sum, step in
            sum + (step.1 >= step.0 ? step.1 - step.0 : step.1)
        }
    }

    /// The greatest value of a gauge; what a counter grew by in all, however often it began anew.
    private static func top(_ series: Report.TargetSeries) -> Double {
        let known = series.values.compactMap(\.self)
        return series.isCounter ? growth(over: known) : known.max() ?? 0
    }
}
