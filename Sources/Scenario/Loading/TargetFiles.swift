package import DeviceSDK
import Wire

/// What is wrong with a file that a target's `tls` names.
package struct TargetFileProblem: Hashable, Sendable {
    package var kind: Problem.Kind
    /// Its key in `tls`.
    package var key: String
    /// What the file is, or what it lacks.
    package var reason: String
    package var allowed: String

    package init(_ kind: Problem.Kind, key: String, reason: String, allowed: String) {
        (self.kind, self.key, self.reason, self.allowed) = (kind, key, reason, allowed)
    }
}

/// Reads the files of a target's `tls`, by the names that the scenario has for them, and tells what is wrong.
package typealias TargetFileChecker = (PopulationPlan.Target) -> [TargetFileProblem]

extension ScenarioBinder {
    /// Tells what is wrong with the files of a target, if they matter and somebody reads them.
    mutating func checkFiles(of target: BoundTarget) {
        guard let targetFileChecker, let url = target.urls.first(where: \.isSecure) else { return }
        var asked = url
        asked.tls = target.tls
        for problem in targetFileChecker(asked) {
            guard let place = target.filePlaces[problem.key] else { continue }
            reading.report(
                problem.kind, place, found: "\(place.node.summary): \(problem.reason)",
                allowed: problem.allowed)
        }
    }
}

extension PopulationPlan.Target.TLSRules {
    /// Lets the files, where their paths are relative, begin at a folder.
    package mutating func resolve(in folder: String) {
        func resolved(_ path: String?) -> String? {
            path.map { $0.hasPrefix("/") || folder.isEmpty ? $0 : folder + "/" + $0 }
        }
        authorityFile = resolved(authorityFile)
        certificateFile = resolved(certificateFile)
        keyFile = resolved(keyFile)
    }
}

extension ScenarioDocument {
    /// Lets the files that targets name, where their paths are relative, begin at a folder.
    package mutating func resolveTargetFiles(in folder: String) {
        for population in populations.indices {
            for index in populations[population].targets.indices {
                populations[population].targets[index].tls.resolve(in: folder)
            }
        }
    }
}
