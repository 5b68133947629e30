import Accounting
import AppModel
import Synchronization
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Traced devices")
struct TracingFleetTests {
    private static let start = ManualWorld.start
    private static let end = start + .hours(8)

    /// What a listener heard, in order.
    private final class Story: Sendable {
        private let told = Mutex<[(device: UInt32, step: TraceStep)]>([])

        var listener: TracingFleet.Listener {
            { device, step in self.told.withLock { $0.append((device, step)) } }
        }
        var devices: Set<UInt32> { Set(told.withLock { $0.map(\.device) }) }

        func steps(of device: UInt32) -> [TraceStep] {
            told.withLock { $0.filter { $0.device == device }.map(\.step) }
        }
    }

    /// What a device did as an engine saw it.
    private struct Played: Equatable {
        var asked: [RequestNumber] = []
        var sealed: [EventID] = []
        var ended: [RequestNumber] = []
        var deaths = 0
    }

    /// Four devices with the numbers 100 to 103, which start the app all the time, and a new version after two hours.
    private func plan() -> PopulationPlan {
        var persona = PersonaDescription(name: "busy")
        persona.sessionsPerDay = 80
        persona.killAtBackgroundChance = 0.3
        persona.crashChance = 0.05
        var plan = PopulationPlan(
            name: "ios", deviceCount: 4, start: Self.start, usersEnd: Self.end, app: .forTests,
            persona: persona,
            target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/sa?project=p"),
            system: SensorsRules(version: .v1))
        plan.firstDevice = 100
        var rules = SensorsRules(version: .v1)
        rules.upload.batch = 3
        plan.rollOuts = [
            RollOut(
                pace: RollOutPace(from: Self.start + .hours(2), over: .zero, share: 1, number: 0),
                rules: rules, text: "test")
        ]
        return plan
    }

    /// Plays a device to the end. Answers come after a second, every fourth is a 503; from the third hour on there is no
    /// network for three hours; what is open at the end is given back.
    private func play(_ fleet: any DeviceFleet, _ slot: Int) -> Played {
        var played = Played()
        var effects = DeviceEffects()
        var open: [(request: OutgoingRequest, due: Instant)] = []
        var changes = [
            (Self.start + .hours(3), NetworkChange.to(.none)), (Self.start + .hours(6), .init(kind: nil)),
        ]
        func take(at now: Instant) {
            if !effects.died.isEmpty {
                played.deaths += 1
                open = []
            }
            open += effects.requests.map { ($0, now + ($0.network == .none ? .zero : .seconds(1))) }
            played.asked += effects.requests.map(\.number)
            played.sealed += effects.sealed.map(\.id)
            effects.removeAll()
        }
        var wake = fleet.arrival(of: slot)
        while true {
            let now = min(wake, open.first?.due ?? .distantFuture, changes.first?.0 ?? .distantFuture)
            guard now <= Self.end else { break }
            wake = fleet.advance(slot, through: now, effects: &effects)
            take(at: now)
            if let change = changes.first, change.0 == now {
                changes.removeFirst()
                wake = fleet.setNetwork(change.1, of: slot, at: now, effects: &effects)
                take(at: now)
            }
            guard let due = open.first, due.due <= now else { continue }
            open.removeFirst()
            let isOffline = due.request.network == .none
            let status: UInt16 = played.ended.count % 4 == 3 ? 503 : 200
            wake = fleet.complete(
                slot, request: due.request.number,
                outcome: isOffline ? .failed(.offline) : .answered(status: status, body: []), at: now,
                effects: &effects)
            played.ended.append(due.request.number)
            take(at: now)
        }
        while !open.isEmpty {
            let request = open.removeFirst().request
            fleet.giveBack(slot, request: request.number, network: request.network, at: Self.end)
            played.ended.append(request.number)
            take(at: Self.end)
        }
        return played
    }

    private func finish(_ fleet: any DeviceFleet) -> [EventID] {
        var effects = DeviceEffects()
        fleet.finish(effects: &effects)
        return effects.sealed.map(\.id)
    }

    @Test("a fleet that has none of the devices stays as it is")
    func nobody() {
        let fleet = makeFleet(plan: plan(), share: .whole)
        let story = Story()
        #expect(TracingFleet.tracing([3, 99, 104], of: fleet, listener: story.listener) === fleet)
        #expect(TracingFleet.tracing([103], of: fleet, listener: story.listener) !== fleet)
    }

