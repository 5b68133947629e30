import Accounting
import CollectorModel
import Rendering
import Reporting

extension Beaconswarm {
    /// Fills the audit of a finished run, or of one that was joined from parts, from the contents of other collectors'
    /// stores, and updates its reports.
    ///
    /// - Parameters:
    ///   - folder: The run's folder.
    ///   - paths: What the stores hold, a file for each: an event that two of them hold has a copy.
    ///   - events: The run's event file, for the times of missing events.
    ///   - descriptions: Files with descriptions of SDKs whose events the store holds as they were sent.
    ///   - json: Whether to print the report's JSON instead of the summary.
    ///   - quiet: Whether to print no summary; what went wrong is told on standard error all the same.
    ///   - color: Whether the summary has colours where the output is a terminal.
    /// - Throws: ``CommandFailure`` if there is no such run or the receipts cannot be read.
    public static func audit(
        folder: String, receipts paths: [String], events: String?, descriptions: [String] = [], json: Bool,
        quiet: Bool = false, color: Bool = true
    ) async throws -> CommandStatus {
        try checkNames(receipts: paths, events: events, descriptions: descriptions)
        var report = try RunReader.read(folder)
        let file = "\(folder)/beliefs.txt"
        try checkAuditable(report, in: folder, beliefs: file, events: events)
        let content = try BeliefsFile.parse(OutputFile.read(file, failing: .usage), path: file)
        try check(content.beliefs, against: report, path: file)
        var plan = CollectorPlan()
        for path in descriptions { plan.descriptions.append(try DescriptionFile.read(path)) }
        let foreign = try ForeignAudit(
            receipts: paths, beliefs: content.beliefs, times: content.times, plan: plan,
            absent: AbsentDevices(of: report))
        let knowsKeys = content.beliefs.deliveredNatural.count + content.beliefs.undeliveredNatural.count > 0
        let keys = knowsKeys ? " Events that carry no bs_id are known by natural keys." : ""
        let (lines, uploads) = try missing(foreign.audit, in: folder, events: events, times: content.times)
        report.take(foreign.audit, note: Report.note(foreign.note + keys, uploads))
        report.judge()
        let run = RunFolder(existing: folder)
        let written = try run.write(
            report, missing: { try run.write(missing: foreign.audit, of: report, lines: lines) })
        report = written.report
        if let events { warn(of: foreign.audit.missing.count - lines.count, events, foreign.audit) }
        for failure in written.failures { Console.error("error: \(failure.message)") }
        if json || !quiet { showAudited(report, json: json, color: color) }
        if quiet, report.verdict != .passed {
            for reason in report.reasons {
                Console.error(Escaping.line("\(report.verdict.rawValue): \(reason)"))
            }
        }
        return CommandStatus(rawValue: report.exitCode) ?? .internalError
    }

    private static func checkNames(
        receipts paths: [String], events: String?, descriptions: [String]
    ) throws(CommandFailure) {
        guard !paths.isEmpty else {
            throw CommandFailure(.usage, "audit wants --receipts: what the store holds")
        }
        for path in paths { try FileName.check(path, of: "--receipts") }
        try FileName.check(events, of: "--events")
        for path in descriptions { try FileName.check(path, of: "--sdk") }
    }

    /// Refuses a run that has its audit, or of which nobody knows what its devices believed.
    private static func checkAuditable(
        _ report: Report, in folder: String, beliefs: String, events: String?
    ) throws(CommandFailure) {
        if report.mode == .virtual {
            throw CommandFailure(
                .usage, "\(folder) was simulated: its collector was in the process, and its audit is there")
        }
        if let events, !OutputFile.exists(events) {
            throw CommandFailure(.usage, "--events \(events): there is no such file")
        }
        if report.isPartial, !OutputFile.exists(beliefs) {
            throw CommandFailure(
                .usage,
                "\(folder): the run was broken off, or is still going on: what its devices believed is written "
                    + "at its end, so it cannot be audited; see how far it came with: beaconswarm report \(folder)"
            )
        }
    }

    /// What is known of the missing events besides their ids.
    ///
    /// - Parameter events: The event file that the user names; without it, the run's own is read where it is still there
    ///   and tells of the run's time.
    /// - Returns: The file's lines of them, and a sentence on when they were acknowledged or on what would tell.
    /// - Throws: ``CommandFailure`` with code 64 for a file that the user names and that cannot be read.
    private static func missing(
        _ audit: Audit, in folder: String, events: String?, times: RunTimes?
    ) throws(CommandFailure) -> (lines: [EventID: [UInt8]], sentence: String?) {
        guard !audit.missing.isEmpty else { return ([:], nil) }
        if let events {
            let uploads = try MissingUploads(audit, events: events, mayBePipe: true, during: times)
            return (uploads.lines, uploads.sentence)
        }
        let own = (try? ReplayRecord(of: folder))?.eventFile(in: folder)
        let uploads = own.flatMap { try? MissingUploads(audit, events: $0, during: times) }
        if let uploads, let sentence = uploads.sentence { return (uploads.lines, sentence) }
        return (
            [:],
            "\(MissingNames.fileName) lists the missing events; with --events FILE, the run's event file, it says when "
                + "each was acknowledged."
        )
    }

    /// Warns of missing events of which the event file has no line.
    private static func warn(of untold: Int, _ events: String, _ audit: Audit) {
        guard untold > 0 else { return }
        Console.error(
            "warning: --events \(events): it has no line of \(untold) of the \(audit.missing.count) missing events, of which "
                + "missing.ndjson tells no more than the population; is it the whole event file of this run?")
    }

    private static func showAudited(_ report: Report, json: Bool, color: Bool) {
        if json { return Console.output(ReportJSON.write(report)) }
        let colored = color && Host.outputIsTerminal && Host.allowsColor
        Console.output(TerminalSummary.render(report, color: colored, width: Host.outputWidth))
    }

    /// Refuses a file that does not know as many events as the run's report: it was cut, or is of another run.
    private static func check(
        _ beliefs: DeviceBeliefs, against report: Report, path: String
    ) throws(CommandFailure) {
        let captured = beliefs.capturedCounts.reduce(0) { $0 + UInt64($1) }
        guard captured != report.events.captured else { return }
        throw CommandFailure(
            .invalidScenario,
            "\(path): the file knows \(captured) captured events, the run's report \(report.events.captured): it was cut, "
                + "or is of another run")
    }
}
