import Rendering
import Reporting
import Scenario
import Timebase
import Wire

extension Beaconswarm {
    /// Checks scenarios and prints every problem, or the forecast load of a valid one. A JSON Schema among
    /// them is skipped with a note.
    ///
    /// - Returns: ``CommandStatus/invalidScenario`` if one of them has a problem.
    /// - Throws: ``CommandFailure`` with code 64 if standard input is named more than once.
    public static func validate(_ sources: [ScenarioSource]) async throws -> CommandStatus {
        if sources.count(where: \.isStandardInput) > 1 {
            throw CommandFailure(.usage, "-: standard input can be read once; it is named more than once")
        }
        var status = CommandStatus.success
        for var source in sources {
            source.readsTargetFiles = true
            var content: [UInt8] = []
            do {
                content = try source.read()
                let scenario = try LoadedScenario(source, content: content)
                let warnings = try warnings(of: scenario, source, content)
                Console.output(
                    "\(source.name): ok, \(scenario.document.deviceCount.of("device")) for \(scenario.document.duration.text)\n"
                )
                Console.output("  \(Forecast(scenario.document, pace: scenario.document.pace).text())\n")
                for warning in warnings { Console.output("  warning: \(Escaping.line(warning))\n") }
            } catch {
                if isSchema(content) {
                    Console.output("\(source.name): skipped, a JSON Schema and no scenario\n")
                    continue
                }
                Console.error(Escaping.lines(error.message))
                status = .invalidScenario
            }
        }
        return status
    }

    /// What there is to beware of in a scenario, and in its variants unless one of them is meant.
    private static func warnings(
        of scenario: LoadedScenario, _ source: ScenarioSource, _ content: [UInt8]
    ) throws(CommandFailure) -> [String] {
        var warnings = SeriesWarnings(of: scenario.document, calling: "variant")
        for name in scenario.document.playedVariants(chosen: source.variant) where name != VariantName.base {
            var own = source
            own.variant = name
            // The scenario itself was checked with all of them.
            own.checksVariants = false
            warnings.add(of: try LoadedScenario(own, content: content).document, as: name)
        }
        return warnings.lines
    }

    /// Whether a file is a JSON Schema: the scenarios' own lies beside them, where `*.json` names it too. What a scenario
    /// has to have is in none.
    private static func isSchema(_ bytes: [UInt8]) -> Bool {
        let dialect = bytes.withUnsafeBytes { text in
            try? JSONParser().withParsed(text) { root in
                root["duration"] == nil && root["populations"] == nil ? root["$schema"]?.string : nil
            }
        }
        guard let dialect else { return false }
        return dialect.hasPrefix("https://json-schema.org/") || dialect.hasPrefix("http://json-schema.org/")
    }

    /// Prints the JSON Schema of the scenario format.
    public static func schema() -> CommandStatus {
        Console.output(ScenarioSchema.text)
        return .success
    }

    /// The forms in which a run is rendered again.
    public static let reportFormats = ReportFormats.names

    /// Whose distributions a report in percentiles can show.
    public static let reportMetrics = PercentileWriter.metrics

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
        let report: Report
        switch try RunReader.readResult(run) {
        case .run(let read): report = read
        case .lab(let lab): return try self.report(lab, format: format, metric: metric, color: color)
        case .search(let search): return try self.report(search, format: format, metric: metric, color: color)
        }
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
            let colored = color && wantsColor
            Console.output(TerminalSummary.render(report, color: colored, width: Host.outputWidth))
            return .success
        }
        guard let writer = ReportFormats.writer(named: format) else {
            throw refusal(of: format, for: "a run", allowed: ReportFormats.names)
        }
        Console.output(writer.render(report))
        return .success
    }

    /// Renders several simulations.
    private static func report(
        _ lab: LabReport, format: String?, metric: String?, color: Bool
    ) throws(CommandFailure) -> CommandStatus {
        if let metric {
            throw CommandFailure(
                .usage, "--metric \(metric): name one simulation, RUN/variants/NAME/seeds/SEED")
        }
        let comparisons = lab.comparisons
        switch format {
        case nil:
            Console.output(
                LabText.render(
                    lab, comparisons: comparisons, color: color && wantsColor, width: Host.outputWidth))
        case "html": Console.output(ComparisonHTML.write(lab, comparisons: comparisons))
        case "md": Console.output(LabMarkdown.render(lab, comparisons: comparisons))
        case "json": Console.output(LabJSON.write(lab))
        case .some(let format):
            throw refusal(of: format, for: "several simulations", allowed: ["html", "md", "json"])
        }
        return .success
    }

    /// Renders a search for a capacity.
    private static func report(
        _ search: CapacityReport, format: String?, metric: String?, color: Bool
    ) throws(CommandFailure) -> CommandStatus {
        if let metric {
            throw CommandFailure(.usage, "--metric \(metric): a search for a capacity keeps no distributions")
        }
        guard let format else {
            Console.output(
                CapacityText.summary(search, color: color && wantsColor, width: Host.outputWidth))
            return .success
        }
        guard let bytes = CapacityFormats.render(search, as: format) else {
            throw refusal(of: format, for: "a search for a capacity", allowed: CapacityFormats.names)
        }
        Console.output(bytes)
        return .success
    }

    /// Why a report is not rendered in a form: it is none, or only a single run has it.
    private static func refusal(
        of format: String, for reports: String, allowed: [String]
    ) -> CommandFailure {
        let reason = ReportFormats.writer(named: format) == nil ? "not a format" : "not for \(reports)"
        let names = allowed.joined(separator: ", ")
        return CommandFailure(.usage, "--format \(format): \(reason); allowed: \(names)")
    }

    private static var wantsColor: Bool {
        Host.outputIsTerminal && Host.allowsColor
    }
}
