import Scenario
import Timebase
import Wire

/// Options of `new`: what is not given is asked for on a terminal, and elsewhere the default.
public struct NewOptions: Sendable {
    /// The scenario's name, or its path with or without `.json`; `-` is standard output.
    public var name = NewOptions.defaultName
    /// One of ``systems``.
    public var system: String?
    /// From 1 to 1,000,000.
    public var devices: Int?
    /// A URL; empty for the embedded collector.
    public var target: String?
    /// How long users act, such as `1m`, from 1 s.
    public var duration: String = NewOptions.defaultDuration

    /// The default of ``name``.
    public static let defaultName = "first"
    /// The default of ``duration``.
    public static let defaultDuration = "1m"
    /// The SDKs that a first scenario may have, the default first.
    public static let allSystems = FirstScenario.SDK.all.map(\.name)

    /// The same, separated by commas.
    public static let systems = allSystems.joined(separator: ", ")

    /// Makes options with every default.
    public init() {}
}

extension Beaconswarm {
    /// Writes a first scenario with comments.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a name or an option that cannot be used or a file that exists, 104
    ///   where the scenario would have any other problem, 105 when a question gets no answer, 70 for a file that cannot
    ///   be written.
    public static func newScenario(_ options: NewOptions) throws -> CommandStatus {
        try FileName.check(options.name, of: "NAME")
        let isOutput = options.name == "-"
        let path =
            isOutput
            ? NewOptions.defaultName + ".json"
            : options.name.hasSuffix(".json") ? options.name : options.name + ".json"
        if !isOutput, OutputFile.exists(path) {
            throw CommandFailure(.usage, "\(path) exists already; give another NAME")
        }
        let text = try FirstScenario(options, name: OutputFile.baseName(path)).text(path: path)
        // What is written can be played, whatever was answered.
        _ = try LoadedScenario(
            ScenarioSource(path: path), content: Array(text.utf8), environment: EnvironmentVariables.none)
        if isOutput {
            Console.output(text)
            return .success
        }
        try NewScenarioFile.write(text, to: path, option: "NAME")
        Console.error("beaconswarm simulate \(path)")
        return .success
    }
}

extension FirstScenario {
    private static let deviceLimit = 1_000_000

    /// Asks for what the options leave open.
    fileprivate init(_ options: NewOptions, name: String) throws(CommandFailure) {
        guard let duration = Interval(text: options.duration), duration >= .seconds(1) else {
            throw CommandFailure(
                .usage, "--duration: found \"\(options.duration)\", allowed is a time from 1s, such as 1m30s")
        }
        self.init(name: name, duration: duration)
        try check("/name", of: "NAME: ")
        try check("/duration", of: "--duration: ")
        let questions = Questions()
        if let system = options.system {
            sdk = try FirstScenario.sdk(system, of: "--system: ")
        } else {
            sdk = try questions.ask(
                "Which SDK do the devices have? One of \(NewOptions.systems)", usual: SDK.all[0].name
            ) { answer throws(CommandFailure) in try FirstScenario.sdk(answer, of: "") }
        }
        if let devices = options.devices {
            self.devices = try FirstScenario.devices(String(devices), of: "--devices: ")
        } else {
            devices = try questions.ask("How many devices?", usual: String(self.devices)) {
                answer throws(CommandFailure) in
                try FirstScenario.devices(answer, of: "")
            }
        }
        let none = "none: an embedded collector"
        if let url = options.target {
            target = try checked(target: url, of: "--target: ")
        } else {
            target = try questions.ask(
                "Where do events go when it runs live? A URL, or nothing", usual: none
            ) { answer throws(CommandFailure) in
                try checked(target: answer == none ? "" : answer, of: "")
            }
        }
    }

    /// A target with which the scenario is sound; `nil` for an empty one.
    private func checked(target: String, of origin: String) throws(CommandFailure) -> String? {
        guard !target.isEmpty else { return nil }
        var scenario = self
        scenario.target = target
        try scenario.check("/target/url", of: origin)
        return target
    }

    /// Refuses what a scenario's file may not say.
    ///
    /// - Parameters:
    ///   - pointer: Where it would stand in the file.
    ///   - origin: What gave it: an option, or nothing for an answer.
    private func check(_ pointer: String, of origin: String) throws(CommandFailure) {
        let content = Array(text(path: NewOptions.defaultName).utf8)
        let result = ScenarioLoader.load(
            bytes: content, name: name, environment: EnvironmentVariables.none)
        guard case .failure(let found) = result,
            let problem = found.problems.first(where: { $0.pointer == pointer })
        else { return }
        throw CommandFailure(
            .usage, "\(origin)found \(problem.found.showingInvisible), allowed is \(problem.allowed)")
    }

    private static func sdk(_ name: String, of origin: String) throws(CommandFailure) -> SDK {
        if let sdk = SDK.all.first(where: { $0.name == name }) { return sdk }
        let meant = Beaconswarm.nearestName(to: name, among: SDK.all.map(\.name))
        throw CommandFailure(
            .usage,
            "\(origin)found \"\(name)\", allowed is one of \(NewOptions.systems)"
                + (meant.map { "; did you mean \"\($0)\"?" } ?? ""))
    }

    private static func devices(_ text: String, of origin: String) throws(CommandFailure) -> Int {
        if let count = Int(text), (1...deviceLimit).contains(count) { return count }
        throw CommandFailure(
            .usage, "\(origin)found \"\(text)\", allowed is a whole number from 1 to \(deviceLimit)")
    }
}
