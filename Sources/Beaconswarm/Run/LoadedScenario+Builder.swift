import Reporting
import Scenario
import Timebase

extension LoadedScenario {
    /// Makes the builder of a run's reports.
    func builder(
        mode: Report.Mode, command: [String], target: String, bodies: Bodies? = nil, marks: [Report.Mark],
        warnings: [String] = [], startedAt: Instant
    ) -> ReportBuilder {
        var context = Report.RunContext(
            command: command.map(document.redact), host: Host.name, operatingSystem: Host.operatingSystem,
            cores: Host.cores, memoryBytes: Host.memoryBytes, target: document.redact(target))
        context.bodies = bodies?.rawValue
        context.commit = EnvironmentVariables.testedCommit(in: Host.environment).map(document.redact)
        context.toolCommit = Beaconswarm.commit
        var builder = ReportBuilder(
            scenario: reference, mode: mode, seed: document.seed, context: context,
            populations: populationInfo, marks: marks,
            warnings: document.warnings.map(\.placedText) + warnings,
            thresholds: thresholds, startedAt: startedAt)
        builder.duration = document.duration
        builder.measureFrom = document.measureFrom
        builder.localTime = document.localTime
        return builder
    }
}
