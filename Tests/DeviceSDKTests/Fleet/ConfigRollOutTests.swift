import AppModel
import Testing
import Timebase

@testable import DeviceSDK
@testable import KitSDK

/// Configurations that reach one device after the other, answer by answer, by hand.
@Suite("Roll-outs of configurations")
struct ConfigRollOutTests {
    private static let start = KitWorld.beginning

    private static func edition(
        _ name: String, at seconds: Double, over: Double? = nil, share: Double = 1, path: Int? = nil
    ) -> ServedEdition {
        let from = start + .fractional(seconds: seconds)
        let pace = over.map {
            RollOutPace(
                from: from, over: .fractional(seconds: $0), share: share, number: UInt64(seconds))
        }
        return ServedEdition(from: from, pace: pace, version: name, body: Array(name.utf8), path: path)
    }

    private static func plan(_ editions: [ServedEdition], devices: Int = 1) -> PopulationPlan {
        var plan = PopulationPlan(
            name: "config", deviceCount: devices, start: start, usersEnd: start + .hours(1),
            app: .plainForTests, persona: PersonaDescription(name: "none"),
            target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/kit"),
            system: KitRules(version: .v1))
        plan.servedEditions = [editions]
        return plan
    }

    private static func rollOuts(_ plan: PopulationPlan) -> ConfigRollOuts {
        ConfigRollOuts(plan: plan, share: .whole, count: plan.deviceCount)
    }

    /// A device that names a version asks.
    private static func ask(
        _ rollOuts: inout ConfigRollOuts, slot: Int = 0, at seconds: Double, version: String? = nil
    ) -> RequestOutcome? {
        let asked = AskedConfig(number: 0, version: version, neutral: Array("neutral".utf8))
        return rollOuts.answer(to: asked, slot: slot, at: start + .fractional(seconds: seconds))
    }

    private static func whole(_ name: String) -> RequestOutcome {
        .answered(status: 200, body: Array(name.utf8))
    }

    @Test(
        "until its moment, a device gets what it would have got without the new one; then the collector's answer"
    )
    func moments() throws {
        let plan = Self.plan([Self.edition("0", at: -100), Self.edition("new", at: 10, over: 100)])
        let pace = try #require(plan.servedEditions[0][1].pace)
        let moment = try #require(pace.moment(plan.stream(.rollOut, index: 0)))
        let seconds = (moment - Self.start).fractionalSeconds
        #expect(seconds > 10.01 && seconds < 109.99, "the seed gives a moment in the midst")
        var rollOuts = Self.rollOuts(plan)
        #expect(Self.ask(&rollOuts, at: 5) == nil, "nothing else is served")
        #expect(rollOuts.latest(at: Self.start + .seconds(5)) == nil)
        #expect(Self.ask(&rollOuts, at: seconds - 0.001) == Self.whole("0"))
        #expect(
            Self.ask(&rollOuts, at: seconds - 0.001, version: "0") == .answered(status: 304, body: []))
        #expect(Self.ask(&rollOuts, at: seconds - 0.001, version: "new") == Self.whole("0"))
        #expect(rollOuts.latest(at: moment)?.devices == 0)
        #expect(Self.ask(&rollOuts, at: seconds) == nil)
        #expect(rollOuts.latest(at: moment)?.devices == 1)
        rollOuts.forget(0)
        #expect(rollOuts.latest(at: moment)?.devices == 0)
    }

    @Test("those that a share leaves out never get it; what follows for all reaches them")
    func share() {
        let devices = 500
        let plan = Self.plan(
            [
                Self.edition("0", at: -100), Self.edition("some", at: 10, over: 0, share: 0.4),
                Self.edition("all", at: 50),
            ], devices: devices)
        var rollOuts = Self.rollOuts(plan)
        let answers = (0..<devices).map { Self.ask(&rollOuts, slot: $0, at: 20) }
        let reached = answers.count { $0 == nil }
        // 200 are expected, with a deviation of 11.
        #expect((150...250).contains(reached))
        #expect(answers.allSatisfy { $0 == nil || $0 == Self.whole("0") })
        #expect(rollOuts.latest(at: Self.start + .seconds(20))?.devices == reached)
        #expect((0..<devices).allSatisfy { Self.ask(&rollOuts, slot: $0, at: 50) == nil })
        #expect(rollOuts.latest(at: Self.start + .seconds(50))?.devices == 0, "they have another one")
    }

    @Test(
        "one for a path comes before one for all, its end is none, and before all there is what changes nothing"
    )
    func paths() {
        var end = Self.edition("", at: 30, path: 7)
        end.pace = nil
        let never = { (name: String, at: Double, path: Int?) in
            Self.edition(name, at: at, over: 0, share: 1e-12, path: path)
        }
        let plan = Self.plan([
            never("first", 1, nil), Self.edition("own", at: 10, path: 7), never("never", 20, nil), end,
            Self.edition("general", at: 40), never("last", 50, 8),
        ])
        var rollOuts = Self.rollOuts(plan)
        #expect(Self.ask(&rollOuts, at: 5) == Self.whole("neutral"))
        #expect(Self.ask(&rollOuts, at: 15) == nil, "the path's own is served to all")
        #expect(Self.ask(&rollOuts, at: 25) == nil)
        #expect(Self.ask(&rollOuts, at: 35) == Self.whole("neutral"))
        #expect(Self.ask(&rollOuts, at: 45) == nil)
        #expect(Self.ask(&rollOuts, at: 55) == Self.whole("general"))
    }

    @Test("without a roll-out nothing is kept")
    func idle() {
        #expect(Self.rollOuts(Self.plan([])).isIdle)
        #expect(Self.rollOuts(Self.plan([Self.edition("0", at: 0)])).isIdle)
    }
}
