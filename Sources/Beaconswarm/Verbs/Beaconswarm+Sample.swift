import DeviceSDK
import Rendering
import Scenario

extension Beaconswarm {
    /// Prints one request of each population: raw, decoded, and as a curl command.
    ///
    /// The request is the first upload of the population's first device that sends one, among its
    /// first 50, as it leaves in virtual time. Decoded, it is what a collector reads in it, whatever lies
    /// around the events; a body that is no text is written in base64. What is masked is told on standard error.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for an invalid scenario.
    public static func sample(_ source: ScenarioSource) async throws -> CommandStatus {
        let scenario = try LoadedScenario(source)
        let plans = scenario.document.plans(start: scenario.document.simulatedStart)
        let redactor = scenario.document.redactor
        var isMasked = false
        var withoutBody: [String] = []
        for plan in plans.populations {
            guard let request = SampledRequest(of: plan, until: plans.schedule.drainEnd) else {
                let name = scenario.document.publicName(of: plan.name)
                Console.output("# \(name): none of its first devices sends anything within the run\n\n")
                continue
            }
            let text = request.text(plan, redactor: redactor)
            // What is masked above it alone does not keep the command from working.
            isMasked = isMasked || text.split(separator: "## curl").last?.contains(Redactor.mask) == true
            if request.hidesBody(plan, redactor) {
                withoutBody.append(scenario.document.publicName(of: plan.name))
            }
            Console.output(text)
        }
        if isMasked { tellMask(withoutBody) }
        return .success
    }

    /// Says why a command may not work as it is printed.
    ///
    /// - Parameter populations: Those whose bodies are not shown.
    private static func tellMask(_ populations: [String]) {
        Console.error(
            "note: \(Redactor.mask) stands for a secret of the scenario, such as a key or a token: put the right one in its "
                + "place before you try a command")
        guard !populations.isEmpty else { return }
        Console.error(
            Escaping.line(
                "note: of \(populations.joined(separator: ", ")) the whole body is masked, since a secret is packed in it, and "
                    + "so the command cannot work; beaconswarm run with --devices and --target sends such requests as they are"
            ))
    }
}
