/// Options of `sweep`.
public struct SweepOptions: Sendable {
    /// The scenario, and where results go: events and devices' files are not kept.
    public var run: RunOptions
    /// `PATH=A,B,C` each: what is varied.
    public var axes: [String]
    /// The figure that is drawn as a point's cost.
    public var cost = SweepOptions.defaultCost
    /// The figure that is drawn as its freshness.
    public var freshness = SweepOptions.defaultFreshness

    /// The cost that is drawn by default.
    public static let defaultCost = "requests_per_device_day"
    /// The freshness that is drawn by default.
    public static let defaultFreshness = "event_freshness.p(95)"

    /// Asks for a sweep.
    public init(run: RunOptions, axes: [String]) {
        self.run = run
        self.axes = axes
    }
}
