import DeviceSDK
import Scenario

extension Beaconswarm {
    /// Prints one request of each population: raw, decoded, and as a curl command.
    ///
    /// The request is the first upload of the population's first device that sends one, among its
    /// first 50, as it leaves in virtual time. Decoded, it is what a collector reads in it, whatever lies
    /// around the events; a body that is no text is written in base64.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for an invalid scenario.
    public static func sample(_ source: ScenarioSource) async throws -> CommandStatus {
        let scenario = try LoadedScenario(source)
        let plans = scenario.document.plans(start: scenario.document.simulatedStart)
        for plan in plans.populations {
            guard let request = SampledRequest(of: plan, until: plans.schedule.drainEnd) else {
                let name = scenario.document.publicName(of: plan.name)
                Console.output("# \(name): none of its first devices sends anything within the run\n\n")
                continue
            }
            Console.output(request.text(plan, redactor: scenario.document.redactor))
        }
        return .success
    }
}
