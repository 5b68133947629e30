import Scenario
import TestSupport
import Testing
import Timebase

/// Whether devices run ahead of the clock must show nowhere.
@Suite("Devices that run ahead of the clock")
struct RunAheadTests {
    @Test("come to the same as if each were woken at its time", arguments: ConformanceSuite.scenarios)
    func agrees(_ scenario: ConformanceScenario) throws {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        #expect(AheadComparison.play(document).differences == [], "\(scenario.name)")
    }

    @Test("come to it for each system and version, for hours", arguments: SystemMatrix.rows)
    func agreesForHours(_ row: SystemMatrix.Row) throws {
        for network in ["ideal", "mobile-mix"] {
            let document = try Worlds.load(hours(row, network: network), name: "\(row)")
            let result = AheadComparison.play(document)
            #expect(result.differences == [], "\(row), \(network)")
            #expect(result.wakesAhead > 0, "\(row), \(network)")
        }
    }

    @Test("come to it as a part of a run, of which each look is kept")
    func agreesAsPart() throws {
        let row = try #require(SystemMatrix.rows.first)
        let result = AheadComparison.play(try Worlds.load(hours(row, network: "commuter")), isPart: true)
        #expect(result.differences == [])
        #expect(result.wakesAhead > 0)
    }

    @Test(
        "do nothing after the users were stopped, and every event has a fate", arguments: [10, 20, 40, 160])
    func stops(after polls: Int) throws {
        let row = try #require(SystemMatrix.rows.first)
        let document = try Worlds.load(hours(row, network: "mobile-mix"))
        let drained = AheadComparison.stop(document, after: polls, atOnce: false)
        let stoppedAt = try #require(drained.stoppedAt)
        #expect(drained.captured == UInt64(drained.sealed))
        let lastCapture = try #require(drained.lastCapture)
        #expect(lastCapture <= stoppedAt)
        #expect(drained.wakesAhead > 0)
        let ended = AheadComparison.stop(document, after: polls, atOnce: true)
        #expect(ended.captured == UInt64(ended.sealed))
        let (lastOfAll, endedAt) = (try #require(ended.lastCapture), try #require(ended.stoppedAt))
        #expect(lastOfAll <= endedAt)
    }

    /// Most of a day, in which the looks' intervals grow, with an outage of the network, a fault whose surroundings are looked at
    /// closely, and a part that is measured apart.
    private func hours(_ row: SystemMatrix.Row, network: String) -> String {
        """
        {"seed": 11, "duration": "16h", "drain": "5m", "measureFrom": "3h",
         "populations": [
           {"name": "p", "devices": 7, "system": "\(row.system)", "version": "\(row.version)", "app": "shop",
            "persona": "casual", "network": "\(network)"},
           {"name": "q", "devices": 3, "system": "\(row.system)", "version": "\(row.version)", "app": "shop",
            "persona": "power", "network": "\(network)"}],
         "timeline": [
           {"at": "5h", "for": "2h", "share": 0.5, "device": {"network": "none"}},
           {"at": "12h", "for": "20m", "collector": {"fault": "outage"}}]}
        """
    }
}
