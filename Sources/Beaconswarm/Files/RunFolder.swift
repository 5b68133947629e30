import Files
import Glibc
import Reporting
import Timebase

/// A run's folder: made at the start, filled while the run goes on, whole at its end.
struct RunFolder: Sendable {
    let path: String

    /// Makes the folder.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if anything is there already or it cannot be made there.
    init(creating path: String) throws(CommandFailure) {
        try FileName.check(path, of: "--out")
        let isNew: Bool
        do { isNew = try Folder.makeNew(path) } catch { throw CommandFailure(.usage, error) }
        guard isNew else { throw RunFolder.taken(path) }
        self.path = path
    }

    /// A folder that is there.
    init(existing path: String) { self.path = path }

    /// The folder's default name: `reports/<name>-<mode>-<UTC>`.
    static func defaultPath(scenario: String, mode: Report.Mode, at instant: Instant) -> String {
        defaultPath(scenario: scenario, kind: mode.rawValue, at: instant)
    }

    /// The same for what is no run: `reports/<name>-<kind>-<UTC>`.
    static func defaultPath(scenario: String, kind: String, at instant: Instant) -> String {
        let safe = scenario.map {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-"
        }
        let base = "reports/\(String(safe))-\(kind)-\(instant.compactText)"
        guard OutputFile.exists(base) else { return base }
        // Two runs in one second: the later ones are numbered.
        return (2...).lazy.map { "\(base)-\($0)" }.first { !OutputFile.exists($0) } ?? base
    }

    /// - Throws: ``CommandFailure`` with code 64 if something is at the path.
    static func checkIsFree(_ path: String) throws(CommandFailure) {
        guard !OutputFile.exists(path) else { throw taken(path) }
    }

    private static func taken(_ path: String) -> CommandFailure {
        CommandFailure(.usage, "the run's folder \(path) exists already; name another with --out")
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes a file of the folder, if it is there.
    func remove(_ name: String) { unlink(file(name)) }

    /// Removes the folder with the files in it, but no folder of it.
    func delete() {
        empty()
        rmdir(path)
    }

    /// Removes the files in the folder, but no folder in it.
    func empty() {
        for name in Folder.names(in: path) { remove(name) }
    }

    /// Removes the folder if nothing came to be in it: it would only be in the way of the next try.
    func deleteIfEmpty() { rmdir(path) }

    /// Renews what a broken-off run leaves behind. Only the process may break off: nothing waits for the disk.
    func writePartial(_ report: Report) throws(CommandFailure) {
        // The series last: it can be made from the report.
        try OutputFile.write(ReportJSON.write(report), to: file("report.partial.json"), isDurable: false)
        try OutputFile.write(
            TimeSeriesWriter().render(report), to: file("timeseries.csv"), isDurable: false)
    }
}
