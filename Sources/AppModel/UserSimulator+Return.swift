import Timebase

/// When users come back.
extension UserSimulator {
    /// When the user would open the app first on a device that appears at an instant.
    mutating func firstSession(from arrival: Instant, _ model: UserModel) -> Instant {
        guard model.persona.opensAtArrival == false && !model.isSteady else { return arrival }
        let gap = Distribution.exponential(mean: meanGap).sample(&sessions)
        return later(than: arrival, by: gap, model)
    }

    /// When a user whom the run finds in the midst of life is seen first.
    mutating func firstSession(from start: Instant, in steadyState: SteadyState, _ model: UserModel)
        -> Instant
    {
        var stream = sessions.child(UserSimulator.beginning)
        let activity = model.calendar?.speed(at: start, of: Int(index)) ?? 1
        switch steadyState.draw(meanGap: meanGap, activity: activity, &stream) {
        case .away(let seconds):
            return later(than: start, by: seconds, model)
        case .inSession(_, let left, _):
            isUnderWay = true
            let gap = model.persona.actionGap
            let next = gap.mean > 0 ? gap.sampleCovering(&stream) * stream.uniform() : 0
            return start + model.pace.interval(min(left, next))
        }
    }

    /// Takes up the session that was under way at the run's start. What was drawn there is drawn again: nothing has
    /// to be kept of it.
    mutating func continueSession(_ model: UserModel) {
        isUnderWay = false
        guard let steadyState = model.steadyState, let start = model.calendar?.start else { return }
        var stream = sessions.child(UserSimulator.beginning)
        // ``sessions`` has been drawn from, which does not change its children.
        let activity = model.calendar?.speed(at: start, of: Int(index)) ?? 1
        guard
            case .inSession(let elapsed, let left, let ends) = steadyState.draw(
                meanGap: meanGap, activity: activity, &stream)
        else { return }
        crashes = ends
        sessionAt = start - model.pace.interval(elapsed)
        sessionEnd = max(nextAt, start + model.pace.interval(left))
    }

    /// The child of ``sessions`` that tells where the user is at the run's start.
    private static let beginning: UInt64 = 0x5354_4541_4459

    /// When the next session would begin, seen from the end of the present one (at the clock).
    mutating func nextSession(_ model: UserModel) -> Instant {
        let earliest = nextAt + model.pace.interval(Pace.leastPause)
        if sessions.chance(model.persona.returnChance) {
            let gap = model.persona.returnGap.sample(&sessions)
            return max(earliest, later(than: nextAt, by: gap, model))
        }
        // Counted from the session's start, so that long sessions do not make for fewer.
        let gap = Distribution.exponential(mean: meanGap).sample(&sessions)
        return max(earliest, later(than: sessionAt, by: gap, model))
    }

    /// Decides when the next session begins: when the user would come, sooner for a notification, or
    /// when the device is there again.
    ///
    /// - Parameters:
    ///   - own: When the user would come.
    ///   - since: Since when the app has been out of the user's sight.
    mutating func planSession(at own: Instant, since: Instant, _ model: UserModel) {
        sessionAt = own
        isCalled = false
        // Asked in place each time, and never bound to a name: that would be a copy, which is dear.
        guard model.calendar != nil else { return }
        answer(model, since: since)
        if isLeaving && sessionAt >= departure {
            sessionAt = max(nextAt, departure)
            return
        }
        while sessionAt >= departure && sessionAt < .distantFuture {
            guard let next = model.calendar?.presence(of: Int(index), endingAfter: departure) else {
                sessionAt = .distantFuture
                return
            }
            departure = next.upperBound
            // The end of what was under way may have outlasted a short absence.
            let back = max(nextAt, next.lowerBound)
            sessionAt = firstSession(from: back, model)
            answer(model, since: back)
        }
    }

    /// Lets a notification call the user before the time that is set.
    private mutating func answer(_ model: UserModel, since: Instant) {
        let limit = min(sessionAt, departure)
        guard let opening = model.calendar?.opening(of: Int(index), since: since, before: limit) else {
            return
        }
        sessionAt = opening
        isCalled = true
    }

    /// The instant after a number of seconds of life, which go by as the users' activity says.
    func later(than instant: Instant, by seconds: Double, _ model: UserModel) -> Instant {
        let gap = model.pace.interval(seconds)
        // First, since a copy of the calendar costs more than all else here.
        if model.flowsEvenly { return instant + gap }
        guard let calendar = model.calendar else { return instant + gap }
        return calendar.instant(after: instant, gap: gap, of: Int(index))
    }
}
