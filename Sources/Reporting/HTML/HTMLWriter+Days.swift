import Rendering

/// What the hours of a day are like, in a run of several days.
extension HTMLWriter {
    func day(_ report: Report, into html: inout Markup) {
        let clock = report.clock
        guard
            let (points, means, days) = DayCurve.points(
                of: report.series, length: report.simulatedSeconds, clock: clock)
        else { return }
        let title = clock.map { "local time (\($0.zone))" } ?? "time since the day's start"
        html.element("h3", "A day")
        html.element(
            "p", ["class": "quiet"],
            "Each hour over \(days) whole days, which begin \(clock == nil ? "with the run" : "at midnight"): the line is "
                + "their mean, the pale band goes from the least to the greatest of them.")
        html.element("div", ["class": "charts"]) { html in
            for chart in HTMLWriter.dayCharts(points, means, .hours(title)) { chart.write(into: &html) }
        }
    }

    static func dayCharts(
        _ points: [Report.SeriesPoint], _ means: [DayCurve.Hour], _ scale: TimeScale
    ) -> [TimeChart] {
        let hours = Dictionary(zip(points.map(\.second), means)) { $1 }
        func line(
            _ name: String, _ tone: String, _ path: KeyPath<DayCurve.Hour, Double>,
            _ spread: KeyPath<Point, Report.Spread>
        ) -> TimeChart.Measure {
            .init(
                name: name, tone: tone,
                value: { point in
                    hours[point.second].map { $0[keyPath: path] }.flatMap { $0.isFinite ? $0 : nil }
                },
                spread: { $0[keyPath: spread] })
        }
        func chart(
            _ id: String, _ title: String, _ unit: Axis.Unit, _ lines: [TimeChart.Measure]
        ) -> TimeChart {
            TimeChart(id: id, title: title, unit: unit, points: points, marks: [], lines: lines, scale: scale)
        }
        return [
            chart(
                "d-events", "Events captured in a day", .perSecond,
                [line("captured", "b", \.captured, \.capturedRate)]),
            chart(
                "d-reqs", "Uploads in a day", .perSecond,
                [
                    line("all", "a", \.requests, \.requestRate),
                    line("failed", "c", \.failures, \.failureRate),
                ]),
            chart(
                "d-fleet", "Active devices in a day", .count,
                [line("active devices", "a", \.active, \.activeRange)]),
        ].filter(\.hasSamples)
    }
}
