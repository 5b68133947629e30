extension Beaconswarm {
    /// The scenarios that come with the program.
    public static let exampleNames = ShippedScenario.all.map(\.name)

    /// Lists the scenarios that come with the program, a line each.
    public static func examples() -> CommandStatus {
        let all = ShippedScenario.all
        let column = (all.map(\.name.count).max() ?? 0) + 2
        // What is read by other programs is not cut.
        let width = Host.outputIsTerminal ? max(Host.outputWidth, column + 40) : Int.max
        for scenario in all {
            let name = scenario.name + String(repeating: " ", count: column - scenario.name.count)
            Console.output(name + cut(scenario.summary, to: width - column) + "\n")
        }
        Console.error(
            "\nbeaconswarm examples NAME copies one out to be changed, and says what plays it: run, simulate or generate, which "
                + "take NAME, too")
        return .success
    }

    /// Copies a scenario that comes with the program out, to be changed.
    ///
    /// - Parameters:
    ///   - name: The scenario's, such as `policies/batch`.
    ///   - out: The new file; `-` is standard output, `nil` the name's last part with `.json` in the working directory.
    /// - Throws: ``CommandFailure`` with code 64 for an unknown name or a file that exists, 70 for one that cannot be
    ///   written.
    public static func example(_ name: String, out: String?) throws -> CommandStatus {
        try FileName.check(out, of: "--out")
        guard let scenario = ShippedScenario.named(name) ?? ShippedScenario.meant(by: name) else {
            let meant = nearestName(to: name, among: ShippedScenario.all.map(\.name))
            throw CommandFailure(
                .usage,
                "no scenario \"\(name)\" comes with the program"
                    + (meant.map { "; did you mean \"\($0)\"?" } ?? "") + "; beaconswarm examples lists them")
        }
        if out == "-" {
            Console.output(scenario.copy)
            return .success
        }
        let path = out ?? OutputFile.baseName(scenario.name) + ".json"
        try NewScenarioFile.write(scenario.copy, to: path, option: "--out")
        Console.error(scenario.command(playing: path))
        return .success
    }

    /// Whole words of a text, and a mark where some are left out.
    private static func cut(_ text: String, to width: Int) -> String {
        guard text.count > width else { return text }
        let head = text.prefix(width - 1)
        let words = head.lastIndex(of: " ").map { head[..<$0] } ?? head
        return String(words) + "…"
    }
}

/// A scenario that the program writes for its user.
enum NewScenarioFile {
    /// Writes it, and its schema beside it where none is; tells what was written.
    ///
    /// - Parameter option: What names the file, for messages.
    /// - Throws: ``CommandFailure`` with code 64 if the file exists, 70 if it cannot be written.
    static func write(_ text: String, to path: String, option: String) throws(CommandFailure) {
        if OutputFile.exists(path) {
            throw CommandFailure(.usage, "\(option) \(path) exists already; name another file")
        }
        try OutputFile.write(Array(text.utf8), to: path, isDurable: false)
        let schema = try SchemaFile.write(beside: path)
        Console.error("wrote \(path)" + (schema.map { ", and \($0), by which editors check it" } ?? ""))
    }
}
