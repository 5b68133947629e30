import Accounting
import Reporting

extension Beaconswarm {
    /// Fills the audit of a finished run from what a foreign collector's store holds, and renews its
    /// reports.
    ///
    /// - Parameters:
    ///   - folder: The run's folder.
    ///   - path: What the store holds.
    ///   - events: The run's event file, for the times of missing events.
    ///   - json: Whether to print the report's JSON instead of the summary.
    /// - Throws: ``CommandFailure`` if there is no such run or the receipts cannot be read.
    public static func audit(
        folder: String, receipts path: String, events: String?, json: Bool
    ) async throws -> CommandStatus {
        var report = try RunReader.read(folder)
        if report.mode == .virtual {
            throw CommandFailure(
                .usage, "\(folder) was simulated: its collector was in the process, and its audit is there")
        }
        if let events, !OutputFile.exists(events) {
            throw CommandFailure(.usage, "--events \(events): there is no such file")
        }
        let file = "\(folder)/beliefs.txt"
        if report.isPartial, !OutputFile.exists(file) {
            throw CommandFailure(
                .usage,
                "\(folder): the run was broken off, or is still going on: what its devices believed is written "
                    + "at its end, so it cannot be audited; see how far it came with: beaconswarm report \(folder)"
            )
        }
        let content = try BeliefsFile.parse(OutputFile.read(file, failing: .usage), path: file)
        let foreign = try ForeignAudit(receipts: path, beliefs: content.beliefs, times: content.times)
        let knowsKeys = content.beliefs.deliveredNatural.count + content.beliefs.undeliveredNatural.count > 0
        let keys = knowsKeys ? " Events that carry no bs_id are known by natural keys." : ""
        report.take(foreign.audit, note: foreign.note + keys)
        report.judge()
        let run = RunFolder(existing: folder)
        try run.write(missing: foreign.audit, of: report, events: events)
        try run.write(report)
        if json {
            Console.output(ReportJSON.write(report))
        } else {
            Console.output(TerminalSummary.render(report, color: false, width: Host.outputWidth))
        }
        return CommandStatus(rawValue: report.exitCode) ?? .internalError
    }
}
