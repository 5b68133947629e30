import Timebase

/// An app and a persona compiled into flat tables: what all simulated users of a population share.
///
/// Immutable, so one instance serves every device and every thread. A ``UserSimulator`` holds only
/// what differs between devices and is handed the model with each call.
package final class UserModel: Sendable {
    package let app: AppDescription
    package let persona: PersonaDescription

    /// What the app does at each trigger: the lists of all triggers one after another.
    let reactions: ContiguousArray<Reaction>
    /// The part of ``reactions`` that belongs to a trigger, by ``TriggerTable``'s numbers.
    let reactionRanges: ContiguousArray<Range<UInt32>>
    let triggers: TriggerTable
    let screens: ContiguousArray<ScreenTable>
    /// The controls of all screens one after another.
    let controls: ContiguousArray<ControlTable>
    /// The transitions of all screens one after another, as running sums of their probabilities.
    let transitions: ContiguousArray<TransitionTable>
    /// The popularity of each catalogue's entities.
    let popularity: ContiguousArray<WeightedChoice>
    /// What a user of a steady rate does, evenly; empty for all others.
    let steadyActions: ContiguousArray<UserAction>
    /// The catalogue that each event tells an entity of; `.max` for none.
    let eventCatalogues: ContiguousArray<UInt16>
    let pace: Pace
    /// What is decided about the users from outside; `nil` for nothing.
    package let calendar: UserCalendar?
    /// A second between sessions takes equally long at all times.
    let flowsEvenly: Bool
    /// Users do nothing in their sessions: for a look at when and how long they are.
    let isOutline: Bool
    /// Where users are at the run's start, if it finds them in the midst of their lives.
    let steadyState: SteadyState?
    /// The persona has a ``PersonaDescription/steadyRate``.
    let isSteady: Bool
    /// How patterns make some events more or less likely: beside the calendar, of which a copy is dear.
    let changes: [UserPatterns.ChanceChange]
    /// The versions that come one after the other by ``PersonaDescription/updateChance``; those released at a date
    /// come after them.
    let plainVersions: Int

    /// Compiles the tables.
    ///
    /// - Precondition: ``AppDescription/problems()`` and ``PersonaDescription/problems()`` are empty.
    /// - Complexity: linear in the size of the description and of its catalogues.
    package init(
        app: AppDescription, persona: PersonaDescription, calendar: UserCalendar? = nil
    ) {
        isOutline = false
        let problems = app.problems() + persona.problems()
        precondition(problems.isEmpty, problems.first?.description ?? "")
        self.app = app
        self.persona = persona
        self.calendar = calendar
        flowsEvenly = calendar?.flowsEvenly ?? true
        changes = calendar?.patterns.changes ?? []
        plainVersions = app.versions.count - (calendar?.patterns.releases.count ?? 0)
        let triggers = TriggerTable(app)
        isSteady = persona.steadyRate != nil
        let lists = Reaction.lists(of: app, triggers: triggers, onlySuperProperties: isSteady)
        var reactions = ContiguousArray<Reaction>()
        reactionRanges = ContiguousArray(
            lists.map { list in
                let first = UInt32(reactions.count)
                reactions.append(contentsOf: list)
                return first..<UInt32(reactions.count)
            })
        self.reactions = reactions
        self.triggers = triggers
        let entityScreens = UserModel.entityScreens(of: app)
        controls = UserModel.controlTables(of: app, entityScreens: entityScreens)
        transitions = UserModel.transitionTables(of: app)
        screens = UserModel.screenTables(of: app, entityScreens: entityScreens)
        popularity = ContiguousArray(
            app.catalogues.map { catalogue in
                // Nobody chooses a deal.
                let isDeal = catalogue.deals != nil
                return WeightedChoice.zipf(count: isDeal ? 1 : catalogue.count, exponent: catalogue.exponent)
            })
        steadyActions = isSteady ? UserModel.steadyActions(of: app) : []
        eventCatalogues = ContiguousArray(app.events.map { $0.catalogue ?? .max })
        pace = Pace(persona)
        let isSteadyState = calendar?.startsInSteadyState == true && !isSteady
        steadyState = isSteadyState ? SteadyState(app: app, persona: persona) : nil
    }

    /// The same users with empty sessions, which cost as little as can be: all draws are what they are, but those of
    /// what is done in a session.
    init(outlineOf model: UserModel) {
        isOutline = true
        (app, persona, calendar) = (model.app, model.persona, model.calendar)
        (reactions, reactionRanges, triggers) = (model.reactions, model.reactionRanges, model.triggers)
        (screens, controls, transitions) = (model.screens, model.controls, model.transitions)
        (popularity, steadyActions) = (model.popularity, model.steadyActions)
        (eventCatalogues, flowsEvenly) = (model.eventCatalogues, model.flowsEvenly)
        (pace, steadyState, isSteady) = (model.pace, model.steadyState, model.isSteady)
        (changes, plainVersions) = (model.changes, model.plainVersions)
    }

    var changesChances: Bool { !changes.isEmpty }

    func range(of trigger: Int) -> Range<UInt32> { reactionRanges[trigger] }

    /// The entity of a catalogue that a user has chosen.
    ///
    /// One number stands for the choice, so that catalogues of any number need no room on the
    /// device: the choice in each is drawn from a stream of the number's own.
    func entity(chosenBy choice: UInt32, in catalogue: UInt16) -> UInt32 {
        guard catalogue != .max else { return 0 }
        var stream = RandomStream(key: UInt64(choice)).child(UInt64(catalogue))
        return UInt32(popularity[Int(catalogue)].sample(&stream))
    }
}

