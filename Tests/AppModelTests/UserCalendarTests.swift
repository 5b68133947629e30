import Testing
import Timebase

@testable import AppModel

private func stages(_ stages: [(seconds: Int64, target: Double)]) -> StageCurve {
    StageCurve(stages: stages.map { .init(duration: .seconds($0.seconds), target: $0.target) })
}

private func leaving(_ list: [(seconds: Int64, target: Double)], devices: Int) -> ArrivalSchedule {
    ArrivalSchedule(stages: DeviceStages(curve: stages(list), devices: devices))
}

@Suite("Devices that leave")
struct LeavingTests {
    private let seed: UInt64 = 99

    @Test("enter the background and are silent, and come back with a session")
    func leaves() {
        for persona in [Presets.steady, Presets.power, busyPersona()] {
            let schedule = leaving([(10, 20), (50, 20), (10, 0), (60, 0), (20, 20)], devices: 20)
            let calendar = calendar(seed: seed, devices: 20, arrival: schedule)
            let model = UserModel(app: Presets.shop, persona: persona, calendar: calendar)
            for device in 0..<20 {
                let passes = [
                    calendar.presence(of: device),
                    calendar.presence(of: device, endingAfter: start + .seconds(100)),
                ].compactMap { $0 }
                #expect(passes.count == 2)
                let actions = life(model, seed: seed, device: device, end: start + .seconds(300))
                for planned in actions {
                    let isPresent = passes.contains { $0.contains(planned.at) }
                    // A start or a change of screen that is under way is finished first.
                    let isFinishing = passes.contains {
                        planned.at >= $0.upperBound && planned.at < $0.upperBound + .seconds(1)
                    }
                    #expect(
                        isPresent || isFinishing && planned.action != .kill,
                        "seed \(seed), \(device): \(planned)")
                }
                let back = actions.first { $0.at >= passes[1].lowerBound }
                #expect(back?.at == passes[1].lowerBound, "seed \(seed), \(device)")
                let isReturn =
                    switch back?.action {
                    case .launch, .enterForeground, .updateApp: true
                    default: false
                    }
                #expect(isReturn, "seed \(seed), \(device)")
            }
        }
    }

    @Test("a steady device goes to the background once when it leaves, and goes on at its rate after")
    func steady() {
        var persona = Presets.steady
        persona.steadyRate = 10
        let schedule = leaving([(0, 1), (100, 1), (0, 0), (100, 0), (0, 1)], devices: 1)
        let model = UserModel(
            app: Presets.shop, persona: persona, calendar: calendar(seed: seed, devices: 1, arrival: schedule)
        )
        let actions = life(model, seed: seed, end: start + .seconds(300))
        let states = actions.filter { [.enterForeground, .enterBackground].contains($0.action) }
        #expect(states.map(\.action) == [.enterForeground, .enterBackground, .enterForeground])
        #expect(states[1].at >= start + .seconds(100) && states[1].at < start + .milliseconds(100_100))
        #expect(states[2].at == start + .seconds(200))
        for (from, until) in [(0, 100), (200, 300)] {
            let count = actions.count { planned in
                guard case .business = planned.action else { return false }
                return planned.at >= start + .seconds(Int64(from))
                    && planned.at < start + .seconds(Int64(until))
            }
            #expect(abs(Double(count) - 1000) < 5 * 1000.0.squareRoot(), "seed \(seed)")
        }
    }

    @Test("never appear if they are above every target")
    func never() {
        let calendar = calendar(seed: seed, devices: 4, arrival: leaving([(10, 2)], devices: 4))
        let model = UserModel(app: Presets.shop, persona: Presets.casual, calendar: calendar)
        #expect(life(model, seed: seed, device: 3, end: day(1)).isEmpty)
        #expect(!life(model, seed: seed, device: 1, end: day(1)).isEmpty)
    }
}

@Suite("Activity over time")
struct ActivityTests {
    private let seed: UInt64 = 31

    /// Events of each stage, by all devices.
    private func counts(_ model: UserModel, devices: Int, ends: [Int64], weight: (UserAction) -> Bool)
        -> [Double]
    {
        var counts = [Double](repeating: 0, count: ends.count)
        for device in 0..<devices {
            for planned in life(
                model, seed: seed, device: device, end: start + .seconds(ends[ends.count - 1]))
            where weight(planned.action) {
                let seconds = (planned.at - start).fractionalSeconds
                counts[ends.firstIndex { seconds < Double($0) } ?? 0] += 1
            }
        }
        return counts
    }

    private func isBusiness(_ action: UserAction) -> Bool {
        if case .business = action { true } else { false }
    }

    @Test("a steady population's events follow the rate exactly: Poisson around each stage's area")
    func steady() throws {
        let rate = stages([(60, 400), (60, 400), (0, 1000), (10, 1000), (20, 0), (30, 0), (20, 100)])
        let activity = try #require(ActivityClock(rate: rate, start: start, length: .seconds(200)))
        var persona = Presets.steady
        persona.steadyRate = try #require(ActivityClock.mean(of: rate, over: .seconds(200))) / 100
        let model = UserModel(
            app: Presets.shop, persona: persona,
            calendar: calendar(seed: seed, devices: 100, activity: activity))
        let counted = counts(model, devices: 100, ends: [60, 120, 130, 150, 180, 200], weight: isBusiness)
        for (count, expected) in zip(counted, [12_000.0, 24_000, 10_000, 10_000, 0, 1000]) {
            #expect(abs(count - expected) <= 5 * expected.squareRoot(), "seed \(seed): \(counted)")
        }
    }

