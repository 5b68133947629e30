package import Timebase

/// The life of one device's user: yields planned actions one after another.
///
/// An open model: the actions are a function of the device's streams alone; nothing that an SDK or
/// a collector does reaches it. A device arrives, its user opens the app, taps and moves between
/// screens until the session's length is over, leaves, and comes back later; meanwhile the system
/// may kill the process.
///
/// The rules in short:
/// - A cold start is `.updateApp`? `.launch` `.enterForeground`, then `.login` on the first one if
///   the user has an account already, then what the app does at launch, then `.appear` of the start
///   screen. A passive launch has what the app does at launch only; the user may come later.
/// - A hot start is `.enterForeground` alone: the screen left is still there.
/// - An event with a ``BusinessEvent/pause`` comes that much after what triggers it, and what the app does
///   then after the event; a session that is over before ends without both.
/// - Sign-up, login and logout take the place of a session's first action; a session that is over
///   before it has them half-way.
/// - Where the chain of screens ends before the session does, the user goes back to the start screen
///   (and looks on if it is there already); with ``PersonaDescription/endsAtExit`` the session ends.
/// - A session that is to crash does so at an even share of its length, or where it ends by the chain.
/// - The time from one session's start to the next is exponential, or, with `returnChance`, the
///   `returnGap` after the end. The exponential's mean is set so that `sessionsPerDay` holds where sessions are short
///   beside the gaps.
/// - With a ``PersonaDescription/steadyRate`` there is one session from the arrival to the end, of
///   business events at gaps of `actionGap`'s shape with the mean 1 / rate, of a nanosecond at least.
/// - With an ``ActivityClock`` the gaps between sessions, or those of a steady rate, are lengths on it.
/// - Where a run finds its users in the midst of their lives (``UserCalendar/startsInSteadyState``), a user in a
///   session is seen from the next action on: there the app starts, and the session has what is left of its length.
/// - When the device leaves, the app enters the background, at once or after the start or change of
///   screen that is under way; from then until the device is back nothing happens on it. It comes
///   back as it arrived: with a session, if users open the app at their arrival.
/// - With a ``UserCalendar/retention`` the app is deleted at a moment drawn for the device; a session that is going on
///   ends before. That is the end of the user, or of an installation (``Reinstallation``).
/// - A notification that is sent while the app is not in front makes a share of the users open it,
///   unless they do so by themselves before.
///
/// A value of 168 bytes without references; ``next(_:)`` never allocates.
package struct UserSimulator: Sendable {
    /// The time of the next action; ``Timebase/Instant/distantFuture`` when there is none.
    package internal(set) var nextAt: Instant
    /// The installed version of the app, as an index into ``AppDescription/versions``.
    package var appVersion: UInt16 { version }
    var usersEnd: Instant
    /// Until when the device is there.
    var departure = Instant.distantFuture
    /// In a session: when it began. Outside: when the next one begins.
    var sessionAt: Instant
    /// When the session ends, or by a crash if ``crashes``.
    var sessionEnd = Instant.distantFuture
    var sessions, screens, business, lifecycle: RandomStream
    /// Mean seconds of life from one session's start to the next, returns apart.
    var meanGap: Double
    var upcoming = UserAction.kill
    /// The device's index in its population, for what the calendar says of it.
    let index: UInt32
    /// What the app still does because of the last action: a part of ``UserModel/reactions``.
    var reaction: UInt32 = 0
    var reactionEnd: UInt32 = 0
    /// Stands for the entities that the user has chosen; see ``UserModel/entity(chosenBy:in:)``.
    var choice: UInt32 = 0
    /// The timed events whose clock is running.
    var clocks: UInt32 = 0
    /// Accounts that this device has seen; the last one is the one in use.
    var accounts: UInt32 = 0
    var version: UInt16 = 0
    /// The screen shown; `.max` before the first.
    var screen = UInt16.max
    /// The screen that is being opened.
    var destination = UInt16.max
    /// The first event of the deal that the user is about to close; `.max` before it.
    var dealEvent = UInt16.max
    /// The user's deals so far, and whether the last one is withheld.
    var deals = DealCount()
    var step = Step.launch
    var accountMove = AccountMove.none
    var isLoggedIn = false
    /// The user has an account from before, and the app does not know yet.
    var bringsAccount: Bool
    var crashes = false
    var isFirstLaunch = true
    /// What the app does at launch is still to come.
    var isLaunching = false
    /// The tap that opens the next screen chose the entity that it shows.
    var hasChosen = false
    /// The session that comes first began before the run: the user is in the midst of it.
    var isUnderWay = false
    /// The device's time ends with the app's deletion.
    var isLeaving = false
    /// A notification is why the user opens the app next.
    var isCalled = false

    /// What comes after the reactions to the last action.
    enum Step: UInt8, Sendable {
        case launch, start, coldForeground, resume, introduceAccount, runLaunch, firstScreen
        case live, leaveScreen, enterScreen, background, afterBackground, rest, afterCrash, gone
    }

    /// What a session's user is going to do about the account.
    enum AccountMove: UInt8, Sendable { case none, signUp, login, logout }

    /// Makes the user of one device and plans the first action.
    ///
    /// - Parameters:
    ///   - streams: Gives the device's stream of a purpose; traits, sessions, screens, business and
    ///     lifecycle are used.
    ///   - index: The device's index in its population, which the model's calendar goes by.
    ///   - presence: The first time in which the device is there; `nil` if it never is.
    ///   - usersEnd: From which on nothing happens.
    package init(
        model: UserModel, streams: (RandomStream.Purpose) -> RandomStream, index: Int = 0,
        presence: Range<Instant>?, usersEnd: Instant
    ) {
        let arrival = presence?.lowerBound ?? .distantFuture
        let persona = model.persona
        var traits = streams(.traits)
        sessions = streams(.sessions)
        screens = streams(.screens)
        business = streams(.business)
        lifecycle = streams(.lifecycle)
        self.usersEnd = usersEnd
        self.index = UInt32(index)
        meanGap = UserSimulator.meanGap(of: persona, &traits)
        bringsAccount = traits.chance(persona.loggedInShare) && !model.isSteady
        sessionAt = arrival
        nextAt = arrival
        departure = presence?.upperBound ?? .distantFuture
        choose()
        guard arrival < usersEnd else {
            nextAt = .distantFuture
            return
        }
        // Most keep the app for ever, and a call on the calendar copies it.
        if persona.retention != nil, let left = model.calendar?.timeToUninstallation(of: index) {
            departure = min(departure, arrival + model.pace.interval(left))
            isLeaving = departure < .distantFuture
        }
        let first =
            model.steadyState.map { firstSession(from: arrival, in: $0, model) }
            ?? firstSession(from: arrival, model)
        planSession(at: first, since: arrival, model)
        plan(model)
    }

    /// Returns the action at ``nextAt`` and plans the one after it.
    ///
    /// - Precondition: ``nextAt`` is not ``Timebase/Instant/distantFuture``.
    /// - Complexity: O(1), and O(log n) in the size of a catalogue where an entity is concerned.
    package mutating func next(_ model: UserModel) -> PlannedAction {
        precondition(nextAt < .distantFuture)
        var planned = PlannedAction(at: nextAt, action: upcoming)
        planned.isAnswered = plan(model)
        return planned
    }

    /// Seconds between the exponential kind of sessions: what is left of the mean time between
    /// starts once the returns, which come on top, have had their share.
    static func meanGap(of persona: PersonaDescription, _ traits: inout RandomStream) -> Double {
        let sigma = persona.sessionsPerDaySigma
        // The median that gives the mean 1.
        let spread = Distribution.lognormal(median: DeterministicMath.exp(-sigma * sigma / 2), sigma: sigma)
        let perDay = persona.sessionsPerDay * spread.sample(&traits)
        guard persona.returnChance < 1 else { return .infinity }
        let returns = persona.returnChance * persona.returnGap.mean
        return max(Pace.leastPause, (86_400 / perDay - returns) / (1 - persona.returnChance))
    }
}

