import Histogram
import Testing
import Timebase

@testable import Measurement

@Suite("Latency histograms")
struct LatencyHistogramTests {
    @Test("tell percentiles within a thousandth, and exact extremes")
    func percentiles() {
        var histogram = LatencyHistogram()
        for value in 1...10_000 { histogram.record(.microseconds(Int64(value) * 100)) }
        #expect(histogram.count == 10_000)
        for percentile in [50.0, 90, 95, 99, 99.9] {
            let exact = percentile * 10
            #expect(abs(histogram.milliseconds(atPercentile: percentile) / exact - 1) < 0.0015)
        }
        #expect(histogram.minimumMilliseconds == 0.1)
        #expect(histogram.maximumMilliseconds == 1000)
        #expect(abs(histogram.meanMilliseconds - 500.05) < 1e-9)
    }

    @Test("count what is out of range instead of dropping it")
    func clamps() {
        var histogram = LatencyHistogram()
        histogram.record(.milliseconds(-5))
        histogram.record(.hours(24 * 3700))
        histogram.record(.hours(24 * 5000))
        #expect(histogram.count == 3)
        #expect(histogram.minimumMilliseconds == 0)
        #expect(histogram.maximumMilliseconds == 3700 * 86_400_000)
        #expect(histogram.meanMilliseconds == 2 * 3700 * 86_400_000 / 3)
    }

    @Test("tell of years as well as of hours, whichever come first")
    func years() {
        var (short, long) = (LatencyHistogram(), LatencyHistogram())
        // More than are kept as they are.
        for value in Int64(1)...100 {
            short.record(.hours(value))
            long.record(.hours(24 * 36 * value))
        }
        var later = short
        for value in Int64(1)...100 { later.record(.hours(24 * 36 * value)) }
        var (first, second) = (short, long)
        first.merge(long)
        second.merge(short)
        let day = 86_400_000.0
        for histogram in [later, first, second] {
            #expect(histogram.count == 200)
            #expect(histogram.maximumMilliseconds == 3600 * day)
            #expect(abs(histogram.milliseconds(atPercentile: 75) / (1800 * day) - 1) < 0.0015)
            #expect(histogram.share(upTo: .hours(24 * 1800)) == 0.75)
            #expect(histogram.percentileCurve.buckets == 39)
            #expect(histogram.percentileCurve.points.last?.milliseconds == 3600 * day)
        }
        #expect(short.percentileCurve.buckets == 33)
        #expect(long.milliseconds(atPercentile: 0) == 36 * day)
    }

