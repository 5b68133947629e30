import Timebase

/// What planted patterns do in a life.
extension UserSimulator {
    /// The probability of a reaction, as patterns change it. The draw that decides stays the one that it was, so that
    /// of two factors the smaller one leaves a part of what the greater one leaves.
    func chance(of reaction: Reaction, _ model: UserModel) -> Double {
        guard reaction.kind == .business || reaction.kind == .web else { return reaction.chance }
        return reaction.chance * factor(of: reaction.index, at: nextAt, model)
    }

    /// Whether what has been drawn happens. It does not if it belongs to a deal that a pattern keeps from coming about:
    /// who does not order does not pay for the order either.
    ///
    /// - Parameters:
    ///   - reaction: What would happen without patterns, or does because of them; its subject is known.
    ///   - isDrawn: Whether it happens by its own chance, as patterns change it.
    mutating func takesPlace(_ reaction: Reaction, isDrawn: Bool, _ model: UserModel) -> Bool {
        guard reaction.catalogue != .max, dealEvent != .max,
            model.eventCatalogues[Int(dealEvent)] == reaction.catalogue,
            model.app.catalogues[Int(reaction.catalogue)].deals != nil
        else { return isDrawn }
        if reaction.kind == .business && reaction.index == dealEvent {
            deals.isWithheld = !isDrawn
            return isDrawn
        }
        return isDrawn && !deals.isWithheld
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
