import Testing
import Timebase

@testable import AppModel

@Suite("An event over which the user takes time")
struct PauseTests {
    private func event(_ name: String) -> UInt16 {
        UInt16(Presets.shop.events.firstIndex { $0.name == name } ?? 0)
    }

    /// The shop, where everybody pays in a set time.
    private func shop(_ pause: Distribution?) -> AppDescription {
        var app = Presets.shop
        let pay = Int(event("PayOrder"))
        app.events[pay].pause = pause
        app.events[pay].chance = 1
        return app
    }

    private func persona(seconds: Double) -> PersonaDescription {
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 20
        persona.sessionsPerDaySigma = 0
        persona.sessionLength = .constant(seconds)
        persona.crashChance = 0
        return persona
    }

    @Test("comes next, but later: people take seconds to a minute or two to pay")
    func gaps() {
        let (submit, pay) = (event("SubmitOrder"), event("PayOrder"))
        let model = UserModel(app: Presets.shop, persona: persona(seconds: 1800))
        var gaps: [Double] = []
        for device in 0..<20 {
            let actions = life(model, seed: 6, device: device, end: day(1))
            for (before, planned) in zip(actions, actions.dropFirst()) {
                guard case .business(pay, let subject) = planned.action else { continue }
                #expect(before.action == .business(event: submit, subject: subject))
                #expect(!before.isAnswered)
                gaps.append((planned.at - before.at).fractionalSeconds)
            }
        }
        gaps.sort()
        guard gaps.count > 200 else {
            Issue.record("only \(gaps.count) payments")
            return
        }
        #expect(gaps[0] > 0.5 && gaps[gaps.count - 1] < 300)
        let median = gaps[gaps.count / 2]
        #expect((10.0..<14.0).contains(median), "\(median) s in the middle of \(gaps.count)")
    }

    @Test("is left out, with what would come after it, where the session is over before")
    func cut() {
        let (submit, pay) = (event("SubmitOrder"), event("PayOrder"))
        let model = UserModel(app: shop(.constant(10_000)), persona: persona(seconds: 600))
        var orders = 0
        var began = start
        for device in 0..<20 {
            for planned in life(model, seed: 6, device: device, end: day(1)) {
                switch planned.action {
                case .enterForeground: began = planned.at
                case .enterBackground:
                    #expect((599.9...600.6).contains((planned.at - began).fractionalSeconds))
                case .business(let event, _):
                    #expect(event != pay)
                    orders += event == submit ? 1 : 0
                case .profile(let update, _):
                    #expect(Presets.shop.profiles[Int(update)].operation != .increment)
                default: break
                }
            }
        }
        #expect(orders > 50)
    }

    @Test("moves no draw: the same is done, only later")
    func draws() {
        let endless = persona(seconds: 1e6)
        func actions(_ pause: Distribution?) -> [PlannedAction] {
            life(UserModel(app: shop(pause), persona: endless), seed: 6, end: day(1), limit: 4000)
        }
        let plain = actions(nil)
        let slow = actions(.lognormal(median: 12, sigma: 0.7))
        #expect(slow.count == 4000 && slow.map(\.action) == plain.map(\.action))
        #expect(zip(slow, plain).allSatisfy { $0.at >= $1.at })
        #expect(slow[slow.count - 1].at > plain[plain.count - 1].at + .minutes(1))
    }
}
