import Testing
import Timebase

@testable import AppModel

@Suite("People by the hour")
struct HoursTests {
    private let seed: UInt64 = 60_221

    @Test(
        "a zone tells the country by each of its names",
        arguments: [
            ("Asia/Shanghai", .china), ("Asia/Chongqing", .china), ("Asia/Chungking", .china),
            ("UTC", .china), ("Etc/GMT-8", .china), ("Europe/Berlin", .germany), ("Asia/Tokyo", .elsewhere),
        ] as [(String, Region)])
    func regions(zone: String, region: Region) {
        let zones = TimeZones([(UTCOffsets(first: .zero), 1)], names: [zone])
        #expect(zones.region(at: 0) == region)
    }

    @Test("the presets have the weights of their sources")
    func presets() {
        let mobile = Presets.mobileHours
        let weekday = (0..<24).reduce(0) { $0 + mobile.weight(ofHour: $1) }
        let weekend = (120..<144).reduce(0) { $0 + mobile.weight(ofHour: $1) }
        #expect(abs(weekend / weekday - 1.07) < 0.001)
        #expect((0..<24).max { mobile.weight(ofHour: $0) < mobile.weight(ofHour: $1) } == 20)
        #expect(abs(mobile.weight(ofHour: 4) / mobile.weight(ofHour: 20) - 0.2) < 1e-9)
        let news = Presets.newsHours
        #expect((0..<24).max { news.weight(ofHour: $0) < news.weight(ofHour: $1) } == 7)
        func day(_ number: Int) -> Double {
            (0..<24).reduce(0) { $0 + Presets.businessHours.weight(ofHour: number * 24 + $1) }
        }
        #expect(abs(day(6) / day(0) - 0.637) < 1e-9 && abs(day(5) / day(0) - 0.528) < 1e-9)
        #expect(Presets.flatHours.isFlat)
        #expect(Presets.personaNames.allSatisfy { Presets.persona(named: $0)?.name == $0 })
    }

    /// Sessions by hour of the week in local time, over three weeks.
    private func sessions(
        _ persona: PersonaDescription, _ zones: TimeZones, devices: Int, week: WeekCurve
    ) -> [Double] {
        let calendar = UserCalendar(
            start: start, deviceCount: devices, startsInSteadyState: true, week: week, zones: zones,
            streams: { streams(seed: self.seed, device: $1)($0) })
        let model = UserModel(app: Presets.shop, persona: persona, calendar: calendar)
        var counts = [Double](repeating: 0, count: 168)
        for device in 0..<devices {
            let zone = calendar.zone(of: device)
            for planned in life(model, seed: seed, device: device, end: day(21))
            where planned.action == .enterForeground {
                let local = planned.at + zone.offset(at: planned.at).offset
                counts[Int((local - (start - .hours(0))).fractionalSeconds / 3600 + 168) % 168] += 1
            }
        }
        return counts
    }

    @Test(
        "come as often as the hour's weight says, wherever they live", arguments: ["mobile", "b2b", "news"])
    func curves(name: String) throws {
        let week = try #require(Presets.hours.first { $0.name == name }).curve
        var persona = PersonaDescription(name: "test")
        persona.sessionsPerDay = 12
        persona.sessionsPerDaySigma = 0.3
        persona.returnChance = 0
        persona.sessionLength = .constant(20)
        let zones = TimeZones([
            (UTCOffsets(first: .hours(8)), 2), (UTCOffsets(first: .hours(-5)), 1),
            (UTCOffsets(first: .zero, changes: [(day(10), .hours(1))]), 1),
        ])
        let counts = sessions(persona, zones, devices: 400, week: week)
        let total = counts.reduce(0, +)
        let planned: Double = 12 * 21 * 400
        #expect(abs(total - planned) < 0.03 * planned)
        // Pearson's statistic of 168 hours has the mean 167 and the deviation 18.3.
        let statistic = (0..<168).reduce(0.0) { sum, hour -> Double in
            let expected = total * week.weight(ofHour: hour) / 168
            let difference = counts[hour] - expected
            return sum + difference * difference / expected
        }
        let limit: Double = 167 + 6 * 18.3
        #expect(statistic < limit, "seed \(seed): \(statistic)")
    }

    @Test("live in zones by weight, whatever else is drawn")
    func zones() {
        let zones = TimeZones([
            (UTCOffsets(first: .hours(1)), 3), (UTCOffsets(first: .hours(9)), 1),
            (UTCOffsets(first: .zero), 0),
        ])
        let calendar = UserCalendar(
            start: start, deviceCount: 4000, zones: zones,
            streams: { streams(seed: self.seed, device: $1)($0) })
        let counts = Dictionary(grouping: 0..<4000) { calendar.zone(of: $0).offset(at: start).offset }
            .mapValues(\.count)
        #expect(counts[.zero] == nil)
        #expect(abs(Double(counts[.hours(1)] ?? 0) - 3000) < 5 * 750.0.squareRoot())
        #expect(abs(Double(counts[.hours(9)] ?? 0) - 1000) < 5 * 750.0.squareRoot())
    }

    @Test("of a set rate do more in the busy hours")
    func steady() {
        var persona = Presets.steady
        persona.steadyRate = 0.05
        let calendar = UserCalendar(
            start: start, deviceCount: 20, week: Presets.mobileHours,
            streams: { streams(seed: self.seed, device: $1)($0) })
        let model = UserModel(app: Presets.shop, persona: persona, calendar: calendar)
        var counts = [Double](repeating: 0, count: 24)
        for device in 0..<20 {
            for planned in life(model, seed: seed, device: device, end: day(2)) {
                guard case .business = planned.action else { continue }
                counts[CivilTime(planned.at).hour] += 1
            }
        }
        for hour in 0..<24 {
            let expected = 20 * 2 * 3600 * 0.05 * Presets.mobileHours.weight(ofHour: hour)
            #expect(abs(counts[hour] - expected) < 5 * expected.squareRoot(), "hour \(hour)")
        }
    }
}
