import Testing
import Timebase

@testable import AppModel

@Suite("The outline of users")
struct UserOutlineTests {
    @Test("has the sessions that the users have, and their length", arguments: ["casual", "power", "steady"])
    func same(name: String) throws {
        let persona = try #require(Presets.persona(named: name))
        let population = UserForecast.Population(
            app: Presets.shop, persona: persona, calendar: calendar(seed: 8, devices: 60), usersEnd: day(4))
        let outline = UserOutline(of: population, budget: .max)
        var sessions = 0.0
        var seconds = 0.0
        for device in 0..<60 {
            var opened: Instant?
            let end = name == "steady" ? start + .hours(1) : day(4)
            for planned in life(population.model, seed: 8, device: device, end: end) {
                if planned.action == .enterForeground {
                    sessions += 1
                    opened = planned.at
                }
                if [.enterBackground, .kill].contains(planned.action), let since = opened {
                    seconds += (planned.at - since).fractionalSeconds
                    opened = nil
                }
            }
        }
        #expect(outline.devices == 60)
        #expect(abs(outline.sessions - sessions) <= 0.01 * sessions, "\(outline.sessions) of \(sessions)")
        guard name != "steady" else { return }
        #expect(abs(outline.seconds - seconds) <= 0.02 * seconds, "\(outline.seconds) of \(seconds)")
        let total = outline.total(perSession: 2, perSecond: 3)
        #expect(abs(total.value - 2 * outline.sessions - 3 * outline.seconds) < 1e-6 * total.value)
        #expect(total.error == 0)
    }

    @Test("of some of the devices says by how much it may be off")
    func part() {
        var persona = Presets.casual
        persona.sessionLength = .lognormal(median: 26, sigma: 1)
        let population = UserForecast.Population(
            app: Presets.shop, persona: persona, calendar: calendar(seed: 8, devices: 3000), usersEnd: day(7))
        let whole = UserOutline(of: population, budget: .max)
        let part = UserOutline(of: population, budget: 10_000)
        #expect(part.devices < 1000)
        let (value, error) = part.total(perSession: 0, perSecond: 1)
        #expect(error > 0 && abs(value - whole.seconds) < 4 * error)
    }
    @Test("of users who never rest is broken off, and goes on as it began")
    func brokenOff() {
        var persona = Presets.casual
        persona.tempo = 300
        let population = UserForecast.Population(
            app: Presets.shop, persona: persona, calendar: calendar(seed: 8, devices: 40), usersEnd: day(1))
        let whole = UserOutline(of: population, budget: .max)
        let part = UserOutline(of: population, budget: 20_000)
        #expect(part.devices == 40 && part.sessions != whole.sessions)
        let (sessions, seconds) = (part.sessions / whole.sessions, part.seconds / whole.seconds)
        #expect(abs(sessions - 1) < 0.5 && abs(seconds - 1) < 0.5, "\(sessions), \(seconds)")
    }
}
