package import Timebase

/// What planted patterns change in what a population's users do: known beforehand, so that whoever looks for it can be
/// told what there was to find.
///
/// Every draw that a pattern needs is from streams of its own, and every draw that it judges anew stays the one draw
/// that it was: a life with a pattern is the life without it but for the pattern itself.
package struct UserPatterns: Hashable, Sendable {
    /// Versions of the app that appear during the run, in the order of their indices.
    package var releases: [Release] = []
    package var changes: [ChanceChange] = []
    package var bots: [Bots] = []
    /// Notifications beside those of the timeline.
    package var campaigns: [PushNotification] = []

    package init() {}

    package var isEmpty: Bool {
        releases.isEmpty && changes.isEmpty && bots.isEmpty && campaigns.isEmpty
    }

    /// The same without what one pattern does to people. Releases stay: a version as such changes nothing.
    package func without(_ pattern: Int) -> UserPatterns {
        var rest = self
        rest.changes.removeAll { $0.pattern.number == pattern }
        rest.bots.removeAll { $0.pattern.number == pattern }
        rest.campaigns.removeAll { $0.pattern?.number == pattern }
        return rest
    }
}

extension UserPatterns {
    /// A version of the app that devices get from a moment on: each at its first launch after a moment of its own.
    package struct Release: Hashable, Sendable {
        package var pattern: PatternID
        /// Index into ``AppDescription/versions``.
        package var version: UInt16
        package var at: Instant
        /// Over how long the devices' moments are spread, evenly.
        package var over: Interval

        package init(pattern: PatternID, version: UInt16, at: Instant, over: Interval) {
            self.pattern = pattern
            self.version = version
            self.at = at
            self.over = over
        }
    }

    /// An event that happens more or less often where its trigger fires.
    package struct ChanceChange: Hashable, Sendable {
        package var pattern: PatternID
        /// Index into ``AppDescription/events``.
        package var event: UInt16
        /// By which the probability is multiplied.
        package var factor: Double
        package var window: Range<Instant>
        /// Only while the app has this version.
        package var version: UInt16?
        /// Only people of the time zone with this index among the population's.
        package var zone: Int?

        package init(pattern: PatternID, event: UInt16, factor: Double, window: Range<Instant>) {
            self.pattern = pattern
            self.event = event
            self.factor = factor
            self.window = window
        }
    }

    /// Devices on which a program plays the user.
    package struct Bots: Hashable, Sendable {
        package var pattern: PatternID
        /// Share of the devices, the same ones throughout.
        package var share: Double
        package var persona: PersonaDescription

        package init(pattern: PatternID, share: Double, persona: PersonaDescription) {
            self.pattern = pattern
            self.share = share
            self.persona = persona
        }
    }
}

extension UserPatterns {
    /// The same so much later.
    package func shifted(by offset: Interval) -> UserPatterns {
        var shifted = self
        for index in releases.indices { shifted.releases[index].at = releases[index].at + offset }
        for index in changes.indices {
            shifted.changes[index].window = changes[index].window.shifted(by: offset)
        }
        for index in campaigns.indices { shifted.campaigns[index].at = campaigns[index].at + offset }
        return shifted
    }
}

extension Range<Instant> {
    /// The same so much later; what has no end still has none.
    func shifted(by offset: Interval) -> Range<Instant> {
        lowerBound + offset..<(upperBound == .distantFuture ? .distantFuture : upperBound + offset)
    }
}

extension UserCalendar {
    /// The newest of the versions released so far that a device has come to the moment of; `nil` for none.
    func release(at instant: Instant, of index: Int) -> UInt16? {
        var newest: UInt16?
        for release in patterns.releases where release.at <= instant {
            var stream = streams(.pattern, index).child(release.pattern.stream)
            let moment = Double(release.over.nanoseconds) * stream.uniform()
            if release.at + Interval(nanoseconds: Int64(moment)) <= instant {
                newest = max(newest ?? 0, release.version)
            }
        }
        return newest
    }

    /// Whether a device is one of a pattern's bots.
    package func isBot(of pattern: Int, _ index: Int) -> Bool {
        groupOfBots(index).map { patterns.bots[$0].pattern.number == pattern } ?? false
    }

    /// The first of the groups of bots that a device belongs to, by its index in ``UserPatterns/bots``; `nil` for a person's.
    package func groupOfBots(_ index: Int) -> Int? {
        patterns.bots.firstIndex { group in
            var stream = streams(.pattern, index).child(group.pattern.stream)
            return stream.chance(group.share)
        }
    }

    /// The index of a device's time zone among the population's.
    func zoneIndex(of index: Int) -> Int { zones.index(streams(.zone, index)) }

    /// Of events that happen at a steady rate and are judged one by one, by one draw for all patterns.
    static let steadyEvents: UInt64 = 2 << 32
}