/// A screen as the simulation needs it.
struct ScreenTable {
    /// Its part of ``UserModel/controls``; empty if nothing on it can be tapped.
    var controls: Range<Int>
    var transitions: Range<Int>
    var isWeb: Bool
    /// Shows one entity of a catalogue; arriving without having tapped one chooses one.
    var showsEntity: Bool
}

struct ControlTable {
    /// The sum of the weights of the screen's controls up to and with this one.
    var cumulativeWeight: Double
    /// The screen that a tap opens; `.max` for none.
    var opens: UInt16
    /// A tap chooses another entity.
    var choosesEntity: Bool
}

struct TransitionTable {
    /// The sum of the probabilities of the screen's transitions up to and with this one.
    var cumulativeProbability: Double
    var screen: UInt16
}

/// Gives every possible ``Trigger`` of an app a number.
struct TriggerTable: Sendable {
    static let launch = 0
    static let sessionEnd = 1
    static let signUp = 2
    static let login = 3
    static let logout = 4
    private static let firstScreen = 5

    private let screenCount: Int
    /// The number of controls on all screens before.
    let firstControl: ContiguousArray<Int>
    let count: Int

    init(_ app: AppDescription) {
        var controls = 0
        screenCount = app.screens.count
        firstControl = ContiguousArray(
            app.screens.map { screen in
                defer { controls += screen.controls.count }
                return controls
            })
        count = TriggerTable.firstScreen + app.screens.count + controls
    }

    func number(ofScreen screen: Int) -> Int { TriggerTable.firstScreen + screen }

    /// - Parameter control: The control's index among those of all screens.
    func number(ofControl control: Int) -> Int { TriggerTable.firstScreen + screenCount + control }

    func number(of trigger: Trigger) -> Int {
        switch trigger {
        case .launch: TriggerTable.launch
        case .sessionEnd: TriggerTable.sessionEnd
        case .signUp: TriggerTable.signUp
        case .login: TriggerTable.login
        case .logout: TriggerTable.logout
        case .screen(let screen): number(ofScreen: Int(screen))
        case .control(let screen, let control):
            number(ofControl: firstControl[Int(screen)] + Int(control))
        }
    }
}

/// A persona's numbers on the run's clock: ``PersonaDescription/tempo`` is worked in.
///
/// The tempo applies to the whole of a user's life (gaps, session lengths, the time to a kill, the
/// short delays inside one user action), so a life at tempo 2 is the same life in half the time.
struct Pace: Sendable {
    /// Nanoseconds of the run that one second of the user's life takes.
    let nanosecondsPerSecond: Double
    /// By which a draw from the persona's `actionGap` is multiplied.
    let gapScale: Double
    /// Between an action and what the app does because of it.
    let reactionDelay: Interval
    /// Of the push of a view controller: 0.35 s, `UINavigationController`'s animation.
    let transitionDelay: Interval
    /// From the start of the process to the first frame: 0.4 s, what Apple's guidelines ask for.
    let launchDelay: Interval
    /// Below which two user actions do not follow each other: 8 ms, the least gap ever observed.
    let leastGap: Double
    /// Seconds of life between sessions below which nobody comes back.
    static let leastPause = 1.0
    /// No gap is longer (127 years), so that sums of instants stay in range.
    private static let longestGap = 4e18

    init(_ persona: PersonaDescription) {
        nanosecondsPerSecond = 1e9 / persona.tempo
        gapScale = persona.steadyRate.map { 1 / ($0 * persona.actionGap.mean) } ?? 1
        leastGap = persona.steadyRate == nil ? 0.008 : 0
        let scale = nanosecondsPerSecond
        func delay(_ seconds: Double) -> Interval { Interval(nanoseconds: Int64(seconds * scale)) }
        reactionDelay = delay(0.003)
        transitionDelay = delay(0.35)
        launchDelay = delay(0.4)
    }

    /// The run's time that some seconds of the user's life take.
    func interval(_ seconds: Double) -> Interval {
        Interval(nanoseconds: Int64(min(seconds * nanosecondsPerSecond, Pace.longestGap)))
    }
}
