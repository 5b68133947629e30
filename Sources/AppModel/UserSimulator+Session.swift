import Timebase

/// What a user does in a session.
extension UserSimulator {
    /// The next user action, or the session's end if that comes first.
    mutating func live(_ model: UserModel) -> Bool {
        let pace = model.pace
        let end = min(sessionEnd, departure)
        if model.isOutline { return passSession(until: end, model) }
        var at = nextAt + pace.interval(max(pace.leastGap, model.persona.actionGap.sample(&screens)))
        if accountMove != .none {
            let half = Interval(nanoseconds: max(0, (end - nextAt).nanoseconds / 2))
            nextAt = min(at, nextAt + half)
            let move = accountMove
            accountMove = .none
            return moveAccount(move, after: .zero, then: .live, model)
        }
        at = min(at, max(nextAt, end))
        nextAt = at
        if at >= end { return endSession(model) }
        let table = model.screens[Int(screen)]
        let isTap = screens.chance(model.persona.tapChance)
        return isTap && !table.controls.isEmpty ? tap(table, model) : changeScreen(table, model)
    }

    /// The next action of a user at a steady rate.
    mutating func liveSteadily(_ model: UserModel) -> Bool {
        if model.isOutline { return passSession(until: departure, model) }
        guard !model.steadyActions.isEmpty else {
            nextAt = .distantFuture
            return true
        }
        let gap = model.persona.actionGap.sample(&screens) * model.pace.gapScale
        // Instants are nanoseconds: of a load whose gaps are shorter, any number of actions would come at one of them.
        let at = max(later(than: nextAt, by: gap, model), nextAt + Interval(nanoseconds: 1))
        let draw = business.below(UInt64(model.steadyActions.count))
        var action = model.steadyActions[Int(draw)]
        if case .business(let event, _) = action {
            choose()
            let subject = subject(of: event, in: model.eventCatalogues[Int(event)], model)
            action = .business(event: event, subject: subject)
        }
        guard at < departure else {
            nextAt = max(nextAt, departure)
            return endSession(model)
        }
        if model.changesChances, isWithheld(action, at: at, model) {
            nextAt = at
            return false
        }
        return emit(action, after: at - nextAt, then: .live)
    }

    /// A session of which nothing is of interest but its end.
    private mutating func passSession(until end: Instant, _ model: UserModel) -> Bool {
        accountMove = .none
        nextAt = max(nextAt, end)
        return endSession(model)
    }

    private mutating func tap(_ table: ScreenTable, _ model: UserModel) -> Bool {
        let target = screens.uniform() * model.controls[table.controls.upperBound - 1].cumulativeWeight
        // Few controls: looking at each in turn beats a search.
        var index = table.controls.lowerBound
        while index + 1 < table.controls.upperBound && model.controls[index].cumulativeWeight <= target {
            index += 1
        }
        let control = model.controls[index]
        if control.choosesEntity { choose() }
        hasChosen = control.choosesEntity
        destination = control.opens
        fire(model.triggers.number(ofControl: index), model)
        let tapped = UserAction.tap(screen: screen, control: UInt16(index - table.controls.lowerBound))
        return emit(tapped, then: destination == .max ? .live : .leaveScreen)
    }

    private mutating func changeScreen(_ table: ScreenTable, _ model: UserModel) -> Bool {
        let target = screens.uniform()
        for index in table.transitions where model.transitions[index].cumulativeProbability > target {
            destination = model.transitions[index].screen
            hasChosen = false
            return leave()
        }
        return exit(model)
    }

    /// The chain of screens has come to its end.
    private mutating func exit(_ model: UserModel) -> Bool {
        if model.persona.endsAtExit { return endSession(model) }
        // On the start screen there is nothing to go back to: the user looks on.
        guard screen != model.app.startScreen else { return false }
        destination = model.app.startScreen
        hasChosen = false
        return leave()
    }

    /// Sets out for the destination.
    mutating func leave(after delay: Interval = .zero) -> Bool {
        emit(.disappear(screen: screen, next: destination), after: delay, then: .enterScreen)
    }

    mutating func enterScreen(_ model: UserModel) -> Bool {
        let referrer = screen
        screen = destination
        if model.screens[Int(screen)].showsEntity && !hasChosen {
            choose()
        }
        fire(model.triggers.number(ofScreen: Int(screen)), model)
        return emit(
            .appear(screen: screen, referrer: referrer), after: model.pace.transitionDelay, then: .live)
    }

    /// Lets the user take the time that an event needs, if the session lasts until then.
    ///
    /// - Returns: Whether it does. If not, it ends without the event and without what would come after.
    mutating func pause(before event: UInt16, _ model: UserModel) -> Bool {
        guard let pause = model.app.events[Int(event)].pause else { return true }
        // From a child for this position in the stream: the stream itself goes on as it would without the pause.
        var own = business.child(business.counter)
        let at = nextAt + model.pace.interval(pause.sample(&own))
        let end = min(sessionEnd, departure)
        guard at < end else {
            reaction = reactionEnd
            nextAt = max(nextAt, end)
            return false
        }
        nextAt = at
        return true
    }

    mutating func moveAccount(
        _ move: AccountMove, after delay: Interval, then step: Step, _ model: UserModel
    ) -> Bool {
        switch move {
        case .none:
            self.step = step
            return false
        case .logout:
            isLoggedIn = false
            fire(TriggerTable.logout, model)
            return emit(.logout, after: delay, then: step)
        case .login, .signUp:
            let isSignUp = move == .signUp
            if isSignUp || accounts == 0 { accounts += 1 }
            isLoggedIn = true
            fire(isSignUp ? TriggerTable.signUp : TriggerTable.login, model)
            return emit(.login(account: accounts - 1, signUp: isSignUp), after: delay, then: step)
        }
    }
}
