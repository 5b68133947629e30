import Testing
import Timebase

@Suite("The clock of a week's hours")
struct WeekCurveTests {
    /// Monday, 2026-03-02T00:00:00Z.
    private let monday = Instant(milliseconds: 1_772_409_600_000)
    private let utc = UTCOffsets(first: .zero)

    /// Weights that grow from hour to hour, with a night of nothing.
    private var curve: WeekCurve {
        let weights = (0..<168).map { (hour: Int) -> Double in
            hour % 24 < 5 ? 0 : Double(hour % 24 + hour / 24)
        }
        guard let curve = WeekCurve(weights) else { preconditionFailure("168 weights") }
        return curve
    }

    @Test("goes by at the hour's own speed, 1 on average")
    func speed() {
        let mean = (0..<168).reduce(0) { $0 + curve.weight(ofHour: $1) } / 168
        #expect(abs(mean - 1) < 1e-12)
        for hour in 0..<168 {
            let at = monday + .minutes(Int64(hour) * 60 + 30)
            #expect(curve.speed(at: at, in: utc) == curve.weight(ofHour: hour))
            // Two minutes of activity within an hour take so much longer as it is quieter.
            let weight = curve.weight(ofHour: hour)
            guard weight > 0.2 else { continue }
            let later = curve.instant(after: at, activity: .minutes(2), in: utc)
            #expect(abs((later - at).fractionalSeconds - 120 / weight) < 1e-6)
        }
    }

    @Test("is its own inverse: a gap in two parts ends where it does in one, over weeks and changes of zone")
    func parts() {
        let berlin = UTCOffsets(
            first: .hours(1), changes: [(monday + .hours(24 * 27 + 1), .hours(2))])
        var stream = RandomStream(key: 12)
        for _ in 0..<3000 {
            let at = monday + .seconds(Int64(stream.below(40 * 86_400)))
            let whole = stream.uniform() * stream.uniform() * 3e6
            let first = whole * stream.uniform()
            for zone in [utc, berlin] {
                let once = curve.instant(after: at, activity: .fractional(seconds: whole), in: zone)
                let middle = curve.instant(after: at, activity: .fractional(seconds: first), in: zone)
                let twice = curve.instant(
                    after: middle, activity: .fractional(seconds: whole - first), in: zone)
                #expect(at <= middle && middle <= twice)
                #expect(abs((once - twice).fractionalSeconds) < 1e-3, "\(at) \(whole) \(first)")
            }
        }
    }

    @Test("a week of activity is a week, from anywhere")
    func week() {
        for hour in [5, 7, 30, 101, 167] {
            let at = monday + .minutes(Int64(hour) * 60 + 17)
            let later = curve.instant(after: at, activity: .hours(168), in: utc)
            #expect(abs((later - at - .hours(168)).fractionalSeconds) < 1e-6)
        }
    }

    @Test("nothing happens in hours of no weight")
    func night() {
        var at = monday
        for _ in 0..<5000 {
            at = curve.instant(after: at, activity: .minutes(9), in: utc)
            #expect(CivilTime(at).hour >= 5)
        }
    }

    @Test("goes by local time, on both sides of a change of the clocks")
    func zones() {
        let change = monday + .hours(24 * 27 + 1)
        let berlin = UTCOffsets(first: .hours(1), changes: [(change, .hours(2))])
        #expect(berlin.offset(at: change - .seconds(1)) == (.hours(1), change))
        #expect(berlin.offset(at: change) == (.hours(2), .distantFuture))
        // 12:30 local time, at both offsets.
        #expect(curve.speed(at: monday + .minutes(11 * 60 + 30), in: berlin) == curve.weight(ofHour: 12))
        let sunday = monday + .hours(24 * 27)
        #expect(
            curve.speed(at: sunday + .minutes(10 * 60 + 30), in: berlin) == curve.weight(ofHour: 6 * 24 + 12))
    }

    /// A day whose third hour is five times as active as the others: 6/7 of a second in a second, and 30/7. From midnight
    /// on, by hand: hours of activity, and how long they take, in a zone whose clocks change `after` so many hours.
    private func checkDay(
        _ midnight: Int64, offset: Int64, after hours: Int64, _ expected: [(activity: Double, takes: Double)]
    ) throws {
        let day = (0..<24).map { $0 == 2 ? 5.0 : 1 }
        let curve = try #require(WeekCurve(weekday: day, weekend: day))
        let start = Instant(milliseconds: midnight * 1000)
        #expect(CivilTime(start, offset: .hours(offset)).hour == 0)
        let zone = UTCOffsets(
            first: .hours(offset), changes: [(start + .hours(hours), .hours(3 - offset))])
        for (activity, takes) in expected {
            let found = curve.instant(
                after: start, activity: .fractional(seconds: activity * 3600 / 7), in: zone)
            #expect(abs((found - start).fractionalSeconds - takes * 3600) < 1e-3)
        }
    }

    @Test("an hour that clocks skip has no activity, and one that comes twice has it twice")
    func changes() throws {
        // 2026-03-29 in Berlin: from 02:00, two hours after midnight, to 03:00.
        try checkDay(
            1_774_738_800, offset: 1, after: 2,
            [(6, 1), (12, 2), (12 + 3, 2.5), (12 + 6, 3), (12 + 18, 5)])
        // 2026-10-25 in Berlin: from 03:00, three hours after midnight, to 02:00.
        try checkDay(
            1_792_879_200, offset: 2, after: 3,
            [(6, 1), (12 + 15, 2.5), (12 + 30 + 15, 3.5), (12 + 60, 4), (12 + 60 + 6, 5)])
    }

    @Test("knows what is no curve, and what is a flat one")
    func problems() {
        #expect(WeekCurve([]) == nil && WeekCurve([Double](repeating: 0, count: 168)) == nil)
        #expect(WeekCurve([Double](repeating: -1, count: 168)) == nil)
        #expect(WeekCurve(hours: [Double](repeating: 1, count: 23), days: []) == nil)
        #expect(WeekCurve([Double](repeating: 3, count: 168))?.isFlat == true)
        #expect(!curve.isFlat)
    }
}
