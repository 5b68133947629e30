import Testing
import Timebase

@testable import Rendering
@testable import Reporting

@Suite("A target's own metrics")
struct TargetMetricsTests {
    /// As Debian's python3-prometheus-client 0.14 writes it, and what else the format has.
    static let text = """
        # HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
        # TYPE process_cpu_seconds_total counter
        process_cpu_seconds_total 12.47
        # HELP process_resident_memory_bytes Resident memory size in bytes.
        # TYPE process_resident_memory_bytes gauge
        process_resident_memory_bytes 2.1856256e+07
        # TYPE python_info gauge
        python_info{implementation="CPython",major="3",version="3.11.2"} 1.0
        # TYPE requests_total counter
        requests_total{path="/a \\"b\\", {c}",code="200"} 7 1700000000000
        requests_total{code="500",path="/"} 2
        # TYPE wait_seconds histogram
        wait_seconds_bucket{le="0.1"} 3
        wait_seconds_bucket{le="+Inf"} 5
        wait_seconds_sum 1.5
        wait_seconds_count 5
        # TYPE hits counter
        hits_total 4
        hits_created 1.7e9

        queue_depth 5
        nothing NaN
        endless +Inf
        1st 3
        broken{a="b 4
        words only
        """

    @Test("reads the text format, and counts what it cannot read")
    func read() {
        let reader = ExpositionReader(Array(Self.text.utf8))
        #expect(reader.brokenLines == 3)
        #expect(reader.unnumbered.map(\.name) == ["nothing", "endless"])
        let told = reader.samples.map { "\($0.name)|\($0.labels)|\($0.kind.rawValue)|\($0.value)" }
        #expect(
            told == [
                "process_cpu_seconds_total||counter|12.47",
                "process_resident_memory_bytes||gauge|21856256.0",
                #"python_info|implementation="CPython",major="3",version="3.11.2"|gauge|1.0"#,
                #"requests_total|code="200",path="/a \"b\", {c}"|counter|7.0"#,
                #"requests_total|code="500",path="/"|counter|2.0"#,
                #"wait_seconds_bucket|le="0.1"|histogram|3.0"#,
                #"wait_seconds_bucket|le="+Inf"|histogram|5.0"#,
                "wait_seconds_sum||histogram|1.5", "wait_seconds_count||histogram|5.0",
                "hits_total||counter|4.0", "hits_created||gauge|1700000000.0", "queue_depth||untyped|5.0",
            ])
        let page = ExpositionReader(Array("<!doctype html>\n<html><p>It works!</p></html>".utf8))
        #expect(page.samples.isEmpty && page.brokenLines == 2)
        #expect(ExpositionReader([0xFF, 0x00, 0x0A, 0x7B, 0x0A]).samples.isEmpty)
    }

    private func sample(_ name: String, _ value: Double, _ kind: ExpositionReader.Kind = .gauge)
        -> ExpositionReader.Sample
    {
        ExpositionReader.Sample(name: name, kind: kind, value: value)
    }

    @Test("keeps what is wanted; what is not told at a moment has no value there")
    func recorder() {
        let samples = ExpositionReader(Array(Self.text.utf8)).samples
        var all = TargetRecorder(wanted: [])
        all.note(samples, at: 0)
        all.note([sample("queue_depth", 9), sample("late", 1)], at: 2)
        all.note([sample("nobody_wants_sum", 1, .summary)], at: 4)
        let metrics = all.finished(url: "http://a/metrics", period: 2)
        #expect(metrics.seconds == [0, 2, 4])
        #expect(
            metrics.series.map(\.name) == [
                "process_cpu_seconds_total", "process_resident_memory_bytes", "python_info",
                "requests_total", "requests_total", "hits_total", "hits_created", "queue_depth", "late",
            ])
        #expect(metrics.series.filter(\.isCounter).map(\.name).count == 4)
        #expect(metrics.series[7].values == [5, 9, nil] && metrics.series[8].values == [nil, 1, nil])
        var some = TargetRecorder(wanted: ["wait_seconds_count", "process_*"])
        some.note(samples, at: 0)
        #expect(
            some.metrics.series.map(\.name).sorted() == [
                "process_cpu_seconds_total", "process_resident_memory_bytes", "wait_seconds_count",
            ])
        // A histogram's own name is that of all its series.
        var family = TargetRecorder(wanted: ["wait_seconds"])
        family.note(samples, at: 0)
        let found = family.finished(url: "", period: 1)
        #expect(!found.series.isEmpty && found.unmatched.isEmpty)
        #expect(found.series.allSatisfy { $0.name.hasPrefix("wait_seconds_") })
    }

    @Test("a summary's quantiles and moments of creation are no counters, their sums and counts are")
    func growing() {
        let text = """
            # TYPE rpc_seconds summary
            rpc_seconds{quantile="0.99",method="get"} 0.25
            rpc_seconds_sum{method="get"} 10
            rpc_seconds_count{my_quantile="0.99"} 40
            # TYPE wait_seconds histogram
            wait_seconds_bucket{le="1"} 4
            wait_seconds_created 1700000000
            # TYPE sessions_created counter
            sessions_created 3
            """
        var recorder = TargetRecorder(wanted: ["rpc*", "wait*", "sessions*"])
        recorder.note(ExpositionReader(Array(text.utf8)).samples, at: 0)
        #expect(recorder.metrics.series.count == 6)
        #expect(
            recorder.metrics.series.filter(\.isCounter).map(\.name) == [
                "rpc_seconds_sum", "rpc_seconds_count", "wait_seconds_bucket", "sessions_created",
            ])
    }

    @Test("names that nothing has are told, once the target has told anything")
    func unmatched() {
        let reader = ExpositionReader(Array(Self.text.utf8))
        var some = TargetRecorder(wanted: ["queue_*", "hits", "nothing", "no_such_*", "queue_depth"])
        #expect(some.finished(url: "", period: 1).unmatched.isEmpty)
        some.note(reader.samples, at: 0)
        #expect(some.finished(url: "", period: 1).unmatched == ["hits", "nothing", "no_such_*"])
        // What is no number is there all the same.
        some.note(reader, at: 1)
        #expect(some.finished(url: "", period: 1).unmatched == ["hits", "no_such_*"])
        var all = TargetRecorder(wanted: [])
        all.note(reader.samples, at: 0)
        #expect(all.finished(url: "", period: 1).unmatched.isEmpty)
    }

    @Test("values that are no numbers are counted, of the series that are wanted")
    func unnumbered() throws {
        let text = Self.text + "\nslow_seconds{quantile=\"0.5\"} NaN\n"
        let reader = ExpositionReader(Array(text.utf8))
        var all = TargetRecorder(wanted: [])
        #expect(all.note(reader, at: 0).unnumbered == 3)
        #expect(all.note(reader, at: 1).unnumbered == 3)
        let metrics = all.finished(url: "", period: 1)
        #expect(metrics.unnumbered == 6 && !metrics.series.contains { $0.name == "nothing" })
        var some = TargetRecorder(wanted: ["end*"])
        #expect(some.note(reader, at: 0).unnumbered == 1)
        var report = Fixtures.outage()
        report.targetMetrics = [metrics]
        #expect(try ReportJSON.read(ReportJSON.write(report)).targetMetrics == [metrics])
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(page.contains("Values without a finite number (NaN, Inf) were left out: 6."))
    }

    @Test("series and moments have their bounds")
    func bounds() {
        var recorder = TargetRecorder(wanted: [])
        let many = (0..<100).map { sample("s\($0)", Double($0)) } + [sample("process_open_fds", 3)]
        for second in 0..<1000 { recorder.note(many, at: Double(second)) }
        let metrics = recorder.finished(url: "", period: 1)
        #expect(metrics.series.count == TargetRecorder.seriesLimit && metrics.omitted == 37)
        #expect(metrics.series[0].name == "process_open_fds")
        #expect(metrics.seconds.count <= TargetRecorder.momentLimit && metrics.seconds.count > 100)
        #expect(
            metrics.everySeconds == 4 && metrics.seconds == metrics.seconds.indices.map { Double($0 * 4) })
        #expect(metrics.series.allSatisfy { $0.values.count == metrics.seconds.count })
    }

    @Test("is in report.json and back, and drawn: counters by their growth, gauges as they are")
    func report() throws {
        var recorder = TargetRecorder(wanted: [])
        // The target begins anew at 4 s.
        for (second, cpu) in [(0.0, 10.0), (2, 11), (4, 0.5), (6, 3.5)] {
            recorder.note(
                [sample("process_cpu_seconds_total", cpu, .counter), sample("queue", 7 + second)], at: second)
            recorder.count(problem: nil)
        }
        recorder.count(problem: "answered 503")
        var report = Fixtures.outage()
        report.targetMetrics = [recorder.finished(url: "http://127.0.0.1:9100/metrics", period: 2)]
        let bytes = ReportJSON.write(report)
        let read = try ReportJSON.read(bytes)
        #expect(read.targetMetrics == report.targetMetrics && ReportJSON.write(read) == bytes)
        let charts = HTMLWriter.charts(report.targetMetrics[0], marks: [], scale: .elapsed)
        #expect(charts.map(\.title) == ["process_cpu_seconds_total", "queue"])
        #expect(charts.map { $0.lines[0].values } == [[0.5, 0.25, 1.5], [7, 9, 11, 13]])
        #expect(charts.map { $0.points.map(\.second) } == [[0, 2, 4], [0, 2, 4, 6]])
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(page.contains("The target&#39;s own metrics") || page.contains("The target's own metrics"))
        #expect(
            page.contains("1 of 5 questions had no answer that could be read; the last reason: answered 503.")
        )
        // What several parts of a run were told stays apart.
        var other = report.targetMetrics[0]
        (report.targetMetrics[0].part, other.part) = ("0/3", "2/3")
        other.url = "http://127.0.0.1:9200/metrics"
        report.targetMetrics.append(other)
        let parts = ReportJSON.write(report)
        #expect(try ReportJSON.read(parts).targetMetrics == report.targetMetrics)
        #expect(String(decoding: parts, as: UTF8.self).contains("\"target_metrics_of_parts\""))
        let both = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        for text in ["Part 0/3 asked http://127.0.0.1:9100", "Part 2/3 asked http://127.0.0.1:9200"] {
            #expect(both.contains(text))
        }
        #expect(both.contains("t0-0") && both.contains("t1-0"))
        report.targetMetrics = []
        #expect(!String(decoding: ReportJSON.write(report), as: UTF8.self).contains("target_metrics"))
    }

    @Test("of many counters those that grew most are drawn, however often they began anew")
    func largest() {
        var recorder = TargetRecorder(wanted: [])
        // The first one dies again and again, and is as low at the end as at the start.
        let grown: [(String, [Double])] = [
            ("crashing", [0, 900, 5, 800, 0]), ("idle", [7000, 7000, 7000, 7000, 7001]),
            ("slow", [0, 10, 20, 30, 40]), ("slower", [0, 5, 10, 15, 20]),
        ]
        for second in 0..<5 {
            let samples = grown.map { name, values in
                ExpositionReader.Sample(
                    name: "requests_total", labels: "worker=\"\(name)\"", kind: .counter,
                    value: values[second])
            }
            recorder.note(samples, at: Double(second))
        }
        let charts = HTMLWriter.charts(recorder.finished(url: "", period: 1), marks: [], scale: .elapsed)
        #expect(charts.map(\.title) == ["requests_total (3 of 4)"])
        #expect(
            charts[0].lines.map(\.name) == [#"worker="crashing""#, #"worker="slow""#, #"worker="slower""#])
    }

    @Test("lines are called by the labels that tell them apart, as far as they fit")
    func lineNames() {
        func names(_ labels: String...) -> [String] {
            HTMLWriter.lineNames(
                labels.map {
                    var series = Report.TargetSeries()
                    series.labels = $0
                    return series
                })
        }
        #expect(names("") == ["value"] && names(#"queue="in""#) == [#"queue="in""#])
        #expect(
            names(#"host="a,\"b",queue="in""#, #"host="a,\"b",queue="out""#) == [
                #"queue="in""#, #"queue="out""#,
            ])
        #expect(names(#"a="1""#, #"a="1",b="2""#) == ["value", #"b="2""#])
        let long = names("path=\"" + String(repeating: "x", count: 90) + "\"")
        #expect(long[0].count == 44 && long[0].hasSuffix("…"))
    }

    @Test("a gauge of seconds is a time, and a moment is none")
    func times() {
        var recorder = TargetRecorder(wanted: [])
        for second in [0.0, 1] {
            recorder.note(
                [
                    sample("lag_seconds", 0.25), sample("process_start_time_seconds", 1.7e9),
                    sample("busy_seconds_total", second, .counter),
                ], at: second)
        }
        let charts = HTMLWriter.charts(
            recorder.finished(url: "", period: 1), marks: [], scale: .elapsed)
        #expect(charts.map { $0.lines[0].values } == [[1.7e9, 1.7e9], [250, 250], [1]])
    }

    @Test("a gauge below nothing is drawn below nothing, and one that was told once is there")
    func negative() {
        var recorder = TargetRecorder(wanted: [])
        for second in [0.0, 1, 2] { recorder.note([sample("depth", -5.3 - second)], at: second) }
        recorder.note([sample("depth", -8), sample("late", 3)], at: 3)
        let charts = HTMLWriter.charts(recorder.finished(url: "", period: 1), marks: [], scale: .elapsed)
        #expect(charts.map(\.title) == ["depth", "late"] && charts.allSatisfy(\.isOfMoments))
        let (ticks, axis) = (charts[0].axis.ticks, charts[0].axis)
        #expect(ticks.first.map { $0 <= -8 } == true && ticks.last == 0)
        let positions = charts[0].lines[0].values.compactMap { $0.map(axis.position) }
        #expect(positions.count == 4 && positions[0] > positions[2] && positions[2] > 0)
        #expect(charts[1].lines[0].values == [nil, nil, nil, 3])
        var report = Fixtures.outage()
        report.targetMetrics = [recorder.finished(url: "", period: 1)]
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(page.contains("depth: -8 to -5.3") || page.contains("value: -8 to -5.3"))
    }
}
