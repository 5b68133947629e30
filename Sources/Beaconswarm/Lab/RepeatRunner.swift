import Reporting
import Scenario
import Timebase
import Wire

/// Plays a scenario live several times, one run after the other, and writes what they come to.
///
/// Each run has the next seed. Against two targets the runs take turns, with the same seed in each round, and the second
/// target first in every other round: what drifts on the machine meets both alike.
struct RepeatRunner {
    private let options: RunOptions
    /// The scenario's file, read once.
    private let content: [UInt8]
    private let base: LoadedScenario
    private let sides: [Side]
    private let seeds: [UInt64]
    private let console: RunConsole
    private let interruption: Interruption

    /// What is to be done; known before anybody watches.
    struct Work: Sendable {
        let content: [UInt8]
        let base: LoadedScenario
        let sides: [Side]
        let seeds: [UInt64]
    }

    /// What the runs of one side have in common.
    struct Side: Sendable {
        var name: String
        /// `nil` for the scenario's own.
        var target: String?
    }

    private struct Cell {
        var side: Side
        var seed: UInt64
    }

    /// How long a collector is left alone between two runs: its queues run empty, its connections are closed.
    private static let pause = Interval.seconds(1)
    /// The most seeds whose runs are forecast before the first one begins.
    private static let forecastLimit = 20

    /// - Parameter options: Those of the work, and who watches it.
    init(_ work: Work, _ options: RunOptions, interruption: Interruption) {
        (content, base, sides, seeds) = (work.content, work.base, work.sides, work.seeds)
        (self.options, self.interruption) = (options, interruption)
        console = RunConsole(options)
    }

    func run() async throws -> CommandStatus {
        let outlook = try await check()
        let path =
            options.out ?? RunFolder.defaultPath(scenario: base.reference.name, mode: .live, at: Host.now)
        let cells = cells
        var output = LabOutput(
            report: blank(outlook), folder: try RunFolder(creating: path), console: console,
            cells: cells.count, runsSpeak: true)
        options.watch?.keep(in: path)
        // Whatever ends the process from here on leaves something to be read.
        try output.writePartial()
        try introduce(cells, outlook)
        do {
            let done = try await play(cells, into: &output)
            return try output.finish(isWhole: done == cells.count, reportsPart: true)
        } catch let failure as CommandFailure {
            if OutputFile.exists(path) { output.writePartial(endedBy: failure) }
            throw failure
        }
    }

    /// How long one run takes at most, in real time, as a drain is at any pace.
    private var length: Interval { base.document.duration / Int64(base.document.pace) + base.document.drain }

    /// Plays one run after the other, until something speaks against the next one.
    ///
    /// - Returns: how many came to their end.
    private func play(_ cells: [Cell], into output: inout LabOutput) async throws -> Int {
        let began = Host.monotonic
        for (done, cell) in cells.enumerated() {
            if done > 0, !interruption.isRequested {
                try? await Task.sleep(nanoseconds: UInt64(RepeatRunner.pause.nanoseconds))
            }
            guard !interruption.isRequested else { return done }
            let turn = RunTurn(done: done, count: cells.count, began: began, length: length)
            guard let result = try await begin(cell, turn, in: &output) else {
                return done
            }
            guard !result.report.isInterrupted else {
                output.report.unfinished = RepeatRunner.unfinished(result.cell, of: cell)
                return done
            }
            output.add(result.cell, of: cell.side.name)
            if let end = result.report.endOfSeries {
                output.report.endedBy = end
                if done + 1 < cells.count { console.beginningNoMore(after: end.cause) }
                return done + 1
            }
            try output.writePartial()
        }
        return cells.count
    }

    /// Plays a run; `nil` if it could not even begin, which is said.
    ///
    /// - Throws: ``CommandFailure`` if that was the first one: then nothing was run at all.
    private func begin(
        _ cell: Cell, _ turn: RunTurn, in output: inout LabOutput
    ) async throws -> RunReader.Single? {
        let run = turn.words
        console.say("\(run): \(words(for: cell))")
        let path = output.path(variant: cell.side.name, seed: cell.seed)
        do {
            return try await play(cell, turn, at: path)
        } catch let failure as CommandFailure where RepeatRunner.cameBeforeTheRun(failure, at: path) {
            guard turn.done > 0 else {
                // It would only be in the way of the next try.
                output.folder.delete()
                throw failure
            }
            let reason = failure.message.replacing("; nothing was run", with: "")
            console.fail(
                "\(run) (\(words(for: cell))): \(reason); no further run begins, those before it are in "
                    + output.folder.path)
            // Who has the folder alone takes it for an interrupt otherwise.
            output.report.warnings.append("\(run) (\(words(for: cell))) could not begin: \(reason)")
            return nil
        }
    }

    /// Whether a run has not even begun: its target is gone, or the machine has no room for it any more.
    private static func cameBeforeTheRun(_ failure: CommandFailure, at path: String) -> Bool {
        [.usage, .unreachable, .invalidScenario].contains(failure.code) && !OutputFile.exists(path)
    }

    /// What is known before the first run.
    private struct Outlook {
        /// Of the first run.
        var forecast: Forecast
        /// What there is to beware of, each once, without secrets.
        var warnings: [String]
    }

    /// The first run of a side, and what it stands on.
    private struct Start {
        var runner: LiveRunner
        var ground: LiveRunner.Ground
    }

