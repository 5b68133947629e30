import Testing
import Timebase

@testable import CollectorModel

@Suite("FaultDirector")
struct FaultDirectorTests {
    private func window(_ from: Int64, _ until: Int64, _ fault: CollectorFault, share: Double = 1)
        -> FaultWindow
    {
        FaultWindow(from: at(from), until: at(until), fault: fault, share: share)
    }

    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    private func director(_ windows: FaultWindow..., seed: UInt64 = 1) -> FaultDirector {
        var plan = CollectorPlan()
        plan.faults = windows
        plan.seed = seed
        return FaultDirector(plan: plan)
    }

    @Test("an outage refuses connections and resets requests, from its first instant to before its last")
    func outage() {
        var director = director(window(10, 20, .outage))
        for (time, refuses) in [(9, false), (10, true), (19, true), (20, false)] as [(Int64, Bool)] {
            #expect(director.refusesConnections(at: at(time)) == refuses)
            let early = director.beforeReading(at: at(time))
            #expect((early == .reset) == refuses)
            #expect(director.afterReading(at: at(time), device: nil) == .none)
        }
    }

    @Test("a request that is known by its device meets the same, whatever others do")
    func keyed() {
        let windows = window(0, 100, .status(503), share: 0.5)
        let wide = window(0, 100, .resetBeforeReading, share: 0.3)
        func verdicts(_ requests: [(UInt32, UInt64)]) -> [String: String] {
            var director = director(windows, wide)
            return requests.reduce(into: [:]) { found, request in
                director.begin(device: request.0, request: request.1)
                let early = director.beforeReading(at: at(50))
                let late = director.afterReading(at: at(50), device: request.0)
                found["\(request.0) \(request.1)"] = "\(early == .reset) \(late.status ?? 0)"
            }
        }
        let all = (0..<200).map { (UInt32($0 % 10), UInt64($0 / 10)) }
        let found = verdicts(all)
        #expect(found == verdicts(all.reversed()))
        #expect(verdicts(all.filter { $0.0 == 3 }).allSatisfy { found[$0.key] == $0.value })
        // Independent before and after reading: all four pairs of answers come up.
        #expect(Set(found.values).count == 4)
    }

    @Test("next changes skip the seams of overlapping and adjoining outages")
    func changes() {
        let director = director(
            window(10, 20, .outage), window(15, 30, .outage), window(30, 40, .outage),
            window(50, 60, .outage), window(1, 99, .status(500)))
        var changes: [Int64] = []
        var now = at(0)
        while let next = director.nextChange(after: now) {
            changes.append(next.milliseconds)
            now = next
        }
        #expect(changes == [10, 40, 50, 60])
    }

    @Test("delays add up, the latest release counts, and the first status wins")
    func combination() {
        var director = director(
            window(0, 100, .latency(.constant(5))), window(0, 100, .latency(.constant(7))),
            window(0, 90, .stall(nil)), window(0, 100, .stall(.milliseconds(10))),
            window(0, 100, .status(503)), window(0, 100, .status(200)), window(0, 100, .acceptThenDie))
        let fault = director.afterReading(at: at(50), device: nil)
        #expect(fault.delay == .milliseconds(12))
        #expect(fault.releaseAt == at(90))
        #expect(fault.status == 503)
        #expect(!fault.diesAfterAccept)
        #expect(director.afterReading(at: at(85), device: nil).releaseAt == at(95))
        #expect(director.afterReading(at: at(100), device: nil) == .none)
    }

    @Test("accept-then-die before a status wins over it")
    func death() {
        var director = director(window(0, 9, .acceptThenDie), window(0, 9, .status(500)))
        let fault = director.afterReading(at: at(0), device: nil)
        #expect(fault.diesAfterAccept)
        #expect(fault.status == nil)
    }

    @Test("a share meets about that share of requests, the same ones each time")
    func share() {
        func run(seed: UInt64) -> [Bool] {
            var director = director(
                window(0, 9, .status(500), share: 0.3), window(0, 9, .resetBeforeReading, share: 0.6),
                seed: seed)
            return (0..<2000).flatMap { _ in
                let early = director.beforeReading(at: at(1))
                let late = director.afterReading(at: at(1), device: nil)
                return [early == .reset, late.status == 500]
            }
        }
        let first = run(seed: 1)
        #expect(first == run(seed: 1))
        #expect(first != run(seed: 2))
        let early = stride(from: 0, to: 4000, by: 2).filter { first[$0] }.count
        let late = stride(from: 1, to: 4000, by: 2).filter { first[$0] }.count
        #expect((1100...1300).contains(early))
        #expect((500...700).contains(late))
    }

    @Test("another window does not change whom a window's share meets")
    func independence() {
        var alone = director(window(0, 9, .status(500), share: 0.5))
        var accompanied = director(
            window(0, 9, .status(500), share: 0.5), window(0, 9, .latency(.exponential(mean: 3)), share: 0.5))
        for _ in 0..<200 {
            let one = alone.afterReading(at: at(1), device: nil)
            #expect(one.status == accompanied.afterReading(at: at(1), device: nil).status)
        }
    }

    @Test("a window for a device and an upload meets that upload alone, counted from 0")
    func deviceStory() {
        var only = window(0, 9, .resetBeforeReading)
        only.device = 7
        only.uploadNumber = 1
        var all = window(0, 9, .status(418))
        all.uploadNumber = 2
        var director = director(only, all)
        #expect(director.needsDevice)
        #expect(director.beforeReading(at: at(1)) == nil)
        #expect(director.afterReading(at: at(1), device: nil) == .none)
        var resets: [Bool] = []
        var statuses: [UInt16?] = []
        for _ in 0..<4 {
            #expect(!director.afterReading(at: at(1), device: 8).resetsUnread)
            let fault = director.afterReading(at: at(1), device: 7)
            resets.append(fault.resetsUnread)
            statuses.append(fault.status)
        }
        #expect(resets == [false, true, false, false])
        #expect(statuses == [nil, nil, 418, nil])
    }

    @Test("an outage for one device refuses no connection")
    func deviceOutage() {
        var mine = window(0, 9, .outage)
        mine.device = 7
        var director = director(mine)
        #expect(!director.refusesConnections(at: at(1)))
        #expect(director.beforeReading(at: at(1)) == nil)
        #expect(director.afterReading(at: at(1), device: 7).resetsUnread)
        #expect(director.nextChange(after: at(-1)) == nil)
    }
}
