import Reporting
import Scenario
import Wire

/// The scenario that a run, or a part of one, keeps: as it was played, but for what is secret in it.
enum KeptScenario {
    /// Reads it, as it was played: no variable that stands for an option changes it.
    ///
    /// - Parameters:
    ///   - sha256: The sum that it had then.
    ///   - whole: Whether it is a run's, and not that of a part.
    ///   - code: Of failures.
    /// - Throws: ``CommandFailure`` if it was changed since.
    static func read(
        _ path: String, sha256: String, ofWhole whole: Bool = false, failing code: CommandStatus = .usage
    ) throws(CommandFailure) -> LoadedScenario {
        let bytes = try OutputFile.read(path, failing: code)
        guard SHA256.hexadecimal(of: bytes) == sha256 else {
            throw CommandFailure(
                code,
                "\(path): not the scenario that the \(whole ? "run" : "part") played: it was changed since")
        }
        return try LoadedScenario(
            ScenarioSource(path: path), content: bytes, environment: environment(naming: bytes))
    }

    /// Reads a part's.
    ///
    /// - Parameter reference: What reports say of it.
    static func read(
        _ path: String, sha256: String, as reference: Report.ScenarioReference
    ) throws(CommandFailure) -> LoadedScenario {
        var scenario = try read(path, sha256: sha256)
        scenario.reference = reference
        return scenario
    }

    /// What a scenario that was kept lacks to be played again as it was; `nil` if nothing.
    static func missing(in scenario: LoadedScenario) -> String? {
        let text = String(decoding: scenario.resolvedBytes, as: UTF8.self)
        var parts = names(in: text).filter { Host.environment[$0] == nil }.map { "${\($0)} is not set here" }
        if text.contains(Redactor.mask) {
            parts.append(
                "secrets written in it are masked (written as ${NAME}, and set here too, they would not be)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The environment, with a word for each variable that the scenario names and that is not set here: parts were played
    /// with its value, which only a part that is played again needs.
    private static func environment(naming scenario: [UInt8]) -> [String: String] {
        var environment = EnvironmentVariables.none
        for name in names(in: String(decoding: scenario, as: UTF8.self)) where environment[name] == nil {
            environment[name] = "beaconswarm-variable-not-set-here"
        }
        return environment
    }

    /// The variables that a scenario names.
    private static func names(in scenario: String) -> [String] {
        var names: [String] = []
        for piece in scenario.split(separator: "${", omittingEmptySubsequences: false).dropFirst() {
            let name = String(piece.prefix { $0 != "}" })
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
