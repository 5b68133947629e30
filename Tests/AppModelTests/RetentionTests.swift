import Testing
import Timebase

@testable import AppModel

@Suite("How long people keep an app")
struct RetentionTests {
    private let seed: UInt64 = 8128
    private let dayInSeconds = 86_400.0

    @Test("the preset goes through its anchors and agrees with what is known of other days")
    func preset() {
        let curve = Presets.mobileRetention
        for (days, share) in [(1, 0.253), (7, 0.108), (14, 0.080), (30, 0.057), (90, 0.035)]
            as [(Double, Double)]
        {
            #expect(abs(curve.share(after: days * dayInSeconds) - share) < 0.001)
        }
        #expect(curve.share(after: 0) == 1 && curve.share(after: 60) == 1)
    }

    @Test("and takes no others than such that fall")
    func problems() {
        let anchors: [[(Double, Double)]] = [
            [], [(1, 0.5)], [(1, 0.5), (1, 0.4)], [(1, 0.5), (2, 0.5)], [(2, 0.5), (1, 0.4)],
            [(0, 0.5), (1, 0.4)],
            [(1, 1), (2, 0.5)], [(1, 0.5), (2, 0)],
        ]
        for list in anchors {
            #expect(Retention(list.map { .init(seconds: $0.0, share: $0.1) }) == nil)
        }
    }

    @Test("of new installations as many last as it says, and of old ones as many as are left of theirs")
    func draws() throws {
        let curve = try #require(
            Retention([
                .init(seconds: 100, share: 0.8), .init(seconds: 1000, share: 0.5),
                .init(seconds: 5000, share: 0.1),
            ]))
        let count = 100_000
        var stream = RandomStream(key: seed)
        let fresh = (0..<count).map { _ in curve.draw(oldest: 0, &stream).left }
        for seconds in [50.0, 100, 400, 1000, 3000, 20_000] {
            let expected = curve.share(after: seconds) * Double(count)
            let found = Double(fresh.count { $0 > seconds })
            #expect(abs(found - expected) <= 5 * expected.squareRoot(), "\(seconds)")
        }
        let old = (0..<count).map { _ in curve.draw(oldest: 4000, &stream) }
        // Ages by how many are left of them.
        let steps = (0..<4000).map { curve.share(after: Double($0) + 0.5) }
        let young = steps[..<1000].reduce(0, +) / steps.reduce(0, +) * Double(count)
        #expect(abs(Double(old.count { $0.age < 1000 }) - young) <= 5 * young.squareRoot())
        let expected = old.reduce(0) { $0 + curve.share(after: $1.age + 2000) / curve.share(after: $1.age) }
        #expect(abs(Double(old.count { $0.left > 2000 }) - expected) <= 5 * expected.squareRoot())
    }

    @Test(
        "ages of installations follow the curve however steep it is",
        arguments: [
            [(100, 0.8), (1000, 0.5), (5000, 0.1)], [(3600, 0.05), (86_400, 0.0005)],
            [(100, 0.9), (1000, 0.09)],
            [(1, 0.01), (2, 0.0001)], [(10, 0.9999999), (20, 0.5), (30, 0.4)],
        ] as [[(Double, Double)]])
    func ages(anchors: [(Double, Double)]) throws {
        let curve = try #require(Retention(anchors.map { .init(seconds: $0.0, share: $0.1) }))
        let count = 50_000
        var stream = RandomStream(key: seed)
        let ages = (0..<count).map { _ in curve.invertedAge(oldest: 90 * dayInSeconds, &stream) }
        // The integral by steps that grow with the time.
        var (edge, sum, sums) = (1e-6, 1e-6, [(1e-6, 1e-6)])
        while edge < 90 * dayInSeconds {
            let next = min(90 * dayInSeconds, edge * 1.001)
            sum += (next - edge) * curve.share(after: (edge + next) / 2)
            edge = next
            sums.append((edge, sum))
        }
        for limit in [1, 30, 500, 5000, 50_000, 86_400, 1e6] {
            let below = sums.last { $0.0 <= limit }?.1 ?? 0
            let expected = below / sum * Double(count)
            let spread = max(1, expected * (1 - below / sum)).squareRoot()
            let found = Double(ages.count { $0 <= limit })
            #expect(abs(found - expected) <= 5 * spread + 0.002 * expected, "\(anchors): \(limit)")
        }
    }

    @Test("and are not drawn from all days alike where hardly anybody keeps the app")
    func steepCurve() throws {
        let curve = try #require(
            Retention([.init(seconds: 1, share: 0.01), .init(seconds: 2, share: 0.0001)]))
        var stream = RandomStream(key: seed)
        for _ in 0..<20 {
            #expect(curve.draw(oldest: 90 * dayInSeconds, &stream).age < 60)
        }
    }

    @Test("the app's deletion is the last that a user does", arguments: [false, true])
    func users(steady: Bool) throws {
        var persona = busyPersona()
        persona.retention = Retention([
            .init(seconds: 3600, share: 0.9), .init(seconds: 2 * 86_400, share: 0.2),
        ])
        let curve = try #require(persona.retention)
        var calendar = UserCalendar(
            start: start, deviceCount: 600, startsInSteadyState: steady,
            streams: { streams(seed: self.seed, device: $1)($0) })
        calendar.retention = persona.retention
        calendar.installedOver = 86_400
        let model = UserModel(app: Presets.shop, persona: persona, calendar: calendar)
        var left = 0
        for device in 0..<600 {
            let actions = life(model, seed: seed, device: device, end: day(1))
            let index = actions.firstIndex { $0.action == .uninstall }
            left += index == nil ? 0 : 1
            guard let index else { continue }
            #expect(index == actions.count - 1)
            // Nobody deletes an app that is open.
            let open = actions.last {
                [.enterForeground, .enterBackground].contains($0.action) || $0.action.isLaunch
            }
            #expect(open?.action != .enterForeground || actions.contains { $0.action.isCrash })
        }
        guard !steady else {
            #expect(left > 100)
            return
        }
        let expected = 600 * (1 - curve.share(after: 86_400))
        #expect(abs(Double(left) - expected) < 5 * (expected * 0.5).squareRoot(), "seed \(seed): \(left)")
    }
}

