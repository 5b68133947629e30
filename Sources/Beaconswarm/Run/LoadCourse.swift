import Measurement
import Timebase

/// Requests that the devices of a sample begin in each interval of a run: a second of real time.
///
/// Intervals without any are not kept, so that those of a year are no longer than those of a minute.
struct RequestsByInterval {
    let width: Interval
    fileprivate private(set) var counts: [Int: Int] = [:]
    /// Devices that were played to the run's end.
    private var whole = 0
    /// The others, and until when of the run they were played.
    private var partly: [(devices: Int, end: Interval)] = []

    /// - Parameter pace: Seconds of the run in a real one.
    init(pace: Int) { self.init(width: .seconds(Int64(pace))) }

    init(width: Interval) { self.width = width }

    /// Adds a request that begins at a moment of the run.
    mutating func note(at moment: Interval) {
        counts[Int(max(0, moment.nanoseconds) / width.nanoseconds), default: 0] += 1
    }

    /// Adds those of other devices, in intervals of the same length.
    mutating func add(_ other: RequestsByInterval) {
        for (index, count) in other.counts { counts[index, default: 0] += count }
    }

    /// Notes how far devices were played: to the run's end, or not.
    mutating func noteDevices(_ count: Int, until end: Interval?) {
        if let end { partly.append((count, end)) } else { whole += count }
    }

    /// By how much an interval counts for more, had all devices been played to the run's end.
    ///
    /// Where few were there, chance would speak: an interval counts for no more than twice what the fullest does.
    fileprivate func completion(of index: Int) -> Double {
        let (first, own) = (devices(in: 0), devices(in: index))
        guard own > 0 else { return 1 }
        return Double(whole + partly.reduce(0) { $0 + $1.devices }) / max(own, first / 2)
    }

    /// Devices that were played in an interval; those that were in a part of it count in part.
    private func devices(in index: Int) -> Double {
        partly.reduce(Double(whole)) { sum, part in
            let time = min(width, max(.zero, part.end - width * Int64(index)))
            return sum + Double(part.devices) * time.fractionalSeconds / width.fractionalSeconds
        }
    }
}

/// What comes from all devices in each interval of a run, as samples of them let expect.
struct LoadCourse {
    private struct Load {
        var count = 0.0
        /// Of what a sample makes of the count: none where all devices were played.
        var variance = 0.0

        /// What is there but for one case in forty: of many intervals in which a sample has a few, the fullest is so by
        /// chance, which a scale would make a crowd of.
        var likely: Double { max(0, count - 2 * variance.squareRoot()) }

        static func += (left: inout Load, right: Load) {
            left.count += right.count
            left.variance += right.variance
        }
    }

    /// Events of a launch or of a tap come together, about so many at a time; requests come by themselves.
    private static let eventsAtOnce = 4.0

    private var width: Interval
    private var loads: [Int: Load] = [:]

    /// - Parameter pace: Seconds of the run in a real one: an interval is a second of real time.
    init(pace: Int) { width = .seconds(Int64(pace)) }

    /// The most that a sample had in an interval, scaled; per second of the run.
    var most: Double { (loads.values.map(\.count).max() ?? 0) / width.fractionalSeconds }

    /// The highest rate per second of the run: of an interval where all devices were played, or a sample's share of them
    /// is enough to tell, and else of as many intervals as it takes.
    var peak: Double {
        var course = self
        var peak = 0.0
        while true {
            let most = course.loads.values.map(\.likely).max() ?? 0
            peak = max(peak, most / course.width.fractionalSeconds)
            guard course.loads.count > 1, course.loads.values.contains(where: { $0.variance > 0 })
            else { return peak }
            course.widen()
        }
    }

    /// Adds the requests of a sample; `scale` is by how much the devices are more than those played.
    mutating func add(_ requests: RequestsByInterval, scale: Double) {
        for (index, count) in requests.counts {
            add(Double(count), in: index, scale: scale * requests.completion(of: index), atOnce: 1)
        }
    }

    /// Adds the events of a sample, as exactly as its series has them: by seconds in runs of up to ten hours.
    mutating func add(_ series: TimeSeries, scale: Double) {
        while width < series.partWidth { widen() }
        for (index, count) in series.capturedByPart.enumerated() where count > 0 {
            let length = series.partWidth.nanoseconds
            let start = Int64(index) * length
            // An interval is at least as long as a part, but need not be a multiple of it.
            let middle = min(start + length, (start / width.nanoseconds + 1) * width.nanoseconds)
            for (from, to) in [(start, middle), (middle, start + length)] where to > from {
                add(
                    Double(count) * Double(to - from) / Double(length), in: Int(from / width.nanoseconds),
                    scale: scale, atOnce: LoadCourse.eventsAtOnce)
            }
        }
    }

    private mutating func add(_ count: Double, in index: Int, scale: Double, atOnce: Double) {
        let variance = scale * (scale - 1).magnitude * count * atOnce
        loads[index, default: Load()] += Load(count: scale * count, variance: variance)
    }

    private mutating func widen() {
        width = width * 2
        var joined: [Int: Load] = [:]
        for (index, load) in loads { joined[index / 2, default: Load()] += load }
        loads = joined
    }
}
