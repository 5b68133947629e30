import Timebase

/// When users come back.
extension UserSimulator {
    /// When the user would open the app first on a device that appears at an instant.
    mutating func firstSession(from arrival: Instant, _ model: UserModel) -> Instant {
        guard !model.persona.opensAtArrival && !model.isSteady else { return arrival }
        let gap = Distribution.exponential(mean: meanGap).sample(&sessions)
        return UserSimulator.later(than: arrival, by: gap, model)
    }

    /// When the next session would begin, seen from the end of the present one (at the clock).
    mutating func nextSession(_ model: UserModel) -> Instant {
        let earliest = nextAt + model.pace.interval(Pace.leastPause)
        if sessions.chance(model.persona.returnChance) {
            let gap = model.persona.returnGap.sample(&sessions)
            return max(earliest, UserSimulator.later(than: nextAt, by: gap, model))
        }
        // Counted from the session's start, so that long sessions do not make for fewer.
        let gap = Distribution.exponential(mean: meanGap).sample(&sessions)
        return max(earliest, UserSimulator.later(than: sessionAt, by: gap, model))
    }

    /// Settles when the next session begins: when the user would come, sooner for a notification, or
    /// when the device is there again.
    ///
    /// - Parameters:
    ///   - own: When the user would come.
    ///   - since: Since when the app has been out of the user's sight.
    mutating func planSession(at own: Instant, since: Instant, _ model: UserModel) {
        sessionAt = own
        isCalled = false
        guard let calendar = model.calendar else { return }
        answer(calendar, since: since)
        while sessionAt >= departure && sessionAt < .distantFuture {
            guard let next = calendar.presence(of: Int(index), endingAfter: departure) else {
                sessionAt = .distantFuture
                return
            }
            departure = next.upperBound
            // The end of what was under way may have outlasted a short absence.
            let back = max(nextAt, next.lowerBound)
            sessionAt = firstSession(from: back, model)
            answer(calendar, since: back)
        }
    }

    /// Lets a notification call the user before the time that is set.
    private mutating func answer(_ calendar: UserCalendar, since: Instant) {
        let limit = min(sessionAt, departure)
        guard let opening = calendar.opening(of: Int(index), since: since, before: limit) else { return }
        sessionAt = opening
        isCalled = true
    }

    /// The instant after a number of seconds of life, which go by as the users' activity says.
    static func later(than instant: Instant, by seconds: Double, _ model: UserModel) -> Instant {
        let gap = model.pace.interval(seconds)
        guard let activity = model.calendar?.activity else { return instant + gap }
        return activity.instant(after: instant, activity: gap)
    }
}
