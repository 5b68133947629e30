import Testing

@testable import Timebase

/// The curve of a list of lengths in seconds and targets.
private func curve(_ stages: [(seconds: Int64, target: Double)]) -> StageCurve {
    StageCurve(stages: stages.map { .init(duration: .seconds($0.seconds), target: $0.target) })
}

/// A random curve with jumps, plateaus and falls, whose targets are whole.
private func randomCurve(_ draw: inout RandomStream, highest: UInt64) -> StageCurve {
    StageCurve(
        stages: (0...draw.below(8)).map { _ in
            StageCurve.Stage(
                duration: draw.chance(0.2) ? .zero : .milliseconds(Int64(draw.below(20_000))),
                target: Double(draw.below(highest + 1)))
        })
}

@Suite("A quantity in stages")
struct StageCurveTests {
    @Test("runs in straight lines from target to target, jumps where a stage has no length, and stays")
    func values() {
        let curve = curve([(10, 100), (10, 100), (0, 400), (20, 0)])
        let expected: [(Int64, Double)] = [
            (0, 0), (1, 10), (5, 50), (10, 100), (15, 100), (20, 400), (30, 200), (40, 0), (99, 0),
        ]
        for (seconds, value) in expected { #expect(curve.value(at: .seconds(seconds)) == value) }
        #expect(curve.length == .seconds(40) && curve.maximum == 400 && curve.final == 0)
    }

    @Test("has the areas of its trapezoids, and their inverse")
    func areas() throws {
        let curve = curve([(10, 100), (10, 100), (0, 400), (20, 0), (0, 5)])
        let expected: [(Int64, Double)] = [
            (5, 125), (10, 500), (15, 1000), (20, 1500), (30, 4500), (40, 5500),
        ]
        for (seconds, area) in expected {
            #expect(curve.area(until: .seconds(seconds)) == area)
            let offset = try #require(curve.offset(ofArea: area))
            #expect(abs((offset - .seconds(seconds)).nanoseconds) <= 1)
        }
        #expect(curve.area(until: .seconds(50)) == 5550)
        #expect(curve.offset(ofArea: 5550) == .seconds(50))
    }

    @Test("the inverse jumps over times of nothing, and has no answer beyond the last")
    func gaps() {
        let curve = curve([(0, 2), (10, 2), (0, 0), (30, 0), (0, 2), (10, 2), (0, 0)])
        #expect(curve.offset(ofArea: 20) == .seconds(10))
        #expect(curve.offset(ofArea: 20.5) == .milliseconds(40_250))
        #expect(curve.offset(ofArea: 40) == .seconds(50))
        #expect(curve.offset(ofArea: 40.001) == nil)
    }

    @Test("random curves: area and inverse undo each other")
    func inverse() throws {
        for seed in UInt64(0)..<300 {
            var draw = RandomStream(key: seed)
            let curve = randomCurve(&draw, highest: 1000)
            let whole = curve.area(until: curve.length + .seconds(10))
            for _ in 0..<20 {
                let area = draw.uniform() * whole
                let offset = try #require(curve.offset(ofArea: area), "seed \(seed)")
                // A nanosecond on the steepest part, and the sum's own rounding.
                let error = abs(curve.area(until: offset) - area)
                #expect(error <= curve.maximum * 2e-9 + whole * 1e-12, "seed \(seed), area \(area)")
            }
        }
    }
}

@Suite("A clock of activity")
struct ActivityClockTests {
    private let start = Instant(milliseconds: 1_767_571_200_000)

    @Test("goes as fast as the rate is above its mean")
    func speed() throws {
        let clock = try #require(
            ActivityClock(
                rate: curve([(0, 100), (30, 100), (0, 300), (30, 300)]), start: start, length: .seconds(60)))
        // The mean is 200: half speed, then one and a half.
        #expect(clock.instant(after: start, activity: .seconds(5)) == start + .seconds(10))
        #expect(clock.instant(after: start + .seconds(30), activity: .seconds(15)) == start + .seconds(40))
        #expect(clock.instant(after: start + .seconds(20), activity: .seconds(20)) == start + .seconds(40))
        #expect(clock.instant(after: start, activity: .seconds(60)) == start + .seconds(60))
    }

    @Test("stands still for ever after a last target of 0, and there is none for a rate of nothing")
    func still() throws {
        let clock = try #require(
            ActivityClock(rate: curve([(0, 8), (30, 8), (0, 0)]), start: start, length: .seconds(60)))
        #expect(clock.instant(after: start, activity: .seconds(61)) == .distantFuture)
        #expect(clock.instant(after: start + .seconds(45), activity: .seconds(1)) == .distantFuture)
        let late = curve([(60, 0), (1, 5)])
        #expect(ActivityClock(rate: late, start: start, length: .seconds(60)) == nil)
    }
}

