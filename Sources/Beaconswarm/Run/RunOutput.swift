import Accounting
import DeviceSDK
import Files
import GrowingSDK
import Measurement
import Reporting
import Scenario
import Timebase
import Wire

/// Everything that a run leaves behind: its folder and, if asked for, its event file.
struct RunOutput: Sendable {
    let scenario: LoadedScenario
    let mode: Report.Mode
    let options: RunOptions
    let folder: RunFolder
    /// Room for the run's report, whatever fills the disk meanwhile.
    let reserve: DiskReserve
    let events: EventFile?
    /// What happens on the devices that are traced, if any is.
    let trace: TraceFile?
    /// What interceptors of the SDKs copy; `nil` if none does.
    let copies: EventCopies?
    let marks: [Report.Mark]
    /// What the wall clock showed, or will show, at second 0 of a live run; when a simulation was begun.
    let startedAt: Instant

    /// - Parameters:
    ///   - startedAt: `nil` for now.
    ///   - namedAt: What the folder is named by, where nobody named it; `nil` for `startedAt`.
    init(
        scenario: LoadedScenario, plans: ScenarioPlans, mode: Report.Mode, options: RunOptions,
        partFolder: PartFolder? = nil, startedAt: Instant? = nil, namedAt: Instant? = nil
    ) throws(CommandFailure) {
        self.scenario = scenario
        self.mode = mode
        self.options = options
        self.startedAt = startedAt ?? Host.now
        marks = scenario.marks(plans)
        let path =
            partFolder?.path ?? options.out
            ?? RunFolder.defaultPath(
                scenario: scenario.reference.name, mode: mode, at: namedAt ?? self.startedAt)
        if partFolder == nil { try RunFolder.checkIsFree(path) }
        var traced: TracedDevices?
        if mode == .live, let devices = options.tracedDevices {
            traced = try TracedDevices(devices, of: scenario.document.deviceCount)
        }
        let folder = partFolder == nil ? try RunFolder(creating: path) : RunFolder(existing: path)
        self.folder = folder
        reserve = DiskReserve(in: path, bytes: DiskReserve.limit, share: 0.5)
        do throws(CommandFailure) {
            if let traced { trace = try TraceFile(of: traced, in: folder) } else { trace = nil }
            copies = try EventCopies(
                plans.populations.map(\.system), in: folder, redactor: scenario.document.redactor)
            if let file = options.events {
                events = try EventFile(
                    path: file, populations: scenario.eventNames(plans), isOfPart: partFolder != nil)
            } else {
                events = nil
            }
        } catch {
            // It would only be in the way of the next try.
            folder.empty()
            if partFolder == nil { folder.deleteIfEmpty() }
            throw error
        }
        options.watch?.keep(in: path)
    }

    /// The plans of the run, whose devices know where copies go.
    func attached(to plans: ScenarioPlans) -> ScenarioPlans {
        guard let copies else { return plans }
        var plans = plans
        for index in plans.populations.indices {
            guard let rules = plans.populations[index].system as? GrowingRules,
                rules.interceptors.contains(where: { $0.copyTo != nil })
            else { continue }
            plans.populations[index].growingPlugins.copies = copies
        }
        return plans
    }

    /// Makes the builder of the run's reports.
    func builder(
        target: String, bodies: Bodies? = nil, warnings: [String] = []
    ) -> ReportBuilder {
        var builder = scenario.builder(
            mode: mode, command: options.command, target: target, bodies: bodies, marks: marks,
            warnings: warnings, startedAt: startedAt)
        builder.radios = RadioSurvey(scenario.document)
        return builder
    }

    /// When the run took place.
    ///
    /// - Parameter skew: How far devices' clocks may be off.
    func times(of progress: ReportBuilder.Progress, skew: Interval) -> RunTimes {
        let start = progress.recorder.series.start
        let wall = progress.wallTimes ?? startedAt...max(startedAt, Host.now)
        // A foreign collector knows nothing of a pace: days of people would take in what comes to its store
        // long after the run.
        let document = scenario.document
        let isForeign = mode == .live && document.pace > 1 && !document.needsEmbeddedCollector
        return RunTimes(
            run: isForeign ? wall : start...max(start, start + progress.simulated), wall: wall, skew: skew)
    }