extension UserSimulator {
    /// Goes on to the next action: first whatever the app still does because of the last one, then
    /// the next step of the user's life. ``nextAt`` is the clock meanwhile.
    ///
    /// - Returns: Whether the next action is one of the app's, because of the last one.
    @discardableResult
    mutating func plan(_ model: UserModel) -> Bool {
        var isPlanned = false
        var isReaction = false
        // Whoever waits for the user has returned from the call that set it off.
        var hasPaused = false
        while !isPlanned && nextAt < usersEnd {
            isReaction = reaction < reactionEnd
            isPlanned = isReaction ? react(model, &hasPaused) : take(step, model)
        }
        guard nextAt < usersEnd else {
            nextAt = .distantFuture
            return false
        }
        return isReaction && !hasPaused
    }

    /// Plans an action at the clock plus a delay.
    mutating func emit(_ action: UserAction, after delay: Interval = .zero, then step: Step) -> Bool {
        upcoming = action
        nextAt = nextAt + delay
        self.step = step
        return true
    }

    /// Lets the app react to a trigger before the next step.
    mutating func fire(_ trigger: Int, _ model: UserModel) {
        let range = model.range(of: trigger)
        reaction = range.lowerBound
        reactionEnd = range.upperBound
    }

    /// Plans the next reaction, if it happens.
    private mutating func react(_ model: UserModel, _ hasPaused: inout Bool) -> Bool {
        let next = model.reactions[Int(reaction)]
        reaction += 1
        // Drawn whether needed or not: changing one chance moves nothing else.
        let draw = business.uniform()
        let chance = model.changesChances ? self.chance(of: next, model) : next.chance
        guard draw < max(chance, next.chance) else { return false }
        switch next.kind {
        case .registerSuperProperties:
            upcoming = .registerSuperProperties(group: next.index)
        case .identity:
            upcoming = .identity(update: next.index)
        case .business:
            guard next.clock == 0 || clocks & next.clock != 0 else { return false }
            clocks &= ~next.clock
            upcoming = .business(event: next.index, subject: subject(next, model))
        case .web:
            guard screen != .max && model.screens[Int(screen)].isWeb else { return false }
            upcoming = .web(event: next.index, subject: subject(next, model))
        case .profile:
            upcoming = .profile(update: next.index, subject: subject(next, model))
        case .item:
            upcoming = .item(update: next.index, subject: subject(next, model))
        case .beginTimed:
            clocks |= next.clock
            upcoming = .beginTimed(event: next.index)
        }
        let happens = model.changesChances ? takesPlace(next, isDrawn: draw < chance, model) : true
        if next.isPaused {
            guard pause(before: next.index, model) else { return false }
            hasPaused = true
        }
        nextAt = nextAt + model.pace.reactionDelay
        // What a pattern withholds takes its time all the same, and stops its clock: the rest stays as it was.
        return happens
    }

