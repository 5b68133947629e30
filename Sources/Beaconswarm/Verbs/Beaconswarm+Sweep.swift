import Reporting
import Scenario

extension Beaconswarm {
    /// Plays every combination of some values of a scenario in virtual time, and draws freshness against cost.
    ///
    /// A sweep that was broken off goes on if it is asked for again with the same folder.
    ///
    /// - Returns: The highest-ranking status of all simulations.
    /// - Throws: ``CommandFailure`` for what kept it from beginning or from being written.
    public static func sweep(_ options: SweepOptions) async throws -> CommandStatus {
        var options = options
        options.run = try options.run.completed(by: Host.environment, for: .virtual)
        let axes = try SweepAxes.parse(options.axes)
        let cost = try figure(options.cost, of: "--cost")
        let freshness = try figure(options.freshness, of: "--freshness")
        let content = try options.run.source.read()
        let base = try LoadedScenario(options.run.source, content: content)
        let hasOwnSeed = base.document.overrides.contains { $0.path == "/seed" }
        let seeds = try SeedRange.parse(
            options.run.seeds, first: base.document.seed, hasOwnSeed: hasOwnSeed)
        let chosen = options
        return try await options.run.watched(as: base.reference.name) { run in
            let interruption = Interruption(listens: run.listensToSignals)
            run.watch?.control(interruption)
            return try await interruption.heedingCancellation {
                try await OwnThread.compute {
                    try SweepRunner(
                        options: chosen, content: content, base: base, axes: axes, seeds: seeds, cost: cost,
                        freshness: freshness, console: RunConsole(run), interruption: interruption
                    ).run()
                }
            }
        }
    }

    private static func figure(_ text: String, of option: String) throws(CommandFailure) -> Figure {
        let figure: Figure
        do throws(ThresholdError) {
            figure = try Figure.parse(text)
        } catch {
            throw CommandFailure(.usage, "\(option) \(text): \(error)")
        }
        guard figure.direction == .higherIsWorse else {
            let what = figure.direction == .lowerIsWorse ? "better" : "neither better nor worse"
            throw CommandFailure(
                .usage,
                "\(option) \(text): more of it is \(what); allowed are figures of which less is better"
            )
        }
        return figure
    }
}
