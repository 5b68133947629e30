import Measurement

/// One measure over the rate: a point for each step, a line through the means of the loads, and the knee.
///
/// Whether a step held is told by the point's shape; colour and dashes tell the line.
struct CapacityChart {
    struct Series {
        var name: String
        /// The class that colours it.
        var tone: String
        /// `nil` without samples.
        var value: (CapacityReport.Step) -> Double?
    }

    let id: String
    let title: String
    let series: [Series]
    let steps: [CapacityReport.Step]
    let scale: CapacityScale
    let axis: Axis
    let axisTitle: String?

    private static let width = 470.0
    private static let height = 250.0
    private static let left = 58.0
    private static let right = 26.0
    private static let top = 62.0
    private static let bottom = 40.0

    /// - Parameter axisTitle: What stands above the axis where it is not the axis's own title.
    init(
        id: String, title: String, unit: Axis.Unit, axisTitle: String? = nil, report: CapacityReport,
        series: [Series]
    ) {
        self.id = id
        self.title = title
        self.series = series
        self.axisTitle = axisTitle
        steps = report.steps.filter { $0.verdict != .cut }.sorted {
            ($0.load, $0.number) < ($1.load, $1.number)
        }
        scale = CapacityScale(report)
        let values = steps.flatMap { step in series.compactMap { $0.value(step) } }
        axis = Axis(values, unit: unit)
    }

    private func x(_ rate: Double) -> Double {
        CapacityChart.left + scale.position(rate)
            * (CapacityChart.width - CapacityChart.left - CapacityChart.right)
    }

    private func y(_ value: Double) -> Double {
        let height = CapacityChart.height - CapacityChart.top - CapacityChart.bottom
        return CapacityChart.top + (1 - axis.position(value)) * height
    }

    private var bottom: Double { CapacityChart.height - CapacityChart.bottom }

    private func text(_ value: Double) -> String {
        axisTitle == nil ? axis.text(value) : Numbers.percent(value / 100)
    }

    private var description: String {
        let parts = series.map { series in
            let values = steps.compactMap(series.value)
            return "\(series.name): \(text(values.min() ?? 0)) to \(text(values.max() ?? 0))"
        }
        let knee =
            scale.knee.map { " The knee lies at \(CapacityText.rate($0.lowerBound)) \(scale.unit)." } ?? ""
        return "\(steps.count) steps by their rate. " + parts.joined(separator: "; ") + "." + knee
    }

    func write(into html: inout Markup) {
        html.element("figure") { html in
            html.element("figcaption", title)
            html.drawing(
                id, width: CapacityChart.width, height: CapacityChart.height, title: title,
                description: description, classes: "chart capacity"
            ) { svg in
                knee(into: &svg)
                grid(into: &svg)
                legend(into: &svg)
                for series in series { line(series, into: &svg) }
                for series in series { points(series, into: &svg) }
            }
        }
    }

    private func legend(into svg: inout Markup) {
        var x = CapacityChart.left
        for series in series {
            svg.line(x, 12, x + 24, 12, "line \(series.tone)")
            svg.label(x + 29, 16, "legend", series.name)
            x += 29 + Double(series.name.count) * 7.4 + 18
        }
        svg.label(4, 46, "axis", axisTitle ?? axis.title)
    }

    /// What lies between the load that holds and the one that breaks.
    private func knee(into svg: inout Markup) {
        guard let knee = scale.knee else { return }
        let from = x(knee.lowerBound)
        let until = max(x(knee.upperBound), from + 2)
        svg.rectangle(from, CapacityChart.top, until - from, bottom - CapacityChart.top, "mark")
        svg.line(from, CapacityChart.top, from, bottom, "edge")
        let text = "knee \(CapacityText.rate(knee.lowerBound))/s"
        let isRight = from > CapacityChart.width * 0.6
        svg.label(from + (isRight ? -4 : 4), CapacityChart.top - 5, isRight ? "note end" : "note", text)
    }

    private func grid(into svg: inout Markup) {
        for tick in axis.ticks {
            svg.line(CapacityChart.left, y(tick), CapacityChart.width - CapacityChart.right, y(tick), "grid")
            svg.label(CapacityChart.left - 6, y(tick) + 4, "axis end", axis.tickLabel(tick))
        }
        for tick in scale.ticks {
            svg.line(x(tick), bottom, x(tick), bottom + 4, "grid")
            svg.label(x(tick), bottom + 17, "axis middle", Numbers.short(tick))
        }
        svg.label((CapacityChart.left + CapacityChart.width) / 2, bottom + 34, "axis middle", scale.unit)
    }

