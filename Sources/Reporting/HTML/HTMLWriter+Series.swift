import Rendering

/// What happened over the time of the run, and closely around each entry of the timeline.
extension HTMLWriter {
    /// The most points of a chart of the whole run.
    private static let pointLimit = 120
    /// The most points of a close-up, on a screen with room.
    private static let closePointLimit = 240
    /// The most entries of the timeline that are shown closely.
    private static let closeUpLimit = 12

    func overTime(_ report: Report, into html: inout Markup) {
        guard !report.series.isEmpty else { return }
        section("series", "Over time", &html) { html in
            let points = SeriesMerging.merged(report.series, limit: HTMLWriter.pointLimit)
            html.element("p", HTMLWriter.reading(report, points))
            marks(report.marks, TimeScale(report), into: &html)
            html.element("div", ["class": "charts"]) { html in
                for chart in HTMLWriter.heatMaps(report) { chart.write(into: &html) }
                for chart in HTMLWriter.charts(report, points) { chart.write(into: &html) }
                HTMLWriter.radioChart(report)?.write(into: &html)
            }
            day(report, into: &html)
            if drawsCloseUps { closeUps(report, drawn: points, into: &html) }
        }
    }

    /// How the charts are to be read.
    private static func reading(_ report: Report, _ points: [Report.SeriesPoint]) -> String {
        let lines = heatMaps(report).isEmpty ? "" : ", in heat maps marked by a line where they begin"
        let shaded = report.marks.isEmpty ? "" : "Shaded\(lines): the timeline's faults and changes. "
        let width = points.first?.seconds ?? 1
        guard width > 1 || points.count < report.series.count else {
            return shaded + "Each point is \(Numbers.duration(seconds: width))."
        }
        return shaded
            + "Each point is \(Numbers.duration(seconds: width)): rates are its mean, gauges its end, "
            + "percentiles the largest in it. The pale band goes from the least to the greatest within it. "
            + "timeseries.csv has every interval with its extremes."
    }

    private static func heatMaps(_ report: Report) -> [HeatMapChart] {
        [
            ("h-time", "Upload time, all of it (http_req_duration)", "upload", "http_req_duration"),
            ("h-fresh", "Event freshness, all of it", "event", "event_freshness"),
        ].compactMap { id, title, noun, metric in
            report.heatMaps.first { $0.metric == metric }.flatMap {
                HeatMapChart(
                    id: id, title: title, noun: noun, map: $0, marks: report.marks, scale: TimeScale(report))
            }
        }
    }

    private func marks(_ marks: [Report.Mark], _ scale: TimeScale, into html: inout Markup) {
        guard !marks.isEmpty else { return }
        html.element("ol", ["class": "marks"]) { html in
            for (index, mark) in marks.enumerated() {
                html.element("li") { html in
                    html.element("b", String(index + 1))
                    html.add(HTMLWriter.words(mark, scale))
                }
            }
        }
    }

    private static func words(_ mark: Report.Mark, _ scale: TimeScale) -> String {
        guard let until = mark.until else { return "\(mark.text), \(scale.label(from: mark.from))" }
        return "\(mark.text), \(scale.label(mark.from)) to \(scale.label(until))"
    }

    // MARK: - Around entries of the timeline

    /// For each entry, to be opened: from a bit before it to a bit after it.
    private func closeUps(
        _ report: Report, drawn: [Report.SeriesPoint], into html: inout Markup
    ) {
        let views = report.marks.indices.prefix(HTMLWriter.closeUpLimit).compactMap { index in
            HTMLWriter.closeUp(report, index, drawn: drawn).map { (index: index, points: $0) }
        }
        guard !views.isEmpty else { return }
        let scale = TimeScale(report)
        html.element("h3", "Around each entry of the timeline")
        for (index, points) in views {
            html.element("details", ["class": "closeup"]) { html in
                html.element("summary") { html in
                    html.element("b", String(index + 1))
                    html.add(HTMLWriter.words(report.marks[index], scale))
                }
                let points = SeriesMerging.merged(points, limit: HTMLWriter.closePointLimit)
                let (first, last) = (points[0], points[points.count - 1])
                html.element(
                    "p", ["class": "quiet"],
                    "From \(scale.label(first.second)) to \(scale.label(last.second + last.seconds)); "
                        + "each point is \(Numbers.duration(seconds: first.seconds)).")
                html.element("div", ["class": "charts"]) { html in
                    for chart in HTMLWriter.charts(report, points, prefix: "z\(index + 1)-") {
                        chart.write(into: &html)
                    }
                }
            }
        }
        if report.marks.count > HTMLWriter.closeUpLimit {
            html.element(
                "p", ["class": "quiet"],
                "Only the first \(HTMLWriter.closeUpLimit) of \(report.marks.count) entries are shown closely."
            )
        }
    }

