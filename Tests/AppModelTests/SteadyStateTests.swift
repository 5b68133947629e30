import Testing
import Timebase

@testable import AppModel

/// Counts are compared within five standard deviations, as in ``PersonaStatisticsTests``.
@Suite("A run that begins in the midst of its people's lives")
struct SteadyStateTests {
    private static let seed: UInt64 = 4711

    private static func persona(_ change: (inout PersonaDescription) -> Void) -> PersonaDescription {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 30
        persona.sessionsPerDaySigma = 0.5
        persona.sessionLength = .lognormal(median: 200, sigma: 1)
        persona.actionGap = .lognormal(median: 20, sigma: 1)
        persona.crashChance = 0
        change(&persona)
        return persona
    }

    /// Personas in which each part of a cycle counts.
    static let personas = [
        persona { _ in },
        persona { $0.returnChance = 0 },
        persona { $0.returnChance = 1 },
        persona { $0.crashChance = 0.8 },
        persona { $0.endsAtExit = true },
        persona {
            $0.passiveLaunchChance = 0.5
            $0.meanTimeToKill = .minutes(30)
        },
        persona { $0.sessionLength = .pareto(minimum: 30, alpha: 1.3, maximum: 3600) },
        persona {
            $0.sessionLength = .constant(1200)
            $0.sessionsPerDay = 60
        },
        persona { $0.tempo = 3 },
    ]

    private func model(_ persona: PersonaDescription, devices: Int) -> UserModel {
        UserModel(
            app: Presets.shop, persona: persona,
            calendar: UserCalendar(
                start: start, deviceCount: devices, startsInSteadyState: true,
                streams: { streams(seed: Self.seed, device: $1)($0) }))
    }

    @Test("has as many users in a session as later, and as many come", arguments: personas.indices)
    func stationary(index: Int) {
        let devices = 1500
        let model = model(Self.personas[index], devices: devices)
        // Launches of those who are in a session come with their next action: mostly within two minutes.
        let early = start + .minutes(3)
        let hour = Interval.hours(1)
        var open = [0.0, 0.0]
        var begun = [0.0, 0.0]
        let late = start + .hours(11)
        for device in 0..<devices {
            var inSession = false
            var seen = 0
            for planned in life(model, seed: Self.seed, device: device, end: start + .hours(13)) {
                while seen < 2, planned.at >= [early, late][seen] {
                    open[seen] += inSession ? 1 : 0
                    seen += 1
                }
                switch planned.action {
                case .enterForeground:
                    inSession = true
                    if planned.at >= early && planned.at < early + hour { begun[0] += 1 }
                    if planned.at >= late && planned.at < late + hour { begun[1] += 1 }
                case .enterBackground, .crash, .kill: inSession = false
                default: break
                }
            }
        }
        #expect(
            abs(open[0] - open[1]) < 5 * (2 * max(open[0], open[1])).squareRoot(),
            "seed \(Self.seed), persona \(index): \(open)")
        // Returns cluster: three times the variance of a Poisson process.
        #expect(
            abs(begun[0] - begun[1]) < 5 * (6 * begun[1]).squareRoot() && begun[1] > 1000,
            "seed \(Self.seed), persona \(index): \(begun)")
    }

    @Test("finds the preset's users as the sum of its parts says: 0.14 % of them in a session")
    func share() {
        var stream = RandomStream(key: 9)
        let steady = SteadyState(app: Presets.shop, persona: Presets.casual)
        var sessions = 0.0
        let count = 200_000
        for _ in 0..<count {
            if case .inSession = steady.draw(meanGap: 192_000 / 0.65, activity: 1, &stream) { sessions += 1 }
        }
        // 273 s of 192,000 · (0.65 gaps and 0.35 returns of 277 s in a cycle).
        let expected = Double(count) * 273 / (192_000 + 0.35 * 277 + 273)
        #expect(abs(sessions - expected) < 5 * expected.squareRoot(), "\(sessions) of \(expected)")
    }

    @Test("knows that a process that crashed is launched anew, by the system if by nobody else")
    func crashes() {
        // Each session crashes, then the system launches the app, then the user resumes it: every other start is a session.
        var persona = Self.persona { $0.crashChance = 1 }
        persona.returnChance = 0
        persona.passiveLaunchChance = 1
        persona.killAtBackgroundChance = 0
        persona.meanTimeToKill = .hours(100_000)
        persona.sessionLength = .constant(300)
        let steady = SteadyState(app: Presets.shop, persona: persona)
        var stream = RandomStream(key: 9)
        var sessions = 0.0
        let count = 100_000
        for _ in 0..<count {
            if case .inSession = steady.draw(meanGap: 3000, activity: 1, &stream) { sessions += 1 }
        }
        // A session lasts for half of its length; a gap of 3000 s outlasts that length and a second with e^(-301/3000).
        let inSession = 0.5 * 300 * 0.5
        let expected = Double(count) * inSession / (inSession + 1 + 3000 * DeterministicMath.exp(-301 / 3000))
        #expect(abs(sessions - expected) < 5 * expected.squareRoot(), "\(sessions) of \(expected)")
    }

    @Test("finds nobody in a session who never opens the app")
    func never() {
        let model = model(Self.persona { $0.sessionsPerDay = 0 }, devices: 50)
        for device in 0..<50 {
            #expect(life(model, seed: Self.seed, device: device, end: day(3000)).isEmpty)
        }
    }

    @Test("plays whole lives: the grammar of actions holds from the first on")
    func grammar() {
        let model = model(Self.persona { $0.sessionsPerDay = 200 }, devices: 200)
        var inSession = 0
        for device in 0..<200 {
            let actions = life(model, seed: Self.seed, device: device, end: start + .hours(2))
            #expect(actions.first.map { $0.action == .launch(passive: false) } ?? true)
            #expect(zip(actions, actions.dropFirst()).allSatisfy { $0.at <= $1.at })
            if let first = actions.first, first.at < start + .minutes(1) { inSession += 1 }
        }
        #expect(inSession > 10)
    }

    @Test("does not change what users of a set arrival do")
    func others() {
        let plain = UserModel(
            app: Presets.shop, persona: Presets.power, calendar: calendar(seed: Self.seed, devices: 3))
        #expect(plain.steadyState == nil)
        #expect(life(plain, seed: Self.seed, end: day(1)).first?.at == start)
    }
}
