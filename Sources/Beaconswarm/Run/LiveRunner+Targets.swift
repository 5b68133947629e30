import DeviceSDK
import LiveEngine
import NIOCore
import NIOPosix
import Reporting
import Scenario

// MARK: - Targets

extension LiveRunner {
    /// Where the events go, for people.
    func targetText(_ plans: ScenarioPlans) -> String {
        guard !scenario.document.needsEmbeddedCollector else { return Report.embeddedTarget }
        var targets: [String] = []
        for url in plans.populations.flatMap({ $0.targets.map(\.url) }) where !targets.contains(url) {
            targets.append(url)
        }
        return targets.joined(separator: ", ")
    }

    /// The same before the run has begun, within a sentence and without secrets.
    var targetInWords: String {
        let document = scenario.document
        guard !document.needsEmbeddedCollector else { return "the \(Report.embeddedTarget)" }
        return document.redact(targetText(document.plans(start: ScenarioDocument.virtualStart)))
    }

    /// Reads the targets' certificates, and tries to reach every target once.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for a file that cannot be used, with 69 for the first
    ///   target that cannot be reached.
    func checkTargets() async throws {
        let targets = scenario.document.populations.flatMap(\.targets)
        try LiveRunner.checkCredentials(of: targets)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<CommandFailure?, any Error>
        do {
            result = .success(try await connectFailure(targets, on: group))
        } catch {
            result = .failure(error)
        }
        try? await group.shutdownGracefully()
        if let failure = try result.get() { throw failure }
    }

    private func connectFailure(
        _ targets: [PopulationPlan.Target], on group: MultiThreadedEventLoopGroup
    ) async throws -> CommandFailure? {
        let problem = try await LiveRunner.connectProblem(of: targets, in: scenario.document, on: group)
        return problem.map { CommandFailure(.unreachable, "cannot connect to \($0); nothing was run") }
    }

    /// The first target that cannot be connected to, without secrets, and why; `nil` if all can.
    static func connectProblem(
        of targets: [PopulationPlan.Target], in document: ScenarioDocument,
        on group: MultiThreadedEventLoopGroup
    ) async throws -> String? {
        var checked: Set<String> = []
        for target in targets
        where checked.insert("\(target.origin) \(target.tls) \(target.http)").inserted {
            if let problem = try await LiveEngine.connectProblem(target, on: group.next()) {
                return "\(document.redact(target.origin)): \(problem)"
            }
        }
        return nil
    }

    /// Reads the files that the targets' `tls` names: they may have changed since the scenario was read.
    ///
    /// - Throws: ``CommandFailure`` with code 104 that names the file and what is wrong with it.
    private static func checkCredentials(of targets: [PopulationPlan.Target]) throws(CommandFailure) {
        for target in targets where target.isSecure {
            do throws(LiveEngineError) {
                try LiveEngine.checkCredentials(target)
            } catch {
                throw CommandFailure(.invalidScenario, "\(error); nothing was run")
            }
        }
    }
}