    /// Refuses what cannot be played before the first run, not in the middle; and before there is a folder.
    private func check() async throws -> Outlook {
        var starts: [Start] = []
        for (number, cell) in cells.enumerated() where cell.seed == seeds[0] || isForecastFirst(cell) {
            let runner = try runner(of: cell)
            let ground = try runner.ground()
            if number < sides.count { starts.append(Start(runner: runner, ground: ground)) }
        }
        for start in starts where !start.ground.embeds { try await start.runner.checkTargets() }
        return Outlook(forecast: starts[0].ground.forecast, warnings: warnings(of: starts))
    }

    /// What there is to beware of: what all sides have is told of none of them.
    private func warnings(of starts: [Start]) -> [String] {
        let found = starts.map { start -> [String] in
            let (runner, ground) = (start.runner, start.ground)
            let document = runner.scenario.document
            let plans = document.plans(
                start: ScenarioDocument.virtualStart, controlsCollector: ground.embeds)
            return document.warnings.map(\.placedText)
                + runner.warnings(
                    embeds: ground.embeds, budget: ground.budget, forecast: ground.forecast, of: plans)
        }
        var warnings = SeriesWarnings(of: base.document, calling: "variant")
        warnings.addOwn(found[0].filter { text in found.allSatisfy { $0.contains(text) } })
        for (side, texts) in zip(sides, found) { warnings.add(texts, of: side.name) }
        return warnings.lines
    }

    /// Whether a run is forecast before the first one begins: if its seed may decide whether it can be played. Sides have
    /// the same users, and of very many seeds the first ones have to do, for a forecast may take a second.
    private func isForecastFirst(_ cell: Cell) -> Bool {
        (options.maximumRate != nil || Room.isNeeded(for: base.document))
            && cell.side.name == sides[0].name && seeds.prefix(RepeatRunner.forecastLimit).contains(cell.seed)
    }

    /// In the order in which they are played.
    private var cells: [Cell] {
        seeds.enumerated().flatMap { round, seed in
            (round.isMultiple(of: 2) ? sides : sides.reversed()).map { Cell(side: $0, seed: seed) }
        }
    }

    private func introduce(_ cells: [Cell], _ outlook: Outlook) throws(CommandFailure) {
        let rivals = sides.compactMap { side in
            side.target.map { "\(side.name) \(base.document.redact($0))" }
        }
        let target = rivals.isEmpty ? try runner(of: cells[0]).targetInWords : ""
        console.say(
            "beaconswarm \(Beaconswarm.version): \(base.reference.name), \(cells.count.of("live run")) of "
                + "\(base.document.duration.text), \(seeds.count.of("seed")) from \(seeds[0]), "
                + (rivals.isEmpty
                    ? "against \(target)" : "by turns against " + rivals.joined(separator: " and ")))
        console.say("each run \(outlook.forecast.text(for: .live))")
        console.warn(outlook.warnings)
    }

    private func words(for cell: Cell) -> String {
        (sides.count > 1 ? "\(cell.side.name), " : "") + "seed \(cell.seed)"
    }

    private func play(
        _ cell: Cell, _ turn: RunTurn, at path: String
    ) async throws -> RunReader.Single {
        var own = options(of: cell)
        own.out = path
        own.json = false
        own.command =
            LabOutput.words(
                options.command, without: ["--repeat", "--seed", "--out", "--target"], pairs: ["--ab"])
            + (own.source.target.map { ["--target", $0] } ?? []) + ["--seed", String(cell.seed)]
        _ = try await runner(of: cell, with: own, turn: turn).run()
        // Between two runs there is none to be drained or ended, and none whose state is still to be written.
        interruption.begin {}
        interruption.onEnd {}
        interruption.onRequestFromNowOn { [console] in console.beginningNoMore() }
        return try RunReader.cell(path)
    }

    private static func unfinished(_ result: LabReport.Cell, of cell: Cell) -> LabReport.Unfinished {
        var run = LabReport.Unfinished(variant: cell.side.name, seed: cell.seed)
        (run.verdict, run.exitCode) = (result.verdict, result.exitCode)
        return run
    }

    private func options(of cell: Cell) -> RunOptions {
        var own = options
        own.source.seed = String(cell.seed)
        own.source.target = cell.side.target ?? own.source.target
        // The scenario itself was checked with all of them.
        own.source.checksVariants = false
        own.source.readsTargetFiles = true
        return own
    }

    private func runner(
        of cell: Cell, with given: RunOptions? = nil, turn: RunTurn? = nil
    ) throws(CommandFailure) -> LiveRunner {
        let own = given ?? options(of: cell)
        var runner = LiveRunner(
            scenario: try LoadedScenario(own.source, content: content), options: own,
            console: RunConsole(progressOf: own, name: words(for: cell), turn: turn),
            interruption: interruption)
        runner.isOneOfSeveral = true
        return runner
    }

    /// The report without any run.
    private func blank(_ outlook: Outlook) -> LabReport {
        var report = LabReport(
            toolVersion: Beaconswarm.version, scenario: base.reference, mode: .live, seeds: seeds,
            variants: sides.map { side in
                LabReport.Variant(name: side.name, target: side.target.map(base.document.redact))
            })
        report.resolved = base.document.resolved.withoutSeed
        report.warnings = outlook.warnings
        return report
    }
}
