import Rendering
import Scenario
import Timebase
import Wire

/// A scenario that is built into the program: a file of the folder `scenarios`.
struct ShippedScenario: Sendable {
    /// Its path in that folder without `.json`, such as `policies/batch`.
    let name: String
    /// The file, byte for byte.
    let text: String

    /// Every one, by name; those of folders after the others. What engines and dashboards take is none.
    static let all: [ShippedScenario] = ScenarioFiles.all
        .filter { !$0.name.hasPrefix("deploy/") }
        .map { ShippedScenario(name: $0.name, text: $0.text) }
        .sorted { ($0.depth, $0.name) < ($1.depth, $1.name) }

    /// The scenario of a bare name.
    static func named(_ name: String) -> ShippedScenario? { all.first { $0.name == name } }

    /// The scenario that somebody may have meant who gave its path in a checkout, its file's name, or its name without
    /// the folder where one alone has it.
    static func meant(by path: String) -> ShippedScenario? {
        var name = path[...]
        if name.hasSuffix(".json") { name = name.dropLast(5) }
        if let folder = name.firstRange(of: "scenarios/") { name = name[folder.upperBound...] }
        if let whole = named(String(name)) { return whole }
        let inFolders = all.filter { $0.name.hasSuffix("/\(name)") }
        return inFolders.count == 1 ? inFolders[0] : nil
    }

    private var depth: Int { name.contains("/") ? 1 : 0 }

    /// What it shows: the first sentence of its description.
    var summary: String {
        let description = (try? JSONReader.readStrictly(Array(text.utf8)))?["description"]?.string ?? ""
        guard let end = description.firstRange(of: ". ") else { return description }
        return String(description[..<end.lowerBound]) + "."
    }

    /// Longer than this, nobody waits for a run on the real clock to see what a scenario shows.
    private static let longestRun = Interval.hours(1)

    /// The command that plays a copy of it as it is meant.
    ///
    /// - Parameter path: The copy's.
    func command(playing path: String) -> String {
        let path = Escaping.shell(path)
        if name.hasPrefix("datasets/") { return "beaconswarm generate \(path) --out DIR" }
        let source = ScenarioSource(path: name)
        let loaded = try? LoadedScenario(source, content: Array(text.utf8), environment: [:])
        guard let document = loaded?.document else { return "beaconswarm run \(path)" }
        let isRun =
            document.variants.isEmpty
            && document.duration / Int64(document.pace) <= ShippedScenario.longestRun
        return "beaconswarm \(isRun ? "run" : "simulate") \(path)"
    }

    /// The file as it is copied out: its schema lies beside it, and not in the folder above.
    var copy: String {
        text.replacing(
            "\"\(SchemaFile.key)\": \"../\(SchemaFile.name)\"",
            with: "\"\(SchemaFile.key)\": \"./\(SchemaFile.name)\"")
    }
}

/// The JSON Schema of scenarios, as a file that they name.
enum SchemaFile {
    static let name = "scenario.schema.json"
    /// The member of a scenario by which editors find it.
    static let key = "$schema"

    /// Writes it beside a scenario, unless a file of that name is there.
    ///
    /// - Returns: Its path, or `nil` if there was one.
    /// - Throws: ``CommandFailure`` with code 70 if it cannot be written.
    static func write(beside scenario: String) throws(CommandFailure) -> String? {
        let folder = scenario.lastIndex(of: "/").map { String(scenario[...$0]) } ?? ""
        let path = folder + name
        guard !OutputFile.exists(path) else { return nil }
        try OutputFile.write(Array(ScenarioSchema.text.utf8), to: path, isDurable: false)
        return path
    }
}
