import Testing
import Timebase

@testable import CollectorModel

@Suite("CapacityQueue")
struct CapacityQueueTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    private func admissions(_ rules: CapacityFault, _ arrivals: [Int64]) -> [Int64?] {
        var queue = CapacityQueue(rules)
        return arrivals.map { queue.admit(at: at($0))?.milliseconds }
    }

    @Test("serves one after the other: 10 requests/s are 100 ms each")
    func steadyPace() {
        // 0 at once; 20 waits until 100; 250 finds nobody.
        #expect(admissions(CapacityFault(rate: 10, queue: 5), [0, 20, 250, 250]) == [100, 200, 350, 450])
    }

    @Test("turns away who finds the queue full, and takes the next when somebody is done")
    func bound() {
        // One is served and two wait; the fourth has no place until the first is done at 100.
        let ends = admissions(CapacityFault(rate: 10, queue: 2), [0, 0, 0, 0, 99, 100])
        #expect(ends == [100, 200, 300, nil, nil, 400])
    }

    @Test("without a queue it serves one and turns the rest away")
    func loss() {
        #expect(admissions(CapacityFault(rate: 2, queue: 0), [0, 1, 499, 500]) == [500, nil, nil, 1000])
    }

    @Test("gets slower as the queue grows: the last place takes 1 + degrade times as long")
    func degradation() {
        // Factors 1, 1 + 3·1/2, 1 + 3·2/2: 100, 250 and 400 ms of service.
        let rules = CapacityFault(rate: 10, queue: 2, degrade: 3)
        #expect(admissions(rules, [0, 0, 0, 0]) == [100, 350, 750, nil])
        // At 400 one is left in front: 250 ms again. When all are gone, the pace is the old one.
        #expect(admissions(rules, [0, 0, 0, 400, 2000]) == [100, 350, 750, 1000, 2100])
    }

    @Test("collapses beyond its capacity: more offered is less served")
    func collapse() {
        func served(gap: Int64) -> Int {
            var queue = CapacityQueue(CapacityFault(rate: 100, queue: 50, degrade: 4))
            let ends = stride(from: 0, to: 60_000, by: Int(gap)).compactMap {
                queue.admit(at: at(Int64($0)))
            }
            return ends.filter { $0 < at(60_000) }.count
        }
        // 91 requests/s are below the capacity, 200 far above.
        #expect(served(gap: 11) >= 5450)
        // With 50 in front each takes 50 ms: 20 a second.
        #expect((1100...1500).contains(served(gap: 5)))
    }

    @Test("whoever comes to a queue without an end waits for ten years, and for its own service")
    func endless() {
        let start = Instant(milliseconds: 1_700_000_000_000)
        let years = Interval.hours(24 * 3650)
        var queue = CapacityQueue(CapacityFault(rate: 1 / 864_000, queue: 10_000_000))
        let ends = (0..<100_000).compactMap { _ in queue.admit(at: start) }
        #expect(ends.count == 100_000)
        #expect(ends.first == start + .hours(240), "one in ten days")
        #expect(ends.last == start + years + .hours(240))
        #expect(queue.present(at: start + years + .hours(240)) == 0)
    }

    @Test("counts who is there, and forgets who is done")
    func present() {
        var queue = CapacityQueue(CapacityFault(rate: 1000, queue: 1000))
        for millisecond in 0..<500 {
            _ = queue.admit(at: at(Int64(millisecond)))
            #expect(queue.present(at: at(Int64(millisecond))) == 1)
        }
        #expect(queue.present(at: at(500)) == 0)
    }
}
