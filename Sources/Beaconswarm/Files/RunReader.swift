import Reporting

/// Reads a finished or broken-off run.
enum RunReader {
    /// Reads the report of a run's folder, or a report by its own path; a broken-off run gives its
    /// last partial report.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if there is no run, 104 if its report cannot be read.
    static func read(_ path: String) throws(CommandFailure) -> Report {
        try FileName.check(path, of: "the run")
        let file = try reportFile(path)
        let bytes = try OutputFile.read(file, failing: .usage)
        do throws(ReportReadError) {
            return try ReportJSON.read(bytes)
        } catch {
            throw CommandFailure(.invalidScenario, "\(file): \(error)")
        }
    }

    private static func reportFile(_ path: String) throws(CommandFailure) -> String {
        if path.hasSuffix(".json") { return path }
        for name in ["report.json", "report.partial.json"] where OutputFile.exists("\(path)/\(name)") {
            return "\(path)/\(name)"
        }
        throw CommandFailure(.usage, "\(path) is no run: it has neither report.json nor report.partial.json")
    }
}