    /// Writes everything, says what came out, and gives the code to exit with.
    ///
    /// What came out is said too where it cannot be written: a full disk shall not cost an hour's result.
    ///
    /// - Throws: ``CommandFailure`` if not even the report could be written; for anything else the code is 70.
    func finish(
        _ progress: ReportBuilder.Progress, builder: ReportBuilder, console: RunConsole
    ) throws(CommandFailure) -> CommandStatus {
        var report = builder.report(progress)
        reserve.release()
        var failures: [CommandFailure] = []
        do throws(CommandFailure) {
            (report, failures) = try folder.write(
                report, internalError: progress.internalError, data: data(of: progress),
                missing: missing(of: progress, report))
        } catch {
            report.judge(
                internalError: progress.internalError, unwritten: [error.message], lacksReport: true)
            console.end(report, folder: nil, warned: builder.warnings, errors: [error.message])
            throw error
        }
        let hasReport = OutputFile.exists(folder.file("report.json"))
        console.end(
            report, folder: hasReport ? folder.path : nil, warned: builder.warnings,
            errors: failures.map(\.message))
        // The last one is that of the report, which could not be told of the others and was removed.
        let lacking = hasReport ? nil : failures.popLast()
        for failure in failures { Console.error("error: \(failure.message)") }
        if let lacking { throw lacking }
        return CommandStatus(rawValue: report.exitCode) ?? .internalError
    }

    /// Leaves nothing of a run that did not come to be.
    ///
    /// - Parameter keepingFolder: Whether the empty folder stays, as that of an attempt at a part.
    func discard(keepingFolder: Bool = false) {
        reserve.release()
        events?.discard()
        folder.empty()
        if !keepingFolder { folder.deleteIfEmpty() }
    }

    /// What tells how to play the run again.
    private func replayRecord(
        of progress: ReportBuilder.Progress, scenario resolved: [UInt8]
    ) -> ReplayRecord {
        var record = ReplayRecord(
            toolVersion: Beaconswarm.version, scenarioSHA256: SHA256.hexadecimal(of: resolved),
            start: progress.recorder.series.start)
        record.variables = scenario.document.variables
        record.usersStoppedAt = progress.usersStoppedAt
        record.drainEndedAt = progress.drainEndedAt
        record.isInterrupted = progress.interrupted
        record.hasServices = scenario.hasServices
        record.events = options.events
        return record
    }

    /// What only the run knows.
    private func data(of progress: ReportBuilder.Progress) -> [() throws -> Void] {
        let times = times(of: progress, skew: scenario.document.clockSkew)
        return [
            {
                let resolved = scenario.resolvedBytes
                try OutputFile.write(resolved, to: folder.file(ReplayRecord.scenarioName))
                let record = replayRecord(of: progress, scenario: resolved)
                try OutputFile.write(record.bytes(), to: folder.file(ReplayRecord.fileName), isDurable: false)
            },
            {
                try OutputFile.write(
                    BeliefsFile.render(progress.recorder.beliefs, times: times),
                    to: folder.file("beliefs.txt"))
            },
            { try events?.finish() },
            { try trace?.finish() },
            { try copies?.finish() },
            {
                try OutputFile.write(
                    IntervalLogWriter.render(progress.recorder.series, toolVersion: Beaconswarm.version),
                    to: folder.file(IntervalLogWriter.fileName))
            },
        ]
    }

    /// What the audit found, where there is one.
    private func missing(of progress: ReportBuilder.Progress, _ report: Report) -> () throws -> Void {
        return {
            guard let audit = progress.audit else { return }
            // What the file does not tell stays open.
            let lines = options.events.flatMap { path in
                try? EventLines.lines(of: Set(audit.missing), in: path)
            }
            try folder.write(missing: audit, of: report, lines: lines ?? [:])
        }
    }
}
