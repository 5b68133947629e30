import Scenario

extension Beaconswarm {
    /// Makes a dataset of a scenario: what a collector would have received from its devices, and what really happened.
    ///
    /// - Returns: success, or that it was interrupted.
    /// - Throws: ``CommandFailure`` for wrong options, an invalid scenario, and what kept the dataset from being written.
    public static func generate(_ options: GenerateOptions) async throws -> CommandStatus {
        var options = options
        options.source = try options.completedSource()
        var run = RunOptions(source: options.source)
        run.quiet = options.quiet
        let runner = try GenerateRunner(
            options, scenario: LoadedScenario(options.source), console: RunConsole(run),
            interruption: Interruption())
        return try runner.run()
    }
}
