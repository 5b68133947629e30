import AppModel
import CollectorModel
import DeviceSDK
import Testing
import Timebase

@testable import Scenario

@Suite("Load shapes")
struct LoadShapeTests {
    private let ramp = """
        "arrival": {"stages": [{"duration": "1m", "target": 500}, {"duration": "2m", "target": 4000},
            {"duration": "0s", "target": 1000}, {"duration": "10s", "target": 5000}]}
        """

    private func shaped(_ population: String, devices: Int = 5000, timeline: String = "[]") -> String {
        """
        {"name": "shapes", "duration": "10m", "timeline": \(timeline), "populations": [
            {"name": "ios", "devices": \(devices), "system": "sensors", \(population)}]}
        """
    }

    @Test("arrival stages become the number of devices over time")
    func arrival() throws {
        let population = try document(shaped(ramp)).populations[0]
        let stages = try #require(population.arrival.stages)
        #expect(stages.curve.stages.map(\.target) == [500, 4000, 1000, 5000])
        #expect(stages.curve.stages.map(\.duration) == [.minutes(1), .minutes(2), .zero, .seconds(10)])
        #expect(stages.devices == 5000 && !population.arrival.isRandom)
    }

    @Test("and follow --devices by largest remainder: the steps between targets share the new number")
    func scaling() throws {
        var options = ScenarioOptions()
        options.devices = "17"
        let stages = try #require(try document(shaped(ramp), options: options).populations[0].arrival.stages)
        // Steps 500, 500, 3000, 1000 of 5000: 1.7, 1.7, 10.2, 3.4 of 17, so 2, 2, 10, 3.
        #expect(stages.curve.stages.map(\.target) == [2, 14, 4, 17])
        #expect(stages.devices == 17)
        for devices in 1...200 {
            options.devices = String(devices)
            let scaled = try #require(
                try document(shaped(ramp), options: options).populations[0].arrival.stages)
            let targets = scaled.curve.stages.map(\.target)
            #expect(targets[3] == Double(devices) && targets[0] <= targets[2] && targets[2] <= targets[1])
            for (target, wanted) in zip(targets, [0.1, 0.8, 0.2, 1]) {
                #expect(abs(target - wanted * Double(devices)) < 2, "\(devices)")
            }
        }
    }

    @Test("wrong arrivals are told with their places")
    func mistakes() {
        let cases: [(String, String)] = [
            (#""arrival": {"stages": []}"#, "/populations/0/arrival/stages"),
            (
                #""arrival": {"stages": [{"duration": "1s", "target": 5001}]}"#,
                "/populations/0/arrival/stages/0/target"
            ),
            (#""arrival": {"stages": [{"duration": "1s", "target": 0}]}"#, "/populations/0/arrival/stages"),
            (#""arrival": {"stages": [{"target": 5}]}"#, "/populations/0/arrival/stages/0"),
            (
                #""arrival": {"over": "1s", "stages": [{"duration": "1s", "target": 5000}]}"#,
                "/populations/0/arrival"
            ),
            (#""arrival": {"random": true}"#, "/populations/0/arrival"),
            (#""arrival": {"curve": "sine"}"#, "/populations/0/arrival/curve"),
            (#""rate": [{"duration": "1m", "target": "0/s"}]"#, "/populations/0/rate"),
            (#""rate": [{"duration": "1m", "target": 5}]"#, "/populations/0/rate/0/target"),
            (#""rate": "0/s""#, "/populations/0/rate"),
        ]
        for (population, pointer) in cases {
            #expect(pointers(shaped(population)).contains(pointer), "\(population)")
        }
    }

    private func pointers(_ text: String) -> [String] { problems(text).map(\.pointer) }

    @Test("rate stages give the mean over the run and the course")
    func rate() throws {
        let text = shaped(
            #""rate": [{"duration": "4m", "target": "1000 events/s"}, {"duration": "0", "target": "250/s"}]"#)
        let population = try document(text).populations[0]
        // A triangle of 120,000 and 360 s at 250/s, in 600 s.
        #expect(population.wantedRate == 350)
        #expect(population.activity?.value(at: .minutes(2)) == 500)
        #expect(population.activity?.value(at: .minutes(9)) == 250)
    }

    @Test("a rate is how often steady users act; their apps start as fast as ever")
    func steadyRate() throws {
        for persona in [#""steady""#, #"{"preset": "steady", "tempo": 2}"#] {
            var document = try document(
                scenario(population: #""persona": \#(persona), "rate": "1 events/s""#, devices: 1000))
            let before = document.populations[0].persona
            document.applyWantedRates()
            let after = document.populations[0].persona
            #expect(after.tempo == before.tempo)
            #expect(try #require(after.steadyRate) * after.tempo == 0.001)
        }
    }

    @Test("a rate is that of all users, from the start of the scenario on")
    func correctedRate() throws {
        let text = scenario(
            population: #""persona": {"preset": "power", "hours": "mobile"}, "rate": "5 events/s""#,
            devices: 100
        ).replacing(#""1m""#, with: #""3h""#)
        for hours in [0, 20] {
            var document = try document(text)
            document.start = .init(milliseconds: 1_772_380_800_000) + .hours(Int64(hours))
            document.applyWantedRates()
            let plan = document.plans(start: document.simulatedStart).populations[0]
            let users = UserForecast(of: plan.forecastUsers, sample: 100, weight: plan.weight)
            // Sessions come whole.
            #expect(abs(users.meanRate / 5 - 1) < 0.1, "\(hours): \(users.meanRate)")
        }
    }

    @Test("where no tempo gives the rate, the one that comes nearest is kept")
    func nearestRate() throws {
        // Whoever opens the app makes an event at once: 100 of them or twice as many, and 120 are wanted.
        var document = try document(
            scenario(population: #""persona": "power", "rate": "2 events/s""#, devices: 100))
        document.applyWantedRates()
        let plan = document.plans(start: document.simulatedStart).populations[0]
        #expect(UserForecast(of: plan.forecastUsers, weight: plan.weight).total >= 100)
    }

    @Test("a notification reaches the plan of its population, and the report's marks")
    func push() throws {
        let text = """
            {"name": "push", "duration": "10m", "populations": [
                {"name": "a", "devices": 5, "system": "sensors"}, {"name": "b", "devices": 5, "system": "sensors"}],
             "timeline": [{"at": "5m", "push": {"share": 0.3, "within": "90s"}, "population": "b"},
                {"at": "6m", "share": 0.5, "push": {}}]}
            """
        let document = try document(text)
        let start = ScenarioDocument.virtualStart
        let plans = document.plans(start: start, controlsCollector: false)
        let both = PushNotification(at: start + .minutes(6), share: 0.5, within: .minutes(1))
        #expect(plans.populations[0].pushes == [both])
        #expect(
            plans.populations[1].pushes
                == [PushNotification(at: start + .minutes(5), share: 0.3, within: .seconds(90)), both])
        #expect(plans.marks.map(\.text).first == "push: 30 % of users open the app within 1m30s, b")
        #expect(plans.marks.first?.until == start + .seconds(390))
        #expect(plans.schedule.deviceEntries.isEmpty && plans.collector.faults.isEmpty)
    }

    @Test("wrong notifications are told with their places")
    func wrongPushes() {
        let cases: [(String, String)] = [
            (#"{"at": "1m", "push": {"share": 2}}"#, "/timeline/0/push/share"),
            (#"{"at": "1m", "for": "1m", "push": {}}"#, "/timeline/0/for"),
            (#"{"at": "1m", "share": 0.5, "push": {"share": 0.5}}"#, "/timeline/0/push"),
            (#"{"at": "1m", "push": {"within": "0s"}}"#, "/timeline/0/push/within"),
            (#"{"at": "1m", "push": {}, "population": "android"}"#, "/timeline/0/population"),
            (#"{"at": "1m", "push": {}, "device": {"network": "none"}}"#, "/timeline/0"),
        ]
        for (entry, pointer) in cases {
            #expect(pointers(shaped(#""app": "shop""#, timeline: "[\(entry)]")).contains(pointer), "\(entry)")
        }
    }

    @Test(
        "a population's rate wins over one that the scenario gives its persona, wherever it stands",
        arguments: [
            (#"{"preset": "steady", "rate": "2/s"}"#, true), (#""own""#, true), (#""heir""#, true),
            (#"{"extends": "heir"}"#, true), (#""steady""#, false), (#"{"extends": "steady"}"#, false),
        ])
    func rates(persona: String, isWarned: Bool) throws {
        let own = #""own": {"preset": "steady", "rate": "2/s"}"#
        let personas = #""personas": {\#(own), "heir": {"extends": "own"}}"#
        let text = scenario(personas, population: #""persona": \#(persona), "rate": "10/s""#)
        let pointers = try document(text).warnings.map(\.pointer)
        #expect(pointers.contains("/populations/0/rate") == isWarned)
    }
}
