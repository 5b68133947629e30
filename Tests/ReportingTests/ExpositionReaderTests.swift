import Testing

@testable import Reporting

@Suite("What a target tells in Prometheus' text format")
struct ExpositionReaderTests {
    private func told(_ text: String) -> [String] {
        ExpositionReader(Array(text.utf8)).samples.map { "\($0.name)|\($0.labels)|\($0.value)" }
    }

    @Test(
        "only a line feed ends a line",
        arguments: ["\u{85}", "\u{2028}", "\u{2029}", "\u{0B}", "\u{0C}", "\r", "\u{1C}"])
    func separators(_ separator: String) {
        let text = "# TYPE a gauge\na{x=\"b\(separator)c\"} 1\nb 2\n"
        #expect(told(text) == ["a|x=\"b\(separator)c\"|1.0", "b||2.0"])
    }

    @Test("a carriage return before the line feed belongs to neither")
    func carriageReturns() {
        let reader = ExpositionReader(Array("# TYPE a counter\r\na 1\r\n\r\nb{c=\"d\"} 2\r\n".utf8))
        #expect(reader.samples.map(\.kind) == [.counter, .untyped])
        #expect(reader.samples.map(\.value) == [1, 2] && reader.brokenLines == 0)
    }

    @Test("marks that would join the sign before them leave quotes, commas and backslashes what they are")
    func marks() {
        let text = "a{x=\"\u{301}b\",y=\"c\\\"\u{301}\",z=\"\\\\\"} 1\na{x=\"\u{200D}\"} 2\n"
        #expect(
            told(text) == [
                "a|x=\"\u{301}b\",y=\"c\\\"\u{301}\",z=\"\\\\\"|1.0", "a|x=\"\u{200D}\"|2.0",
            ])
        let names = HTMLWriter.lineNames(
            ["x=\"\u{301},1\",y=\"c\"", "x=\"\u{301},2\",y=\"c\""].map { labels in
                var series = Report.TargetSeries()
                series.labels = labels
                return series
            })
        #expect(names == ["x=\"\u{301},1\"", "x=\"\u{301},2\""])
    }

    @Test("labels that look alike and are not the same are of two series")
    func alike() {
        var recorder = TargetRecorder(wanted: [])
        let text = "a{x=\"\u{E9}\"} 1\na{x=\"e\u{301}\"} 2\n"
        recorder.note(ExpositionReader(Array(text.utf8)).samples, at: 0)
        #expect(recorder.metrics.series.map(\.values) == [[1], [2]])
    }
}
