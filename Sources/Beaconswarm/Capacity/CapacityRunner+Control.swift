import Reporting
import Scenario
import Timebase

// MARK: - What is played before the search

extension CapacityRunner {
    /// What a load of the scenario's users asks of a collector without limits.
    func control(_ player: VirtualStepPlayer) throws(CommandFailure) -> (StepMeasurement, Double) {
        let steps = StepScenario(scenario.document, scaling: settings.scaling)
        let length = StepLength(
            fixed: settings.step, flushInterval: steps.flushInterval, hasSessions: steps.hasSessions,
            conditions: [])
        let window = length.window(.climb, requestRate: 1, eventRate: 1)
        let load = settings.scaling == .rate ? 1 : max(settings.search.floor, Self.controlDevices)
        let plan = StepPlan(
            number: 0, purpose: .climb, load: load, warmUp: steps.warmUp(.climb), window: window,
            firstDevice: 0, document: steps.document(load: load, window: window, purpose: .climb))
        try Room.checkMemory(of: plan.document)
        let control = try player.control(of: plan)
        guard control.started > 0 || control.wasCut else {
            throw CommandFailure(
                .usage,
                "capacity: \(steps.devices(load)) devices of this scenario upload nothing in a step of "
                    + "\((steps.warmUp(.climb) + window).text), so there is no load to be judged; --step makes steps "
                    + "longer, sdk.upload.flushInterval lets devices upload more often")
        }
        return (control, load)
    }

    /// Devices from which is seen what any load of them keeps against a collector without limits.
    private static let controlDevices = 400.0
}
