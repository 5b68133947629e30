package import Timebase

extension PopulationPlan {
    /// How far a device's clock is ahead of the true time: normally distributed with the deviation that
    /// the system's rules give, and the same for a device in all runs of a seed.
    ///
    /// - Parameter index: The device's index in the population.
    package func clockSkew(index: Int) -> Interval {
        let deviation = system.clockSkew
        guard deviation > .zero else { return .zero }
        var clock = stream(.clock, index: index)
        // Strictly between 0 and 1, whatever is drawn.
        let quantile = DeterministicMath.normalQuantile(clock.uniform() * (1 - 0x1p-52) + 0x1p-54)
        return Interval(nanoseconds: Int64((quantile * Double(deviation.nanoseconds)).rounded()))
    }
}
