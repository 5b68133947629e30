import Reporting

extension Beaconswarm {
    /// Finds the highest steady load at which a scenario's thresholds hold.
    ///
    /// - Returns: 0 if a knee was found or the maximum holds, 99 if even the smallest load breaks or the target
    ///   went away, 96 if the generator was the limit, 95 if some step's events are not accounted for, 105 if interrupted.
    /// - Throws: ``CommandFailure`` for what kept the search from beginning or from being written.
    public static func capacity(_ options: CapacityOptions) async throws -> CommandStatus {
        var options = options
        if options.isVirtual, options.run.maximumRate != nil { throw options.refusal(of: "--max-rate") }
        options.run = try options.run.completed(
            by: Host.environment, for: options.isVirtual ? .virtual : .live)
        try options.refuseUnsent(Host.environment)
        options.run.source.readsTargetFiles = !options.isVirtual
        let scenario = try LoadedScenario(options.run.source)
        let settings = try CapacitySettings(options, scenario: scenario)
        let chosen = options
        return try await options.run.watched(as: scenario.reference.name) { run in
            let interruption = Interruption(listens: run.listensToSignals)
            run.watch?.control(interruption)
            return try await interruption.heedingCancellation {
                try await CapacityRunner(
                    scenario: scenario, options: chosen, settings: settings, console: RunConsole(run),
                    interruption: interruption
                ).run()
            }
        }
    }
}
