import Scenario

extension Beaconswarm {
    /// Plays a scenario live, against its target or an embedded collector, and writes the run's folder.
    ///
    /// - Returns: how the run ended: by its verdict.
    /// - Throws: ``CommandFailure`` for what kept the run from beginning or from being written.
    public static func run(_ options: RunOptions) async throws -> CommandStatus {
        let options = try options.completed(by: Host.environment)
        let scenario = try LoadedScenario(options.source)
        let interruption = Interruption()
        let runner = LiveRunner(
            scenario: scenario, options: options, console: RunConsole(options), interruption: interruption)
        return try await runner.run()
    }

    /// Plays a scenario in virtual time and writes the run's folder.
    ///
    /// - Returns: how the run ended: by its verdict.
    /// - Throws: ``CommandFailure`` for what kept the run from beginning or from being written.
    public static func simulate(_ options: RunOptions) async throws -> CommandStatus {
        let options = try options.completed(by: Host.environment)
        let scenario = try LoadedScenario(options.source)
        let runner = VirtualRunner(
            scenario: scenario, options: options, console: RunConsole(options), interruption: Interruption())
        return try runner.run()
    }
}
