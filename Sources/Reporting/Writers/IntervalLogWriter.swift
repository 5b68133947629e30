package import Measurement
import Timebase
import Wire

/// `intervals.hlog`: the histograms of each interval of a run, in HdrHistogram's log format 1.3, as its
/// HistogramLogReader, HistogramLogAnalyzer and `hdrh` read it.
///
/// One line for each metric and interval that has values, the metric as its tag. Start and length are in
/// seconds, the largest value in milliseconds; the histograms hold microseconds at two significant digits, in
/// the V2 encoding, deflated and in base64.
package enum IntervalLogWriter {
    package static let fileName = "intervals.hlog"

    /// What is written, under the tags that name it.
    static var metrics: [(name: String, path: KeyPath<TimeSeries.Bucket, IntervalHistogram>)] {
        [
            ("http_req_duration", \.duration), ("http_req_service", \.service),
            ("event_freshness", \.freshness),
        ]
    }

    /// Writes the whole log.
    ///
    /// - Parameter toolVersion: Of Beaconswarm, for the head.
    package static func render(_ series: TimeSeries, toolVersion: String) -> [UInt8] {
        var log = WireBuffer()
        log.append("#[Beaconswarm \(toolVersion): values in microseconds, Interval_Max in milliseconds]\n")
        log.append("#[Histogram log format version 1.3]\n")
        log.append("#[StartTime: ")
        log.appendFixed(series.start.milliseconds, decimals: 3)
        log.append(" (seconds since epoch), \(series.start.text)]\n")
        log.append(
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
        let metrics = metrics
        let encoder = HistogramEncoder(reaching: highest(in: series))
        for (index, bucket) in series.buckets.enumerated() {
            for metric in metrics where bucket[keyPath: metric.path].count > 0 {
                let histogram = bucket[keyPath: metric.path]
                log.append("Tag=\(metric.name),")
                log.appendFixed(Int64(index) * series.width.nanoseconds / 1_000_000, decimals: 3)
                log.append(",")
                log.appendFixed(series.width.nanoseconds / 1_000_000, decimals: 3)
                log.append(",")
                log.appendFixed(Int64(histogram.highest), decimals: 3)
                log.append(",")
                encoder.append(histogram, to: &log)
                log.append("\n")
            }
        }
        return log.bytes
    }

    /// The highest value of all, in microseconds. One for all lines, since a reader may sum them up in the first one's range.
    private static func highest(in series: TimeSeries) -> UInt64 {
        let metrics = metrics
        var highest: UInt64 = 0
        for bucket in series.buckets {
            for metric in metrics { highest = max(highest, bucket[keyPath: metric.path].highest) }
        }
        return highest
    }
}

/// HdrHistogram's V2 encoding: a head of 40 bytes and the counters as zigzag LEB128, runs of zeros as one
/// negative number; deflated behind a cookie and a length, in base64. All numbers are big-endian.
///
/// After `AbstractHistogram.encodeIntoByteBuffer` and `encodeIntoCompressedByteBuffer` of HdrHistogram 2.1.
final class HistogramEncoder {
    /// The cookies' last four bits but one say the word size; 1 stands for LEB128.
    private static let cookie: UInt32 = 0x1C84_9303 | 0x10
    private static let compressedCookie: UInt32 = 0x1C84_9304 | 0x10

    private let zlib = ZlibEncoder(level: 6)
    private let highestTrackable: UInt64
    private var counts = WireBuffer()
    private var plain = WireBuffer()
    private var packed = WireBuffer()
    private var whole = WireBuffer()

    /// - Parameter highest: The highest value that any of the histograms holds, in microseconds.
    init(reaching highest: UInt64 = 0) {
        highestTrackable =
            highest > LatencyHistogram.usualMaximum
            ? LatencyHistogram.maximum : LatencyHistogram.usualMaximum
    }

    func append(_ histogram: IntervalHistogram, to text: inout WireBuffer) {
        encodeCounts(histogram)
        plain.removeAll(keepingCapacity: true)
        HistogramEncoder.append(UInt64(HistogramEncoder.cookie), bytes: 4, to: &plain)
        HistogramEncoder.append(UInt64(counts.count), bytes: 4, to: &plain)
        // The offset of a shifted histogram.
        HistogramEncoder.append(0, bytes: 4, to: &plain)
        HistogramEncoder.append(UInt64(IntervalHistogram.significantDigits), bytes: 4, to: &plain)
        // The lowest discernible and the highest trackable value, and what to multiply values with.
        HistogramEncoder.append(1, bytes: 8, to: &plain)
        HistogramEncoder.append(highestTrackable, bytes: 8, to: &plain)
        HistogramEncoder.append((1.0).bitPattern, bytes: 8, to: &plain)
        plain.append(contentsOf: counts.bytes)
        packed.removeAll(keepingCapacity: true)
        zlib.compress(plain, into: &packed)
        whole.removeAll(keepingCapacity: true)
        HistogramEncoder.append(UInt64(HistogramEncoder.compressedCookie), bytes: 4, to: &whole)
        HistogramEncoder.append(UInt64(packed.count), bytes: 4, to: &whole)
        whole.append(contentsOf: packed.bytes)
        Base64.encode(whole, into: &text)
    }

    private func encodeCounts(_ histogram: IntervalHistogram) {
        counts.removeAll(keepingCapacity: true)
        var next = 0
        for (index, count) in histogram.recorded {
            let zeros = index - next
            if zeros > 0 { HistogramEncoder.append(zigzag: zeros == 1 ? 0 : -Int64(zeros), to: &counts) }
            HistogramEncoder.append(zigzag: Int64(count), to: &counts)
            next = index + 1
        }
    }

    private static func append(_ value: UInt64, bytes: Int, to buffer: inout WireBuffer) {
        for shift in stride(from: (bytes - 1) * 8, through: 0, by: -8) {
            buffer.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// Seven bits a byte, the lowest first. The ninth byte would hold eight, which no counter needs.
    private static func append(zigzag value: Int64, to buffer: inout WireBuffer) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest > 0x7F {
            buffer.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        buffer.append(UInt8(truncatingIfNeeded: rest))
    }
}
