import Testing
import Timebase

@testable import AppModel

/// What a device's process may do, as a state machine of its own: it shares nothing with the
/// simulation but the actions.
private struct Lifecycle {
    enum Process { case dead, updated, cold, passive, foreground, background, ending }

    let app: AppDescription
    var process = Process.dead
    var screen: UInt16?
    /// The screen that disappeared while another is on its way.
    var left: UInt16?
    var version: UInt16 = 0
    var clocks = Set<UInt16>()
    var account: UInt32?
    var accounts = 0
    var launches = 0

    /// Applies an action; returns what is wrong with it.
    mutating func apply(_ action: UserAction) -> String? {
        switch action {
        case .launch(let passive):
            guard process == .dead || process == .updated else { return "launched while running" }
            if launches == 0 && passive { return "first launch is passive" }
            launches += 1
            process = passive ? .passive : .cold
        case .updateApp(let next):
            guard process == .dead, launches > 0 else {
                return "updated while running or before the first launch"
            }
            guard next == version + 1, Int(next) < app.versions.count else { return "no such version" }
            version = next
            process = .updated
        case .enterForeground:
            guard process == .cold || process == .passive || process == .background else {
                return "entered foreground from \(process)"
            }
            process = .foreground
        case .enterBackground:
            guard process == .foreground, left == nil else { return "entered background from \(process)" }
            process = .background
        case .kill:
            guard process == .background || process == .passive else { return "killed in \(process)" }
            die()
        case .crash(let reason):
            guard process == .foreground, Int(reason) < app.crashReasons.count else {
                return "crashed in \(process)"
            }
            die()
        default: return applyInApp(action)
        }
        return nil
    }

    private mutating func die() {
        process = .dead
        screen = nil
        left = nil
        clocks = []
    }

    /// What the app does: nothing in a dead process, screens only in the foreground.
    private mutating func applyInApp(_ action: UserAction) -> String? {
        guard process == .foreground || process == .passive else { return "\(action) in \(process)" }
        switch action {
        case .appear(let next, let referrer):
            guard process == .foreground, screen == nil, referrer == left else { return "appear out of turn" }
            if left == nil && next != app.startScreen { return "began on another screen" }
            screen = next
            left = nil
        case .disappear(let old, _):
            guard process == .foreground, screen == old else { return "another screen disappeared" }
            left = old
            screen = nil
        case .tap(let on, let control):
            guard process == .foreground, on == screen, Int(control) < app.screens[Int(on)].controls.count
            else {
                return "tapped what is not there"
            }
        case .beginTimed(let event):
            guard app.events[Int(event)].timedFrom != nil else { return "clock of an untimed event" }
            clocks.insert(event)
        case .business(let event, let subject):
            let description = app.events[Int(event)]
            if description.timedFrom != nil && clocks.remove(event) == nil { return "clock did not run" }
            return subjectProblem(subject, description.catalogue)
        case .web(let event, let subject):
            guard let screen, app.screens[Int(screen)].web != nil, app.events[Int(event)].isWeb else {
                return "web event elsewhere"
            }
            return subjectProblem(subject, app.events[Int(event)].catalogue)
        case .profile(let update, let subject):
            return subjectProblem(subject, app.profiles[Int(update)].catalogue)
        case .item(let update, let subject): return subjectProblem(subject, app.items[Int(update)].catalogue)
        case .identity(let update):
            guard Int(update) < app.identities.count else { return "no such call" }
        case .login(let number, let signUp):
            guard process == .foreground, account == nil else { return "logged in twice" }
            if signUp && Int(number) != accounts { return "account is not new" }
            accounts = max(accounts, Int(number) + 1)
            account = number
        case .logout:
            guard account != nil else { return "nobody to log out" }
            account = nil
        case .registerSuperProperties(let group):
            guard Int(group) < app.superProperties.count else { return "no such group" }
        default: return "unexpected \(action)"
        }
        return nil
    }

    private func subjectProblem(_ subject: UInt32, _ catalogue: UInt16?) -> String? {
        guard let catalogue else { return subject == 0 ? nil : "subject without a catalogue" }
        return Int(subject) < app.catalogues[Int(catalogue)].count ? nil : "no such entity"
    }
}

@Suite("The order of a device's actions")
struct LifecycleGrammarTests {
    @Test("is a legal life of a process, for thousands of devices", arguments: Presets.appNames)
    func grammar(appName: String) throws {
        let app = try #require(Presets.app(named: appName))
        let end = day(2)
        for persona in [busyPersona(), Presets.casual, Presets.power, Presets.micro, Presets.steady] {
            let model = UserModel(app: app, persona: persona)
            for seed in UInt64(0)..<400 {
                var lifecycle = Lifecycle(app: app)
                var last = start
                for planned in life(model, seed: seed, end: end, limit: 1500) {
                    let problem = lifecycle.apply(planned.action)
                    if problem != nil || planned.at < last || planned.at >= end {
                        Issue.record(
                            "\(problem ?? "out of time"): seed \(seed), \(persona.name), \(planned)")
                        return
                    }
                    last = planned.at
                }
            }
        }
    }

