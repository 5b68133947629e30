import Measurement
import Testing
import Timebase
import Wire

@testable import Reporting

@Suite("The interval log")
struct IntervalLogTests {
    private func log(_ series: TimeSeries) -> [Substring] {
        String(decoding: IntervalLogWriter.render(series, toolVersion: "0"), as: UTF8.self).split(
            separator: "\n")
    }

    @Test("has HdrHistogram's head and one line for each metric and interval with values")
    func lines() {
        let series = Fixtures.distributions()
        let lines = log(series)
        #expect(lines[1] == "#[Histogram log format version 1.3]")
        #expect(lines[2] == "#[StartTime: 1772451000.000 (seconds since epoch), \(series.start.text)]")
        #expect(lines[3].hasPrefix("\"StartTimestamp\",\"Interval_Length\""))
        #expect(lines.count == 4 + 3 * 630)
        #expect(lines[4].hasPrefix("Tag=http_req_duration,0.000,1.000,"))
        #expect(lines[5].hasPrefix("Tag=http_req_service,0.000,1.000,"))
        #expect(lines[7].hasPrefix("Tag=http_req_duration,1.000,1.000,"))
    }

    @Test("an empty run's is its head")
    func empty() {
        #expect(log(TimeSeries(start: Instant(nanoseconds: 0))).count == 4)
    }

    /// The encoding of the values 1, 2, 2 and 1000 µs in HdrHistogram 2.1 (JavaDoc of `encodeIntoByteBuffer`):
    /// head, then counters, zeros as negative runs.
    @Test("encodes as HdrHistogram does")
    func encoding() throws {
        var histogram = IntervalHistogram()
        for value in [1, 2, 2, 1000] { histogram.record(.microseconds(Int64(value))) }
        var text = WireBuffer()
        HistogramEncoder().append(histogram, to: &text)
        var bytes = WireBuffer()
        #expect(text.withUnsafeBytes { Base64.decode($0, into: &bytes) })
        #expect(Array(bytes.bytes.prefix(4)) == [0x1C, 0x84, 0x93, 0x14])
        let length = bytes.bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
        #expect(length == bytes.count - 8)
        // zlib's head: deflate, a window of 32 kB, and a check that makes it a multiple of 31.
        #expect(bytes.bytes[8] == 0x78)
        #expect((Int(bytes.bytes[8]) << 8 | Int(bytes.bytes[9])) % 31 == 0)
    }
}