    @Test("merge to what one histogram would have")
    func merge() {
        var stream = RandomStream(key: 21)
        var whole = LatencyHistogram()
        var parts = [LatencyHistogram(), LatencyHistogram(), LatencyHistogram()]
        for index in 0..<9000 {
            let value = Interval.microseconds(Int64(stream.below(50_000_000)))
            whole.record(value)
            parts[index % 3].record(value)
        }
        var merged = LatencyHistogram()
        for part in parts { merged.merge(part) }
        #expect(merged.count == whole.count)
        #expect(merged.meanMilliseconds == whole.meanMilliseconds)
        for percentile in [0.0, 1, 50, 99, 99.9, 100] {
            #expect(
                merged.milliseconds(atPercentile: percentile) == whole.milliseconds(atPercentile: percentile))
        }
    }

    @Test("tell the same of few values as of many, merged in any order")
    func fewValues() {
        let seed = UInt64.random(in: 0...(.max))
        var stream = RandomStream(key: seed)
        for round in 0..<40 {
            // As many values as are kept as they are, some more, some fewer.
            let parts = (0..<3).map { _ in
                (0..<Int(stream.below(150))).map { _ in
                    (Interval.microseconds(Int64(1 << stream.below(40))), 1 + stream.below(3))
                }
            }
            let filled = parts.map { values in
                var histogram = LatencyHistogram()
                for (value, times) in values { histogram.record(value, times: times) }
                return histogram
            }
            // The oracle: every value once for each time, sorted.
            let all = parts.joined().flatMap {
                Array(repeating: $0.0.fractionalSeconds * 1000, count: Int($0.1))
            }
            let sorted = all.sorted()
            for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                var merged = LatencyHistogram()
                for part in order { merged.merge(filled[part]) }
                #expect(merged.count == UInt64(sorted.count), "seed \(seed), round \(round)")
                guard let last = sorted.last else { continue }
                #expect(merged.maximumMilliseconds == last, "seed \(seed), round \(round)")
                #expect(merged.percentileCurve.totalCount == UInt64(sorted.count))
                for percentile in [0.0, 25, 50, 90, 99] {
                    let rank = max(1, (percentile / 100 * Double(sorted.count)).rounded(.up))
                    let exact = sorted[Int(rank) - 1]
                    let told = merged.milliseconds(atPercentile: percentile)
                    #expect(abs(told / exact - 1) < 0.0015, "seed \(seed), round \(round)")
                }
            }
        }
    }

    @Test("tell exactly what the histogram of the same few values would tell")
    func fewAsFilled() {
        let seed = UInt64.random(in: 0...(.max))
        var stream = RandomStream(key: seed)
        for round in 0..<80 {
            let values = (0..<Int(1 + stream.below(40))).map { _ in
                // Of every magnitude, and often several of one counter.
                let magnitude = UInt64(1) << stream.below(49)
                return (min(magnitude + stream.below(8), LatencyHistogram.maximum), 1 + stream.below(3))
            }
            var few = LatencyHistogram()
            var filled = Histogram<UInt64>(
                lowestDiscernibleValue: 1, highestTrackableValue: LatencyHistogram.maximum,
                numberOfSignificantValueDigits: .three)
            for (value, times) in values {
                few.record(.microseconds(Int64(value)), times: times)
                filled.record(value, count: times)
            }
            let (low, high) = (values.map(\.0).min() ?? 0, values.map(\.0).max() ?? 0)
            for percentile in [0, 1e-9, 10, 25, 50, 66.6, 90, 95, 99, 99.9, 99.999, 100] {
                let told = Double(min(max(filled.valueAtPercentile(percentile), low), high)) / 1000
                #expect(
                    few.milliseconds(atPercentile: percentile) == told,
                    "seed \(seed), round \(round), \(percentile) %")
            }
            for (value, _) in values {
                for bound in [value - 1, value, value + 1, value + value / 1000] {
                    let count = filled.count(within: 0...min(bound, LatencyHistogram.maximum))
                    #expect(
                        few.share(upTo: .microseconds(Int64(bound))) == Double(count) / Double(few.count),
                        "seed \(seed), round \(round), up to \(bound)")
                }
            }
        }
    }

    @Test("are silent when empty")
    func empty() {
        let histogram = LatencyHistogram()
        #expect(histogram.milliseconds(atPercentile: 99) == 0)
        #expect(histogram.meanMilliseconds == 0)
        #expect(histogram.minimumMilliseconds == 0)
    }
}

@Suite("Size and coarse histograms")
struct SmallHistogramTests {
    @Test("sizes are exact below 1024 and within a hundredth above")
    func sizes() {
        var histogram = SizeHistogram()
        for value in UInt64(1)...1000 { histogram.record(value) }
        #expect(histogram.value(atPercentile: 50) == 500)
        #expect(histogram.value(atPercentile: 100) == 1000)
        #expect(histogram.mean == 500.5)
        for exponent in UInt64(10)..<40 {
            for offset in [UInt64(0), 1, 77, 1000] {
                let value = UInt64(1) << exponent + offset
                let bound = SizeHistogram.upperBound(of: SizeHistogram.index(of: value))
                #expect(bound >= value && Double(bound) <= Double(value) * 1.016)
            }
        }
    }

