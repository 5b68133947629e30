import Testing
import Timebase

@testable import AppModel

/// Each test compares a count with what the persona says, within five standard deviations of what
/// chance allows: about one seed in two million would fail.
@Suite("The persona's numbers hold")
struct PersonaStatisticsTests {
    private let seed: UInt64 = 20_260_105

    @Test("sessions per day, over a population with a spread of rates")
    func sessionsPerDay() {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 8
        persona.sessionsPerDaySigma = 0.5
        persona.opensAtArrival = false
        let model = UserModel(app: Presets.shop, persona: persona)
        let devices = 300
        let days = 10.0
        var sessions = 0.0
        for device in 0..<devices {
            sessions += Double(
                life(model, seed: seed, device: device, end: day(10)).filter { $0.action == .enterForeground }
                    .count)
        }
        let expected = 8 * days * Double(devices)
        // The spread of the devices' rates (relative variance e^σ² - 1) outweighs the counts' own.
        let deviation = expected * ((DeterministicMath.exp(0.25) - 1) / Double(devices)).squareRoot()
        #expect(abs(sessions - expected) < 5 * deviation, "seed \(seed): \(sessions) of \(expected)")
    }

    @Test("a population with one rate keeps it within one per cent")
    func uniformRate() {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 10
        persona.sessionsPerDaySigma = 0
        persona.opensAtArrival = false
        let model = UserModel(app: Presets.shop, persona: persona)
        var sessions = 0
        for device in 0..<200 {
            sessions += life(model, seed: seed, device: device, end: day(20)).count {
                $0.action == .enterForeground
            }
        }
        let expected = 10.0 * 20 * 200
        #expect(abs(Double(sessions) - expected) < 0.01 * expected + 5 * (1.5 * expected).squareRoot())
    }

    @Test("median and mean of the session length", arguments: ["endless"] + Presets.appNames)
    func sessionLength(appName: String) {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 20
        persona.sessionsPerDaySigma = 0
        persona.sessionLength = .lognormal(median: 26, sigma: 1)
        persona.actionGap = .constant(3)
        persona.crashChance = 0
        let model = UserModel(app: Presets.app(named: appName) ?? endlessApp(), persona: persona)
        var lengths: [Double] = []
        for device in 0..<100 {
            var began: Instant?
            for planned in life(model, seed: seed, device: device, end: day(3)) {
                switch planned.action {
                case .enterForeground: began = planned.at
                case .enterBackground:
                    if let began { lengths.append((planned.at - began).fractionalSeconds) }
                default: break
                }
            }
        }
        lengths.sort()
        let count = Double(lengths.count)
        let below = Double(lengths.prefix { $0 <= 26.2 }.count)
        #expect(abs(below - count / 2) < 5 * (count / 4).squareRoot() + 0.01 * count)
        let mean = lengths.reduce(0, +) / count
        let expected = 26 * DeterministicMath.exp(0.5)
        let deviation = expected * ((DeterministicMath.exp(1) - 1) / count).squareRoot()
        #expect(abs(mean - expected) < 5 * deviation + 0.2, "seed \(seed): \(mean) of \(expected)")
    }

    @Test("shares of crashes, kills at the background, account holders and moves per session")
    func chances() {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 20
        persona.crashChance = 0.05
        persona.killAtBackgroundChance = 0.2
        persona.loggedInShare = 0.4
        persona.signUpChance = 0.06
        persona.loginChance = 0.1
        persona.logoutChance = 0.08
        let model = UserModel(app: Presets.shop, persona: persona)
        var tally = Tally()
        for device in 0..<600 {
            tally.add(life(model, seed: seed, device: device, end: day(2)), delay: model.pace.reactionDelay)
        }
        tally.check(tally.crashes, of: tally.sessions, chance: 0.05, "crashes")
        tally.check(tally.killsAtOnce, of: tally.backgrounds, chance: 0.2, "kills at once")
        tally.check(tally.holders, of: 600, chance: 0.4, "holders")
        tally.check(tally.signUps, of: tally.sessionsWithout, chance: 0.06, "sign-ups")
        tally.check(tally.logins, of: tally.sessionsWithout, chance: 0.1, "logins")
        tally.check(tally.logouts, of: tally.sessionsWith, chance: 0.08, "logouts")
    }