    @Test("stays legal for devices that come and go, are called by notifications, and are active by turns")
    func calendars() throws {
        for seed in UInt64(0)..<300 {
            var draw = RandomStream(key: seed)
            let stages = (0...draw.below(6)).map { _ in
                StageCurve.Stage(
                    duration: draw.chance(0.2) ? .zero : .seconds(Int64(draw.below(4000))),
                    target: Double(draw.below(11)))
            }
            let curve = StageCurve(stages: stages)
            let arrival = ArrivalSchedule(
                stages: DeviceStages(curve: curve, devices: 10), isRandom: draw.chance(0.5))
            let pushes = (0..<draw.below(20)).map { _ in
                PushNotification(
                    at: start + .seconds(Int64(draw.below(20_000))), share: draw.uniform(),
                    within: .seconds(Int64(1 + draw.below(600))))
            }
            let calendar = calendar(
                seed: seed, devices: 10, arrival: arrival,
                activity: ActivityClock(rate: curve, start: start, length: .hours(6)), pushes: pushes)
            for persona in [busyPersona(), Presets.power, Presets.steady] {
                let model = UserModel(app: Presets.shop, persona: persona, calendar: calendar)
                for device in 0..<10 {
                    var lifecycle = Lifecycle(app: Presets.shop)
                    var last = start
                    for planned in life(model, seed: seed, device: device, end: start + .hours(6), limit: 500)
                    {
                        let problem = lifecycle.apply(planned.action)
                        try #require(
                            problem == nil && planned.at >= last,
                            "\(problem ?? "out of time"): seed \(seed), \(device), \(persona.name), \(planned)"
                        )
                        last = planned.at
                    }
                }
            }
        }
    }

    @Test("whom a notification calls while the process dies in the background opens the app after its death")
    func calledAtOnce() throws {
        var persona = busyPersona()
        persona.crashChance = 0
        persona.updateChance = 0
        persona.killAtBackgroundChance = 1
        let seed: UInt64 = 3
        func actions(_ pushes: [PushNotification]) -> [PlannedAction] {
            let calendar = calendar(seed: seed, devices: 1, pushes: pushes)
            return life(
                UserModel(app: Presets.shop, persona: persona, calendar: calendar), seed: seed, end: day(2))
        }
        let background = try #require(actions([]).first { $0.action == .enterBackground })
        // The process dies three milliseconds after it.
        let push = PushNotification(
            at: background.at + .milliseconds(1), share: 1, within: .milliseconds(1))
        let called = actions([push])
        let death = try #require(called.firstIndex { $0.action == .kill })
        #expect(called[death].at == background.at + .milliseconds(3))
        #expect(called[death + 1].at == called[death].at)
        #expect(called[death + 1].action == .launch(passive: false))
        #expect(zip(called, called.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test("contains every kind of action that the shop and a busy persona can give")
    func everyKind() {
        let model = UserModel(app: Presets.shop, persona: busyPersona())
        var kinds = Set<String>()
        for device in 0..<40 {
            for planned in life(model, seed: 5, device: device, end: day(3)) {
                kinds.insert(String("\(planned.action)".prefix { $0 != "(" }))
            }
        }
        #expect(
            kinds == [
                "launch", "enterForeground", "enterBackground", "kill", "crash", "appear", "disappear", "tap",
                "business", "beginTimed", "web", "login", "logout", "profile", "item",
                "registerSuperProperties", "updateApp",
            ])
    }

    @Test("begins with launch, foreground, login of an account holder, launch's groups, start screen")
    func opening() {
        var persona = PersonaDescription(name: "holder")
        persona.loggedInShare = 1
        let model = UserModel(app: Presets.shop, persona: persona)
        let actions = life(model, seed: 1, end: day(1), limit: 20).map(\.action)
        #expect(
            actions.prefix(3) == [
                .launch(passive: false), .enterForeground, .login(account: 0, signUp: false),
            ])
        let groups = actions.firstIndex(of: .registerSuperProperties(group: 0))
        let appears = actions.firstIndex(of: .appear(screen: 0, referrer: nil))
        #expect(groups != nil && appears != nil && (groups ?? 0) < (appears ?? 0))
    }

    @Test("a screen's visit ends before the next begins, and the referrer is the screen before")
    func referrers() {
        let model = UserModel(app: Presets.news, persona: Presets.power)
        var previous: UInt16?
        for planned in life(model, seed: 3, end: day(1)) {
            switch planned.action {
            case .disappear(let screen, _): previous = screen
            case .appear(_, let referrer?):
                #expect(referrer == previous)
            default: break
            }
        }
        #expect(previous != nil)
    }

    @Test("nothing happens on a device that arrives when the users' time is over")
    func lateArrival() {
        let model = UserModel(app: Presets.shop, persona: Presets.casual)
        #expect(user(model, seed: 1, arrival: day(1), end: day(1)).nextAt == .distantFuture)
    }
}