    /// Through the mean of each load's steps that were judged.
    private func line(_ series: Series, into svg: inout Markup) {
        var path = ""
        var index = 0
        while index < steps.count {
            let like = steps[index...].prefix { $0.load == steps[index].load }
            index += like.count
            let known = like.filter { $0.verdict != .generatorLimited }
            let values = known.compactMap(series.value)
            guard !values.isEmpty else { continue }
            let rate = known.reduce(0) { $0 + scale.rate($1) } / Double(known.count)
            let value = values.reduce(0, +) / Double(values.count)
            path += (path.isEmpty ? "M" : "L") + "\(Markup.number(x(rate))) \(Markup.number(y(value)))"
        }
        if !path.isEmpty { svg.empty("path", ["d": path, "class": "line \(series.tone)"]) }
    }

    private func points(_ series: Series, into svg: inout Markup) {
        for step in steps {
            guard let value = series.value(step) else { continue }
            let verdict = CapacityChart.word(step.verdict)
            svg.element("g", ["class": "point \(series.tone)"]) { svg in
                svg.element(
                    "title",
                    "step \(step.number), \(CapacityText.rate(scale.rate(step))) \(scale.unit), \(verdict): "
                        + "\(series.name) \(text(value))")
                CapacityChart.shape(step.verdict, x(scale.rate(step)), y(value), into: &svg)
            }
        }
    }

    static func word(_ verdict: CapacityReport.Step.Verdict) -> String {
        switch verdict {
        case .held: "holds"
        case .broke: "breaks"
        case .generatorLimited: "the generator could not follow"
        case .cut: "cut short"
        }
    }

    /// A disc for what holds, a cross for what breaks, a triangle where the generator was the limit.
    static func shape(
        _ verdict: CapacityReport.Step.Verdict, _ x: Double, _ y: Double, into svg: inout Markup
    ) {
        let at = { (dx: Double, dy: Double) in "\(Markup.number(x + dx)) \(Markup.number(y + dy))" }
        switch verdict {
        case .held:
            svg.empty(
                "circle", ["cx": Markup.number(x), "cy": Markup.number(y), "r": "3.8", "class": "disc"])
        case .broke:
            let path = "M\(at(-4, -4))L\(at(4, 4))M\(at(4, -4))L\(at(-4, 4))"
            svg.empty("path", ["d": path, "class": "cross"])
        case .generatorLimited, .cut:
            svg.empty("path", ["d": "M\(at(0, -5))L\(at(5, 4))L\(at(-5, 4))Z", "class": "triangle"])
        }
    }
}

/// The rate that steps stand at, and the scale for it.
///
/// Told in requests, as servers count them. A server that is overloaded may get fewer of them, since
/// devices wait for their answers; where that turned the order of loads around, the scale is in events,
/// which users make whatever the server does.
struct CapacityScale {
    let rate: (CapacityReport.Step) -> Double
    let unit: String
    let ticks: [Double]
    /// From the rate that holds to the one that breaks.
    let knee: ClosedRange<Double>?

    init(_ report: CapacityReport) {
        let steps = report.steps.filter { $0.verdict != .cut }.sorted {
            ($0.load, $0.number) < ($1.load, $1.number)
        }
        let isOrdered = zip(steps, steps.dropFirst()).allSatisfy {
            $1.requestsOffered > $0.requestsOffered * 0.9
        }
        rate = isOrdered ? \.requestsOffered : \.eventsOffered
        unit = isOrdered ? "requests/s offered" : "events/s captured"
        ticks = Ticks.linear(upTo: steps.map(rate).max() ?? 0)
        let level: (CapacityReport.Level) -> Double = isOrdered ? \.requestsOffered : \.eventsOffered
        if let holds = report.holds.map(level), report.ending == .knee {
            knee = holds...max(holds, report.breaks.map(level) ?? holds)
        } else {
            knee = nil
        }
    }

    /// 0…1.
    func position(_ rate: Double) -> Double {
        guard let last = ticks.last, last > 0 else { return 0 }
        return min(1, max(0, rate / last))
    }
}
