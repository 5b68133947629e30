import Reporting
import Wire

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

    /// What a folder, or a file, holds.
    enum Result {
        case run(Report)
        /// A search for a capacity.
        case search(CapacityReport)
    }

    /// Reads a run as ``read(_:)`` does, or a search for a capacity; of one that broke off, what was known.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if there is neither, 104 if it cannot be read.
    static func readResult(_ path: String) throws(CommandFailure) -> Result {
        guard let file = try searchFile(path) else { return .run(try read(path)) }
        let bytes = try OutputFile.read(file, failing: .usage)
        do throws(ReportReadError) {
            return .search(try CapacityJSON.read(bytes))
        } catch {
            throw CommandFailure(.invalidScenario, "\(file): \(error)")
        }
    }

    /// The file of a search at a path; `nil` if that is none.
    private static func searchFile(_ path: String) throws(CommandFailure) -> String? {
        guard path.hasSuffix(".json") else {
            return ["capacity.json", "capacity.partial.json"].map { "\(path)/\($0)" }
                .first(where: OutputFile.exists)
        }
        let bytes = try OutputFile.read(path, failing: .usage)
        let value = try? JSONReader.readStrictly(bytes)
        return value?["schema"]?.string == CapacityJSON.schema ? path : nil
    }

    private static func reportFile(_ path: String) throws(CommandFailure) -> String {
        if path.hasSuffix(".json") { return path }
        for name in ["report.json", "report.partial.json"] where OutputFile.exists("\(path)/\(name)") {
            return "\(path)/\(name)"
        }
        throw CommandFailure(
            .usage,
            "\(path) holds no run and no search: it has neither report.json nor report.partial.json nor capacity.json"
        )
    }
}
