import Testing
import Timebase

@testable import AppModel

@Suite("The forecast of the offered load")
struct UserForecastTests {
    private func population(
        _ persona: PersonaDescription, devices: Int, length: Interval, over: Interval = .zero
    ) -> UserForecast.Population {
        UserForecast.Population(
            app: Presets.shop, persona: persona,
            calendar: calendar(seed: 3, devices: devices, arrival: ArrivalSchedule(over: over)),
            usersEnd: start + length)
    }

    @Test("is exact where the sample is the whole population")
    func exact() {
        let population = population(Presets.power, devices: 30, length: .hours(12), over: .minutes(5))
        let forecast = UserForecast(of: population, sample: 30)
        var actions = 0
        for device in 0..<30 {
            actions += life(population.model, seed: 3, device: device, end: population.usersEnd).count
        }
        #expect(forecast.sampledDevices == 30)
        #expect(forecast.total == Double(actions))
        #expect(abs(forecast.meanRate - Double(actions) / 43_200) < 1e-9)
        #expect(forecast.peakRate > forecast.meanRate)
    }

    @Test("of a steady population is devices times rate, the same in mean and peak")
    func steady() {
        let population = population(Presets.steady, devices: 1000, length: .minutes(10))
        let forecast = UserForecast(of: population) { if case .business = $0 { 1 } else { 0 } }
        #expect(abs(forecast.meanRate - 1000) < 15)
        #expect(forecast.peakRate < 1100)
    }

    @Test("counts actions by the weight that it is given")
    func weights() {
        let population = population(Presets.casual, devices: 20, length: .hours(48))
        let launches = UserForecast(of: population, sample: 20) { $0.isLaunch ? 1 : 0 }
        #expect(launches.total >= 20 && launches.total < UserForecast(of: population, sample: 20).total)
    }

    @Test("a sample cut short by its budget is spread over the population")
    func spreadOrder() {
        #expect(UserForecast.spreadOrder(8) == [0, 4, 2, 6, 1, 5, 3, 7])
        #expect(UserForecast.spreadOrder(5).sorted() == [0, 1, 2, 3, 4])
        #expect(UserForecast.spreadOrder(1) == [0] && UserForecast.spreadOrder(0).isEmpty)
        let population = population(Presets.power, devices: 100, length: .hours(24))
        #expect(UserForecast(of: population, sample: 100, budget: 1).sampledDevices == 1)
    }

    @Test("the tempo of a steady population is the quotient of the rates")
    func steadyTempo() {
        let population = population(Presets.steady, devices: 400, length: .minutes(1))
        #expect(UserForecast.tempo(forRate: 20_000, of: population) == 50)
    }

    @Test("of a steady population's rate its bots do their part")
    func steadyWithBots() throws {
        var calendar = calendar(seed: 3, devices: 200)
        calendar.patterns.bots = [
            .init(pattern: PatternID(0, name: "bots"), share: 0.5, persona: Presets.bot)
        ]
        func population(_ persona: PersonaDescription) -> UserForecast.Population {
            UserForecast.Population(
                app: Presets.shop, persona: persona, calendar: calendar, usersEnd: start + .minutes(10))
        }
        var persona = Presets.steady
        let tempo = try #require(UserForecast.tempo(forRate: 150, of: population(persona)))
        persona.setTempo(tempo)
        let rate = UserForecast(of: population(persona), sample: 200).meanRate
        #expect(abs(rate - 150) < 7.5, "\(rate)")
        // Bots alone do more: the people do as little as can be.
        let least = UserForecast.tempo(forRate: 1, of: population(persona))
        #expect(least == UserForecast.tempoRange.lowerBound)
    }

    @Test("at the tempo found, the population's rate is the one wanted")
    func tempo() throws {
        let population = population(Presets.casual, devices: 40, length: .minutes(10))
        let tempo = try #require(UserForecast.tempo(forRate: 60, of: population))
        let rate = UserForecast(of: population.at(tempo: tempo)).meanRate
        #expect(abs(rate - 60) < 0.6, "tempo \(tempo) gives \(rate)")
    }

    @Test("a sample of a twentieth tells the load of a population of very different users")
    func sample() {
        var persona = Presets.casual
        // Of the preset's own lengths one in a hundred makes 44 % of the load: a sample of them tells
        // nothing about how well users are chosen.
        persona.sessionLength = .lognormal(median: 26, sigma: 0.5)
        let population = population(persona, devices: 2000, length: .hours(72))
        let whole = UserForecast(of: population, sample: 2000)
        let part = UserForecast(of: population, sample: 100)
        #expect(part.sampledDevices == 100)
        #expect(abs(part.total - whole.total) < 0.15 * whole.total, "\(part.total) for \(whole.total)")
    }

    @Test("no tempo is found for a rate out of reach")
    func unreachable() {
        let population = population(Presets.casual, devices: 2, length: .milliseconds(1))
        #expect(UserForecast.tempo(forRate: 1e9, of: population) == nil)
        #expect(UserForecast.tempo(forRate: 0, of: population) == nil)
    }
}
