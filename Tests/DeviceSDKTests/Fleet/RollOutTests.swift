import AppModel
import Testing
import Timebase

@testable import DeviceSDK
@testable import KitSDK

@Suite("Roll-outs")
struct RollOutTests {
    private static let start = KitWorld.beginning

    private static func rollOut(
        at: Interval, over: Interval = .zero, share: Double = 1, number: UInt64 = 0,
        change: (inout KitRules) -> Void = { _ in }
    ) -> RollOut {
        var rules = KitRules(version: .v1)
        change(&rules)
        let pace = RollOutPace(from: start + at, over: over, share: share, number: number)
        return RollOut(pace: pace, rules: rules, text: "test")
    }

    private static func plan(_ rollOuts: [RollOut], devices: Int = 4) -> PopulationPlan {
        var persona = PersonaDescription(name: "busy")
        persona.sessionsPerDay = 60
        persona.killAtBackgroundChance = 0.5
        var plan = PopulationPlan(
            name: "kit", deviceCount: devices, start: start, usersEnd: start + .hours(12),
            app: .plainForTests,
            persona: persona,
            target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/kit"),
            system: KitRules(version: .v1))
        plan.rollOuts = rollOuts
        return plan
    }

    @Test("moments lie evenly in the roll-out's time, and a smaller share leaves them where they are")
    func moments() throws {
        let streams = (0..<2000).map { RandomStream(seed: 3, population: 4, index: $0, purpose: .rollOut) }
        let all = Self.rollOut(at: .hours(1), over: .hours(10))
        let some = Self.rollOut(at: .hours(1), over: .hours(10), share: 0.3)
        let moments = streams.compactMap { all.pace.moment($0) }
        #expect(moments.count == 2000)
        #expect(moments.allSatisfy { (all.pace.from...all.pace.from + all.pace.over).contains($0) })
        for hour in 0..<10 {
            let from = all.pace.from + .hours(Int64(hour))
            // 200 are expected in each, with a deviation of 13.
            #expect((140...260).contains(moments.count { $0 >= from && $0 < from + .hours(1) }))
        }
        let chosen = streams.filter { some.pace.moment($0) != nil }
        #expect((530...670).contains(chosen.count))
        #expect(chosen.allSatisfy { some.pace.moment($0) == all.pace.moment($0) })
    }

    @Test("a fleet's devices change at a launch, and at no other time")
    func launches() throws {
        let plan = Self.plan([Self.rollOut(at: .hours(2), over: .hours(4))])
        let fleet = makeFleet(plan: plan, share: .whole)
        var effects = DeviceEffects()
        var changed = 0
        for slot in 0..<plan.deviceCount {
            let moment = try #require(plan.rollOuts[0].pace.moment(plan.stream(.rollOut, index: slot)))
            // The user of the same device, who does the same whatever the SDK is.
            var user = UserSimulator(
                model: UserModels(app: plan.app, persona: plan.persona, calendar: plan.calendar)
                    .model(of: slot),
                streams: { plan.stream($0, index: slot) }, index: slot,
                presence: plan.calendar.presence(of: slot), usersEnd: plan.usersEnd)
            let model = UserModels(app: plan.app, persona: plan.persona, calendar: plan.calendar)
                .model(of: slot)
            var launch: Instant?
            while launch == nil, user.nextAt < plan.usersEnd {
                let planned = user.next(model)
                if case .launch = planned.action, planned.at >= moment { launch = planned.at }
            }
            var wake = fleet.arrival(of: slot)
            while wake < plan.usersEnd {
                let before = fleet.edition(of: slot)
                let now = wake
                wake = fleet.advance(slot, through: now, effects: &effects)
                if fleet.edition(of: slot) != before {
                    #expect(now == launch)
                    changed += 1
                }
                effects.removeAll()
            }
            #expect(fleet.edition(of: slot) == (launch == nil ? 0 : 1))
        }
        #expect(changed > 2)
        #expect(fleet.updatedCount(at: plan.usersEnd) == changed)
        #expect(fleet.updatedCount(at: plan.start) == 0)
    }

    @Test("who launches late goes to the latest version that has reached the device")
    func editions() {
        let rollOuts = [
            Self.rollOut(at: .hours(1)), Self.rollOut(at: .hours(2), share: 0, number: 1),
            Self.rollOut(at: .hours(3), number: 2),
        ]
        var editions = Editions(plan: Self.plan(rollOuts), share: .whole, count: 4)
        func time(_ minutes: Int64) -> Instant { Self.start + .minutes(minutes) }
        editions.launch(0, at: time(59))
        #expect(editions[0] == 0 && editions.latest(at: time(59)) == nil)
        editions.launch(0, at: time(60))
        editions.launch(1, at: time(150))
        // Nobody has the second one, and the third one is still to come.
        #expect(editions[0] == 1 && editions[1] == 1)
        #expect(editions.latest(at: time(60))?.devices == 2 && editions.latest(at: time(150))?.devices == 0)
        editions.launch(2, at: time(180))
        editions.launch(0, at: time(181))
        #expect(editions[2] == 3 && editions[0] == 3 && editions[1] == 1 && editions[3] == 0)
        #expect(editions.latest(at: time(181))?.devices == 2)
        #expect(editions.change(for: 3) == nil && editions.change(for: 1) == 1)
        #expect(editions.change(for: 1) == nil && editions.change(for: 3) == 0)
    }

    @Test("bounds are those of all rules that a device may follow")
    func bounds() {
        var one = StatedBounds()
        one.rows = 10
        one.uploads = 4
        one.clearsUnsent = false
        var other = one
        other.rows = 20
        other.uploads = 1
        other.carriesTwice = true
        let both = StatedBounds(all: [one, other])
        #expect(both.rows == 20 && both.uploads == 4 && both.carriesTwice && !both.clearsUnsent)
    }
}
