package import Timebase

/// A rolling deployment: over the window, one instance after the other restarts. Each of `instances`
/// has an equal part of the window; at its beginning the instance goes down, then warms up, then is as
/// before until the window ends.
///
/// A balancer that has not noticed spreads requests evenly by chance: one that falls on the instance
/// which is down is reset before it is read, and one that falls on the instance which warms up is
/// answered late.
package struct DeployFault: Hashable, Sendable {
    /// 1 or more.
    package var instances: Int
    /// How long an instance is away; with `warmUp` no longer than its part of the window.
    package var down: Interval
    /// How long it answers late afterwards.
    package var warmUp: Interval
    /// How late; milliseconds.
    package var latency: Distribution

    package init(instances: Int, down: Interval, warmUp: Interval, latency: Distribution) {
        self.instances = instances
        self.down = down
        self.warmUp = warmUp
        self.latency = latency
    }

    /// What an instance is doing.
    package enum State: Hashable, Sendable { case up, down, warmingUp }

    /// The instance that restarts at a moment, and how far it is; in a window that begins at `from` and
    /// lasts `length`.
    package func restarting(at now: Instant, from: Instant, length: Interval) -> (instance: Int, state: State)
    {
        let part = max(1, length.nanoseconds / Int64(instances))
        let passed = (now - from).nanoseconds
        let instance = min(Int(passed / part), instances - 1)
        let since = Interval(nanoseconds: passed - Int64(instance) * part)
        if since < down { return (instance, .down) }
        return (instance, since < down + warmUp ? .warmingUp : .up)
    }
}
