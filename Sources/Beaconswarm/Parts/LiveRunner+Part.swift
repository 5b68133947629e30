import Accounting
import DeviceSDK
import LiveEngine
import Measurement
import NIOPosix
import Reporting
import Scenario
import Timebase

// MARK: - Appointments

extension LiveRunner {
    /// How long before its start a run with an appointment is set up, at least: long enough for a machine that is busy just
    /// then, short enough that the clock that is set then is still right.
    private static let setUpTime = Interval.seconds(5)

    /// Reads the value of `--at`.
    ///
    /// - Throws: ``CommandFailure`` with code 64 that says what is allowed.
    static func appointment(_ text: String) throws(CommandFailure) -> Instant {
        guard let instant = Instant(text: text), instant >= Instant(nanoseconds: 0),
            Instant.credible.contains(instant)
        else {
            throw CommandFailure(
                .usage,
                "--at: found \"\(text)\", allowed is an instant from 1970 to 2199 with its offset from UTC, such as "
                    + "2026-12-01T12:00:00Z")
        }
        return instant
    }

    private static func late(by lateness: Interval, for appointment: Instant) -> CommandFailure {
        CommandFailure(
            .invalidRun,
            "late for --at \(appointment.text) by \(seconds(lateness)): nothing was sent; the run is invalid")
    }

    private static func interrupted(before appointment: Instant) -> CommandFailure {
        CommandFailure(
            .interrupted, "interrupted while it waited for --at \(appointment.text): nothing was sent")
    }

    private static func seconds(_ interval: Interval) -> String {
        "\((interval.fractionalSeconds * 1000).rounded() / 1000) s"
    }

    /// Waits until it is time to set the run up, and sets its clock.
    ///
    /// - Throws: ``CommandFailure`` with code 96 for an appointment that has passed, and with code 105 if the run is to end
    ///   while it waits; an attempt at a part notes why it came to nothing.
    func meet(_ attempt: PartFolder?) async throws -> (start: Instant, beginning: Instant, clock: RunClock) {
        do {
            try await awaitSetUp()
            return try setClock()
        } catch {
            attempt?.note(reason: LiveRunner.words(error))
            throw error
        }
    }

    private func awaitSetUp() async throws {
        guard let appointment else { return }
        // From here on a signal ends the wait, and not the process.
        interruption.begin()
        let lead = LiveRunner.setUpTime + RunClock.lead(devices: scenario.document.deviceCount) * 3
        let wait = appointment - lead - Host.now
        if wait > .zero {
            console.say("waiting for \(appointment.text), in \(LiveRunner.seconds(appointment - Host.now))")
        }
        guard await interruption.wait(for: wait) else {
            throw LiveRunner.interrupted(before: appointment)
        }
    }

    /// Sets the run's clock, which goes before the run begins, by the time that setting everything up takes.
    ///
    /// - Returns: the clock, and what it and the one on the wall show when the run begins.
    private func setClock() throws(CommandFailure) -> (start: Instant, beginning: Instant, clock: RunClock) {
        let now = Host.now
        let own = RunClock.lead(devices: scenario.document.deviceCount) + .milliseconds(300)
        let lead = appointment.map { $0 - now } ?? own
        if let appointment, lead <= .zero {
            throw LiveRunner.late(by: now - appointment, for: appointment)
        }
        let start = scenario.document.start ?? now + lead
        return (start, now + lead, RunClock(reaching: start, in: lead, pace: scenario.document.pace))
    }

    /// Makes all devices.
    ///
    /// - Returns: the run, and how long before its start it was ready.
    /// - Throws: ``CommandFailure`` with code 96 for one that was not.
    func setUp(_ configuration: LiveConfiguration, _ stage: Stage) async throws -> (LiveRun, Interval) {
        do {
            let run = try await LiveRun.start(configuration, on: stage.loads.makeIterator().map { $0 })
            return (run, stage.clock.realTime(stage.start - stage.clock.now()))
        } catch LiveEngineError.late(let lateness) {
            throw LiveRunner.late(by: lateness, for: appointment ?? stage.start)
        }
    }

    /// Waits for the start of a run with an appointment: until then, an interrupt ends it without a word to anybody.
    ///
    /// - Throws: ``CommandFailure`` with code 105 if the run is to end before it begins.
    func awaitStart(_ run: LiveRun, _ stage: Stage) async throws {
        guard let appointment else { return }
        let rest = stage.clock.realTime(stage.start - stage.clock.now())
        guard await !interruption.wait(for: rest) else { return }
        run.end()
        _ = try? await run.result()
        throw LiveRunner.interrupted(before: appointment)
    }
}

// MARK: - Parts

