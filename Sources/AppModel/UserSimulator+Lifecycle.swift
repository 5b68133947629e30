import Timebase

/// Starts and ends of processes and sessions.
extension UserSimulator {
    /// The moment of a cold start has come: the app may have been updated since the last.
    mutating func prepareLaunch(_ model: UserModel) -> Bool {
        // A notification may call the user while the process still dies in the background.
        nextAt = max(nextAt, sessionAt)
        if isLeaving && sessionAt >= departure { return emit(.uninstall, then: .gone) }
        let isUpdated = lifecycle.chance(model.persona.updateChance) && !isFirstLaunch
        if let calendar = model.calendar, !calendar.patterns.releases.isEmpty, install(calendar) {
            return true
        }
        guard isUpdated && Int(version) + 1 < model.plainVersions else {
            step = .start
            return false
        }
        version += 1
        return emit(.updateApp(version: version), then: .start)
    }

    mutating func launch(_ model: UserModel) -> Bool {
        // The first launch is the user's: the system does not start an app never opened.
        let isPassive =
            lifecycle.chance(model.persona.passiveLaunchChance) && !isFirstLaunch
            && !model.isSteady && !isCalled
        isFirstLaunch = false
        isLaunching = !isPassive
        if isPassive { fire(TriggerTable.launch, model) }
        return emit(.launch(passive: isPassive), then: isPassive ? .rest : .coldForeground)
    }

    mutating func enterForeground(after delay: Interval, _ model: UserModel) -> Bool {
        let planned = emit(.enterForeground, after: delay, then: .introduceAccount)
        beginSession(model)
        return planned
    }

    /// Draws what there is to know about a session; always four draws.
    private mutating func beginSession(_ model: UserModel) {
        let persona = model.persona
        sessionAt = nextAt
        guard !model.isSteady else { return }
        let length = persona.sessionLength.sample(&sessions)
        let share = sessions.uniform()
        crashes = lifecycle.chance(persona.crashChance) && !model.app.crashReasons.isEmpty
        sessionEnd = nextAt + model.pace.interval(crashes ? length * share : length)
        let draw = sessions.uniform()
        if isLoggedIn || bringsAccount {
            accountMove = draw < persona.logoutChance ? .logout : .none
        } else if draw < persona.signUpChance {
            accountMove = .signUp
        } else {
            accountMove = draw < persona.signUpChance + persona.loginChance ? .login : .none
        }
        if isUnderWay { continueSession(model) }
    }

    /// A user with an account from before logs in as soon as the app is there for the first time.
    mutating func introduceAccount(_ model: UserModel) -> Bool {
        step = .runLaunch
        guard bringsAccount else { return false }
        bringsAccount = false
        return moveAccount(.login, after: model.pace.reactionDelay, then: .runLaunch, model)
    }

    mutating func runLaunch(_ model: UserModel) -> Bool {
        step = .firstScreen
        if isLaunching { fire(TriggerTable.launch, model) }
        isLaunching = false
        return false
    }

    mutating func showFirstScreen(_ model: UserModel) -> Bool {
        step = .live
        guard screen == .max else { return false }
        screen = model.app.startScreen
        fire(model.triggers.number(ofScreen: Int(screen)), model)
        return emit(.appear(screen: screen, referrer: nil), after: model.pace.reactionDelay, then: .live)
    }

    /// The session ends now, at the clock.
    mutating func endSession(_ model: UserModel) -> Bool {
        if crashes && nextAt < departure {
            let reason = UInt16(lifecycle.below(UInt64(model.app.crashReasons.count)))
            return emit(.crash(reason: reason), then: .afterCrash)
        }
        fire(TriggerTable.sessionEnd, model)
        step = .background
        return false
    }

    mutating func afterBackground(_ model: UserModel) -> Bool {
        step = .rest
        // Nothing happens any more on a device that has left.
        guard lifecycle.chance(model.persona.killAtBackgroundChance) && nextAt < departure else {
            return false
        }
        planSession(at: nextSession(model), since: nextAt, model)
        endProcess()
        return emit(.kill, after: model.pace.reactionDelay, then: .launch)
    }

    /// The process stays in the background until the user comes back or the system kills it.
    mutating func rest(_ model: UserModel) -> Bool {
        let present = departure
        planSession(at: nextSession(model), since: nextAt, model)
        let meanLife = model.persona.meanTimeToKill.fractionalSeconds
        let life = Distribution.exponential(mean: meanLife).sample(&lifecycle)
        let killAt = nextAt + model.pace.interval(life)
        guard killAt < min(sessionAt, present) else {
            nextAt = sessionAt
            step = isLeaving && sessionAt >= departure ? .launch : .resume
            return false
        }
        endProcess()
        nextAt = killAt
        return emit(.kill, then: .launch)
    }

    /// What is gone with the process.
    mutating func endProcess() {
        screen = .max
        clocks = 0
        accountMove = .none
    }
}
