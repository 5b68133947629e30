import AppModel
import DeviceSDK
import Timebase
import World

/// What a device's user did, whatever the SDK made of it: played again from the user's own streams, which nothing that
/// an SDK or a collector does reaches.
struct DeviceLife {
    /// A time in which the app was in front.
    struct Session {
        enum End: String {
            case background, crash, kill, uninstall
        }

        /// From 0.
        var number: Int
        /// The cold start, or the return from the background.
        var from: Instant
        /// `nil` where it goes on at the end.
        var until: Instant?
        var end: End?
        var isCold: Bool
        /// From 0: which of the app's installations on the device it belongs to.
        var installation = 0
    }

    var sessions: [Session] = []
    var launches = 0
    var signedUpAt: Instant?
    var loggedInAt: Instant?
    var accounts = 0
    /// When the app was deleted, and when it was opened first after each time; in order.
    var deletions: [Instant] = []
    var returns: [Instant] = []
    /// Index into the app's versions.
    var version = 0

    /// The session in which an instant lies; both ends belong to it.
    func session(at instant: Instant) -> Session? {
        // The last that begins by then.
        var (low, high) = (0, sessions.count)
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].from <= instant { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let session = sessions[low - 1]
        return session.until.map { instant <= $0 } ?? true ? session : nil
    }
}

/// Plays the users of a population again.
struct PopulationLives {
    let plan: PopulationPlan
    private let models: UserModels
    private let calendar: UserCalendar
    private let end: Instant

    /// - Parameter end: From which on nothing happens.
    init(_ plan: PopulationPlan, until end: Instant) {
        self.plan = plan
        calendar = plan.calendar
        models = UserModels(app: plan.app, persona: plan.persona, calendar: calendar)
        self.end = min(end, plan.usersEnd)
    }

    /// When a device arrives; `nil` for never.
    func arrival(of index: Int) -> Instant? {
        guard let arrival = calendar.presence(of: index)?.lowerBound, arrival < end else { return nil }
        return max(arrival, plan.start)
    }

    func life(of index: Int) -> DeviceLife {
        var life = DeviceLife()
        var coldStart: Instant?
        forEachAction(of: index) { life.note($0, &coldStart) }
        return life
    }

    /// Gives all that a device's user does to `body`.
    func forEachAction(of index: Int, _ body: (PlannedAction) -> Void) {
        guard arrival(of: index) != nil else { return }
        let streams = plan.streams
        let model = models.model(of: index)
        var user = UserSimulator(
            model: model, streams: { streams.stream($0, index: index) }, index: index,
            presence: calendar.presence(of: index), usersEnd: plan.usersEnd)
        while user.nextAt < end {
            let planned = user.next(model)
            body(planned)
        }
    }

    /// The name of the persona whose ways a device's user has.
    func persona(of index: Int) -> String { models.model(of: index).persona.name }
}

extension DeviceLife {
    /// - Parameter coldStart: When the process began whose app has not been in front yet.
    fileprivate mutating func note(_ planned: PlannedAction, _ coldStart: inout Instant?) {
        switch planned.action {
        case .launch(let isPassive):
            launches += 1
            if returns.count < deletions.count { returns.append(planned.at) }
            coldStart = isPassive ? nil : planned.at
        case .enterForeground:
            sessions.append(
                Session(
                    number: sessions.count, from: coldStart ?? planned.at, isCold: coldStart != nil,
                    installation: returns.count))
            coldStart = nil
        case .enterBackground: endSession(planned.at, .background)
        case .crash: endSession(planned.at, .crash)
        case .kill: endSession(planned.at, .kill)
        case .uninstall:
            endSession(planned.at, .uninstall)
            deletions.append(planned.at)
        case .login(let account, let isSignUp):
            accounts = max(accounts, Int(account) + 1)
            if isSignUp { signedUpAt = signedUpAt ?? planned.at }
            loggedInAt = loggedInAt ?? planned.at
        case .updateApp(let version): self.version = Int(version)
        default: break
        }
    }

    private mutating func endSession(_ instant: Instant, _ end: Session.End) {
        guard let last = sessions.indices.last, sessions[last].until == nil else { return }
        sessions[last].until = instant
        sessions[last].end = end
    }
}

/// Which radio a device is on, at instants that do not go back.
struct RadioTrace {
    private let rules: NetworkRules
    private let stream: RandomStream
    private var walk: RadioWalk?
    /// The timeline's entries that concern the device.
    private let entries: [RunSchedule.DeviceEntry]

    init(_ plan: PopulationPlan, index: Int, schedule: RunSchedule) {
        rules = plan.network
        let stream = plan.stream(.network, index: index)
        self.stream = stream
        walk = rules.walk(stream: stream, from: plan.start)
        entries = schedule.deviceEntries.enumerated().filter { number, entry in
            entry.from < plan.usersEnd && entry.from < entry.until
                && entry.concerns(population: plan.index, stream: stream, entry: number)
        }.map(\.element)
    }

    mutating func kind(at instant: Instant) -> NetworkKind {
        if let chain = rules.chain { walk?.advance(through: instant, chain, stream: stream) }
        var active: RunSchedule.DeviceEntry?
        for entry in entries where entry.from <= instant && instant < entry.until {
            if entry.from >= active?.from ?? entry.from { active = entry }
        }
        let own = rules.chain.flatMap { chain in walk.map { $0.kind(chain) } }
        return active?.network ?? own ?? rules.kind
    }
}
