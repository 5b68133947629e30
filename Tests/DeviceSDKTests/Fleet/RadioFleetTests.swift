import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Devices on the move")
struct RadioFleetTests {
    private static let start = ManualWorld.start
    private static let tail = Interval.seconds(20)
    private static let promotion = Interval.seconds(2)

    /// Launches all the time, on radios that change every few minutes.
    private func plan() -> PopulationPlan {
        var persona = PersonaDescription(name: "busy")
        persona.sessionsPerDay = 100
        persona.killAtBackgroundChance = 0.3
        var plan = PopulationPlan(
            name: "ios", deviceCount: 40, start: Self.start, usersEnd: Self.start + .hours(6),
            app: AppDescription.forTests, persona: persona,
            target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/sa?project=p"),
            system: SensorsRules(version: .v1))
        plan.network.chain = RadioChain([
            .init(.wifi, dwell: .minutes(7), to: [.init(.cellular4G, 2), .init(.none, 1)]),
            .init(.cellular4G, dwell: .minutes(5), to: [.init(.wifi, 1), .init(.none, 1)]),
            .init(.none, dwell: .minutes(1), to: [.init(.wifi, 1), .init(.cellular4G, 1)]),
        ])
        var link = LinkRules()
        link.tail = Self.tail
        link.promotion = Self.promotion
        plan.network.links[.wifi] = link
        plan.network.links[.cellular4G] = link
        plan.arrival = ArrivalSchedule(over: .hours(1))
        return plan
    }

    /// A request as its device asked for it, and when it ended.
    private struct Seen {
        var request: OutgoingRequest
        var began: Instant
        var ended: Instant?
    }

    /// Plays a device: every answer comes after three seconds.
    private func play(_ fleet: any DeviceFleet, _ slot: Int, until end: Instant) -> [Seen] {
        var seen: [Seen] = []
        play(fleet, slot, until: end, &seen)
        return seen
    }

    /// The same, after what was seen of the device before.
    private func play(_ fleet: any DeviceFleet, _ slot: Int, until end: Instant, _ seen: inout [Seen]) {
        var effects = DeviceEffects()
        var wake = fleet.arrival(of: slot)
        func take(at now: Instant, _ effects: inout DeviceEffects, _ seen: inout [Seen]) {
            // A death ends what was there before.
            if !effects.died.isEmpty {
                for index in seen.indices where seen[index].ended == nil { seen[index].ended = now }
            }
            seen += effects.requests.map { Seen(request: $0, began: now) }
            effects.removeAll()
        }
        while true {
            let answer = seen.firstIndex { $0.ended == nil }
            let due = answer.map { index in
                seen[index].began + (seen[index].request.network == .none ? .zero : .seconds(3))
            }
            let now = min(wake, due ?? .distantFuture)
            guard now <= end else { return }
            wake = fleet.advance(slot, through: now, effects: &effects)
            take(at: now, &effects, &seen)
            guard let answer, due == now, seen[answer].ended == nil else { continue }
            seen[answer].ended = now
            let isOffline = seen[answer].request.network == .none
            wake = fleet.complete(
                slot, request: seen[answer].request.number,
                outcome: isOffline ? .failed(.offline) : .answered(status: 200, body: []), at: now,
                effects: &effects)
            take(at: now, &effects, &seen)
        }
    }

