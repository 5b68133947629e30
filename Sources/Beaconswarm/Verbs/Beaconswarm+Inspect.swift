import Reporting
import Scenario
import Timebase

extension Beaconswarm {
    /// Checks scenarios and prints every problem, or the load that a good one offers.
    ///
    /// - Returns: ``CommandStatus/invalidScenario`` if one of them has a problem.
    public static func validate(_ sources: [ScenarioSource]) async throws -> CommandStatus {
        var status = CommandStatus.success
        for source in sources {
            do {
                let scenario = try LoadedScenario(source)
                try LiveRunner.checkCredentials(of: scenario.document.populations.flatMap(\.targets))
                Console.output(
                    "\(source.path): ok, \(scenario.document.deviceCount) devices for \(scenario.document.duration.text)\n"
                )
                Console.output("  \(Forecast(scenario.document, pace: scenario.document.pace).text)\n")
                for warning in scenario.document.warnings {
                    Console.output("  warning: \(warning.pointer): \(warning.text)\n")
                }
            } catch {
                Console.error(error.message)
                status = .invalidScenario
            }
        }
        return status
    }

    /// Prints the JSON Schema of the scenario format.
    public static func schema() -> CommandStatus {
        Console.output(ScenarioSchema.text)
        return .success
    }

    /// Renders a run again to standard output.
    ///
    /// - Parameters:
    ///   - run: The run's folder, or its report.
    ///   - format: The name of a format, such as `html`, or `nil` for the terminal's summary.
    ///   - metric: Whose distribution `hgrm` prints; `nil` for `http_req_duration`.
    ///   - color: Whether the summary may have colours; it has none outside a terminal.
    /// - Throws: ``CommandFailure`` if there is no such run or format.
    public static func report(
        _ run: String, format: String?, metric: String? = nil, color: Bool
    ) throws -> CommandStatus {
        let report = try RunReader.read(run)
        if let metric {
            guard format == PercentileWriter.format else {
                throw CommandFailure(
                    .usage, "--metric \(metric): goes with --format \(PercentileWriter.format)")
            }
            guard PercentileWriter.metrics.contains(metric) else {
                let known = PercentileWriter.metrics.joined(separator: ", ")
                throw CommandFailure(.usage, "--metric \(metric): has no distribution; allowed: \(known)")
            }
            Console.output(PercentileWriter(metric: metric).render(report))
            return .success
        }
        guard let format else {
            let colored =
                color && Host.outputIsTerminal && Host.environment("NO_COLOR").map(\.isEmpty) ?? true
            Console.output(TerminalSummary.render(report, color: colored, width: Host.terminalWidth))
            return .success
        }
        guard let writer = ReportFormats.writer(named: format) else {
            throw CommandFailure(
                .usage,
                "--format \(format): not a format; allowed: \(ReportFormats.names.joined(separator: ", "))")
        }
        Console.output(writer.render(report))
        return .success
    }
}
