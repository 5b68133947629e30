package import Timebase

/// How far a device came that ran ahead of the clock.
///
/// Between two requests nobody notices a device, nor does it notice anybody. So in virtual time it may do at once
/// what it does until it next asks its engine for something: its memory is at hand then, and the engine's queue sees
/// it once.
package struct RunAhead: Sendable {
    /// When the device did something last, and asked for what ``DeviceEffects`` has.
    package var moment: Instant
    /// When it wants to be woken next.
    package var next: Instant
    /// How many moments it was awake at.
    package var wakes: UInt64 = 0

    package init(moment: Instant, next: Instant) {
        self.moment = moment
        self.next = next
    }

    /// How many intervals of a run's looks a device may be ahead of the clock, the clock's own among them.
    package static let intervals: Int64 = 256
    /// How far ahead at most: a user's session. A run that is to stop first lets the clock come where its devices are.
    package static let farthest = Interval.minutes(10)
    /// The shortest interval between two looks at a fleet.
    package static let shortestInterval = Interval.seconds(1)
}
