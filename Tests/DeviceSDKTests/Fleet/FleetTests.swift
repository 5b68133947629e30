import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK
@testable import TrackingSDK

@Suite("A population's devices")
struct FleetTests {
    private static let start = ManualWorld.start

    private func plan(_ version: SensorsRules.Version, devices: Int = 12) -> PopulationPlan {
        var app = AppDescription.forTests
        app.screens[0].transitions = [Screen.Transition(screen: 1, probability: 0.9)]
        app.screens[1].transitions = [Screen.Transition(screen: 0, probability: 0.9)]
        var persona = PersonaDescription(name: "busy")
        persona.sessionsPerDay = 40
        persona.killAtBackgroundChance = 0.3
        persona.crashChance = 0.05
        var plan = PopulationPlan(
            name: "ios", deviceCount: devices, start: Self.start, usersEnd: Self.start + .hours(2), app: app,
            persona: persona,
            target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/sa?project=p"),
            system: SensorsRules(version: version))
        plan.firstDevice = 100
        plan.arrival = ArrivalSchedule(over: .minutes(30))
        return plan
    }

    /// What became of each event when every answer comes after one second: a minute in ten without
    /// one.
    private struct Outcome: Equatable {
        var lines: [String] = []
        var captured: UInt64 = 0
        var fingerprint: UInt64 = 0
        var started = 0

        mutating func note(_ events: ContiguousArray<SealedEvent>) {
            for event in events {
                lines.append(
                    "\(event.id.text) \(event.label) \(event.disposition) \(event.attempts) "
                        + "\(event.capturedAt.nanoseconds) \(event.ackedAt.nanoseconds)")
            }
        }
    }

    private func play(_ plan: PopulationPlan, _ share: ShardShare, until stop: Interval? = nil) -> Outcome {
        let fleet = makeFleet(plan: plan, share: share)
        var outcome = Outcome()
        var sum: UInt64 = 0
        if let stop { fleet.stopUsers(at: plan.start + stop) }
        for slot in 0..<fleet.deviceCount { drive(fleet, slot, plan, &outcome) }
        for slot in 0..<fleet.deviceCount { sum += UInt64(fleet.capturedCount(of: slot)) }
        var effects = DeviceEffects()
        fleet.finish(effects: &effects)
        outcome.note(effects.sealed)
        #expect(sum == fleet.capturedCount)
        #expect(outcome.lines.count == Int(fleet.capturedCount))
        #expect(Set(outcome.lines.map { $0.prefix { $0 != " " } }).count == outcome.lines.count)
        outcome.captured = fleet.capturedCount
        outcome.fingerprint = fleet.planFingerprint
        outcome.started = fleet.startedCount
        return outcome
    }

    private func drive(
        _ fleet: any DeviceFleet, _ slot: Int, _ plan: PopulationPlan, _ outcome: inout Outcome
    ) {
        var effects = DeviceEffects()
        var body = WireBuffer()
        var open: [(at: Instant, request: OutgoingRequest)] = []
        var wake = fleet.arrival(of: slot)
        let end = plan.usersEnd + .minutes(5)
        while min(wake, open.first?.at ?? .distantFuture) <= end {
            effects.removeAll()
            if let next = open.first, next.at <= wake {
                open.removeFirst()
                _ = fleet.advance(slot, through: next.at, effects: &effects)
                let isOut = (next.at - plan.start).nanoseconds / 60_000_000_000 % 10 == 9
                wake = fleet.complete(
                    slot, request: next.request.number,
                    outcome: isOut ? .failed(.reset) : .answered(status: 200, body: []), at: next.at,
                    effects: &effects)
                absorb(&effects, &open, at: next.at, fleet, &outcome, &body)
            } else {
                let now = wake
                wake = fleet.advance(slot, through: now, effects: &effects)
                #expect(wake > now)
                absorb(&effects, &open, at: now, fleet, &outcome, &body)
            }
        }
    }

    private func absorb(
        _ effects: inout DeviceEffects, _ open: inout [(at: Instant, request: OutgoingRequest)],
        at now: Instant, _ fleet: any DeviceFleet, _ outcome: inout Outcome, _ body: inout WireBuffer
    ) {
        if !effects.died.isEmpty { open.removeAll() }
        outcome.note(effects.sealed)
        for request in effects.requests {
            body.removeAll()
            _ = fleet.encode(Int(request.slot), request: request.number, at: now, into: &body)
            #expect(body.isEmpty == (request.number.kind == .config))
            open.append((now + .seconds(1), request))
        }
    }

