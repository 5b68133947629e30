import Testing
import Timebase

@testable import AppModel

@Suite("A simulated user")
struct UserSimulatorTests {
    @Test("does the same again from the same streams, and something else on another device")
    func determinism() {
        let model = UserModel(app: Presets.shop, persona: Presets.power)
        let first = life(model, seed: 11, end: day(3))
        #expect(first == life(model, seed: 11, end: day(3)))
        #expect(first != life(model, seed: 11, device: 1, end: day(3)))
        #expect(first != life(model, seed: 12, end: day(3)))
        #expect(first.count > 50)
    }

    @Test("does not depend on when the run ends")
    func horizon() {
        let model = UserModel(app: Presets.shop, persona: busyPersona())
        let long = life(model, seed: 4, end: day(2))
        let short = life(model, seed: 4, end: day(1))
        // What the last one sets off is cut with it.
        #expect(long.filter { $0.at < day(1) }.map(\.action) == short.map(\.action))
        #expect(long.filter { $0.at < day(1) }.dropLast() == short.dropLast())
    }

    @Test("lives the same life in half the time at tempo 2")
    func tempo() {
        var persona = busyPersona()
        let slow = life(UserModel(app: Presets.shop, persona: persona), seed: 8, end: day(2))
        persona.tempo = 2
        let fast = life(UserModel(app: Presets.shop, persona: persona), seed: 8, end: day(1))
        #expect(slow.map(\.action) == fast.map(\.action))
        for (left, right) in zip(slow, fast) {
            let error = (left.at - start).nanoseconds - 2 * (right.at - start).nanoseconds
            #expect(abs(error) < 1_000_000)
        }
    }

    @Test("tells of an action whether the app's code answers to it with the next one")
    func answers() {
        let isOfApp: (UserAction) -> Bool = { action in
            switch action {
            case .business, .web, .profile, .item, .beginTimed, .registerSuperProperties: true
            default: false
            }
        }
        // The call has long returned when the user has taken the time for it.
        let isPaused: (UserAction) -> Bool = { action in
            guard case .business(let event, _) = action else { return false }
            return Presets.shop.events[Int(event)].pause != nil
        }
        var counts = (answered: 0, all: 0)
        for device in 0..<20 {
            let all = life(
                UserModel(app: Presets.shop, persona: busyPersona()), seed: 3, device: device, end: day(2))
            for (planned, next) in zip(all, all.dropFirst()) {
                #expect(planned.isAnswered == (isOfApp(next.action) && !isPaused(next.action)))
                counts.answered += planned.isAnswered ? 1 : 0
                counts.all += 1
            }
            // Whatever the last one would have set off, the run is over.
            #expect(all.last?.isAnswered == false)
        }
        #expect(counts.answered > 100 && counts.all > 2 * counts.answered)
        // A user at a steady rate calls for the app, and nothing reacts.
        let steady = UserModel(app: Presets.shop, persona: Presets.steady)
        let calls = life(steady, seed: 3, end: start + .minutes(1)).filter { isOfApp($0.action) }
        #expect(calls.count > 20 && calls.filter(\.isAnswered).count < 5)
    }

    @Test("fits into 168 bytes")
    func size() {
        #expect(MemoryLayout<UserSimulator>.size <= 168)
    }

    @Test("keeps the entity of a product page until another is opened")
    func subjects() {
        let model = UserModel(app: Presets.shop, persona: Presets.power)
        var shown: UInt32?
        var compared = 0
        var subjects = Set<UInt32>()
        for device in 0..<40 {
            shown = nil
            for planned in life(model, seed: 2, device: device, end: day(1)) {
                guard case .business(let event, let subject) = planned.action else { continue }
                let name = Presets.shop.events[Int(event)].name
                if name == "ViewProduct" {
                    shown = subject
                    subjects.insert(subject)
                } else if ["AddToCart", "Favourite", "Share"].contains(name), let shown {
                    #expect(subject == shown)
                    compared += 1
                }
            }
        }
        #expect(compared > 50 && subjects.count > 20)
    }

    @Test("sees popular entities more often, as Zipf's law says")
    func popularity() {
        let model = UserModel(app: Presets.shop, persona: Presets.casual)
        var stream = RandomStream(key: 77)
        var first = 0
        for _ in 0..<20_000
        where model.entity(chosenBy: UInt32(truncatingIfNeeded: stream.next()), in: 0) == 0 {
            first += 1
        }
        let weights = (1...2000).map { DeterministicMath.pow(Double($0), -1.05) }
        let expected = 20_000 / weights.reduce(0, +)
        #expect(abs(Double(first) - expected) < 5 * expected.squareRoot())
    }
}

@Suite("A user at a steady rate")
struct SteadyUserTests {
    @Test("sends business events alone after the opening, at the set mean rate")
    func rate() {
        var persona = Presets.steady
        persona.steadyRate = 5
        let model = UserModel(app: Presets.shop, persona: persona)
        let seconds = 4000.0
        var counts = [UInt16: Int]()
        var opening: [UserAction] = []
        for planned in life(model, seed: 9, end: start + .fractional(seconds: seconds)) {
            if case .business(let event, _) = planned.action {
                counts[event, default: 0] += 1
            } else {
                opening.append(planned.action)
            }
        }
        #expect(
            opening == [
                .launch(passive: false), .enterForeground, .registerSuperProperties(group: 0),
                .appear(screen: 0, referrer: nil),
            ])
        let total = Double(counts.values.reduce(0, +))
        #expect(abs(total - 5 * seconds) < 5 * (5 * seconds).squareRoot())
        // Evenly over the native events without a clock.
        let events = Presets.shop.events.filter { !$0.isWeb && $0.timedFrom == nil }.count
        #expect(counts.count == events)
        let each = total / Double(events)
        for count in counts.values { #expect(abs(Double(count) - each) < 5 * each.squareRoot()) }
    }

    @Test("keeps the shape of the persona's gaps: constant gaps give a fixed rhythm")
    func rhythm() {
        var persona = Presets.steady
        persona.steadyRate = 4
        persona.tempo = 2
        persona.actionGap = .constant(30)
        let model = UserModel(app: Presets.shop, persona: persona)
        let times = life(model, seed: 1, end: start + .seconds(60)).dropFirst(4).map(\.at)
        for (left, right) in zip(times, times.dropFirst()) { #expect(right - left == .milliseconds(125)) }
        #expect(times.count > 470)
    }

    @Test(
        "never does two things at the same instant, however short its gaps are",
        arguments: [Distribution.constant(1), .lognormal(median: 1, sigma: 10)])
    func resolution(gap: Distribution) {
        var persona = Presets.steady
        persona.steadyRate = 1e9
        persona.tempo = 100
        persona.actionGap = gap
        let model = UserModel(app: Presets.shop, persona: persona)
        let times = life(model, seed: 3, end: day(1), limit: 2000).dropFirst(4).map(\.at)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("taps in an app without business events, and does nothing in one without controls")
    func fallbacks() {
        var app = endlessApp()
        #expect(life(UserModel(app: app, persona: Presets.steady), seed: 1, end: day(1)).count == 3)
        app.screens[0].controls = [Control(className: "UIButton", action: "a:", target: "T", label: "A")]
        let actions = life(UserModel(app: app, persona: Presets.steady), seed: 1, end: day(1), limit: 9)
        #expect(actions.dropFirst(3).allSatisfy { $0.action == .tap(screen: 0, control: 0) })
        #expect(actions.count == 9)
    }
}
