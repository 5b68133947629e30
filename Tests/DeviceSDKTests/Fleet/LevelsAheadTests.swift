import Testing
import Timebase

@testable import DeviceSDK

@Suite("Levels of a fleet whose devices run ahead of the clock")
struct LevelsAheadTests {
    private static let origin = Instant(nanoseconds: 1_700_000_000_000_000_000)

    @Test(
        "are at each look what was done before it, while looks grow rare",
        arguments: 1...40 as ClosedRange<UInt64>)
    func followsTheClock(seed: UInt64) {
        var stream = RandomStream(key: seed)
        var levels = LevelsAhead(origin: Self.origin)
        // All that was done, and when; what looks have found of it.
        var done: [(at: Instant, change: LevelsAhead.Change)] = []
        var found = LevelsAhead.Change()
        var (now, width) = (Self.origin, Interval.seconds(1))
        for _ in 0..<400 {
            let reach = UInt64((width * (RunAhead.intervals - 1)).nanoseconds)
            for _ in 0..<stream.below(4) {
                let change = Self.change(&stream)
                let moment = now + Interval(nanoseconds: Int64(stream.below(reach)))
                levels.note(change, in: levels.interval(of: moment))
                done.append((moment, change))
            }
            now = now + width * Int64(1 + stream.below(stream.chance(0.1) ? 300 : 3))
            let next = stream.chance(0.05) && width < .seconds(64) ? width * 2 : width
            // Looks in longer intervals are at their ends.
            if next != width { now = Self.end(of: next, at: now) }
            if let change = levels.take(before: now, next: next) { found += change }
            width = next
            let expected = done.filter { $0.at < now }.reduce(into: LevelsAhead.Change()) { $0 += $1.change }
            let ahead = done.filter { $0.at >= now }.reduce(into: LevelsAhead.Change()) { $0 += $1.change }
            #expect(Self.values(found) == Self.values(expected), "seed \(seed) at \(now - Self.origin)")
            #expect(
                levels.radioTime == ahead.radioTime && levels.radioWakeups == ahead.radioWakeups,
                "seed \(seed)")
        }
        #expect(done.count > 100, "seed \(seed)")
    }

    @Test("have nothing to tell where nobody ran ahead, and all of it at the end of times")
    func ends() {
        var levels = LevelsAhead(origin: Self.origin)
        #expect(levels.take(before: Self.origin + .seconds(3), next: .seconds(1)) == nil)
        levels.note(
            LevelsAhead.Change(captured: 2, stored: 1), in: levels.interval(of: Self.origin + .seconds(5)))
        #expect(levels.take(before: Self.origin + .seconds(5), next: .seconds(1)) == nil)
        #expect(levels.take(before: .distantFuture, next: .seconds(1))?.captured == 2)
        #expect(levels.take(before: .distantFuture, next: .seconds(1)) == nil)
    }

    @Test("hold more time than any clock has: many radios are awake at once")
    func centuries() {
        var levels = LevelsAhead(origin: Self.origin)
        let century = TotalTime(.century)
        for _ in 0..<4 {
            levels.note(LevelsAhead.Change(radioTime: century), in: levels.interval(of: Self.origin))
        }
        let all = century + century + century + century
        #expect(levels.radioTime == all)
        #expect(levels.take(before: Self.origin + .seconds(1), next: .seconds(1))?.radioTime == all)
        #expect(levels.radioTime == .zero)
    }

    private static func change(_ stream: inout RandomStream) -> LevelsAhead.Change {
        LevelsAhead.Change(
            captured: stream.below(5), stored: Int64(stream.below(9)) - 4,
            foreground: Int64(stream.below(3)) - 1,
            radioTime: TotalTime(.milliseconds(Int64(stream.below(5000)))),
            radioWakeups: Int64(stream.below(3)) - 1)
    }

    private static func end(of width: Interval, at now: Instant) -> Instant {
        let elapsed = (now - origin).nanoseconds
        let count = (elapsed + width.nanoseconds - 1) / width.nanoseconds
        return origin + width * count
    }

    private static func values(_ change: LevelsAhead.Change) -> [Int64] {
        [
            Int64(change.captured), change.stored, change.foreground, Int64(change.radioTime.nanoseconds),
            change.radioWakeups,
        ]
    }
}