@Suite("Arrivals")
struct ArrivalScheduleTests {
    private func position(_ schedule: ArrivalSchedule, _ index: Int, of count: Int) -> Double {
        schedule.position(index: index, count: count, stream: RandomStream(key: UInt64(index)))
    }

    private func times(_ schedule: ArrivalSchedule, _ index: Int, of count: Int) -> [Range<Interval>] {
        var result: [Range<Interval>] = []
        let position = position(schedule, index, of: count)
        var offset = Interval(nanoseconds: -1)
        while let pass = schedule.presence(of: position, endingAfter: offset) {
            result.append(pass)
            if pass.upperBound == .forever { break }
            offset = pass.upperBound
        }
        return result
    }

    @Test("spread evenly from the first moment and never reach the end")
    func even() {
        let schedule = ArrivalSchedule(over: .seconds(60))
        #expect(times(schedule, 0, of: 4) == [.zero..<Interval.forever])
        #expect(times(schedule, 1, of: 4) == [.seconds(15)..<Interval.forever])
        #expect(times(schedule, 3, of: 4) == [.seconds(45)..<Interval.forever])
    }

    @Test("in stages: computed by hand")
    func stages() {
        // 4 devices in 8 s, a jump to 10 at 18 s, down to 2 within 8 s, and up to 6 in 4 s.
        let stages = DeviceStages(
            curve: curve([(8, 4), (10, 4), (0, 10), (8, 2), (4, 2), (4, 6)]), devices: 10)
        let schedule = ArrivalSchedule(stages: stages)
        #expect(times(schedule, 0, of: 10) == [.seconds(1)..<Interval.forever])
        #expect(times(schedule, 1, of: 10) == [.seconds(3)..<Interval.forever])
        // Heights fall by one a second from 10 at 18 s: 3.5 is left at 24.5 s, reached again at 31.5 s.
        #expect(
            times(schedule, 3, of: 10)
                == [.seconds(7)..<Interval.milliseconds(24_500), .milliseconds(31_500)..<Interval.forever])
        #expect(times(schedule, 9, of: 10) == [.seconds(18)..<Interval.milliseconds(18_500)])
        #expect(
            times(schedule, 5, of: 10)
                == [.seconds(18)..<Interval.milliseconds(22_500), .milliseconds(33_500)..<Interval.forever])
    }

    @Test("devices above the highest target never appear, and two jumps at once bring nobody")
    func never() {
        let schedule = ArrivalSchedule(
            stages: DeviceStages(curve: curve([(10, 3), (0, 5), (0, 3)]), devices: 6))
        #expect(times(schedule, 5, of: 6).isEmpty)
        #expect(times(schedule, 4, of: 6).isEmpty)
        #expect(times(schedule, 2, of: 6).count == 1)
    }

    @Test("random stages: those present at any time are the curve, rounded")
    func counts() {
        for seed in UInt64(0)..<200 {
            var draw = RandomStream(key: seed)
            let curve = randomCurve(&draw, highest: 40)
            let schedule = ArrivalSchedule(stages: DeviceStages(curve: curve, devices: 40))
            let passes = (0..<40).map { times(schedule, $0, of: 40) }
            for _ in 0..<30 {
                let offset = Interval(
                    nanoseconds: Int64(draw.uniform() * Double(curve.length.nanoseconds) * 1.1))
                let value = curve.value(at: offset)
                // At the very moment of a step, rounding the moment decides.
                guard abs(value - value.rounded(.down) - 0.5) > 1e-6 else { continue }
                let present = passes.count { $0.contains { $0.contains(offset) } }
                #expect(Double(present) == value.rounded(), "seed \(seed), \(offset)")
            }
            for (lower, higher) in zip(passes, passes.dropFirst()) {
                // Whoever came later is there for less.
                for pass in higher {
                    #expect(
                        lower.contains {
                            $0.lowerBound <= pass.lowerBound && pass.upperBound <= $0.upperBound
                        }, "seed \(seed)")
                }
            }
        }
    }

    @Test("at random: even draws from the whole, within what chance allows")
    func random() {
        let schedule = ArrivalSchedule(over: .seconds(100), isRandom: true)
        let count = 20_000
        var within = [Int](repeating: 0, count: 10)
        for index in 0..<count {
            guard let pass = schedule.presence(of: position(schedule, index, of: count)) else { continue }
            within[Int(pass.lowerBound.fractionalSeconds / 10)] += 1
        }
        let each = Double(count) / 10
        for bin in within { #expect(abs(Double(bin) - each) < 5 * (each * 0.9).squareRoot()) }

        // With stages, the number present is binomial around the curve.
        let ramp = ArrivalSchedule(
            stages: DeviceStages(curve: curve([(100, Double(count))]), devices: count), isRandom: true)
        let present = (0..<count).count { index in
            times(ramp, index, of: count).contains { $0.contains(.seconds(30)) }
        }
        let expected = 0.3 * Double(count)
        #expect(abs(Double(present) - expected) < 5 * (expected * 0.7).squareRoot())
    }
}
