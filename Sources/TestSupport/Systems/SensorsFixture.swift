import CollectorModel
import Timebase

/// 1.10.17 (`SensorsAnalyticsSDK.m`) and the text: a status below 300 deletes the rows, all else keeps them. 4.9.1: only
/// 403, 404, 5xx and failures of the network keep them; every other status deletes. Nobody reads the body. 60 s, and
/// 30 s, are what a request may take.
enum SensorsFixture: SystemFixture {
    static let system = CollectorSystem.sensors
    static let scenarios = ConformanceSuite.sensorsScenarios

    static let answers = """
        1.10.17   | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        4.9.1     | D       T   L   L   S   S   L   L   S   S   | D   D   G   | S2   S2   S     T
        document  | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        """

    static func upload(ids: [String?]) -> SystemUpload {
        let events = ids.enumerated().map { Bodies.event($1, trackID: $0) }
        return SystemUpload(
            system: system, path: "/sa", body: Bodies.official("[\(events.joined(separator: ","))]"))
    }

    static func expect(
        _ expected: inout SystemCosts.Expectation, of version: String,
        under disturbance: SystemCosts.Disturbance
    ) {
        if version == "4.9.1", disturbance == .tooLarge { expected.lost = 0.3 }
    }

    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember] { text.sensors }

    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember {
        RandomScenario.pick(text.sensors, &draw)
    }
}
