import Rendering

/// What the hours of a day are like, in a run of several days.
extension HTMLWriter {
    func day(_ report: Report, into html: inout Markup) {
        let clock = report.clock
        guard
            let (points, days) = DayCurve.points(
                of: report.series, length: report.simulatedSeconds, clock: clock)
        else { return }
        let title = clock.map { "local time (\($0.zone))" } ?? "time since the day's start"
        html.element("h3", "A day")
        html.element(
            "p", ["class": "quiet"],
            "Each hour over \(days) whole days, which begin \(clock == nil ? "with the run" : "at midnight"): the line is "
                + "their mean, the pale band goes from the least to the greatest of them.")
        html.element("div", ["class": "charts"]) { html in
            for chart in HTMLWriter.dayCharts(points, .hours(title)) { chart.write(into: &html) }
        }
    }

    private static func dayCharts(_ points: [Report.SeriesPoint], _ scale: TimeScale) -> [TimeChart] {
        func chart(
            _ id: String, _ title: String, _ unit: Axis.Unit, _ lines: [TimeChart.Measure]
        ) -> TimeChart {
            TimeChart(id: id, title: title, unit: unit, points: points, marks: [], lines: lines, scale: scale)
        }
        return [
            chart(
                "d-events", "Events captured in a day", .perSecond,
                [rate("captured", "b", \.captured, \.capturedRate)]),
            chart(
                "d-reqs", "Uploads in a day", .perSecond,
                [
                    rate("all", "a", \.requests, \.requestRate),
                    rate("failed", "c", \.failures, \.failureRate),
                ]),
            chart(
                "d-fleet", "Active devices in a day", .count,
                [
                    .init(
                        name: "active devices", tone: "a", value: { Double($0.devicesActive) },
                        spread: { $0.activeRange })
                ]),
        ].filter(\.hasSamples)
    }
}
