import Reporting
import Scenario
import Wire

/// The scenario that a run, or a part of one, keeps: as it was played, but for what is secret in it.
enum KeptScenario {
    /// Reads it, as it was played: no variable that stands for an option changes it, nor one that it names
    /// and whose value is another now.
    ///
    /// - Parameters:
    ///   - sha256: The sum that it had then.
    ///   - variables: What tells the values that its variables had then
    ///     (``ScenarioDocument/variables``); those of which nothing is told are taken as they are.
    ///   - whole: Whether it is a run's, and not that of a part.
    ///   - code: Of failures.
    /// - Throws: ``CommandFailure`` if it was changed since, or cannot be read without what is unknown here.
    static func read(
        _ path: String, sha256: String, variables: [String: String], ofWhole whole: Bool = false,
        failing code: CommandStatus = .usage
    ) throws(CommandFailure) -> LoadedScenario {
        let bytes = try OutputFile.read(path, failing: code)
        let what = whole ? "run" : "part"
        guard SHA256.hexadecimal(of: bytes) == sha256 else {
            throw CommandFailure(
                code, "\(path): not the scenario that the \(what) played: it was changed since")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(CommandFailure) {
            var scenario = try LoadedScenario(
                ScenarioSource(path: path), content: bytes, environment: environment(for: text, variables))
            for (name, sum) in variables { scenario.document.variables[name] = sum }
            return scenario
        } catch {
            guard let lacks = missing(in: text, variables) else { throw error }
            throw CommandFailure(
                code,
                "\(path): cannot be read as it was when the \(what) was played: \(lacks)\n\(error.message)")
        }
    }

    /// Reads a part's.
    ///
    /// - Parameter reference: What reports say of it.
    static func read(
        _ path: String, sha256: String, variables: [String: String], as reference: Report.ScenarioReference
    ) throws(CommandFailure) -> LoadedScenario {
        var scenario = try read(path, sha256: sha256, variables: variables)
        scenario.reference = reference
        return scenario
    }

    /// What a scenario that was kept lacks to be played again as it was; `nil` if nothing.
    static func missing(in scenario: LoadedScenario) -> String? {
        missing(in: String(decoding: scenario.resolvedBytes, as: UTF8.self), scenario.document.variables)
    }

    private static func missing(in text: String, _ variables: [String: String]) -> String? {
        let environment = EnvironmentVariables.none
        var parts = names(in: text).compactMap { name in
            lack(of: name, variables, in: environment).map { "${\(name)} \($0)" }
        }
        if text.contains(Redactor.mask) {
            parts.append(
                "secrets written in it are masked (written as ${NAME}, and set here too, they would not be)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Why a variable's value is not known here; `nil` if it is.
    private static func lack(
        of name: String, _ variables: [String: String], in environment: [String: String]
    ) -> String? {
        guard let value = environment[name] else { return "is not set here" }
        guard let sum = variables[name], sum != ScenarioDocument.sum(ofVariable: name, value: value)
        else { return nil }
        return "has another value here"
    }

    /// The environment, with a word for each variable that the scenario names and whose value is not known
    /// here: parts were played with it, and only a part that is played again needs it, unless the scenario
    /// makes no sense without.
    private static func environment(
        for scenario: String, _ variables: [String: String]
    ) -> [String: String] {
        let own = EnvironmentVariables.none
        var environment = own
        for name in names(in: scenario) where lack(of: name, variables, in: own) != nil {
            environment[name] = "beaconswarm-variable-not-set-here"
        }
        return environment
    }

    /// The variables that a scenario names.
    private static func names(in scenario: String) -> [String] {
        var names: [String] = []
        for part in scenario.split(separator: "${", omittingEmptySubsequences: false).dropFirst() {
            let name = String(part.prefix { $0 != "}" })
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
