import Measurement
import Reporting
import Scenario
import Timebase

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
        if !options.isVirtual { try TargetGate.check(scenario.document, options: options.run) }
        let live = LiveRunner(
            scenario: scenario, options: options.run, console: console, interruption: interruption)
        if !options.isVirtual, !embeds { try await live.checkTargets() }
        let startedAt = Host.now
        let began = Host.monotonic
        let virtual = VirtualStepPlayer(
            interruption: interruption, console: console, deadline: began + settings.maxTime)
        interruption.onRequest { [console] in Self.acknowledge(on: console) }
        var session = try await OwnThread.compute {
            try self.session(startedAt: startedAt, target: target(live), player: virtual)
        }
        try begin(session)
        let output = try CapacityOutput(
            name: scenario.reference.name, out: options.run.out, startedAt: startedAt)
        console.watch?.keep(in: output.path)
        interruption.begin()
        let search = Search(output: output, virtual: virtual, began: began, deadline: virtual.deadline)
        if options.isVirtual {
            session = try await OwnThread.compute { [session] in try playVirtually(session, search) }
        } else {
            try await playLive(&session, search)
        }
        let report = session.finished(
            wallSeconds: elapsed(since: began), timeIsUp: !interruption.isRequested)
        do {
            try output.write(report)
        } catch {
            // What an hour found out is told even where it cannot be written.
            end(report, folder: nil)
            throw error
        }
        end(report, folder: output.path)
        return CommandStatus(rawValue: report.exitCode) ?? .internalError
    }

    /// What steps are played with.
    private struct Search {
        let output: CapacityOutput
        let virtual: VirtualStepPlayer
        let began: Interval
        let deadline: Interval

        var remaining: Interval { max(.zero, deadline - Host.monotonic) }
    }

    private func playVirtually(
        _ session: CapacitySession, _ search: Search
    ) throws(CommandFailure) -> CapacitySession {
        var session = session
        while !interruption.isRequested, let plan = session.next(remaining: search.remaining) {
            announce(plan, session, search)
            if let shortage = plan.memoryShortage(connections: nil, controlsCollector: true) {
                take(session.note(unplayed: plan, because: shortage), session, search)
                continue
            }
            let begun = Host.monotonic
            let measurement = try search.virtual.play(plan)
            let step = try session.note(measurement, of: plan, wall: Host.monotonic - begun) {
                () throws(CommandFailure) in
                try search.virtual.control(of: plan, played: measurement)
            }
            take(step, session, search)
            guard step.verdict != .cut else { break }
            search.output.keep(session.finished(wallSeconds: elapsed(since: search.began)), console)
        }
        return session
    }

    private func playLive(_ session: inout CapacitySession, _ search: Search) async throws {
        let player = try LiveStepPlayer(
            embeds: embeds, threads: options.run.threads, interruption: interruption, console: console,
            keeper: SafetyKeeper(maximumRate: options.run.maximumRate, redact: scenario.document.redact))
        var servesConfiguration: Bool? = embeds ? true : nil
        var scraper: CapacityScraper?
        do {
            scraper = try await CapacityScraper.start(
                options.run, began: search.began, limit: settings.maxTime, console: console)
            while !interruption.isRequested, let plan = session.next(remaining: search.remaining) {
                announce(plan, session, search)
                if let shortage = try await player.shortage(of: plan) {
                    take(session.note(unplayed: plan, because: shortage), session, search)
                    continue
                }
                let begun = Host.monotonic
                var played = try await player.play(plan)
                scraper?.note(CapacityText.load(plan.load, settings.scaling), since: begun)
                let wall = Host.monotonic - begun
                let hasPaused = try await player.lookForTarget(after: plan, &played.measurement)
                let step: CapacityReport.Step
                (step, session, servesConfiguration) = try await OwnThread.compute {
                    [session, servesConfiguration, played] in
                    var (session, serves) = (session, servesConfiguration)
                    let step = try session.note(played.measurement, of: plan, wall: wall) {
                        () throws(CommandFailure) in
                        try control(of: plan, played, search, &serves)
                    }
                    return (step, session, serves)
                }
                take(step, session, search)
                guard step.verdict != .cut else { break }
                search.output.keep(session.finished(wallSeconds: elapsed(since: search.began)), console)
                if !hasPaused, session.next(remaining: search.remaining) != nil {
                    await player.pause(afterBreak: session.lastBroke)
                }
            }
        } catch {
            await player.shutDown()
            _ = await scraper?.finish()
            throw error
        }
        await player.shutDown()
        session.take(await scraper?.finish())
    }

    /// The control of a live step.
    ///
    /// - Parameter servesConfiguration: Whether the target answers fetches of configuration, once that is known: a
    ///   device with a configuration has an event more, and an upload. The control that captures as much as the
    ///   devices did tells.
    private func control(
        of plan: StepPlan, _ played: (measurement: StepMeasurement, start: Instant), _ search: Search,
        _ servesConfiguration: inout Bool?
    ) throws(CommandFailure) -> StepMeasurement {
        func control(_ serves: Bool) throws(CommandFailure) -> StepMeasurement {
            try search.virtual.control(
                of: plan, start: played.start, controlsCollector: embeds, servesConfiguration: serves)
        }
        if let servesConfiguration { return try control(servesConfiguration) }
        let captured = Double(played.measurement.captured)
        let with = try control(true)
        guard (Double(with.captured) - captured).magnitude > captured * 0.01, !with.wasCut else {
            return with
        }
        let without = try control(false)
        let isNearer =
            (Double(without.captured) - captured).magnitude < (Double(with.captured) - captured).magnitude
        servesConfiguration = !isNearer
        return isNearer ? without : with
    }

    /// Says that an interrupt was heard.
    static func acknowledge(on console: RunConsole) {
        console.status("")
        console.say(
            "stopping: the step is cut short, and what is known by now is told; interrupt again to end at once"
        )
    }

    private func elapsed(since began: Interval) -> Double { (Host.monotonic - began).fractionalSeconds }

    private func target(_ live: LiveRunner) -> String {
        if options.isVirtual { return Report.modelledTarget }
        return live.targetText(scenario.document.plans(start: ScenarioDocument.virtualStart))
    }

    /// A search that has not begun, with conditions that a collector without limits keeps, and windows sized by what
    /// is offered to it.
    ///
    /// - Throws: ``CommandFailure`` with code 64 where steps would offer nothing.
    private func session(
        startedAt: Instant, target: String, player: VirtualStepPlayer
    ) throws(CommandFailure) -> CapacitySession {
        let document = scenario.document
        let context = Report.RunContext(
            command: options.run.command.map(document.redact), host: Host.name,
            operatingSystem: Host.operatingSystem, cores: Host.cores, memoryBytes: Host.memoryBytes,
            target: document.redact(target))
        let (control, load) = try control(player)
        let seconds = control.window.seconds * load
        var settings = settings
        if !options.isVirtual {
            try settings.search.keep(
                to: options.run.maximumRate, requestsPerLoad: Double(control.started) / seconds)
        }
        let conditions = CapacityConditions(
            scenario.thresholds, control: control.wasCut ? nil : control.window,
            populations: document.publicNames)
        var report = CapacityReport(
            toolVersion: Beaconswarm.version, scenario: scenario.reference,
            mode: options.isVirtual ? .virtual : .live, seed: document.seed, startedAt: startedAt,
            run: context, scaling: settings.scaling, precision: settings.search.precision,
            conditions: conditions.described)
        report.maxSeconds = settings.maxTime.fractionalSeconds
        report.warnings = document.warnings.map { "\($0.pointer): \($0.text)" }
        return CapacitySession(
            settings: settings, document: document, conditions: conditions, report: report,
            forecast: (Double(control.started) / seconds, Double(control.captured) / seconds),
            numbersGoOn: !options.isVirtual && !embeds)
    }

    // MARK: - What is said

    /// Says what is going to happen.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if not even one step fits into the time.
    private func begin(_ session: CapacitySession) throws(CommandFailure) {
        let report = session.report
        console.say(
            "beaconswarm \(Beaconswarm.version): capacity of \(report.run.target) for \(report.scenario.name), "
                + "\(report.mode.rawValue), seed \(report.seed), by \(report.scaling.rawValue)")
        if let seconds = report.arrivalSeconds {
            console.say(
                "a load of N devices: so many open the app within \(Interval.fractional(seconds: seconds).text), "
                    + "evenly, and use it as they do")
        }
        for condition in report.conditions where condition.origin != .steadiness {
            console.say("has to keep: \(condition.metric) \(condition.expression)")
        }
        for warning in report.warnings { console.warn(warning) }
        if let plan = session.next(), session.next(remaining: settings.maxTime) == nil {
            let step = plan.warmUp + plan.window
            throw CommandFailure(
                .usage,
                "--max-time: found \(settings.maxTime.text), but one step takes \(step.text) and a little more"
            )
        }
        let asked = settings.search.from
        if let first = session.next()?.load, first > asked {
            let load = { CapacityText.load($0, settings.scaling) }
            console.say(
                "the search begins at \(load(first)), not at \(load(asked)): the window of a smaller load has too few requests"
            )
        }
        console.say(session.estimate(limit: settings.maxTime))
        console.say(CapacityText.header(report))
    }

    private func announce(_ plan: StepPlan, _ session: CapacitySession, _ search: Search) {
        let load = CapacityText.load(plan.load, settings.scaling)
        let time = plan.warmUp + plan.window
        console.status(
            "step \(plan.number): \(load), \(plan.purpose.rawValue), \(time.text); so far \(session.range); "
                + "at most \(search.remaining.roundedUpToSeconds.text) left",
            share: 1 - search.remaining.fractionalSeconds / settings.maxTime.fractionalSeconds)
    }

    private func take(_ step: CapacityReport.Step, _ session: CapacitySession, _ search: Search) {
        console.watch?.take(.search(session.finished(wallSeconds: elapsed(since: search.began))))
        console.status("")
        console.say(CapacityText.line(step, of: session.report, range: session.range, color: color))
    }

    /// - Parameter folder: `nil` where the report could not be written.
    private func end(_ report: CapacityReport, folder: String?) {
        console.watch?.take(.search(report))
        let text = { (color: Bool) in
            CapacityText.summary(report, color: color, width: console.summaryWidth)
                + (folder.map { "report: \($0)/capacity.html\n" } ?? "")
        }
        console.end(json: { CapacityJSON.write(report) }, quietly: report.failure, summary: text)
    }
}

extension CapacityReport {
    /// Why the search is no success, in a line; `nil` where it is one.
    fileprivate var failure: String? {
        let verdict = VerdictRules.verdict(of: exitCode)
        return verdict == .passed ? nil : "\(verdict.rawValue): \(reasons.joined(separator: " "))"
    }
}
