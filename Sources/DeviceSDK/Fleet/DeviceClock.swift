package import Timebase

/// How far devices' clocks are off the true time: most by seconds, some by days, which their users never set right.
package struct ClockRules: Hashable, Sendable {
    /// Standard deviation of the errors, which are normally distributed.
    package var deviation = Interval.zero
    /// The share of the devices whose clocks are wrong, and the standard deviation of their errors instead.
    package var outlierShare = 0.0
    package var outlierDeviation = Interval.zero

    package init(deviation: Interval = .zero) { self.deviation = deviation }

    /// Whether every clock shows the true time.
    package var isExact: Bool { furthest == .zero }

    /// Beyond which no clock is off: nine standard deviations.
    package var furthest: Interval {
        max(deviation, outlierShare > 0 ? outlierDeviation : .zero) * 9
    }

    /// How far a device's clock is ahead.
    ///
    /// - Parameter stream: The device's stream of its clock.
    func error(_ stream: RandomStream) -> Interval {
        if outlierShare > 0 {
            // Apart from the first draw, so that outliers leave all other clocks as they are.
            var outlier = stream.child(1)
            if outlier.chance(outlierShare) { return ClockRules.error(outlierDeviation, &outlier) }
        }
        var stream = stream
        return ClockRules.error(deviation, &stream)
    }

    private static func error(_ deviation: Interval, _ draw: inout RandomStream) -> Interval {
        // Strictly between 0 and 1, whatever is drawn.
        let quantile = DeterministicMath.normalQuantile(draw.uniform() * (1 - 0x1p-52) + 0x1p-54)
        return Interval(nanoseconds: Int64((quantile * Double(deviation.nanoseconds)).rounded()))
    }
}

extension PopulationPlan {
    /// The population's own rules, else what its system's say.
    package var clockRules: ClockRules { clock ?? ClockRules(deviation: system.clockSkew) }

    /// How far a device's clock is ahead of the true time: the same for a device in all runs of a seed.
    ///
    /// - Parameter index: The device's index in the population.
    package func clockSkew(index: Int) -> Interval {
        let rules = clockRules
        return rules.isExact ? .zero : rules.error(stream(.clock, index: index))
    }
}
