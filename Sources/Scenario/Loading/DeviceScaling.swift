import Timebase

/// Spreads a number of devices over populations.
package enum DeviceScaling {
    /// Scales populations to a total by the largest remainder: each gets the whole part of its
    /// share, and what is left goes to the largest fractions, ties to the earlier. None gets less
    /// than 1; what that takes comes from the largest, ties from the later.
    ///
    /// - Precondition: no count is below 1, and the total is at least their number.
    /// - Complexity: O(n²) for n populations.
    package static func scale(_ counts: [Int], to total: Int) -> [Int] {
        precondition(total >= counts.count && counts.allSatisfy { $0 > 0 })
        var result = apportion(counts, to: total)
        for index in result.indices where result[index] == 0 {
            let largest = result.indices.max { (result[$0], $0) < (result[$1], $1) }
            if let largest { result[largest] -= 1 }
            result[index] = 1
        }
        return result
    }

    /// Scales the stages of a population that has another number of devices now: the steps between
    /// neighbouring targets (with 0 and all devices) share the new number by largest remainder. So
    /// equal targets stay equal, none overtakes another, and all devices stay all devices.
    static func scale(_ stages: DeviceStages, to total: Int) -> DeviceStages {
        let curve = stages.curve
        let levels = Set(curve.stages.map(\.target) + [stages.devices]).subtracting([0]).sorted()
        let steps = zip(levels, [0] + levels).map { Int($0 - $1) }
        var scaled: [Double: Double] = [0: 0]
        var sum = 0
        for (level, step) in zip(levels, apportion(steps, to: total)) {
            sum += step
            scaled[level] = Double(sum)
        }
        let changed = curve.stages.map {
            StageCurve.Stage(duration: $0.duration, target: scaled[$0.target] ?? $0.target)
        }
        return DeviceStages(curve: StageCurve(stages: changed), devices: total)
    }

    /// The largest remainder without a least share.
    private static func apportion(_ counts: [Int], to total: Int) -> [Int] {
        let sum = counts.reduce(0, +)
        let shares = counts.map { count -> (quotient: Int, remainder: Int) in
            let product = count.multipliedFullWidth(by: total)
            return sum.dividingFullWidth(product)
        }
        var result = shares.map(\.quotient)
        let order = counts.indices.sorted {
            (shares[$1].remainder, $0) < (shares[$0].remainder, $1)
        }
        for index in order.prefix(total - result.reduce(0, +)) { result[index] += 1 }
        return result
    }
}
