import Testing
import Timebase
import World

@testable import DeviceSDK

extension RetryPolicy {
    /// One of all that a scenario may ask for.
    static func drawn(_ random: inout RandomStream) -> RetryPolicy {
        var policy = RetryPolicy()
        if random.chance(0.4) {
            var backoff = Backoff()
            backoff.initial = .milliseconds(Int64(100 + random.below(10_000)))
            backoff.factor = 1 + 3 * random.uniform()
            backoff.limit = backoff.initial * Int64(1 + random.below(20))
            backoff.jitter = random.chance(0.5) ? random.uniform() : 0
            policy.backoff = backoff
        }
        policy.heedsRetryAfter = random.chance(0.3)
        policy.splitsOn413 = random.chance(0.4)
        return policy
    }

    /// Waits without jitter, in seconds.
    static func backoff(_ initial: Double, factor: Double, limit: Double) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.backoff = Backoff()
        policy.backoff?.initial = Interval(nanoseconds: Int64(initial * 1e9))
        policy.backoff?.factor = factor
        policy.backoff?.limit = Interval(nanoseconds: Int64(limit * 1e9))
        return policy
    }

    static var splitting: RetryPolicy {
        var policy = RetryPolicy()
        policy.splitsOn413 = true
        return policy
    }
}

@Suite("Retry policy")
struct RetryPolicyTests {
    private let stream = RandomStream(key: 5)

    @Test("waits grow by the factor up to the longest, however many failures there were")
    func growth() {
        let backoff = RetryPolicy.backoff(2, factor: 1.5, limit: 10).backoff
        let waits = [1, 2, 3, 4, 5, 6, 4_000_000_000].map {
            backoff?.delay(after: $0, stream).fractionalSeconds
        }
        #expect(waits == [2, 3, 4.5, 6.75, 10, 10, 10])
        let even = RetryPolicy.backoff(2, factor: 1, limit: 10).backoff
        #expect(even?.delay(after: 4_000_000_000, stream) == .seconds(2))
    }

    @Test("jitter takes a share of each wait away, evenly, the same for the same upload")
    func jitter() throws {
        var backoff = try #require(RetryPolicy.backoff(10, factor: 1, limit: 10).backoff)
        backoff.jitter = 0.4
        let waits = (0..<4000).map { backoff.delay(after: 1, stream.child($0)).fractionalSeconds }
        #expect(waits == (0..<4000).map { backoff.delay(after: 1, stream.child($0)).fractionalSeconds })
        #expect(waits.allSatisfy { $0 > 6 && $0 <= 10 })
        // Five standard errors of an even distribution over 4 s.
        let mean = waits.reduce(0, +) / 4000
        let error = 4 / (12.0 * 4000).squareRoot()
        #expect(abs(mean - 8) < 5 * error, "key 5: mean \(mean)")
    }

    @Test("failures beside the one that began a wait do not count again; what is done with ends the row")
    func beside() {
        let policy = RetryPolicy.backoff(8, factor: 2, limit: 100)
        var state = RetryState()
        func end(_ number: UInt32, begun: UInt32, _ status: UInt16 = 500, at seconds: Int64) {
            state.note(
                .answered(status: status, body: []), of: number, begun: begun, isKept: status != 200,
                under: policy, at: Instant(milliseconds: seconds * 1000), stream)
        }
        end(0, begun: 3, at: 0)
        end(1, begun: 3, at: 7)
        #expect(state.due == Instant(milliseconds: 8000))
        #expect(state.isQuiet(at: Instant(milliseconds: 7999)))
        #expect(!state.isQuiet(at: Instant(milliseconds: 8000)))
        // The wait is over, and this one was under way when it began: it is waited for again, and no longer.
        end(2, begun: 3, at: 9)
        #expect(state.due == Instant(milliseconds: 17_000))
        end(3, begun: 4, at: 18)
        #expect(state.due == Instant(milliseconds: 34_000))
        end(4, begun: 5, 200, at: 35)
        end(5, begun: 6, at: 40)
        #expect(state.due == Instant(milliseconds: 48_000))
    }

    @Test("a longer Retry-After puts the SDK's own try off too, whatever the answer does to the rows")
    func retryAfter() {
        var policy = RetryPolicy.backoff(8, factor: 2, limit: 100)
        policy.heedsRetryAfter = true
        for isKept in [true, false] {
            var state = RetryState()
            state.note(
                .failed(.reset), of: 0, begun: 2, isKept: true, under: policy, at: Instant(milliseconds: 0),
                stream)
            state.note(
                .answered(status: 429, body: [], retryAfter: .seconds(60)), of: 1, begun: 2, isKept: isKept,
                under: policy, at: Instant(milliseconds: 1000), stream)
            #expect(state.due == Instant(milliseconds: 61_000))
            #expect(state.isQuiet(at: Instant(milliseconds: 60_999)))
        }
    }

    @Test("without a policy nothing is remembered")
    func idle() {
        var state = RetryState()
        state.note(
            .answered(status: 503, body: [], retryAfter: .seconds(9)), of: 0, begun: 1, isKept: true,
            under: RetryPolicy(), at: Instant(milliseconds: 0), stream)
        #expect(state.split(.answered(status: 413, body: []), count: 9, under: RetryPolicy()) == .none)
        #expect(state.due == .distantFuture && !state.isQuiet(at: Instant(milliseconds: 1)))
        #expect(state.limit(50) == 50)
    }

    @Test("a 413 halves what was refused, down to one event, which is dropped")
    func split() {
        var state = RetryState()
        let tooLarge = RequestOutcome.answered(status: 413, body: [])
        #expect(state.split(tooLarge, count: 7, under: .splitting) == .halves)
        #expect(state.limit(50) == 3)
        // One that was under way beside it is larger: the smaller limit stays.
        #expect(state.split(tooLarge, count: 20, under: .splitting) == .halves)
        #expect(state.limit(50) == 3)
        #expect(state.limit(2) == 2)
        #expect(state.split(tooLarge, count: 1, under: .splitting) == .drops)
        #expect(state.split(.answered(status: 500, body: []), count: 3, under: .splitting) == .none)
        #expect(state.split(.failed(.timedOut), count: 3, under: .splitting) == .none)
    }
}
