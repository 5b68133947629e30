import AppModel
import DeviceSDK
import Testing
import Timebase

@testable import Scenario

@Suite("Paths into values")
struct OverridePathTests {
    @Test(
        "a path into a persona that the scenario names changes that persona",
        arguments: [
            (#""description": "x""#, "power"),
            (#""personas": {"mine": {"extends": "power", "tapChance": 0.25}}"#, "mine"),
        ])
    func namedPersona(extra: String, name: String) throws {
        let variants = #", "variants": {"fast": {"populations.ios.persona.tempo": 2}}"#
        let text = scenario(extra + variants, population: #""persona": "\#(name)""#)
        let whole = try document(text).populations[0].persona
        let casual = try #require(Presets.persona(named: "casual"))
        #expect(whole.sessionsPerDay != casual.sessionsPerDay)
        var options = ScenarioOptions()
        options.variant = "fast"
        let bySet = try document(text, options: sets("populations.0.persona.tempo=2"))
        for changed in [bySet, try document(text, options: options)] {
            let persona = changed.populations[0].persona
            #expect(persona.tempo == 2)
            #expect(persona.sessionsPerDay == whole.sessionsPerDay)
            #expect(persona.tapChance == whole.tapChance)
            #expect(!changed.warnings.contains { $0.pointer.hasPrefix("/personas") })
        }
        let other = try document(text, options: sets("populations.0.persona.extends=casual"))
        #expect(other.populations[0].persona.sessionsPerDay == casual.sessionsPerDay)
    }

    @Test(
        "a path into any other value that is there is refused: the value would be gone",
        arguments: [
            (
                #""clockSkew": "5m""#, #"populations.0.clockSkew.outliers={"share": 0.1, "sd": "1h"}"#,
                "/populations/0/clockSkew"
            ),
            (
                #""persona": {"actionGap": "1s"}"#, "populations.0.persona.actionGap.min=1s",
                "/populations/0/persona/actionGap"
            ),
            (#""network": "4g""#, "populations.0.network.rtt=1s", "/populations/0/network"),
            (#""network": "4g""#, "populations.0.devices.x=1", "/populations/0/devices"),
        ])
    func refused(population: String, assignment: String, pointer: String) throws {
        let found = problems(scenario(population: population), options: sets(assignment))
        #expect(found.map(\.kind) == [.badOverride])
        #expect(found.map(\.pointer) == [pointer])
        #expect(try #require(found.first).allowed.contains("set as a whole"))
    }

    @Test("where nothing is, a path makes what it leads through")
    func made() throws {
        let found = try document(scenario(), options: sets("populations.0.clockSkew.sd=5m"))
        #expect(found.populations[0].clock?.deviation == .minutes(5))
    }
}
