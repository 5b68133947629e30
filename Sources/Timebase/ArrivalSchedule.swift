/// When the devices of a population appear: a pure function of a device's index, so it neither
/// drifts nor depends on what happened before.
package struct ArrivalSchedule: Sendable, Hashable {
    /// The length over which the devices arrive evenly; zero is all at once.
    package var over: Interval

    /// Makes a schedule.
    package init(over: Interval = .zero) { self.over = over }

    /// The offset from the run's start at which device `index` of `count` appears:
    /// `over` · index / count, the first at once.
    ///
    /// - Complexity: O(1).
    package func offset(index: Int, count: Int) -> Interval {
        precondition(index >= 0 && index < count)
        return Interval(
            nanoseconds: Int64(Double(over.nanoseconds) * (Double(index) / Double(count))))
    }
}
