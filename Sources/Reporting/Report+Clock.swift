package import Timebase

extension Report {
    /// The local time of the run's people: axes of long runs have its days and hours.
    package struct Clock: Hashable, Sendable {
        /// Clocks that are put forward or back, as for daylight saving time.
        package struct Change: Hashable, Sendable {
            /// Seconds since the run's start.
            package var second: Double
            /// How far local time is ahead of UTC from then on.
            package var utcOffsetMinutes: Int

            package init(second: Double, utcOffsetMinutes: Int) {
                self.second = second
                self.utcOffsetMinutes = utcOffsetMinutes
            }
        }

        /// When the run's clock began.
        package var startsAt: Instant
        /// How far local time was ahead of UTC then.
        package var utcOffsetMinutes: Int
        /// The zone, as the scenario names it.
        package var zone: String
        /// Changes within the run, ascending.
        package var changes: [Change]

        package init(startsAt: Instant, utcOffsetMinutes: Int, zone: String, changes: [Change] = []) {
            self.startsAt = startsAt
            self.utcOffsetMinutes = utcOffsetMinutes
            self.zone = zone
            self.changes = changes
        }
    }
}

extension Report.Clock {
    /// A part of the run in which local time goes by evenly.
    struct Part {
        /// Seconds since the run's start; the first begins before all of them.
        var from: Double
        /// Where the next one begins; the last never ends.
        var until: Double
        /// Local seconds since 1970-01-01 00:00 at the run's start, as this part has them.
        var localStart: Double
    }

    /// The parts of the run between its changes, in order; at least one.
    var parts: [Part] {
        let offsets = [utcOffsetMinutes] + changes.map(\.utcOffsetMinutes)
        let borders = [-Double.infinity] + changes.map(\.second) + [.infinity]
        return offsets.indices.map { index in
            Part(
                from: borders[index], until: borders[index + 1],
                localStart: Double(startsAt.milliseconds) / 1000 + Double(offsets[index]) * 60)
        }
    }

    /// Local seconds since 1970-01-01 00:00 at so many seconds since the run's start.
    func local(_ second: Double) -> Double {
        let offset = changes.last { $0.second <= second }?.utcOffsetMinutes ?? utcOffsetMinutes
        return Double(startsAt.milliseconds) / 1000 + Double(offset) * 60 + second
    }

    /// The first moment at which clocks show a local time, or a later one where they skip it: seconds since the run's
    /// start.
    func second(ofLocal local: Double) -> Double {
        for part in parts where local - part.localStart < part.until {
            return max(local - part.localStart, part.from)
        }
        return local - (parts.last?.localStart ?? 0)
    }
}
