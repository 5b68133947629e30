import Files
import Reporting
import Scenario
import Wire

/// Reads a finished or broken-off run.
enum RunReader {
    /// Reads the report of a run's folder, or a report by its own path; a broken-off run gives its
    /// last partial report.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if there is no run, 104 if its report cannot be read.
    static func read(_ path: String) throws(CommandFailure) -> Report { try loaded(path).report }

    /// The report that a path names, with its bytes.
    private static func loaded(_ path: String) throws(CommandFailure) -> (report: Report, bytes: [UInt8]) {
        let (file, bytes) = try content(path)
        do throws(ReportReadError) {
            return (try ReportJSON.read(bytes), bytes)
        } catch {
            throw failure(file, bytes, error)
        }
    }

    /// The file of the report that a path names, and what is in it.
    private static func content(_ path: String) throws(CommandFailure) -> (file: String, bytes: [UInt8]) {
        try FileName.check(path, of: "the run")
        let file = try reportFile(path)
        return (file, try OutputFile.read(file, failing: .usage))
    }

    /// What is wrong with a file that is no report; a scenario in the place of its run is told as such.
    private static func failure(
        _ file: String, _ bytes: [UInt8], _ error: ReportReadError
    ) -> CommandFailure {
        if let (node, _) = try? JSONReader.read(bytes), FileKind(of: node) == .scenario {
            return CommandFailure(
                .invalidScenario,
                "\(file) looks like a scenario, and not like the report of a run; name the folder of a run of it"
            )
        }
        return CommandFailure(.invalidScenario, "\(file): \(error)")
    }

    /// What a run came to, for a comparison.
    struct Single {
        var report: Report
        var cell: LabReport.Cell
        /// How its bodies were treated, if it says so.
        var bodies: String?
    }

    /// Reads a finished run's report, and what of it is compared.
    ///
    /// - Throws: as ``read(_:)``.
    static func cell(_ path: String) throws(CommandFailure) -> Single {
        let (report, bytes) = try loaded(path)
        let bodies = (try? JSONReader.readStrictly(bytes))?["run"]?["bodies"]?.string
        return Single(report: report, cell: LabReport.Cell(report), bodies: bodies)
    }

    /// What a folder, or a file, holds.
    enum Result {
        case run(Report)
        /// Several simulations.
        case lab(LabReport)
        /// A search for a capacity.
        case search(CapacityReport)
    }

    /// Reads a run as ``read(_:)`` does, or a search for a capacity; of one that broke off, what was known, and of a
    /// series whatever is whole.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if there is neither, 104 if it cannot be read.
    static func readResult(_ path: String) throws(CommandFailure) -> Result {
        guard let file = try searchFile(path) else {
            if let lab = try lab(path) { return .lab(gathered(lab, from: try reportFile(path))) }
            return .run(try read(path))
        }
        let bytes = try OutputFile.read(file, failing: .usage)
        do throws(ReportReadError) {
            return .search(try CapacityJSON.read(bytes))
        } catch {
            throw CommandFailure(.invalidScenario, "\(file): \(error)")
        }
    }

    /// Reads what several simulations came to; `nil` if a path holds something else.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if there is nothing, 104 if it cannot be read.
    static func lab(_ path: String) throws(CommandFailure) -> LabReport? {
        let (file, bytes) = try content(path)
        let value = try? JSONReader.readStrictly(bytes)
        guard value?["schema"]?.string == LabJSON.schema else { return nil }
        do throws(ReportReadError) {
            return try LabJSON.read(bytes)
        } catch {
            throw CommandFailure(.invalidScenario, "\(file): \(error)")
        }
    }

    /// The file of a search at a path; `nil` if that is none.
    private static func searchFile(_ path: String) throws(CommandFailure) -> String? {
        guard namesFile(path) else {
            return ["capacity.json", "capacity.partial.json"].map { "\(path)/\($0)" }
                .first(where: OutputFile.exists)
        }
        let bytes = try OutputFile.read(path, failing: .usage)
        let value = try? JSONReader.readStrictly(bytes)
        return value?["schema"]?.string == CapacityJSON.schema ? path : nil
    }

    /// What else than a run a folder holds, and what to do with it; `nil` for nothing that is known.
    private static func otherContent(of path: String) -> String? {
        func has(_ names: String...) -> Bool { names.contains { OutputFile.exists("\(path)/\($0)") } }
        if has("capacity.json", "capacity.partial.json") {
            return "a search for a capacity: beaconswarm report renders it, and no other verb reads it"
        }
        if has("sweep.json", "sweep.partial.json") {
            return
                "a sweep, and no run: its page is sweep.html; one that is not over goes on by the command that began it"
        }
        if has("seeds") {
            let first = Folder.names(in: "\(path)/seeds").min() ?? "SEED"
            return "the simulations of a variant: name one of them, such as \(path)/seeds/\(first)"
        }
        return nil
    }

    /// Reads JSON that a run's folder keeps.
    ///
    /// - Throws: ``CommandFailure`` with code 104 if it cannot be read.
    static func document(_ file: String) throws(CommandFailure) -> JSONNode {
        let bytes = try OutputFile.read(file, failing: .invalidScenario)
        do throws(JSONReader.Failure) {
            return try JSONReader.readStrictly(bytes)
        } catch {
            throw CommandFailure(.invalidScenario, "\(file): \(error)")
        }
    }

    /// Whether a path names a file of JSON, and not a folder with files. A folder may have any name.
    static func namesFile(_ path: String) -> Bool { path.hasSuffix(".json") && !OutputFile.isFolder(path) }

    /// Whether there is a report at a path, sound or not.
    static func hasReport(_ path: String) -> Bool { existingReport(path).map(OutputFile.exists) ?? false }

    /// The report that a path names, or that lies in its folder; `nil` for a folder without one.
    private static func existingReport(_ path: String) -> String? {
        if namesFile(path) { return path }
        return ["report.json", partialName].map { "\(path)/\($0)" }.first(where: OutputFile.exists)
    }

    private static func reportFile(_ path: String) throws(CommandFailure) -> String {
        if let file = existingReport(path) { return file }
        guard OutputFile.exists(path) else {
            throw CommandFailure(.usage, "\(path): there is no such file or folder")
        }
        if let other = otherContent(of: path) { throw CommandFailure(.usage, "\(path) holds \(other)") }
        throw CommandFailure(
            .usage,
            "\(path) holds no run and no search: it has neither report.json nor report.partial.json nor capacity.json"
        )
    }
}
