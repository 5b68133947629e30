import Reporting
import Scenario

/// Where a scenario is played.
public enum PlayedWorld: Sendable {
    /// Real clock and sockets, against the scenario's target or an embedded collector.
    case live
    /// Virtual time, against a modelled collector.
    case virtual
}

extension Beaconswarm {
    /// Plays a scenario live, against its target or an embedded collector, and writes the run's folder; several times, if
    /// the options say so, with a report over all of them.
    ///
    /// - Returns: how the run ended: by its verdict.
    /// - Throws: ``CommandFailure`` for what kept the run from beginning or from being written, and for options that only a
    ///   simulation has; with code 105 if it was to end before its appointment (``RunOptions/at``).
    public static func run(_ options: RunOptions) async throws -> CommandStatus {
        try options.check(for: .live)
        var options = try options.completed(by: Host.environment, for: .live)
        guard options.repeats == nil, options.rivals.isEmpty else {
            let work = try RepeatRunner.Work(options)
            return try await options.watched(as: work.base.reference.name) { options in
                let interruption = Interruption(listens: options.listensToSignals)
                options.watch?.control(interruption)
                return try await interruption.heedingCancellation {
                    try await RepeatRunner(work, options, interruption: interruption).run()
                }
            }
        }
        options.source.readsTargetFiles = true
        let scenario = try LoadedScenario(options.source)
        return try await options.watched(as: scenario.reference.name) { options in
            try await run(options, scenario)
        }
    }

    /// Plays a scenario in virtual time and writes the run's folder; one with variants, or several seeds, as so many
    /// simulations side by side.
    ///
    /// - Returns: how the run ended: by its verdict.
    /// - Throws: ``CommandFailure`` for what kept the run from beginning or from being written, and for options that only a
    ///   live run has.
    public static func simulate(_ options: RunOptions) async throws -> CommandStatus {
        try options.check(for: .virtual)
        let options = try options.completed(by: Host.environment, for: .virtual)
        let content = try options.source.read()
        let scenario = try LoadedScenario(options.source, content: content)
        return try await options.watched(as: scenario.reference.name) { options in
            let interruption = Interruption(listens: options.listensToSignals)
            options.watch?.control(interruption)
            return try await interruption.heedingCancellation {
                try await OwnThread.compute {
                    try simulate(options, scenario, content: content, interruption)
                }
            }
        }
    }

    /// Plays what the options choose of a scenario: itself, its variants, several seeds, or a part.
    private static func simulate(
        _ options: RunOptions, _ scenario: LoadedScenario, content: [UInt8], _ interruption: Interruption
    ) throws -> CommandStatus {
        let names = scenario.document.playedVariants(chosen: options.source.variant)
        let part = try options.shard.map { text throws(CommandFailure) in try PartNumber(text) }
        guard options.seeds != nil || names.count > 1 else {
            guard let part else { return try simulate(options, scenario, interruption) }
            return try PartRunner(
                scenario: scenario, options: options, part: part, console: RunConsole(options),
                interruption: interruption
            ).run()
        }
        let hasOwnSeed = scenario.document.overrides.contains { $0.path == "/seed" }
        let seeds = try SeedRange.parse(
            options.seeds, first: scenario.document.seed, hasOwnSeed: hasOwnSeed)
        let runner = LabRunner(
            options: options, content: content, base: scenario, variants: names, seeds: seeds, part: part,
            console: RunConsole(options), interruption: interruption)
        return try runner.run()
    }

    /// Plays a scenario, writes the run's folder, and reads its report for the program that asked.
    ///
    /// Set ``RunOptions/quiet`` to print nothing but warnings and why the run did not pass, on standard error. If the
    /// task that waits is cancelled, the run ends gracefully, and its result is ``CommandStatus/interrupted``. So it
    /// does at the first SIGINT, SIGTERM or SIGHUP; a second one ends it at once, with what was measured so far. A
    /// third one, or one before the run has begun while nothing else listens, ends the process, which also ends if the
    /// run is not over 3 s after the second. With ``RunOptions/listensToSignals`` switched off, signals are the
    /// program's own.
    ///
    /// A scenario's variants are played one at a time: ``ScenarioSource/variant``, or else the scenario itself.
    ///
    /// - Returns: the run's result, whatever its verdict.
    /// - Throws: ``CommandFailure`` for what kept the run from beginning or from being written, and for options that ask
    ///   for several runs, or a part of one, or that only the other world has; with code 105 if it was to end before its
    ///   appointment (``RunOptions/at``).
    public static func play(_ options: RunOptions, in world: PlayedWorld) async throws -> RunResult {
        try options.check(for: world)
        var options = try options.completed(by: Host.environment, for: world)
        if options.shard != nil {
            throw CommandFailure(
                .usage, "a part of a run has no report: ask for it with run(_:) or simulate(_:)")
        }
        if options.repeats != nil || !options.rivals.isEmpty {
            throw CommandFailure(.usage, "several runs have a report of their own: ask for them with run(_:)")
        }
        if world == .virtual, options.seeds != nil {
            throw CommandFailure(
                .usage, "several simulations have a report of their own: ask for them with simulate(_:)")
        }
        options.source.readsTargetFiles = world == .live
        let scenario = try LoadedScenario(options.source)
        let mode: Report.Mode = world == .live ? .live : .virtual
        let folder =
            options.out
            ?? RunFolder.defaultPath(scenario: scenario.reference.name, mode: mode, at: Host.now)
        options.out = folder
        let status =
            switch world {
            case .live: try await run(options, scenario)
            case .virtual: try await simulate(options, scenario)
            }
        return RunResult(status: status, folder: folder, report: try RunReport(of: folder))
    }

    private static func run(
        _ options: RunOptions, _ scenario: LoadedScenario
    ) async throws -> CommandStatus {
        let interruption = Interruption(listens: options.listensToSignals)
        options.watch?.control(interruption)
        var runner = LiveRunner(
            scenario: scenario, options: options, console: RunConsole(options), interruption: interruption)
        runner.part = try options.shard.map { text throws(CommandFailure) in try PartNumber(text) }
        runner.appointment = try options.at.map(LiveRunner.appointment)
        return try await interruption.heedingCancellation { [runner] in try await runner.run() }
    }

    /// Plays one simulation in a task that may be cancelled.
    private static func simulate(
        _ options: RunOptions, _ scenario: LoadedScenario
    ) async throws -> CommandStatus {
        let interruption = Interruption(listens: options.listensToSignals)
        return try await interruption.heedingCancellation {
            try await OwnThread.compute { try simulate(options, scenario, interruption) }
        }
    }

    private static func simulate(
        _ options: RunOptions, _ scenario: LoadedScenario, _ interruption: Interruption
    ) throws -> CommandStatus {
        let runner = VirtualRunner(
            scenario: scenario, options: options, console: RunConsole(options), interruption: interruption)
        return try runner.run()
    }
}
