import Measurement
import Rendering

/// One measure over the rate: a point for each step, a line through the means of the loads, and the knee.
///
/// Whether a step held is told by the point's shape; colour and dashes tell the line.
struct CapacityChart: FramedChart {
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

    var frame = ChartFrame.roomy
    let classes = "chart capacity"
    /// The steps' table has these figures.
    let figures: ((inout Markup) -> Void)? = nil

    /// Room for the name of the knee above the picture, where no point of it reaches.
    private static let kneeHeight = 18.0

    /// - Parameter axisTitle: What stands above the axis where it is not the axis's own title.
    init(
        id: String, title: String, unit: Axis.Unit, axisTitle: String? = nil, report: CapacityReport,
        series: [Series]
    ) {
        self.id = id
        self.title = title
        self.series = series
        self.axisTitle = axisTitle
        steps = report.steps.filter(\.isOfTarget).sorted {
            ($0.load, $0.number) < ($1.load, $1.number)
        }
        scale = CapacityScale(report)
        let values = steps.flatMap { step in series.compactMap { $0.value(step) } }
        axis = Axis(values, unit: unit)
    }

    private func x(_ rate: Double) -> Double { frame.x(scale.position(rate)) }
    private func y(_ value: Double) -> Double { frame.y(axis.position(value)) }

    func fitted(_ frame: ChartFrame) -> ChartFrame {
        var frame = frame.fitting(labels: axis.ticks.map(axis.tickLabel), legend: series.map(\.name))
        frame.top += CapacityChart.kneeHeight
        return frame
    }

    private func text(_ value: Double) -> String {
        axisTitle == nil ? axis.text(value) : Numbers.percent(value / 100)
    }

    var description: String {
        let parts = series.map { series in
            let values = steps.compactMap(series.value)
            return "\(series.name): \(text(values.min() ?? 0)) to \(text(values.max() ?? 0))"
        }
        let knee =
            scale.knee.map { " The knee lies at \(CapacityText.rate($0.lowerBound)) \(scale.unit)." } ?? ""
        return "\(CapacityText.steps(steps.count)) by their rate. " + parts.joined(separator: "; ") + "."
            + knee
    }

    func draw(into svg: inout Markup) {
        svg.rows(axis.ticks.map { (axis.position($0), axis.tickLabel($0)) }, in: frame)
        svg.columns(
            scale.ticks.map { (scale.position($0), Numbers.short($0)) }, scale.unit, in: frame)
        svg.legend(series.map { ($0.name, $0.tone) }, axis: axisTitle ?? axis.title, in: frame)
        knee(into: &svg)
        for series in series { line(series, into: &svg) }
        for series in series { points(series, into: &svg) }
    }

    /// What lies between the load that holds and the one that breaks.
    private func knee(into svg: inout Markup) {
        guard let knee = scale.knee else { return }
        let from = x(knee.lowerBound)
        let until = max(x(knee.upperBound), from + 2)
        let above = frame.top - 10
        svg.rectangle(from, frame.top, until - from, frame.floor - frame.top, "mark")
        svg.line(from, above, from, frame.floor, "edge")
        let text = "knee \(CapacityText.rate(knee.lowerBound))/s"
        let isRight = from + Double(text.count) * ChartFrame.characterWidth > frame.width - 4
        svg.label(from + (isRight ? -4 : 4), above, isRight ? "note end" : "note", text)
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
        case .unreachable: "the target was gone"
        }
    }

    /// The same for tables, in a character.
    static func sign(_ verdict: CapacityReport.Step.Verdict) -> String {
        switch verdict {
        case .held: "✓"
        case .broke: "✗"
        case .generatorLimited, .unreachable: "!"
        case .cut: "■"
        }
    }

    /// What the signs of steps mean, those that any has.
    static func legend(_ report: CapacityReport) -> String {
        let verdicts = CapacityReport.Step.Verdict.allCases.filter { verdict in
            report.steps.contains { $0.verdict == verdict }
        }
        return verdicts.map { "\(sign($0)) \(word($0))" }.joined(separator: "; ") + "."
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
        case .generatorLimited, .cut, .unreachable:
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
        let steps = report.steps.filter(\.isOfTarget).sorted {
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
