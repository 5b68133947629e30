import Reporting
import Scenario
import Wire

/// The scenario that a part keeps.
enum PartScenario {
    /// Reads it, as it was played.
    ///
    /// - Parameters:
    ///   - sha256: The sum that it had then.
    ///   - reference: What reports say of it.
    /// - Throws: ``CommandFailure`` with code 64 if it was changed since.
    static func read(
        _ path: String, sha256: String, as reference: Report.ScenarioReference
    ) throws(CommandFailure) -> LoadedScenario {
        let bytes = try OutputFile.read(path, failing: .usage)
        guard SHA256.hexadecimal(of: bytes) == sha256 else {
            throw CommandFailure(
                .usage, "\(path): not the scenario that the part played: it was changed since")
        }
        var scenario = try LoadedScenario(
            ScenarioSource(path: path), content: bytes, environment: environment(naming: bytes))
        scenario.reference = reference
        return scenario
    }

    /// The environment, with a word for each variable that the scenario names and that is not set here: parts were played
    /// with its value, which nothing that is joined needs.
    private static func environment(naming scenario: [UInt8]) -> [String: String] {
        var environment = EnvironmentVariables.none
        for piece in String(decoding: scenario, as: UTF8.self).split(
            separator: "${", omittingEmptySubsequences: false
        ).dropFirst() {
            let name = String(piece.prefix { $0 != "}" })
            environment[name] = environment[name] ?? "beaconswarm-variable-not-set-here"
        }
        return environment
    }
}
