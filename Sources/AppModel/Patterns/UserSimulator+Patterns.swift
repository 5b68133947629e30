import Timebase

/// What planted patterns do in a life.
extension UserSimulator {
    /// The probability of a reaction, as patterns change it. The draw that decides stays the one that it was, so that
    /// of two factors the smaller one leaves a part of what the greater one leaves.
    func chance(of reaction: Reaction, _ model: UserModel) -> Double {
        guard reaction.kind == .business || reaction.kind == .web else { return reaction.chance }
        return reaction.chance * factor(of: reaction.index, at: nextAt, model)
    }

    /// Whether a pattern keeps an event of a steady rate from happening.
    func isWithheld(_ action: UserAction, at instant: Instant, _ model: UserModel) -> Bool {
        guard case .business(let event, _) = action, let calendar = model.calendar else { return false }
        let factor = factor(of: event, at: instant, model)
        guard factor < 1 else { return false }
        let stream = calendar.streams(.pattern, Int(index)).child(UserCalendar.steadyEvents)
        var own = stream.child(UInt64(bitPattern: instant.nanoseconds))
        return !own.chance(factor)
    }

    private func factor(of event: UInt16, at instant: Instant, _ model: UserModel) -> Double {
        var factor = 1.0
        for change in model.changes
        where change.event == event && change.window.contains(instant)
            && (change.version.map { $0 == version } ?? true)
            && (change.zone.map { $0 == model.calendar?.zoneIndex(of: Int(index)) } ?? true)
        {
            factor *= change.factor
        }
        return factor
    }

    /// Gets the newest version that is out for the device, if it is newer than the one installed.
    mutating func install(_ calendar: UserCalendar) -> Bool {
        guard let newest = calendar.release(at: sessionAt, of: Int(index)), newest > version else {
            return false
        }
        version = newest
        return emit(.updateApp(version: version), then: .start)
    }
}