extension LiveRunner {
    static let externalNote =
        "An external target: give what its store holds with --receipts, or later with beaconswarm audit."
    /// The same of a joined run, which takes no receipts itself.
    static let joinedNote = "An external target: give what its store holds with beaconswarm audit."

    /// Refuses what no part of a run can do.
    func checkPart() throws(CommandFailure) {
        guard let part else { return }
        _ = try PartFolder.meeting(of: options)
        for (option, isGiven) in [
            ("--receipts", !options.receipts.isEmpty), ("--trace-devices", options.tracedDevices != nil),
            ("--keep-stores", options.keepStores != nil), ("--json", options.json),
        ] where isGiven {
            throw CommandFailure(
                .usage,
                "\(option): a part of a run has neither report nor audit; beaconswarm merge makes the report of all, and "
                    + "beaconswarm audit audits that")
        }
        try PartRunner.check(scenario)
        guard part.count > 1 else { return }
        if scenario.document.needsEmbeddedCollector {
            throw CommandFailure(
                .usage,
                "--shard \(part.text): a collector that is embedded in one part cannot be shared by the others: start one "
                    + "(beaconswarm collect) and name it with --target; nothing was run")
        }
        if appointment == nil {
            throw CommandFailure(
                .usage,
                "--shard \(part.text) wants --at: the instant at which all parts begin; nothing was run")
        }
        let plans = scenario.document.plans(start: ScenarioDocument.virtualStart)
        if let problem = LiveEngine.divisionProblem(plans: plans.populations, parts: part.count) {
            throw CommandFailure(.usage, "--shard \(part.text): \(problem); nothing was run")
        }
    }

    /// Takes the next attempt at the part; `nil` for a whole run.
    func claim() throws(CommandFailure) -> PartFolder? {
        guard let part else { return nil }
        return try PartFolder.claim(part, in: PartFolder.meeting(of: options))
    }

    func output(_ stage: Stage, _ plans: ScenarioPlans) throws(CommandFailure) -> RunOutput {
        guard let attempt = stage.attempt else {
            return try RunOutput(
                scenario: scenario, plans: plans, mode: .live, options: options, startedAt: stage.beginning,
                namedAt: appointment ?? Host.now)
        }
        return try RunOutput(
            partIn: attempt, of: scenario, plans: plans, mode: .live, options: options,
            startedAt: stage.beginning)
    }

    /// Who watches over what this process sends, which of the whole run may be a part.
    func keeper(of builder: ReportBuilder) -> SafetyKeeper {
        SafetyKeeper(
            maximumRate: options.maximumRate,
            part: part.map { SafetyWatch.Part(number: $0, host: builder.context.host) },
            redact: scenario.document.redact)
    }

    /// What went wrong, for whoever looks into the folder of a part.
    static func words(_ error: any Error) -> String {
        (error as? CommandFailure)?.message ?? "\(error)"
    }

    /// What a part came to.
    struct Measured {
        var progress: ReportBuilder.Progress
        var result: LiveResult
        var tallies: [TargetTally]
        var margin: Interval
        /// Takes secrets out of a text.
        var redact: (String) -> String
    }

    /// Writes everything of a part. It judges nothing but itself: thresholds are about all devices.
    func finish(
        _ measured: Measured, of part: PartNumber, _ plans: ScenarioPlans, _ output: RunOutput,
        _ builder: ReportBuilder, _ stage: Stage
    ) throws(CommandFailure) -> CommandStatus {
        guard let attempt = stage.attempt else {
            throw CommandFailure(.internalError, "a part without a folder")
        }
        let progress = measured.progress
        let live = LivePart(
            measured, of: part, builder: builder, wall: output.startedAt...max(output.startedAt, Host.now))
        let state = PartState(
            identity: output.identity(
                of: part, plans: plans, seed: builder.seed, at: appointment ?? output.startedAt),
            index: part.index,
            devices: plans.populations.reduce(0) { $0 + part.share.deviceCount(of: $1.deviceCount) },
            host: builder.context.host, wall: progress.wall, hasEvents: output.events != nil,
            reference: builder.scenario, warnings: builder.warnings + progress.warnings,
            command: builder.context.command, recorder: progress.recorder, audit: progress.audit,
            unexpectedAnswers: measured.result.unexpectedAnswers.map(output.withoutSecrets),
            devicesStarted: progress.devicesStarted, simulated: progress.simulated,
            levels: .none(populationCount: plans.populations.count, at: stage.start), live: live)
        try output.finish(state, in: attempt)
        console.say(
            state.announcement(
                ofAll: scenario.document.deviceCount, in: attempt, of: try PartFolder.meeting(of: options)))
        console.warn(live.alarms)
        return live.status(balance: state.balance, progress.audit)
    }
}
