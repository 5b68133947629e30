/// A quantity over time in stages: each leads in a straight line from where the last one ended to
/// its own target; one without length is a jump. Before the first stage the quantity is 0, after the
/// last one it keeps the last target.
///
/// Values are units of the user's choice (devices, events per second); times are offsets from the
/// run's start, areas are units · seconds.
package struct StageCurve: Sendable, Hashable {
    /// One stage, as a scenario has it.
    package struct Stage: Sendable, Hashable {
        package var duration: Interval
        package var target: Double

        package init(duration: Interval, target: Double) {
            self.duration = duration
            self.target = target
        }
    }

    package let stages: [Stage]
    /// When each stage ends.
    private let ends: [Interval]
    /// The area up to the end of each stage.
    private let areas: [Double]

    /// Makes a curve.
    ///
    /// - Precondition: no duration and no target is negative, and targets are finite.
    package init(stages: [Stage]) {
        precondition(stages.allSatisfy { $0.duration >= .zero && $0.target >= 0 && $0.target.isFinite })
        self.stages = stages
        var end = Interval.zero
        var area = 0.0
        var value = 0.0
        var ends: [Interval] = []
        var areas: [Double] = []
        for stage in stages {
            end = end + stage.duration
            area += (value + stage.target) / 2 * stage.duration.fractionalSeconds
            value = stage.target
            ends.append(end)
            areas.append(area)
        }
        self.ends = ends
        self.areas = areas
    }

    /// The length of all stages together.
    package var length: Interval { ends.last ?? .zero }
    /// The highest value, which is reached at the end of a stage.
    package var maximum: Double { stages.reduce(0) { max($0, $1.target) } }
    /// The value after the last stage.
    package var final: Double { stages.last?.target ?? 0 }

    /// When a stage begins, and with which value.
    ///
    /// - Complexity: O(1).
    func beginning(of stage: Int) -> (at: Interval, value: Double, area: Double) {
        stage == 0 ? (.zero, 0, 0) : (ends[stage - 1], stages[stage - 1].target, areas[stage - 1])
    }

    /// The value at an offset; at a jump, the value after it.
    ///
    /// - Complexity: O(log n) in the number of stages.
    package func value(at offset: Interval) -> Double {
        let stage = ends.partition { $0 > offset }
        guard stage < stages.count else { return final }
        let from = beginning(of: stage)
        let share = Double((offset - from.at).nanoseconds) / Double(stages[stage].duration.nanoseconds)
        return from.value + (stages[stage].target - from.value) * max(0, share)
    }

    /// The area under the curve from the start to an offset.
    ///
    /// - Complexity: O(log n) in the number of stages.
    package func area(until offset: Interval) -> Double {
        let stage = ends.partition { $0 > offset }
        guard stage < stages.count else {
            return (areas.last ?? 0) + final * (offset - length).fractionalSeconds
        }
        let from = beginning(of: stage)
        let seconds = max(0, (offset - from.at).fractionalSeconds)
        return from.area + (from.value + value(at: offset)) / 2 * seconds
    }

    /// The earliest offset up to which the area is `area`; `nil` if it never grows so large.
    ///
    /// The inverse of ``area(until:)``: within a stage the root of a quadratic equation, in the form
    /// that does not cancel.
    ///
    /// - Complexity: O(log n) in the number of stages.
    package func offset(ofArea area: Double) -> Interval? {
        guard area > 0 else { return .zero }
        let stage = areas.partition { $0 >= area }
        guard stage < stages.count else {
            guard final > 0 else { return nil }
            return length.adding(seconds: (area - (areas.last ?? 0)) / final)
        }
        let from = beginning(of: stage)
        let length = stages[stage].duration.fractionalSeconds
        let slope = (stages[stage].target - from.value) / length
        let rest = area - from.area
        let root = max(0, from.value * from.value + 2 * slope * rest).squareRoot()
        let seconds = min(length, 2 * rest / (from.value + root))
        return from.at.adding(seconds: seconds)
    }
}

extension Interval {
    /// Half of what a signed 64-bit number of nanoseconds can hold (146 years): sums of an instant and
    /// a length stay in range.
    static let longest = Interval(nanoseconds: .max / 2)

    /// The length plus a number of seconds, rounded to the nanosecond, cut at ``longest``.
    func adding(seconds: Double) -> Interval {
        let sum = Double(nanoseconds) + seconds * 1e9
        guard sum < Double(Interval.longest.nanoseconds) else { return Interval.longest }
        return Interval(nanoseconds: nanoseconds + Int64((seconds * 1e9).rounded()))
    }
}

extension Array {
    /// The index of the first element that fulfils a condition, in an array whose later elements all
    /// do once one does; `count` if none does.
    ///
    /// - Complexity: O(log n).
    package func partition(_ isLater: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isLater(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
