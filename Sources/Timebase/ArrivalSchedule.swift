/// When the devices of a population are there: a pure function of a device's position among them, so it
/// neither drifts nor depends on what happened before.
///
/// Either they appear evenly over a time and stay, or their number follows a curve in stages. With a
/// curve, each device has a height between 0 and the number of devices, and is there while the curve
/// is at or above its height: devices come in the order of their heights, a falling curve takes those
/// away that came last, and a later rise brings the same ones back.
package struct ArrivalSchedule: Sendable, Hashable {
    /// The length over which the devices arrive evenly; zero is all at once. Not used with stages.
    package var over: Interval
    /// The number of devices over time, instead of ``over``.
    package var stages: DeviceStages?
    /// Each device arrives at an independent, even draw from the whole instead of in its turn: what a
    /// Poisson process looks like once its number of arrivals is known.
    package var isRandom: Bool

    /// Makes a schedule.
    package init(over: Interval = .zero, stages: DeviceStages? = nil, isRandom: Bool = false) {
        self.over = over
        self.stages = stages
        self.isRandom = isRandom
    }

    /// A device's position among those of its population: a number from 0 to 1, 0 for the first.
    ///
    /// - Parameter stream: The device's stream for arrivals; one draw, if arrivals are random.
    /// - Complexity: O(1).
    package func position(index: Int, count: Int, stream: @autoclosure () -> RandomStream) -> Double {
        precondition(index >= 0 && index < count)
        if isRandom {
            var draw = stream()
            return draw.uniform()
        }
        // Half a step in, a curve that is rounded to whole devices is met exactly.
        return (Double(index) + (stages == nil ? 0 : 0.5)) / Double(count)
    }

    /// The first time, as offsets from the run's start, in which the device at a position is there and
    /// that ends after `offset`; `nil` if there is none.
    ///
    /// Without stages that is from ``over`` · position on, for ever: ``Interval/forever``.
    ///
    /// - Complexity: O(log n) in the number of stages.
    package func presence(of position: Double, endingAfter offset: Interval = Interval(nanoseconds: -1))
        -> Range<Interval>?
    {
        if let stages { return stages.presence(ofHeight: position * stages.devices, endingAfter: offset) }
        return Interval(nanoseconds: Int64(Double(over.nanoseconds) * position))..<Interval.forever
    }
}

extension Interval {
    /// The end of what never ends.
    package static let forever = Interval(nanoseconds: .max)
}

/// The number of devices over time, with what is needed to look up one device's times in it.
package struct DeviceStages: Sendable, Hashable {
    package let curve: StageCurve
    /// The height of the whole population.
    package let devices: Double
    /// The distinct targets above 0, ascending: between two of them all heights are crossed by the
    /// same stages.
    private let levels: [Double]
    /// For each level, the stages that cross the heights between the level before and it: rising,
    /// falling, rising and so on.
    private let crossings: [[UInt16]]

    /// The most stages of one schedule, so that crossings stay small.
    package static let limit = 200

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - curve: The number of devices.
    ///   - devices: The devices of the population; those above the curve's maximum never appear.
    /// - Precondition: at most ``limit`` stages.
    /// - Complexity: O(n²) in the number of stages.
    package init(curve: StageCurve, devices: Int) {
        precondition(curve.stages.count <= DeviceStages.limit)
        self.curve = curve
        self.devices = Double(devices)
        let levels = Set(curve.stages.map(\.target)).filter { $0 > 0 }.sorted()
        self.levels = levels
        crossings = levels.map { level in
            var isAbove = false
            return curve.stages.indices.compactMap { index in
                guard (curve.stages[index].target >= level) != isAbove else { return nil }
                isAbove.toggle()
                return UInt16(index)
            }
        }
    }

    /// The first presence of a device of some height that ends after `offset`.
    fileprivate func presence(ofHeight height: Double, endingAfter offset: Interval) -> Range<Interval>? {
        let band = levels.partition { $0 >= height }
        guard band < levels.count else { return nil }
        let crossings = crossings[band]
        let passes = (crossings.count + 1) / 2
        var low = 0
        var high = passes
        while low < high {
            let middle = (low + high) / 2
            if end(of: middle, crossings, height) > offset { high = middle } else { low = middle + 1 }
        }
        while low < passes {
            let pass = moment(of: crossings[2 * low], height)..<end(of: low, crossings, height)
            // Two jumps at one moment bring nobody.
            if !pass.isEmpty { return pass }
            low += 1
        }
        return nil
    }

    /// When the given pass of a height ends.
    private func end(of pass: Int, _ crossings: [UInt16], _ height: Double) -> Interval {
        2 * pass + 1 < crossings.count ? moment(of: crossings[2 * pass + 1], height) : .forever
    }

    /// When a stage crosses a height, to the nanosecond after.
    private func moment(of stage: UInt16, _ height: Double) -> Interval {
        let from = curve.beginning(of: Int(stage))
        let stage = curve.stages[Int(stage)]
        let share = (height - from.value) / (stage.target - from.value)
        let nanoseconds = (Double(stage.duration.nanoseconds) * max(0, min(1, share))).rounded(.up)
        return from.at + Interval(nanoseconds: Int64(nanoseconds))
    }
}