    @Test("passive launches and updates are the set share of the cold starts after the first")
    func coldStarts() {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 12
        persona.killAtBackgroundChance = 1
        persona.passiveLaunchChance = 0.25
        persona.updateChance = 0.02
        var app = Presets.shop
        app.versions = (0..<500).map { "1.\($0)" }
        let model = UserModel(app: app, persona: persona)
        var passive = 0
        var updates = 0
        var later = 0
        for device in 0..<300 {
            let actions = life(model, seed: seed, device: device, end: day(2)).map(\.action)
            passive += actions.count { $0 == .launch(passive: true) }
            later += actions.count { $0.isLaunch } - 1
            updates += actions.count { if case .updateApp = $0 { true } else { false } }
        }
        Tally().check(passive, of: later, chance: 0.25, "passive launches")
        Tally().check(updates, of: later, chance: 0.02, "updates")
    }

    @Test("time to a kill in the background is exponential with the set mean")
    func timeToKill() {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 1
        persona.sessionsPerDaySigma = 0
        persona.returnChance = 0
        persona.killAtBackgroundChance = 0
        persona.crashChance = 0
        persona.meanTimeToKill = .minutes(30)
        let model = UserModel(app: Presets.shop, persona: persona)
        var background: Instant?
        var within = 0
        var outlived = 0
        for device in 0..<400 {
            for planned in life(model, seed: seed, device: device, end: day(4)) {
                switch planned.action {
                case .enterBackground: background = planned.at
                case .kill:
                    guard let at = background else { continue }
                    if planned.at - at <= .minutes(30) { within += 1 } else { outlived += 1 }
                default: break
                }
            }
        }
        // Those who come back first are the same share on both sides of half an hour only if they
        // are few: 1 of 48 half hours, hence the second term.
        let count = Double(within + outlived)
        let expected = count * (1 - DeterministicMath.exp(-1))
        #expect(abs(Double(within) - expected) < 5 * (0.24 * count).squareRoot() + 0.02 * count)
        #expect(count > 1000)
    }
}

/// Counts of what happened in sessions.
private struct Tally {
    var sessions = 0
    var sessionsWith = 0
    var sessionsWithout = 0
    var backgrounds = 0
    var killsAtOnce = 0
    var crashes = 0
    var holders = 0
    var signUps = 0
    var logins = 0
    var logouts = 0

    mutating func add(_ actions: [PlannedAction], delay: Interval) {
        var isLoggedIn = actions.count > 2 && actions[2].action == .login(account: 0, signUp: false)
        if isLoggedIn { holders += 1 }
        var background: Instant?
        for planned in actions.dropFirst(isLoggedIn ? 3 : 0) {
            switch planned.action {
            case .enterForeground: begin(isLoggedIn)
            case .enterBackground:
                backgrounds += 1
                background = planned.at
            case .kill: if planned.at - (background ?? start) <= delay { killsAtOnce += 1 }
            case .crash: crashes += 1
            case .login(_, let signUp):
                isLoggedIn = true
                if signUp { signUps += 1 } else { logins += 1 }
            case .logout:
                isLoggedIn = false
                logouts += 1
            default: break
            }
        }
        // The opening session of a holder was cut off with the login.
        if actions.count > 2, actions[2].action == .login(account: 0, signUp: false) { begin(true) }
    }

    private mutating func begin(_ isLoggedIn: Bool) {
        sessions += 1
        if isLoggedIn { sessionsWith += 1 } else { sessionsWithout += 1 }
    }

    func check(
        _ count: Int, of total: Int, chance: Double, _ what: Comment,
        location: SourceLocation = #_sourceLocation
    ) {
        let expected = Double(total) * chance
        let deviation = (expected * (1 - chance)).squareRoot()
        #expect(
            abs(Double(count) - expected) < 5 * deviation && total > 100, "\(what): \(count) of \(total)",
            sourceLocation: location)
    }
}
