package import Timebase

extension Report {
    /// The local time of the run's people: axes of long runs have its days and hours.
    package struct Clock: Hashable, Sendable {
        /// When the run's clock began.
        package var startsAt: Instant
        /// How far local time was ahead of UTC then; a change on the way is not followed.
        package var utcOffsetMinutes: Int
        /// The zone, as the scenario names it.
        package var zone: String

        package init(startsAt: Instant, utcOffsetMinutes: Int, zone: String) {
            self.startsAt = startsAt
            self.utcOffsetMinutes = utcOffsetMinutes
            self.zone = zone
        }

        /// Local seconds since 1970-01-01 00:00 at the run's start.
        var localStart: Double {
            Double(startsAt.milliseconds) / 1000 + Double(utcOffsetMinutes) * 60
        }
    }
}