extension RetentionTests {
    @Test(
        "whoever installs the app again opens it that long after the deletion, as somebody new",
        arguments: [1, 0.3])
    func reinstallation(share: Double) throws {
        var persona = busyPersona()
        persona.retention = Retention([
            .init(seconds: 3600, share: 0.5), .init(seconds: 4 * 3600, share: 0.01),
        ])
        var back = Reinstallation()
        back.share = share
        back.after = .constant(7200)
        persona.reinstall = back
        var calendar = UserCalendar(
            start: start, deviceCount: 300, streams: { streams(seed: self.seed, device: $1)($0) })
        calendar.retention = persona.retention
        calendar.reinstall = back
        let model = UserModel(app: Presets.shop, persona: persona, calendar: calendar)
        var (deletions, returns) = (0, 0)
        for device in 0..<300 {
            let actions = life(model, seed: seed, device: device, end: day(1))
            for index in actions.indices where actions[index].action == .uninstall {
                guard day(1) - actions[index].at > .hours(2) else { continue }
                deletions += 1
                guard index + 1 < actions.count else { continue }
                returns += 1
                let next = actions[index + 1]
                #expect(next.at == actions[index].at + .hours(2))
                #expect(next.action == .launch(passive: false))
            }
        }
        #expect(deletions > 300)
        let expected = Double(deletions) * share
        #expect(abs(Double(returns) - expected) <= 5 * (expected * (1 - share)).squareRoot())
        #expect(share < 1 || returns > 300)
    }
}

extension RetentionTests {
    private func model(_ persona: PersonaDescription, steady: Bool = false) -> UserModel {
        var calendar = UserCalendar(
            start: start, deviceCount: 300, startsInSteadyState: steady,
            streams: { streams(seed: self.seed, device: $1)($0) })
        calendar.retention = persona.retention
        calendar.reinstall = persona.reinstall
        calendar.installedOver = persona.installedOver.fractionalSeconds
        return UserModel(app: endlessApp(), persona: persona, calendar: calendar)
    }

    @Test("who would install the app again after longer than instants tell never does")
    func centuries() {
        var persona = busyPersona()
        persona.retention = Retention([
            .init(seconds: 3600, share: 0.5), .init(seconds: 2 * 3600, share: 0.4999),
        ])
        var back = Reinstallation()
        back.share = 1
        back.after = .constant(3e9)
        persona.reinstall = back
        persona.tempo = 0.01
        let model = model(persona)
        var deletions = 0
        for device in 0..<50 {
            let actions = life(model, seed: seed, device: device, end: day(60))
            guard let index = actions.firstIndex(where: { $0.action == .uninstall }) else { continue }
            deletions += 1
            #expect(index == actions.count - 1)
        }
        #expect(deletions > 10)
    }

    @Test("the session in which the run found somebody is over with the app's deletion")
    func unfinishedSession() throws {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 2
        persona.sessionLength = .constant(6 * 3600)
        persona.actionGap = .constant(5 * 3600)
        persona.crashChance = 0
        persona.retention = Retention([
            .init(seconds: 60, share: 0.99), .init(seconds: 3600, share: 0.5),
            .init(seconds: 30 * 86_400, share: 0.3),
        ])
        persona.installedOver = .minutes(20)
        var back = Reinstallation()
        back.share = 1
        back.after = .constant(600)
        persona.reinstall = back
        let model = model(persona, steady: true)
        var whole = 0
        for device in 0..<300 {
            let actions = life(model, seed: seed, device: device, end: day(1))
            // Deleted before the first action, and kept for long afterwards.
            guard actions.first?.action == .uninstall,
                let begun = actions.first(where: { $0.action == .enterForeground })?.at,
                let ended = actions.first(where: { $0.action == .enterBackground })?.at
            else { continue }
            let kept = begun..<begun + .hours(7)
            guard !actions.contains(where: { $0.action == .uninstall && kept.contains($0.at) }) else {
                continue
            }
            #expect(ended - begun >= .hours(6))
            whole += 1
        }
        #expect(whole > 10)
    }
}

extension UserAction {
    fileprivate var isCrash: Bool {
        if case .crash = self { true } else { false }
    }
}
