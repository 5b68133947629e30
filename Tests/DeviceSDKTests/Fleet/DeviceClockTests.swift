import AppModel
import Testing
import Timebase

@testable import DeviceSDK
@testable import KitSDK
@testable import SensorsSDK

@Suite("Devices' clocks")
struct DeviceClockTests {
    private static func plan(_ clock: ClockRules?, knob: Interval = .zero) -> PopulationPlan {
        var rules = SensorsRules(version: .v4)
        rules.clockSkew = knob
        var plan = PopulationPlan(
            name: "ios", deviceCount: 20_000, start: KitWorld.beginning,
            usersEnd: KitWorld.beginning + .hours(1),
            app: .plainForTests, persona: PersonaDescription(name: "none"),
            target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/sa?project=p"), system: rules
        )
        plan.clock = clock
        return plan
    }

    private static func errors(_ plan: PopulationPlan) -> [Interval] {
        (0..<plan.deviceCount).map { plan.clockSkew(index: $0) }
    }

    @Test("the population's deviation draws what the SDK's knob draws, and every clock is exact by default")
    func spellings() {
        let knob = Self.errors(Self.plan(nil, knob: .seconds(2)))
        #expect(Self.errors(Self.plan(ClockRules(deviation: .seconds(2)))) == knob)
        #expect(Set(Self.errors(Self.plan(nil))) == [.zero])
        // The population's word counts, and Sensors' traits have the same.
        let plan = Self.plan(ClockRules(deviation: .seconds(2)), knob: .hours(1))
        #expect(Self.errors(plan) == knob)
        #expect(SensorsTraits(plan: plan, index: 7).clockSkew == knob[7] && knob[7] != .zero)
    }

    @Test(
        "outliers are the share that is asked for, of their own deviation; all other clocks stay as they are")
    func outliers() {
        let plain = Self.errors(Self.plan(ClockRules(deviation: .seconds(2))))
        var rules = ClockRules(deviation: .seconds(2))
        rules.outlierShare = 0.05
        rules.outlierDeviation = .hours(48)
        let mixed = Self.errors(Self.plan(rules))
        let changed = zip(plain, mixed).filter { $0 != $1 }.map { $0.1.fractionalSeconds / 3600 }
        // 1000 are expected, with a deviation of 31.
        #expect((850...1150).contains(changed.count))
        let deviation = (changed.reduce(0) { $0 + $1 * $1 } / Double(changed.count)).squareRoot()
        #expect((42...54).contains(deviation))
        let mean = changed.reduce(0, +) / Double(changed.count)
        #expect(abs(mean) < 8)
        #expect(rules.furthest == .hours(48) * 9 && !rules.isExact && ClockRules().isExact)
        #expect(
            mixed.allSatisfy { -rules.furthest.nanoseconds...rules.furthest.nanoseconds ~= $0.nanoseconds })
    }
}