    @Test("with constant gaps each device has the area of the rate in each stage, give or take one")
    func rhythm() throws {
        let rate = stages([(30, 10), (30, 10), (0, 40), (30, 40), (10, 5)])
        let activity = try #require(ActivityClock(rate: rate, start: start, length: .seconds(100)))
        var persona = Presets.steady
        persona.actionGap = .constant(1)
        persona.steadyRate = ActivityClock.mean(of: rate, over: .seconds(100))
        let model = UserModel(
            app: Presets.shop, persona: persona,
            calendar: calendar(seed: seed, devices: 1, activity: activity))
        let counted = counts(model, devices: 1, ends: [30, 60, 90, 100], weight: isBusiness)
        for (count, expected) in zip(counted, [150.0, 300, 1200, 225]) {
            #expect(abs(count - expected) <= 1, "\(counted)")
        }
    }

    @Test("people come as often as the rate says, and their sessions keep their pace")
    func people() throws {
        let rate = stages([(0, 1), (43_200, 1), (0, 3), (43_200, 3)])
        let activity = try #require(ActivityClock(rate: rate, start: start, length: .hours(24)))
        var persona = Presets.casual
        persona.sessionsPerDay = 40
        persona.sessionsPerDaySigma = 0
        persona.sessionLength = .constant(20)
        persona.opensAtArrival = false
        let model = UserModel(
            app: Presets.shop, persona: persona,
            calendar: calendar(seed: seed, devices: 300, activity: activity))
        let counted = counts(model, devices: 300, ends: [43_200, 86_400]) { $0 == .enterForeground }
        let total = 40.0 * 300
        // Returns cluster; the variance is below three times that of a Poisson process.
        #expect(abs(counted[0] - total / 4) < 5 * (3 * total / 4).squareRoot(), "seed \(seed): \(counted)")
        #expect(
            abs(counted[1] - total * 3 / 4) < 5 * (3 * total * 3 / 4).squareRoot(), "seed \(seed): \(counted)"
        )
    }
}

@Suite("A push notification")
struct PushTests {
    private let seed: UInt64 = 271

    private func model(
        _ persona: PersonaDescription, share: Double, devices: Int = 2000, at: Interval = .minutes(5)
    ) -> UserModel {
        UserModel(
            app: Presets.shop, persona: persona,
            calendar: calendar(
                seed: seed, devices: devices,
                pushes: [PushNotification(at: start + at, share: share, within: .minutes(1))]))
    }

    /// A user who opens the app once, for ten seconds, and not again for years.
    private var once: PersonaDescription {
        var persona = PersonaDescription(name: "once")
        persona.sessionsPerDay = 0.0001
        persona.sessionsPerDaySigma = 0
        persona.returnChance = 0
        persona.sessionLength = .constant(10)
        persona.killAtBackgroundChance = 0.5
        persona.passiveLaunchChance = 0.5
        persona.crashChance = 0
        return persona
    }

    @Test("lets the set share open the app within its time, half of them in the first fifth")
    func share() {
        let model = model(once, share: 0.3)
        let plain = UserModel(app: Presets.shop, persona: once)
        var delays: [Double] = []
        var launched = 0
        for device in 0..<2000 {
            let actions = life(model, seed: seed, device: device, end: start + .minutes(30))
            let before = actions.filter { $0.at < start + .minutes(5) }
            #expect(before == life(plain, seed: seed, device: device, end: start + .minutes(5)))
            guard let opened = actions.dropFirst(before.count).first(where: { $0.action == .enterForeground })
            else { continue }
            delays.append((opened.at - start).fractionalSeconds - 300)
            if actions.dropFirst(before.count).contains(where: { $0.action == .launch(passive: false) }) {
                launched += 1
            }
        }
        let expected = 600.0
        #expect(abs(Double(delays.count) - expected) < 5 * (expected * 0.7).squareRoot(), "seed \(seed)")
        // A cold start takes 0.4 s from the tap to the foreground.
        #expect(delays.allSatisfy { (0...60.5).contains($0) })
        delays.sort()
        let median = Double(delays.count { $0 < 12.9 + 0.2 }) / Double(delays.count)
        #expect(abs(median - 0.5) < 0.12, "seed \(seed)")
        #expect(
            abs(Double(launched) - Double(delays.count) / 2) < 5 * (Double(delays.count) / 4).squareRoot())
    }

    @Test("moves nothing on devices whose app is open, nor on those that it does not concern")
    func others() {
        var open = once
        open.sessionLength = .constant(310)
        let with = model(open, share: 1)
        let without = UserModel(app: Presets.shop, persona: open)
        for device in 0..<50 {
            #expect(
                life(with, seed: seed, device: device, end: start + .minutes(30))
                    == life(without, seed: seed, device: device, end: start + .minutes(30)))
        }
        let none = model(once, share: 0)
        let plain = UserModel(app: Presets.shop, persona: once)
        #expect(life(none, seed: seed, end: day(1)) == life(plain, seed: seed, end: day(1)))
    }

    @Test("does not reach a device that has left, or has not arrived")
    func absent() {
        let push = PushNotification(at: start + .seconds(60), share: 1, within: .seconds(30))
        let schedule = leaving([(0, 1), (50, 1), (0, 0), (100, 0), (0, 1)], devices: 1)
        let model = UserModel(
            app: Presets.shop, persona: once,
            calendar: calendar(seed: seed, devices: 1, arrival: schedule, pushes: [push]))
        let actions = life(model, seed: seed, end: start + .seconds(300))
        #expect(!actions.contains { $0.at > start + .seconds(51) && $0.at < start + .seconds(150) })
        #expect(actions.contains { $0.at == start + .seconds(150) })
    }
}