    @Test("the whole is the sum of its shards", arguments: [SensorsRules.Version.v1, .v4])
    func shards(version: SensorsRules.Version) {
        let plan = plan(version)
        let whole = play(plan, .whole)
        let parts = (0..<3).map { play(plan, ShardShare(index: $0, count: 3)) }
        #expect(whole.captured > 400)
        #expect(whole.lines.sorted() == parts.flatMap(\.lines).sorted())
        #expect(whole.captured == parts.reduce(0) { $0 + $1.captured })
        #expect(whole.fingerprint == parts.reduce(0) { $0 &+ $1.fingerprint })
        #expect(whole.started == 12)
        #expect(whole == play(plan, .whole))
    }

    @Test("the plan of users does not depend on the SDK")
    func fingerprint() {
        let early = play(plan(.v1), .whole)
        let recent = play(plan(.v4), .whole)
        #expect(early.fingerprint == recent.fingerprint)
        #expect(early.lines != recent.lines)
        var other = plan(.v1)
        other.seed = 1
        #expect(play(other, .whole).fingerprint != early.fingerprint)
    }

    @Test("when users stop, nobody arrives any more")
    func stoppedUsers() {
        let outcome = play(plan(.v1), .whole, until: .minutes(10))
        #expect(outcome.started == 4)
        #expect(play(plan(.v1), .whole, until: .zero).captured == 0)
    }

    @Test("disks change at their moment, before whatever else happens then, in every share")
    func disks() {
        var plan = plan(.v1)
        plan.system = TrackingSDKRules(version: .document)
        let whole = play(plan, .whole)
        // From the very moment of some event until that of another.
        let moments = whole.lines.compactMap { Int64($0.split(separator: " ")[4]) }.sorted()
        let (from, until) = (moments[moments.count / 3], moments[2 * moments.count / 3])
        plan.disk = DiskSchedule([
            DiskSchedule.Entry(
                from: Instant(nanoseconds: from), until: Instant(nanoseconds: until), .full,
                share: 1,
                number: 0)
        ])
        for share in [ShardShare.whole, ShardShare(index: 1, count: 3)] {
            let lines = play(plan, share).lines.map { $0.split(separator: " ") }
            let lost = lines.filter { $0[2].contains("storageError") }
            let meant = lines.filter { (from..<until).contains(Int64($0[4]) ?? 0) }
            #expect(lost.count > 20)
            #expect(lost == meant)
        }
    }

    @Test("devices keep their numbers in every share")
    func numbers() {
        let fleet = makeFleet(plan: plan(.v1, devices: 10), share: ShardShare(index: 1, count: 4))
        #expect((0..<fleet.deviceCount).map { fleet.globalNumber(of: $0) } == [101, 105, 109])
        #expect(fleet.arrival(of: 1) == Self.start + .minutes(15))
    }

    @Test("an idle device takes 400 bytes at most")
    func memory() {
        let state = MemoryLayout<SensorsDevice<SensorsMemoryStore>>.stride
        let bytes = state + MemoryLayout<UserSimulator>.stride + MemoryLayout<Bool>.stride
        print("idle Sensors device: \(state) bytes of state, \(bytes) in all")
        #expect(bytes <= 400)
    }

    @Test("actions that differ have different codes")
    func actionCodes() {
        let actions: [UserAction] = [
            .launch(passive: false), .launch(passive: true), .enterForeground, .enterBackground, .kill,
            .crash(reason: 0), .appear(screen: 0, referrer: nil), .appear(screen: 0, referrer: 0),
            .disappear(screen: 0), .tap(screen: 0, control: 1), .tap(screen: 1, control: 0),
            .business(event: 0, subject: 1), .business(event: 1, subject: 0), .beginTimed(event: 0),
            .web(event: 0, subject: 0), .login(account: 0, signUp: false),
            .login(account: .max, signUp: true), .logout, .profile(update: 0, subject: 0),
            .item(update: 0, subject: 0), .registerSuperProperties(group: 0), .updateApp(version: 0),
            .identity(update: 0), .identity(update: 1),
        ]
        #expect(Set(actions.map(\.code)).count == actions.count)
    }
}