    @Test("each request goes out on the radio that the device's way says, and is told what comes next")
    func radios() throws {
        let plan = plan()
        let chain = try #require(plan.network.chain)
        let fleet = makeFleet(plan: plan, share: .whole)
        var kinds: [NetworkKind: Int] = [:]
        for slot in 0..<plan.deviceCount {
            let stream = plan.stream(.network, index: slot)
            var walk = RadioWalk(chain: chain, stream: stream, start: plan.start)
            #expect(plan.initialNetwork(index: slot) == walk.kind(chain))
            for seen in play(fleet, slot, until: plan.usersEnd) {
                walk.advance(through: seen.began, chain, stream: stream)
                #expect(seen.request.network == walk.kind(chain))
                kinds[seen.request.network, default: 0] += 1
                guard seen.request.network != .none else {
                    #expect(seen.request.radio == nil)
                    continue
                }
                #expect(seen.request.radio?.changesAt == walk.until)
                #expect(seen.request.radio?.next == walk.nextKind(chain))
            }
        }
        for kind in [NetworkKind.wifi, .cellular4G, .none] { #expect(kinds[kind] ?? 0 > 50, "\(kind)") }
    }

    @Test("a request waits for the radio that it wakes, or that one before it is waking")
    func waking() {
        let plan = plan()
        let fleet = makeFleet(plan: plan, share: .whole)
        var (woken, meanwhile) = (0, 0)
        for slot in 0..<plan.deviceCount {
            let seen = play(fleet, slot, until: plan.usersEnd).filter { $0.request.radio != nil }
            var ready = plan.start
            for (one, before) in seen.indices.map({ (seen[$0], seen[..<$0]) }) {
                let awake = before.compactMap(\.ended).filter { $0 <= one.began }.max().map { $0 + Self.tail }
                let isSame = before.last?.request.network == one.request.network
                let isOpen = before.contains { ($0.ended ?? .distantFuture) > one.began }
                if !isSame || (!isOpen && one.began > awake ?? plan.start) {
                    woken += 1
                    ready = one.began + Self.promotion
                } else if one.began < ready {
                    meanwhile += 1
                }
                #expect(one.request.radio?.wakesFor == max(ready, one.began) - one.began)
            }
        }
        #expect(fleet.radioWakeups == UInt64(woken))
        #expect(woken > 100 && meanwhile > 0)
    }

    @Test("a request on another radio wakes it, though one is under way on the old one")
    func movedWhileOpen() {
        var radios = Radios(plan: plan(), share: .whole, count: 1)
        _ = radios.begin(of: 0, on: .wifi, at: Self.start)
        let moved = radios.begin(of: 0, on: .cellular4G, at: Self.start + .seconds(3))
        #expect(moved.wakesFor == Self.promotion && !moved.isConnected)
        let next = radios.begin(of: 0, on: .cellular4G, at: Self.start + .milliseconds(3500))
        #expect(next.wakesFor == .milliseconds(1500))
        #expect(radios.wakeups == 2)
    }

    @Test("no connection outlives a change of the radio, though the same one is back")
    func reconnects() {
        var plan = plan()
        plan.network.chain = RadioChain([
            .init(.wifi, dwell: .seconds(10), isRegular: true, to: [.init(.none, 1)]),
            .init(.none, dwell: .seconds(1), isRegular: true, to: [.init(.wifi, 1)]),
        ])
        var radios = Radios(plan: plan, share: .whole, count: 1)
        // When a stay on Wi-Fi begins.
        var now = plan.start
        repeat {
            now = radios.nextChange(of: 0)
            _ = radios.change(of: 0, through: now)
        } while radios.kind(of: 0) != .wifi
        func request(after seconds: Int64, lasting length: Int64 = 1) -> Bool {
            _ = radios.change(of: 0, through: now + .seconds(seconds))
            let moment = radios.begin(of: 0, on: .wifi, at: now + .seconds(seconds))
            _ = radios.change(of: 0, through: now + .seconds(seconds + length))
            radios.end(of: 0, isWhole: true, at: now + .seconds(seconds + length))
            return moment.isConnected
        }
        // Gone from second 10 to 11, without a request, and from 21 to 22, with one.
        let found = [
            request(after: 1), request(after: 3), request(after: 12), request(after: 15, lasting: 9),
            request(after: 25), request(after: 27),
        ]
        #expect(found == [false, true, false, true, false, true])
        radios.override(0, by: NetworkKind.none)
        _ = radios.change(of: 0, through: now + .seconds(29))
        radios.override(0, by: nil)
        let last = request(after: 30)
        #expect(!last)
    }

    @Test("radios are awake from a request's beginning to the tail after its end, overlaps counted once")
    func timeAwake() {
        let plan = plan()
        let fleet = makeFleet(plan: plan, share: .whole)
        var expected = Interval.zero
        var asleep = 0
        for slot in 0..<plan.deviceCount {
            let all = play(fleet, slot, until: plan.usersEnd)
            let seen = all.filter { $0.request.network != .none && $0.ended != nil }
            var awake = Instant(nanoseconds: .min)
            for one in seen {
                guard let ended = one.ended else { continue }
                if one.began > awake { asleep += 1 }
                expected = expected + max(.zero, ended + Self.tail - max(awake, one.began))
                awake = max(awake, ended + Self.tail)
            }
        }
        #expect(fleet.radioTime == TotalTime(expected))
        #expect(expected > .minutes(10))
        #expect(asleep > 100)
        // A radio that is not the one that was awake is woken too.
        #expect(fleet.radioWakeups ?? 0 >= UInt64(asleep))
    }

    @Test("an entry of the timeline holds while it lasts, and then the device's own way goes on")
    func override() throws {
        let plan = plan()
        let chain = try #require(plan.network.chain)
        let fleet = makeFleet(plan: plan, share: .whole)
        var effects = DeviceEffects()
        let (from, until) = (plan.start + .hours(2), plan.start + .hours(4))
        var meanwhile = 0
        for slot in 0..<plan.deviceCount {
            var seen: [Seen] = []
            play(fleet, slot, until: from - Interval(nanoseconds: 1), &seen)
            _ = fleet.setNetwork(.to(.cellular2G), of: slot, at: from, effects: &effects)
            effects.removeAll()
            play(fleet, slot, until: until - Interval(nanoseconds: 1), &seen)
            for one in seen where one.began >= from {
                meanwhile += 1
                #expect(one.request.network == .cellular2G)
                #expect(one.request.radio?.changesAt == .distantFuture)
            }
            _ = fleet.setNetwork(NetworkChange(kind: nil), of: slot, at: until, effects: &effects)
            effects.removeAll()
            let stream = plan.stream(.network, index: slot)
            var walk = RadioWalk(chain: chain, stream: stream, start: plan.start)
            play(fleet, slot, until: plan.usersEnd, &seen)
            for one in seen where one.began >= until {
                walk.advance(through: one.began, chain, stream: stream)
                #expect(one.request.network == walk.kind(chain))
            }
        }
        #expect(meanwhile > 50)
    }

    @Test("an ideal network keeps nothing")
    func ideal() {
        var plan = plan()
        plan.network = NetworkRules(kind: .cellular3G)
        let fleet = makeFleet(plan: plan, share: .whole)
        #expect(fleet.radioTime == nil && fleet.radioWakeups == nil)
        let seen = play(fleet, 0, until: plan.usersEnd)
        #expect(!seen.isEmpty && seen.allSatisfy { $0.request.radio == nil })
        #expect(seen.allSatisfy { $0.request.network == .cellular3G })
    }
}
