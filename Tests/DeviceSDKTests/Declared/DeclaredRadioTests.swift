import AppModel
import Scenario
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Devices whose SDK acts on changes of their radio are woken for them.
@Suite("Described SDKs, on the move")
struct DeclaredRadioTests {
    private static let start = ManualWorld.start
    private static let chain = RadioChain([
        .init(.wifi, dwell: .minutes(7), to: [.init(.cellular4G, 2), .init(.none, 1)]),
        .init(.cellular4G, dwell: .minutes(5), to: [.init(.wifi, 1), .init(.none, 1)]),
        .init(.none, dwell: .minutes(3), to: [.init(.wifi, 1), .init(.cellular4G, 1)]),
    ])

    /// People who have the app open for six hours, and an SDK that uploads for a network alone.
    private func plan(_ upload: String) throws -> PopulationPlan {
        let json = """
            {"name": "own-ios", "upload": {"flushBulkSize": 5000, "flushInterval": "none", "batch": 1000, \(upload)},
             "answers": [["2xx", "delivered"], ["*", "keep"]],
             "request": {"path": "/own", "body": "{{events}}"},
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}", "time": "{{time|us}}"},
                        "business": {"name": "{{event}}"}}}
            """
        let rules = DeclaredRules(try DescriptionReader.read(bytes: Array(json.utf8)).get())
        var persona = PersonaDescription(name: "steady")
        persona.steadyRate = 0.5
        var plan = PopulationPlan(
            name: "ios", deviceCount: 20, start: Self.start, usersEnd: Self.start + .hours(6), app: .forTests,
            persona: persona, target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/own"),
            system: rules)
        plan.network.chain = Self.chain
        return plan
    }

    /// When a device's uploads begin; each is answered at once.
    private func uploads(_ fleet: any DeviceFleet, _ slot: Int, until end: Instant) -> [Instant] {
        var effects = DeviceEffects()
        var begun: [Instant] = []
        var wake = fleet.arrival(of: slot)
        while wake <= end {
            let now = wake
            wake = fleet.advance(slot, through: now, effects: &effects)
            while let request = effects.requests.first {
                effects.removeAll()
                begun.append(now)
                wake = fleet.complete(
                    slot, request: request.number, outcome: .answered(status: 200, body: []), at: now,
                    effects: &effects)
            }
            effects.removeAll()
        }
        return begun
    }

    /// When a device's way comes to Wi-Fi.
    private func arrivals(_ plan: PopulationPlan, _ index: Int) throws -> [Instant] {
        let chain = try #require(Self.chain)
        let stream = plan.stream(.network, index: index)
        var walk = RadioWalk(chain: chain, stream: stream, start: plan.start)
        var found: [Instant] = []
        while walk.until < plan.usersEnd {
            let change = walk.until
            walk.advance(through: change, chain, stream: stream)
            if walk.kind(chain) == .wifi { found.append(change) }
        }
        return found
    }

    @Test("what an arriving network sets off begins with its arrival")
    func atTheChange() throws {
        let plan = try plan(#""onNetwork": ["wifi"]"#)
        let fleet = makeFleet(plan: plan, share: .whole)
        var count = 0
        for slot in 0..<plan.deviceCount {
            let arrivals = try arrivals(plan, slot)
            let begun = uploads(fleet, slot, until: plan.usersEnd)
            #expect(Set(begun).isSubset(of: arrivals))
            // After a minute there is something to send.
            #expect(Set(begun).isSuperset(of: arrivals.filter { $0 > plan.start + .minutes(1) }))
            count += begun.count
        }
        #expect(count > 200)
    }

    @Test("an SDK that does nothing at a change is not woken for it")
    func notWoken() throws {
        let plan = try plan(#""whenOffline": "wait""#)
        let fleet = makeFleet(plan: plan, share: .whole)
        for slot in 0..<plan.deviceCount {
            let arrivals = Set(try arrivals(plan, slot))
            var effects = DeviceEffects()
            var wake = fleet.arrival(of: slot)
            while wake <= plan.usersEnd {
                #expect(!arrivals.contains(wake))
                wake = fleet.advance(slot, through: wake, effects: &effects)
                effects.removeAll()
            }
        }
    }
}
