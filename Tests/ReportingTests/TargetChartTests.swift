import Testing

@testable import Rendering
@testable import Reporting

@Suite("Charts of a target's own metrics")
struct TargetChartTests {
    private func sample(_ name: String, _ value: Double, _ kind: ExpositionReader.Kind)
        -> ExpositionReader.Sample
    {
        ExpositionReader.Sample(name: name, kind: kind, value: value)
    }

    @Test("between the moments that are drawn, counters begin anew and gauges have peaks")
    func thinned() {
        var recorder = TargetRecorder(wanted: [])
        for second in 0..<360 {
            // It grows by ten in each second, and begins anew with every third, as do the intervals that are drawn.
            let count = sample("ups_total", Double(second % 3 + 1) * 10, .counter)
            // A queue that is long for a moment, and of which nothing is known for three seconds.
            let queue = sample("queue", second == 200 ? 100 : 1, .gauge)
            recorder.note((60..<63).contains(second) ? [count] : [count, queue], at: Double(second))
        }
        let charts = HTMLWriter.charts(recorder.finished(url: "", period: 1), marks: [], scale: .elapsed)
        #expect(charts.map(\.title) == ["ups_total", "queue"])
        let rates = charts[0].lines[0].values
        #expect(rates.count == 120 && rates.allSatisfy { $0 == 10 })
        // The last moment is drawn, though it is no third one.
        #expect(charts[0].points.last.map { $0.second + $0.seconds } == 359)
        let queue = charts[1].lines[0]
        #expect(queue.values[66] == 1 && queue.spreads[66] == Report.Spread(1, 100))
        #expect(queue.values[20] == nil && queue.spreads[20] == nil)
        #expect(charts[1].description.contains("value: 1 to 100"), "\(charts[1].description)")
        #expect(charts[1].axis.ticks.last.map { $0 >= 100 } == true)
    }

    @Test("an axis whose first moment is next to nothing begins with 0", arguments: [(8e-5, 0.0), (4, 4)])
    func beginning(first: Double, start: Double) {
        var recorder = TargetRecorder(wanted: [])
        for (index, second) in [first, 5, 10, 15].enumerated() {
            recorder.note([sample("queue", Double(index), .gauge)], at: second)
        }
        let charts = HTMLWriter.charts(recorder.finished(url: "", period: 5), marks: [], scale: .elapsed)
        #expect(charts.map(\.from) == [start])
    }
}
