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

    @Test("an answer is read to its end: who is kept, who is left out, and who is not there at all")
    func long() {
        let parts = (0..<20_500).map { "part_depth{p=\"\($0)\"} \($0)\n" }.joined()
        let text = "# TYPE part_depth gauge\n\(parts)process_open_fds 7\nqueue_depth 5\n"
        let reader = ExpositionReader(Array(text.utf8))
        var all = TargetRecorder(wanted: [])
        for second in 0..<3 { #expect(all.note(reader, at: Double(second)).samples == 20_502) }
        let metrics = all.metrics
        #expect(metrics.series.count == 64 && metrics.omitted == 20_438 && metrics.seconds == [0, 1, 2])
        #expect(metrics.series[0].name == "process_open_fds" && metrics.series[0].values == [7, 7, 7])
        #expect(metrics.series[63].labels == "p=\"62\"" && metrics.series[63].values == [62, 62, 62])
        var some = TargetRecorder(wanted: ["queue_depth"])
        some.note(reader, at: 0)
        let found = some.finished(url: "", period: 1)
        #expect(found.series.map(\.values) == [[5]] && found.unmatched.isEmpty && found.omitted == 0)
    }

    @Test("of a series that is told twice the first counts, and it is left out once")
    func twice() {
        let text = (0..<200).map { "a{p=\"\($0 % 100)\"} \($0)\n" }.joined()
        var recorder = TargetRecorder(wanted: [])
        recorder.note(ExpositionReader(Array(text.utf8)), at: 0)
        let metrics = recorder.metrics
        #expect(metrics.series.map(\.values) == (0..<64).map { [Double($0)] } && metrics.omitted == 36)
    }

    @Test("lines that cannot be read are left out of an answer, which is none the worse for it")
    func unreadable() throws {
        let text = """
            queue_depth 5
            queue_depth{p="1} 6
            queue_length five
            # TYPE wait histogram
            wait_bucket{le="1" 2
            9 lives
            """
        let reader = ExpositionReader(Array(text.utf8))
        func told(_ wanted: String...) -> Report.TargetMetrics {
            var recorder = TargetRecorder(wanted: wanted)
            for second in 0..<2 {
                #expect(recorder.note(reader, at: Double(second)).brokenLines == 4)
                recorder.count(problem: nil)
            }
            return recorder.finished(url: "", period: 1)
        }
        let all = told()
        #expect(all.unreadable == 6 && all.failures == 0 && all.series.map(\.values) == [[5, 5]])
        // What names nothing may be of any series.
        #expect(told("queue_depth").unreadable == 4 && told("wait").unreadable == 4)
        #expect(told("queue_*").unreadable == 6 && told("no_such").unreadable == 2)
        // A metric whose lines cannot be read is there all the same.
        #expect(told("queue_length", "no_such").unmatched == ["no_such"])
        var report = Fixtures.outage()
        report.targetMetrics = [all]
        let bytes = ReportJSON.write(report)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"unreadable_lines\": 6"))
        #expect(try ReportJSON.read(bytes).targetMetrics == [all])
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(page.contains("Lines that cannot be read were left out: 6."))
        #expect(!page.contains("had no answer that could be read"))
    }

    @Test("an answer without a sample is none")
    func none() {
        var recorder = TargetRecorder(wanted: ["a"])
        let answer = recorder.note(ExpositionReader(Array("# TYPE a gauge\n<p>\n".utf8)), at: 0)
        #expect(answer == TargetRecorder.Answer(samples: 0, brokenLines: 1, unreadable: 1))
        #expect(recorder.metrics == Report.TargetMetrics())
        #expect(recorder.finished(url: "", period: 1).unmatched.isEmpty)
    }
}

extension ExpositionReader {
    private var all: [Sample] {
        compactMap { line in
            guard case .sample(let sample) = line else { return nil }
            return sample
        }
    }

    /// Those with a number.
    var samples: [Sample] { all.filter(\.value.isFinite) }
    var unnumbered: [Sample] { all.filter { !$0.value.isFinite } }
    var brokenLines: Int { count { if case .broken = $0 { true } else { false } } }
}

extension TargetRecorder {
    mutating func note(_ samples: [ExpositionReader.Sample], at second: Double) {
        note(samples.map(ExpositionReader.Line.sample), at: second)
    }
}