    /// The points around an entry: those recorded closely, or a part of the series; `nil` where the chart of
    /// the whole run shows as much.
    static func closeUp(
        _ report: Report, _ index: Int, drawn: [Report.SeriesPoint]
    ) -> [Report.SeriesPoint]? {
        if let closeUp = report.closeUps.first(where: { $0.mark == index }) {
            return closeUp.points.isEmpty ? nil : closeUp.points
        }
        let mark = report.marks[index]
        let length = (mark.until ?? mark.from) - mark.from
        let from = mark.from - max(length / 2, 60)
        let until = (mark.until ?? mark.from) + max(length, 120)
        let points = report.series.filter { $0.second + $0.seconds > from && $0.second < until }
        let shown = drawn.filter { $0.second + $0.seconds > from && $0.second < until }
        return points.count > max(1, shown.count) || (points.count > 2 && shown.count * 2 < drawn.count)
            ? points : nil
    }

    // MARK: - Charts

    typealias Point = Report.SeriesPoint

    /// From each moment to the next, for charts of what is told at moments of its own.
    static func points(between seconds: [Double]) -> [Point] {
        zip(seconds, seconds.dropFirst()).map { moment, next in
            var point = Point()
            point.second = moment
            point.seconds = next - moment
            return point
        }
    }

    static func rate(
        _ name: String, _ tone: String, _ path: KeyPath<Point, UInt64>,
        _ spread: KeyPath<Point, Report.Spread>
    ) -> TimeChart.Measure {
        .init(
            name: name, tone: tone,
            value: { point in
                let rate = Double(point[keyPath: path]) / point.seconds
                return point.seconds > 0 && rate.isFinite ? rate : nil
            },
            spread: { $0[keyPath: spread] })
    }

    /// Zero stands for no samples.
    private static func time(
        _ name: String, _ tone: String, _ path: KeyPath<Point, Double>
    ) -> TimeChart.Measure {
        .init(name: name, tone: tone, value: { $0[keyPath: path] > 0 ? $0[keyPath: path] : nil })
    }

    static func charts(
        _ report: Report, _ points: [Report.SeriesPoint], prefix: String = ""
    ) -> [TimeChart] {
        let scale = TimeScale(report)
        var shown = eventCharts(points) + uploadCharts(points) + deviceCharts(points)
        if report.mode == .live {
            shown.append(("c-lag", "The generator's own lag", .time, [time("p(99)", "a", \.lagP99)]))
        }
        let charts = shown.map { id, title, unit, lines in
            TimeChart(
                id: prefix + id, title: title, unit: unit, points: points, marks: report.marks, lines: lines,
                scale: scale)
        }
        // What was not measured, such as the freshness of a paced run, gets no empty frame.
        return charts.filter(\.hasSamples)
    }

    /// What a chart shows, apart from what all have in common.
    private typealias Shown = (id: String, title: String, unit: Axis.Unit, lines: [TimeChart.Measure])

    private static func eventCharts(_ points: [Point]) -> [Shown] {
        [
            (
                "c-events", "Events captured and delivered", .perSecond,
                [
                    rate("delivered (\(sum(points, \.delivered)))", "a", \.delivered, \.deliveredRate),
                    rate("captured (\(sum(points, \.captured)))", "b", \.captured, \.capturedRate),
                ]
            ),
            (
                "c-fresh", "Event freshness", .time,
                [time("p(50)", "a", \.freshnessP50), time("p(95)", "b", \.freshnessP95)]
            ),
        ]
    }

    private static func uploadCharts(_ points: [Point]) -> [Shown] {
        [
            (
                "c-reqs", "Uploads", .perSecond,
                [
                    rate("all (\(sum(points, \.requests)))", "a", \.requests, \.requestRate),
                    rate("failed (\(sum(points, \.failures)))", "c", \.failures, \.failureRate),
                ]
            ),
            (
                "c-time", "Upload time (http_req_duration)", .time,
                [
                    time("p(50)", "a", \.durationP50), time("p(95)", "b", \.durationP95),
                    time("p(99)", "c", \.durationP99),
                ]
            ),
        ]
    }

    private static func deviceCharts(_ points: [Point]) -> [Shown] {
        var shown: [Shown] = [
            (
                "c-store", "Events waiting on devices", .count,
                [.init(name: "rows", tone: "a", value: { Double($0.storedRows) }, spread: { $0.storedRange })]
            ),
            ("c-sent", "Traffic sent", .bytesPerSecond, [rate("sent", "a", \.bytesSent, \.sentRate)]),
            ("c-fleet", "Devices", .count, fleet(points)),
        ]
        if points.contains(where: { $0.devicesUpdated > 0 }) {
            shown.append(
                (
                    "c-rollout", "Devices that run the latest roll-out", .count,
                    [.init(name: "devices", tone: "a", value: { Double($0.devicesUpdated) })]
                ))
        }
        return shown
    }

    private static func sum(_ points: [Point], _ path: KeyPath<Point, UInt64>) -> String {
        Numbers.count(points.reduce(0) { $0 + $1[keyPath: path] })
    }

    private static func fleet(_ points: [Report.SeriesPoint]) -> [TimeChart.Measure] {
        let active = TimeChart.Measure(
            name: "active devices", tone: "a", value: { Double($0.devicesActive) }, spread: { $0.activeRange }
        )
        guard points.contains(where: { $0.connectionRange.high > 0 }) else { return [active] }
        return [
            active,
            .init(
                name: "connections", tone: "b", value: { Double($0.connections) },
                spread: { $0.connectionRange }),
        ]
    }
}
