import CollectorModel
import Scenario
import Wire

/// A file with the description of an SDK.
enum DescriptionFile {
    /// Reads what a collector has to know of it, and tells on standard error what it could not read.
    ///
    /// - Parameter path: The file; its name is that of an SDK without one.
    /// - Throws: ``CommandFailure`` (104) for a file that cannot be read, with every problem of what is in it.
    static func read(_ path: String) throws(CommandFailure) -> UploadDescription {
        let bytes = try OutputFile.read(
            path, failing: .invalidScenario, limit: JSONReader.sizeLimit, mayBePipe: true)
        switch DescriptionReader.read(bytes: bytes, warn: { Console.error($0.line(file: path)) }) {
        case .success(let sdk): return UploadDescription(sdk, unnamed: OutputFile.baseName(path))
        case .failure(let problems):
            throw CommandFailure(
                .invalidScenario, problems.problems.map { $0.text(file: path) }.joined(separator: "\n"))
        }
    }
}
