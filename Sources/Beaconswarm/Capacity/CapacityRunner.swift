import Reporting
import Scenario
import Timebase

extension Beaconswarm {
    /// Finds the highest steady load at which a scenario's thresholds hold.
    ///
    /// - Returns: 0 if a knee was found or the maximum holds, 99 if even the smallest load breaks, 96 if the
    ///   generator was the limit, 95 if some step's events are not accounted for, 105 if interrupted.
    /// - Throws: ``CommandFailure`` for what kept the search from beginning or from being written.
    public static func capacity(_ options: CapacityOptions) async throws -> CommandStatus {
        var options = options
        options.run = try options.run.completed(by: Host.environment)
        let scenario = try LoadedScenario(options.run.source)
        let runner = CapacityRunner(
            scenario: scenario, options: options, settings: try CapacitySettings(options, scenario: scenario),
            console: RunConsole(options.run), interruption: Interruption())
        return try await runner.run()
    }
}

/// Plays a search's steps one after the other, says how each went, and writes the search's folder.
struct CapacityRunner: Sendable {
    let scenario: LoadedScenario
    let options: CapacityOptions
    let settings: CapacitySettings
    let console: RunConsole
    let interruption: Interruption

    private var embeds: Bool { scenario.document.needsEmbeddedCollector }
    private var color: Bool { console.colorsProgress }

    func run() async throws -> CommandStatus {
        let live = LiveRunner(
            scenario: scenario, options: options.run, console: console, interruption: interruption)
        if !options.isVirtual, !embeds { try await live.checkTargets() }
        let startedAt = Host.now
        let output = try CapacityOutput(
            name: scenario.reference.name, out: options.run.out, startedAt: startedAt)
        var session = session(startedAt: startedAt, target: target(live))
        begin(session)
        interruption.begin()
        let began = Host.monotonic
        if options.isVirtual {
            let player = VirtualStepPlayer(interruption: interruption)
            while !interruption.isRequested, let plan = session.next() {
                take(session.note(try player.play(plan), of: plan))
                try output.writePartial(session.finished(wallSeconds: elapsed(since: began)))
            }
        } else {
            try await playLive(&session, output: output, began: began)
        }
        let report = session.finished(wallSeconds: elapsed(since: began))
        do {
            try output.write(report)
        } catch {
            // What an hour found out is told even where it cannot be written.
            end(report, folder: output.path)
            throw error
        }
        end(report, folder: output.path)
        return CommandStatus(rawValue: report.exitCode) ?? .internalError
    }

    private func playLive(
        _ session: inout CapacitySession, output: CapacityOutput, began: Interval
    ) async throws {
        let player = LiveStepPlayer(
            embeds: embeds, threads: options.run.threads, interruption: interruption, console: console)
        do {
            while !interruption.isRequested, let plan = session.next() {
                announce(plan)
                take(session.note(try await player.play(plan), of: plan))
                try output.writePartial(session.finished(wallSeconds: elapsed(since: began)))
                if session.next() != nil { await player.pause(afterBreak: session.lastBroke) }
            }
        } catch {
            await player.shutDown()
            throw error
        }
        await player.shutDown()
    }

    private func elapsed(since began: Interval) -> Double { (Host.monotonic - began).fractionalSeconds }

    private func target(_ live: LiveRunner) -> String {
        if options.isVirtual { return "modelled world" }
        return live.targetText(scenario.document.plans(start: ScenarioDocument.virtualStart))
    }

    /// A search that has not begun, with windows sized by what its first load is expected to offer.
    private func session(startedAt: Instant, target: String) -> CapacitySession {
        let document = scenario.document
        let context = Report.RunContext(
            command: options.run.command.map(document.redact), host: Host.name,
            operatingSystem: Host.operatingSystem, cores: Host.cores, memoryBytes: Host.memoryBytes,
            target: document.redact(target))
        let conditions = CapacityConditions(scenario.thresholds)
        var report = CapacityReport(
            toolVersion: Beaconswarm.version, scenario: scenario.reference,
            mode: options.isVirtual ? .virtual : .live, seed: document.seed, startedAt: startedAt,
            run: context, scaling: settings.scaling, precision: settings.search.precision,
            conditions: conditions.described)
        report.warnings = document.warnings.map { "\($0.pointer): \($0.text)" }
        let first = StepScenario(document, scaling: settings.scaling)
            .document(load: settings.search.from, window: .seconds(15))
        let forecast = Forecast(first)
        return CapacitySession(
            settings: settings, document: document, conditions: conditions, report: report,
            forecast: (forecast.requestsMean, forecast.eventsMean),
            numbersGoOn: !options.isVirtual && !embeds)
    }

    // MARK: - What is said

    private func begin(_ session: CapacitySession) {
        let report = session.report
        console.say(
            "beaconswarm \(Beaconswarm.version): capacity of \(report.run.target) for \(report.scenario.name), "
                + "\(report.mode.rawValue), seed \(report.seed), by \(report.scaling.rawValue)")
        for condition in report.conditions where condition.origin != .steadiness {
            console.say("has to keep: \(condition.metric) \(condition.expression)")
        }
        for warning in report.warnings { console.warn(warning) }
        if !options.isVirtual { console.say(session.estimate) }
        console.say(CapacityText.header)
    }

    private func announce(_ plan: StepPlan) {
        let load = CapacityText.load(plan.load, settings.scaling)
        let time = plan.warmUp + plan.window
        console.status("step \(plan.number): \(load), \(plan.purpose.rawValue), \(time.text) …")
    }

    private func take(_ step: CapacityReport.Step) {
        console.status("")
        console.say(CapacityText.line(step, scaling: settings.scaling, color: color))
    }

    private func end(_ report: CapacityReport, folder: String) {
        let text = { (color: Bool) in
            CapacityText.summary(report, color: color, width: console.summaryWidth)
                + "report: \(folder)/capacity.html\n"
        }
        console.end(json: { CapacityJSON.write(report) }, summary: text)
    }
}

/// The folder of a search.
struct CapacityOutput: Sendable {
    private let folder: RunFolder
    var path: String { folder.path }

    /// - Throws: ``CommandFailure`` with code 64 if the folder is there already.
    init(name: String, out: String?, startedAt: Instant) throws(CommandFailure) {
        folder = try RunFolder(
            creating: out ?? RunFolder.defaultPath(scenario: name, kind: "capacity", at: startedAt))
    }

    /// Renews what a search that breaks off leaves behind.
    func writePartial(_ report: CapacityReport) throws(CommandFailure) {
        try OutputFile.write(CapacityJSON.write(report), to: folder.file("capacity.partial.json"))
        try OutputFile.write(CapacityCSV.write(report), to: folder.file("steps.csv"))
    }

    /// Writes everything, `capacity.json` first: the rest is made from it.
    func write(_ report: CapacityReport) throws(CommandFailure) {
        try OutputFile.write(CapacityJSON.write(report), to: folder.file("capacity.json"))
        folder.remove("capacity.partial.json")
        try OutputFile.write(CapacityHTML.write(report), to: folder.file("capacity.html"))
        try OutputFile.write(CapacityMarkdown.write(report), to: folder.file("summary.md"))
        try OutputFile.write(CapacityCSV.write(report), to: folder.file("steps.csv"))
    }
}
