import Testing
import Timebase

@testable import AppModel

/// Sessions as they are played, from the foreground to the background.
private struct PlayedSession {
    var seconds: Double
    /// What the user does: taps, and changes of screen that no tap brought about.
    var actions: Int
}

private func sessions(
    of persona: PersonaDescription, in app: AppDescription, devices: Int, end: Instant, seed: UInt64
) -> [PlayedSession] {
    let model = UserModel(app: app, persona: persona)
    var result: [PlayedSession] = []
    for device in 0..<devices {
        var began: Instant?
        var actions = 0
        var tapped = Instant(nanoseconds: 0)
        for planned in life(model, seed: seed, device: device, end: end) {
            switch planned.action {
            case .enterForeground:
                began = planned.at
                actions = 0
            case .tap:
                actions += 1
                tapped = planned.at
            // What follows a tap by itself comes within milliseconds.
            case .disappear where planned.at - tapped > .milliseconds(50): actions += 1
            case .enterBackground:
                guard let start = began else { continue }
                result.append(
                    PlayedSession(seconds: (planned.at - start).fractionalSeconds, actions: actions))
                began = nil
            default: break
            }
        }
    }
    return result
}

@Suite("Sessions in the preset apps")
struct SessionShapeTests {
    private let seed: UInt64 = 4711

    /// The lengths of `casual` spread so far (σ 2.17) that the mean of a sample says little; their
    /// logarithms are normal, and those tell whether the distribution holds.
    @Test("of casual users have the persona's lengths: log-mean and log-spread", arguments: Presets.appNames)
    func casual(appName: String) throws {
        var persona = Presets.casual
        persona.sessionsPerDay = 20
        persona.sessionsPerDaySigma = 0
        persona.crashChance = 0
        let app = try #require(Presets.app(named: appName))
        let played = sessions(of: persona, in: app, devices: 300, end: day(1), seed: seed)
        // Below a second, the start of the app is most of it.
        let logs = played.filter { $0.seconds > 1 }.map { DeterministicMath.log($0.seconds) }
        let count = Double(logs.count)
        #expect(count > 4000)
        let mean = logs.reduce(0, +) / count
        let square = logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
        // Of a normal distribution cut at 0: α = -μ / σ, λ = φ(α) / (1 - Φ(α)); mean μ + σ λ and
        // variance σ² (1 + α λ - λ²).
        let mu = DeterministicMath.log(26)
        let sigma = 2.17
        let alpha = -mu / sigma
        let hazard = 0.129_285 / 0.933_369
        let expected = mu + sigma * hazard
        let variance = sigma * sigma * (1 + alpha * hazard - hazard * hazard)
        #expect(
            abs(mean - expected) < 5 * (variance / count).squareRoot() + 0.03,
            "seed \(seed): \(mean) for \(expected)")
        #expect(
            abs(square - variance) < 5 * variance * (2 / count).squareRoot() + 0.1,
            "seed \(seed): \(square) for \(variance)")
    }

    @Test("of a set length last it, and hold as many actions as the gaps between them allow")
    func actions() {
        var persona = Presets.casual
        persona.sessionsPerDay = 20
        persona.sessionsPerDaySigma = 0
        persona.sessionLength = .constant(273)
        persona.crashChance = 0
        persona.signUpChance = 0
        persona.loginChance = 0
        persona.logoutChance = 0
        let played = sessions(of: persona, in: Presets.shop, devices: 100, end: day(1), seed: seed)
        // What the app does at the end takes a few milliseconds, a change of screen 0.35 s.
        #expect(played.allSatisfy { (272.9...273.6).contains($0.seconds) })
        let count = Double(played.count)
        let mean = played.reduce(0) { $0 + Double($1.actions) } / count
        // A lognormal gap of mean 7.3 s, and 0.35 s for the change of screen that most actions bring;
        // at home some ways out lead nowhere: 34 to 37 renewals in 273 s. Every third session or so pays,
        // which takes as long as two of them. The mean of this many sessions is known to 0.3.
        #expect((33.0...37.0).contains(mean), "seed \(seed): \(mean) actions in \(played.count) sessions")
    }

    @Test("end where the chain of screens does only if the persona says so")
    func exits() {
        var persona = Presets.casual
        persona.sessionsPerDay = 20
        persona.sessionsPerDaySigma = 0
        persona.sessionLength = .constant(600)
        persona.crashChance = 0
        persona.endsAtExit = true
        let short = sessions(of: persona, in: Presets.shop, devices: 40, end: day(1), seed: seed)
        #expect(short.count { $0.seconds < 599 } > short.count * 9 / 10)
        persona.endsAtExit = false
        let long = sessions(of: persona, in: Presets.shop, devices: 40, end: day(1), seed: seed)
        #expect(long.allSatisfy { $0.seconds >= 599.9 })
    }

    @Test("an app of one screen without ways out is looked at until the session ends")
    func onlyScreen() {
        var app = endlessApp()
        app.screens[0].transitions = []
        var persona = Presets.casual
        persona.sessionLength = .constant(60)
        let actions = life(UserModel(app: app, persona: persona), seed: 1, end: start + .seconds(100))
        #expect(actions.map(\.action).suffix(2).first == .appear(screen: 0, referrer: nil))
        #expect(actions.last?.action == .enterBackground)
        #expect(
            abs((actions.last?.at ?? start).nanoseconds - (start + .milliseconds(60_400)).nanoseconds) < 1000)
    }
}