    /// 99.9 % of 41,000 are 40,959, though the product of the two is a little more in binary.
    @Test("a percentile is the same value in every distribution, however its rank is rounded")
    func ranks() {
        var times = LatencyHistogram()
        times.record(.microseconds(1), times: 40_959)
        times.record(.microseconds(2), times: 41)
        var sizes = SizeHistogram()
        sizes.record(1, times: 40_959)
        sizes.record(2, times: 41)
        var interval = IntervalHistogram()
        for index in 0..<41_000 { interval.record(.microseconds(index < 40_959 ? 1 : 2)) }
        for (percentile, expected) in [(0, 1), (50, 1), (99.9, 1), (99.91, 2), (100, 2)] as [(Double, Double)]
        {
            #expect(times.milliseconds(atPercentile: percentile) * 1000 == expected, "\(percentile)")
            #expect(sizes.value(atPercentile: percentile) == expected, "\(percentile)")
            #expect(interval.milliseconds(atPercentile: percentile) * 1000 == expected, "\(percentile)")
        }
    }

    @Test("those of an interval stay within a hundredth over nine decades and merge exactly")
    func intervals() {
        var merged = IntervalHistogram()
        var whole = IntervalHistogram()
        var value: Int64 = 1
        while value < 1_000_000_000_000 {
            var one = IntervalHistogram()
            one.record(.microseconds(value))
            let told = one.milliseconds(atPercentile: 50) * 1000
            #expect(told >= Double(value) && told <= Double(value) * 1.008, "\(value)")
            merged.merge(one)
            whole.record(.microseconds(value))
            value = value * 5 / 3 + 1
        }
        #expect(merged == whole)
        #expect(merged.recorded.reduce(0) { $0 + UInt64($1.count) } == merged.count)
    }

    @Test("those of an interval tell the same packed, and take more values all the same")
    func packing() {
        let seed = UInt64.random(in: 0...(.max))
        var stream = RandomStream(key: seed)
        var plain = IntervalHistogram()
        var packed = IntervalHistogram()
        packed.pack()
        for round in 0..<40 {
            for _ in 0..<Int(stream.below(60)) {
                let value = Interval.microseconds(Int64(1 << stream.below(36)) + Int64(stream.below(1000)))
                plain.record(value)
                packed.record(value)
            }
            if round % 3 == 0 { packed.pack() }
            #expect(packed == plain, "seed \(seed)")
            for percentile in [0.0, 50, 99, 100] {
                #expect(
                    packed.milliseconds(atPercentile: percentile)
                        == plain.milliseconds(atPercentile: percentile), "seed \(seed)")
            }
        }
        var doubled = packed
        doubled.merge(packed)
        plain.merge(plain)
        #expect(doubled == plain && doubled != packed, "seed \(seed)")
    }

    @Test("the counters of an interval lie as HdrHistogram's do, without gap or overlap")
    func arrangement() {
        var next: UInt64 = 0
        var index = 0
        while next <= LatencyHistogram.maximum {
            let range = IntervalHistogram.microseconds(of: index)
            #expect(range.lowerBound == next)
            #expect(IntervalHistogram.index(of: range.lowerBound) == index)
            #expect(IntervalHistogram.index(of: range.upperBound) == index)
            next = range.upperBound + 1
            index += 1
        }
        // The library's own rule for 1 … 319,680,000,000,000 at two digits: 42 buckets of 128, and one more.
        #expect((index + 127) / 128 == 43)
        var bounds = IntervalHistogram()
        bounds.record(Interval(nanoseconds: -1))
        bounds.record(Interval(nanoseconds: .max))
        #expect(bounds.recorded.first?.index == 0)
        #expect(bounds.recorded.last?.index == IntervalHistogram.index(of: LatencyHistogram.maximum))
    }

    @Test("the curve ends at the maximum and agrees with the percentiles that reports print")
    func curve() {
        var histogram = LatencyHistogram()
        for value in 1...10_000 { histogram.record(.microseconds(Int64(value * 37))) }
        let curve = histogram.percentileCurve
        #expect(curve.totalCount == 10_000)
        #expect(curve.points.last?.percentile == 100)
        #expect(curve.points.last?.milliseconds == 370)
        #expect(curve.points.last?.totalCount == 10_000)
        #expect(curve.buckets == 33 && curve.subBuckets == 2048)
        for point in curve.points {
            #expect(histogram.milliseconds(atPercentile: point.percentile) == point.milliseconds)
        }
        #expect(LatencyHistogram().percentileCurve.points.isEmpty)
    }
}
