import Accounting
import AppModel
import CollectorModel
import DeviceSDK
import Reporting
import Scenario
import Timebase
import Wire

/// A scenario that is sound, with everything that a run needs to know of it before it begins.
struct LoadedScenario: Sendable {
    var document: ScenarioDocument
    var reference: Report.ScenarioReference
    var thresholds: [Threshold]
    /// Databases that a program registers in the place of stores in memory.
    var databases = RegisteredDatabases()
    /// Whether a program registered anything in the place of parts of the SDKs.
    private(set) var hasServices = false

    /// Reads and checks a scenario.
    ///
    /// - Throws: ``CommandFailure`` with code 104 and every problem, a line each.
    init(_ source: ScenarioSource) throws(CommandFailure) {
        try self.init(source, content: source.read())
    }

    /// Checks a scenario that was read already.
    ///
    /// - Parameter environment: What `${NAME}` and variables that stand for options are looked up in.
    /// - Throws: as ``init(_:)``.
    init(
        _ source: ScenarioSource, content bytes: [UInt8], environment: [String: String] = Host.environment
    ) throws(CommandFailure) {
        let result = ScenarioLoader.load(
            bytes: bytes, name: source.isStandardInput ? "stdin" : OutputFile.baseName(source.path),
            options: source.options, environment: environment,
            thresholdChecker: LoadedScenario.thresholdProblem,
            zones: .known,
            targetFileChecker: source.readsTargetFiles
                ? TargetFiles.checker(in: LoadedScenario.folder(source.path)) : nil,
            readFile: { LoadedScenario.readFile($0, besides: source.path) })
        switch result {
        case .success(let sound):
            document = sound
            document.resolveTargetFiles(in: LoadedScenario.folder(source.path))
        case .failure(let problems): throw LoadedScenario.failure(problems, path: source.name)
        }
        reference = Report.ScenarioReference(
            name: document.redact(document.name), description: document.redact(document.description),
            sha256: SHA256.hexadecimal(of: bytes),
            overrides: document.overrides.map { "\($0.origin) \($0.path)=\($0.value)" },
            expectation: Report.Expectation(rawValue: document.expect.rawValue))
        thresholds = try LoadedScenario.parse(document.thresholds)
        for index in thresholds.indices {
            thresholds[index].population = thresholds[index].population.map(document.publicName)
        }
        hasServices = !source.registrations.isEmpty
        try register(source.registrations, path: source.name)
        document.applyWantedRates()
        document.warnings += RateWarnings.of(document)
        let redactor = document.redactor
        let ofThresholds =
            ThresholdScaling.warnings(thresholds, of: document)
            + ThresholdBounds.warnings(thresholds, of: document)
        document.warnings += ofThresholds.map {
            ScenarioWarning(pointer: $0.pointer, text: redactor.redact($0.text))
        }
        document.warnings += EnvironmentVariables.warnings(environment).map {
            ScenarioWarning(pointer: "environment", text: $0)
        }
    }

    private static func failure(_ problems: ScenarioProblems, path: String) -> CommandFailure {
        let lines = problems.problems.map { $0.text(file: path) }
        let head = "\(path) has \(lines.count.of("problem")); nothing was run"
        return CommandFailure(.invalidScenario, ([head] + lines).joined(separator: "\n"))
    }

    /// Reads a file that a scenario names: by its whole path, or as one that lies beside the scenario.
    private static func readFile(_ name: String, besides scenario: String) -> [UInt8]? {
        let folder = folder(scenario)
        let isWhole = name.hasPrefix("/")
        return try? OutputFile.read(
            isWhole || folder.isEmpty ? name : folder + "/" + name, failing: .invalidScenario,
            limit: JSONReader.sizeLimit, mayBePipe: isWhole)
    }

    /// The folder of a path; empty for a bare name.
    private static func folder(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What is wrong with a threshold, or `nil`.
    private static func thresholdProblem(metric: String, expression: String) -> String? {
        do throws(ThresholdError) {
            _ = try Threshold.parse(metric: metric, expression: expression)
            return nil
        } catch {
            let names = error.nearest.joined(separator: " or ")
            return error.allowed + (names.isEmpty ? "" : "; did you mean \(names)?")
        }
    }

    private static func parse(_ thresholds: [ScenarioThreshold]) throws(CommandFailure) -> [Threshold] {
        var result: [Threshold] = []
        for written in thresholds {
            do throws(ThresholdError) {
                var threshold = try Threshold.parse(metric: written.metric, expression: written.expression)
                threshold.abortOnFail = written.abortsOnFail
                threshold.delayAbortEval = written.delayAbortEval
                result.append(threshold)
            } catch {
                throw CommandFailure(.invalidScenario, "\(written.pointer): \(error.description)")
            }
        }
        return result
    }

    /// `scenario.json` of a run's folder: the scenario as it is played.
    var resolvedBytes: [UInt8] { Array((document.resolved.prettyText() + "\n").utf8) }

    /// What reports say of each population.
    var populationInfo: [ReportBuilder.PopulationInfo] {
        zip(document.publicNames, document.populations).map { name, population in
            ReportBuilder.PopulationInfo(
                name: name, system: population.system.systemName,
                version: population.system.versionName, devices: population.devices,
                users: population.users.map(document.publicName),
                userDifferences: population.userDifferences(among: document.populations))
        }
    }

    /// What limits the audit of populations whose events carry no id; `nil` where all do.
    var untaggedNote: String? {
        let untagged = document.populations.indices.filter { !document.populations[$0].tagsEvents }
            .map { document.publicNames[$0] }
        guard !untagged.isEmpty else { return nil }
        return "Events of \(untagged.joined(separator: ", ")) carry no bs_id: they are known by natural keys."
    }

    /// Marks for charts, in seconds since the start.
    func marks(_ plans: ScenarioPlans) -> [Report.Mark] {
        plans.marks.map { mark in
            var shown = Report.Mark(
                from: (mark.from - plans.schedule.start).fractionalSeconds,
                until: mark.until.map { ($0 - plans.schedule.start).fractionalSeconds },
                text: document.redact(mark.text))
            shown.name = document.redact(mark.name)
            return shown
        }
    }

    /// The names that event lines bear, per population, without secrets.
    func eventNames(_ plans: ScenarioPlans) -> [EventFile.PopulationNames] {
        let redact: (String) -> String = document.redactor.redactSecrets
        return zip(document.publicNames, plans.populations).map { name, plan in
            var single = plan
            single.deviceCount = 1
            return EventFile.PopulationNames(
                name: name, system: plan.system.systemName,
                labels: makeFleet(plan: single, share: .whole).labels.map { label in
                    EventLabel(type: redact(label.type), name: redact(label.name))
                })
        }
    }
}

extension ScenarioSource {
    /// What the scenario's loader is told of it.
    fileprivate var options: Scenario.ScenarioOptions {
        var options = Scenario.ScenarioOptions()
        options.seed = seed
        options.devices = devices.map(String.init)
        options.duration = duration
        options.target = target
        options.insecure = insecure
        options.sets = overrides
        options.varied = varied
        options.start = start
        options.variant = variant
        options.checksVariants = checksVariants
        return options
    }
}
