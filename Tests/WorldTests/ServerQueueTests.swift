import Testing
import Timebase

@testable import World

/// Queues against the formulas of queueing theory: the mean over 20 seeds, with an interval from Student's t.
@Suite("ServerQueue")
struct ServerQueueTests {
    private static let seeds: Range<UInt64> = 0..<20
    /// Of Student's t with 19 degrees of freedom: 99.9 % of intervals hold the truth. The draws are the same in
    /// every run, so the verdicts are too.
    private static let quantile = 3.883

    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    private func queue(_ seed: UInt64 = 1, _ change: (inout ServerWork) -> Void) -> ServerQueue {
        var work = ServerWork()
        change(&work)
        let stream = RandomStream(seed: seed, population: 1, index: 0, purpose: .faults)
        return ServerQueue(work, stream: stream)
    }

    /// What Poisson arrivals meet, without the first tenth of them: the mean wait of those served, in seconds, and
    /// the share of those turned away.
    private func run(_ seed: UInt64, rate: Double, _ change: (inout ServerWork) -> Void) -> (
        wait: Double, lost: Double
    ) {
        var queue = queue(seed, change)
        var draw = RandomStream(seed: seed, population: 2, index: 0, purpose: .arrival)
        let gap = Distribution.exponential(mean: 1 / rate)
        let (total, warmUp) = (30_000, 3000)
        var now = at(0)
        var (wait, served, lost) = (0.0, 0, 0)
        for number in 0..<total {
            now = now + .fractional(seconds: gap.sample(&draw))
            let admission = queue.admit(at: now)
            guard number >= warmUp else { continue }
            switch admission {
            case .served(let from, _):
                wait += (from - now).fractionalSeconds
                served += 1
            case .refused: lost += 1
            }
        }
        return (wait / Double(max(1, served)), Double(lost) / Double(total - warmUp))
    }

    private func expect(_ samples: [Double], _ value: Double, _ what: Comment) {
        let count = Double(samples.count)
        let mean = samples.reduce(0, +) / count
        let variance = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
        let half = ServerQueueTests.quantile * (variance / count).squareRoot()
        #expect(abs(mean - value) <= half, what)
        // An interval that holds anything shows nothing.
        #expect(half < 0.15 * value, what)
    }

    @Test("M/M/1: ρ / (μ - λ)", arguments: [0.3, 0.6, 0.8])
    func mm1(load: Double) {
        let waits = ServerQueueTests.seeds.map {
            run($0, rate: load * 100) { $0.serviceTime = .exponential(mean: 10) }.wait
        }
        expect(waits, load / (100 - load * 100), "load \(load)")
    }

    @Test("M/M/c: Erlang's C over cμ - λ", arguments: [2, 5, 16])
    func mmc(workers: Int) {
        let offered = 0.8 * Double(workers)
        // Erlang's B by its recursion, and C from it.
        var blocked = 1.0
        for count in 1...workers { blocked = offered * blocked / (Double(count) + offered * blocked) }
        let waiting = blocked / (1 - 0.8 * (1 - blocked))
        let waits = ServerQueueTests.seeds.map {
            run($0, rate: offered * 100) {
                $0.workers = workers
                $0.serviceTime = .exponential(mean: 10)
            }.wait
        }
        expect(waits, waiting / (100 * Double(workers) - offered * 100), "\(workers) workers")
    }

    @Test("M/D/1: half of M/M/1's wait (Pollaczek and Khinchine)")
    func md1() {
        let waits = ServerQueueTests.seeds.map {
            run($0, rate: 70) { $0.serviceTime = .constant(10) }.wait
        }
        expect(waits, 0.5 * 0.7 / 30, "M/D/1")
    }

    @Test("M/M/1/K: loss, and the wait of those who get in", arguments: [(4, 0.8), (4, 1.5), (9, 1.0)])
    func mm1k(slots: Int, load: Double) {
        // The chance of n present: load^n over the sum of all.
        var powers: [Double] = [1]
        for _ in 0..<slots { powers.append((powers.last ?? 1) * load) }
        let sum = powers.reduce(0, +)
        let lost = powers[slots] / sum
        // An admitted request finds n < K present and waits for n services.
        let wait = (0..<slots).reduce(0.0) { $0 + Double($1) * powers[$1] } / (sum - powers[slots]) * 0.01
        let results = ServerQueueTests.seeds.map {
            run($0, rate: load * 100) {
                $0.serviceTime = .exponential(mean: 10)
                $0.queue = slots - 1
            }
        }
        expect(results.map(\.lost), lost, "loss at \(load)")
        expect(results.map(\.wait), wait, "wait at \(load)")
    }