    @Test("looking changes nothing, and only the devices that are looked at are told of")
    func harmless() {
        let story = Story()
        let plain = makeFleet(plan: plan(), share: .whole)
        let traced = TracingFleet.tracing(
            [101, 103, 200], of: makeFleet(plan: plan(), share: .whole), listener: story.listener)
        for slot in 0..<4 { #expect(play(plain, slot) == play(traced, slot)) }
        #expect(finish(plain) == finish(traced))
        #expect(plain.capturedCount == traced.capturedCount && plain.capturedCount > 100)
        #expect(plain.planFingerprint == traced.planFingerprint)
        #expect(story.devices == [101, 103])
    }

    @Test("what is told is what the engine saw, all of it and in order")
    func whole() throws {
        let story = Story()
        let fleet = TracingFleet.tracing(
            [102], of: makeFleet(plan: plan(), share: .whole), listener: story.listener)
        let played = (0..<4).map { play(fleet, $0) }[2]
        let captured = fleet.capturedCount(of: 2)
        let left = finish(fleet).filter { $0.device == 102 }
        let steps = story.steps(of: 102)
        #expect(captured > 50 && played.asked.count > 20 && played.deaths > 2)
        var next: UInt32 = 0
        var (asked, ended, sealed) = ([RequestNumber](), [RequestNumber](), [EventID]())
        var (deaths, networks, editions) = (0, [NetworkKind?](), [Int]())
        for (index, step) in steps.enumerated() {
            switch step.what {
            case .captured(let range, let stored):
                #expect(range.lowerBound == next && !range.isEmpty)
                next = range.upperBound
                #expect((0...Int(next)).contains(stored))
            case .asked(let request):
                asked.append(request.number)
                guard request.number.kind == .upload else { continue }
                let carried = try #require(request.carried)
                #expect(carried.count == request.eventCount && !carried.isEmpty)
                #expect(carried == carried.sorted() && carried.allSatisfy { $0 < next })
            case .ended(let number, _): ended.append(number)
            case .died: deaths += 1
            case .network(let kind): networks.append(kind)
            case .updated(let edition): editions.append(edition)
            case .sealed(let event): sealed.append(event.id)
            case .latched: Issue.record("Sensors never stops for good")
            case .stored, .notKept: Issue.record("a fleet does not know what a collector stores")
            case .finished:
                #expect(step.at == .distantFuture && steps[..<index].allSatisfy { $0.at <= Self.end })
            }
        }
        #expect(next == captured && asked == played.asked && ended == played.ended)
        #expect(deaths == played.deaths && networks == [NetworkKind.none, nil] && editions == [1])
        #expect(sealed == played.sealed + left && Set(sealed).count == Int(captured))
    }

    @Test("ends of requests are told with what the system makes of them, before what follows from them")
    func ends() throws {
        let story = Story()
        let fleet = TracingFleet.tracing(
            [100, 101, 102, 103], of: makeFleet(plan: plan(), share: .whole), listener: story.listener)
        var (acknowledged, refused, offline) = (0, 0, 0)
        for slot in 0..<4 {
            let played = play(fleet, slot)
            let steps = story.steps(of: UInt32(100 + slot))
            var ended = 0
            for (index, step) in steps.enumerated() {
                guard case .ended(let number, let end) = step.what else { continue }
                ended += 1
                switch end {
                case .answered(let status, let isAcknowledged):
                    #expect(isAcknowledged == (number.kind == .upload && status == 200))
                    refused += status == 503 && number.kind == .upload ? 1 : 0
                    guard isAcknowledged else { continue }
                    acknowledged += 1
                    guard case .sealed(let event) = steps[index + 1].what else {
                        Issue.record("an answer delivers")
                        continue
                    }
                    #expect(event.disposition == .delivered && steps[index + 1].at == step.at)
                case .failed(let failure):
                    #expect(failure == .offline)
                    offline += 1
                case .givenBack: #expect(step.at == Self.end)
                }
            }
            #expect(ended == played.ended.count)
        }
        #expect(acknowledged > 10 && refused > 3 && offline > 0)
    }
}