    private mutating func subject(_ reaction: Reaction, _ model: UserModel) -> UInt32 {
        subject(of: reaction.kind == .business ? reaction.index : nil, in: reaction.catalogue, model)
    }

    /// Chooses other entities, in which nothing is dealt yet.
    mutating func choose() {
        choice = UInt32(truncatingIfNeeded: business.next())
        guard dealEvent != .max else { return }
        deals.beginNext()
        dealEvent = .max
    }

    /// What an event, or something else that the app tells of, is about.
    ///
    /// The event with which a deal began begins another one when it comes again.
    mutating func subject(of event: UInt16?, in catalogue: UInt16, _ model: UserModel) -> UInt32 {
        guard catalogue != .max, let things = model.app.catalogues[Int(catalogue)].deals else {
            return model.entity(chosenBy: choice, in: catalogue)
        }
        if let event {
            if event == dealEvent { deals.beginNext() }
            if dealEvent == .max { dealEvent = event }
        }
        return Deal.number(
            thing: model.entity(chosenBy: choice, in: things),
            of: UInt32(model.app.catalogues[Int(things)].count), device: index, ordinal: deals.ordinal)
    }

    /// Takes a step of the user's life.
    ///
    /// - Returns: whether it planned an action; otherwise the next step, or the reactions that it
    ///   set off, do.
    private mutating func take(_ step: Step, _ model: UserModel) -> Bool {
        switch step {
        case .live: return model.isSteady ? liveSteadily(model) : live(model)
        case .launch: return prepareLaunch(model)
        case .start: return launch(model)
        case .coldForeground: return enterForeground(after: model.pace.launchDelay, model)
        case .resume: return enterForeground(after: .zero, model)
        case .introduceAccount: return introduceAccount(model)
        case .runLaunch: return runLaunch(model)
        case .firstScreen: return showFirstScreen(model)
        case .leaveScreen:
            return leave(after: model.pace.reactionDelay)
        case .enterScreen: return enterScreen(model)
        case .background: return emit(.enterBackground, then: .afterBackground)
        case .afterBackground: return afterBackground(model)
        case .rest: return rest(model)
        case .gone: return installAgain(model)
        case .afterCrash:
            endProcess()
            planSession(at: nextSession(model), since: nextAt, model)
            self.step = .launch
            return false
        }
    }
}