    @Test(
        "M/G/c/c: Erlang's loss formula, whatever the service time",
        arguments: [
            Distribution.exponential(mean: 10), .constant(10),
            .lognormal(median: 6.065306597126334, sigma: 1),
        ])
    func erlangB(service: Distribution) {
        var blocked = 1.0
        for count in 1...5 { blocked = 4 * blocked / (Double(count) + 4 * blocked) }
        let losses = ServerQueueTests.seeds.map {
            run($0, rate: 400) {
                $0.workers = 5
                $0.queue = 0
                $0.serviceTime = service
            }.lost
        }
        expect(losses, blocked, "\(service)")
    }

    @Test("workers take turns, and the queue is first come first served")
    func order() {
        var queue = queue {
            $0.workers = 2
            $0.serviceTime = .constant(100)
            $0.queue = 1
            $0.full = .init(status: 500, retryAfter: .seconds(3))
        }
        let times: [Int64] = [0, 10, 20, 30, 100, 500]
        #expect(
            times.map { queue.admit(at: at($0)) } == [
                .served(from: at(0), until: at(100)), .served(from: at(10), until: at(110)),
                .served(from: at(100), until: at(200)), .refused(.init(status: 500, retryAfter: .seconds(3))),
                .served(from: at(110), until: at(210)), .served(from: at(500), until: at(600)),
            ])
    }

    @Test("serving takes longer as the queue fills: capacity falls under load")
    func degradation() {
        var queue = queue {
            $0.serviceTime = .constant(100)
            $0.queue = 2
            $0.degrade = 3
        }
        // Nobody waits before the second either; before the third one does: 1 + 3 · 1/2 times as long.
        #expect(
            [0, 0, 0, 0].map { queue.admit(at: at($0)) } == [
                .served(from: at(0), until: at(100)), .served(from: at(100), until: at(200)),
                .served(from: at(200), until: at(450)), .refused(.init(status: 503)),
            ])
    }

    @Test("a rate's limit lets a burst through, then one at a time")
    func rateLimit() {
        var queue = queue {
            $0.serviceTime = .constant(0)
            $0.workers = 100
            var limit = ServerWork.RateLimit()
            limit.rate = 10
            limit.burst = 3
            limit.refusal.retryAfter = .seconds(7)
            $0.limit = limit
        }
        func passes(_ time: Int64) -> Bool {
            switch queue.admit(at: at(time)) {
            case .served: return true
            case .refused(let refusal):
                #expect(refusal == .init(status: 429, retryAfter: .seconds(7)))
                return false
            }
        }
        #expect(
            [0, 0, 0, 0, 99, 100, 101, 350, 350, 350].map(passes) == [
                true, true, true, false, false, true, false, true, true, false,
            ])
        // In the long run it is the rate that passes.
        let passed = stride(from: 1000, to: 101_000, by: 7).filter { passes(Int64($0)) }.count
        #expect((1000...1003).contains(passed))
    }

    @Test("a rate's limit may be one in months, and its burst longer than time lasts")
    func rareLimit() {
        func passed(_ burst: Int, at times: [Int64]) -> Int {
            var queue = queue {
                $0.serviceTime = .constant(0)
                var limit = ServerWork.RateLimit()
                (limit.rate, limit.burst) = (0.01 / 86_400, burst)
                $0.limit = limit
            }
            return times.count { if case .served = queue.admit(at: at($0)) { true } else { false } }
        }
        let day: Int64 = 86_400_000
        #expect(passed(1, at: [0, 1 * day, 2 * day, 99 * day, 101 * day, 199 * day, 202 * day]) == 3)
        #expect(passed(10_000_000, at: Array(repeating: 0, count: 200_000)) == 200_000)
    }

    @Test("a heap of instants gives them in order")
    func heap() {
        var heap = MinHeap<Instant>()
        var draw = RandomStream(key: 4)
        var sorted: [Instant] = []
        for _ in 0..<500 {
            let instant = at(Int64(draw.below(300)))
            heap.insert(instant)
            sorted.append(instant)
        }
        sorted.sort()
        for instant in sorted {
            #expect(heap.first == instant)
            heap.popFirst()
        }
        #expect(heap.count == 0 && heap.first == nil)
    }
}
