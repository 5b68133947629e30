import Reporting
import Scenario

extension Beaconswarm {
    /// Makes a dataset of a scenario: what a collector would have received from its devices, and what really happened.
    ///
    /// If the task that waits is cancelled, it ends as after a first SIGINT, SIGTERM or SIGHUP: with an unfinished folder that
    /// ``GenerateOptions/resumes`` goes on with. Of one that ``GenerateOptions/follows``, only the rows end: the dataset of
    /// those that were sent is written, and that is success.
    ///
    /// - Returns: success, that it was interrupted, or ``CommandStatus/invalidRun``: the machine's own disk failed the
    ///   devices' files too often, and the folder is unfinished.
    /// - Throws: ``CommandFailure`` for wrong options, an invalid scenario, and what kept the dataset from being written.
    public static func generate(_ options: GenerateOptions) async throws -> CommandStatus {
        var options = options
        options.source = try options.completedSource()
        options.threads = try RunOptions.threads(or: options.threads, in: Host.environment)
        options.command = EnvironmentVariables.spelledOut(options.command)
        var run = RunOptions(source: options.source)
        run.quiet = options.quiet
        (run.ui, run.otlp) = (options.ui, options.otlp)
        run.completeWatching(by: Host.environment)
        var loaded = try LoadedScenario(options.source)
        // Nothing is judged.
        loaded.document.warnings.removeAll { $0.pointer.hasPrefix("/thresholds") }
        let scenario = loaded
        let chosen = options
        return try await run.watched(as: scenario.reference.name) { run in
            let rest = chosen.follows ? "" : ": --resume goes on with it"
            let interruption = Interruption(
                outcome: "; \(chosen.out) is unfinished\(rest)", listens: chosen.listensToSignals)
            run.watch?.control(interruption)
            return try await interruption.heedingCancellation {
                try await OwnThread.compute {
                    try GenerateRunner(
                        chosen, scenario: scenario, console: RunConsole(run), interruption: interruption
                    ).run()
                }
            }
        }
    }
}
