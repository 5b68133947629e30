import LiveEngine
import Scenario
import Testing

@testable import Beaconswarm

@Suite("Descriptors that a run needs")
struct RoomTests {
    /// Devices that are in use all the time.
    private func document(_ members: String) throws -> ScenarioDocument {
        let bench = try ScenarioBench()
        let text = """
            {"name": "room", "duration": "30s", "populations": [{"name": "p", "devices": 200,
             "persona": {"extends": "steady", "rate": "1/s"}, \(members)}]}
            """
        return try LoadedScenario(try bench.source(text)).document
    }

    @Test(
        "the forecast, the warning and the refusal count the same connections",
        arguments: [
            // A launch uploads long after it has its configuration, or at once and once more when it has it.
            (#""system": "sensors""#, 200), (#""system": "sensors", "version": "4.9.1""#, 600),
            (#""system": "sensors", "version": "document""#, 200),
            (#""system": "growing""#, 400),
        ])
    func connections(members: String, connections: Int) async throws {
        let document = try document(members)
        let forecast = Forecast(document)
        #expect(forecast.inUse == [ConnectionsInUse(devices: 200, connections: connections)])
        #expect(forecast.sockets == connections)
        let plans = document.plans(start: document.simulatedStart).populations
        func warning(_ budget: Int) -> String? {
            LiveEngine.capacityProblem(
                plans: plans, inUse: forecast.inUse, descriptorBudget: budget)
        }
        #expect(warning(connections) == nil)
        let told = "200 devices in use keep up to \(connections) connections"
        #expect(warning(connections - 1)?.hasPrefix(told) == true)
        #expect(warning(connections / 2)?.contains("100 devices would fit (--devices 100)") == true)
        // Four of them may take turns.
        try Room.checkDescriptors(forecast, limit: 1000, budget: connections / 4)
        let refused = try await failure {
            try Room.checkDescriptors(forecast, limit: 1000, budget: connections / 4 - 1)
        }
        #expect(refused.code == .invalidScenario)
        #expect(refused.message.hasPrefix("200 devices keep up to \(connections) connections"))
    }
}
