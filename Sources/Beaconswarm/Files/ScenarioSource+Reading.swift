import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ScenarioSource {
    /// Whether the scenario comes from standard input.
    var isStandardInput: Bool { path == "-" }

    /// What messages call the scenario.
    var name: String { isStandardInput ? "<stdin>" : path }

    /// Reads the scenario whole, but no further than a scenario may go. Standard input can be read once.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for a file that cannot be read or is too large.
    func read() throws(CommandFailure) -> [UInt8] {
        let limit = JSONReader.sizeLimit
        guard isStandardInput else {
            return try OutputFile.read(path, failing: .invalidScenario, limit: limit)
        }
        if isatty(STDIN_FILENO) == 1 {
            Console.error("reading the scenario from the terminal; Ctrl-D on a line of its own ends it")
        }
        return try OutputFile.read(
            descriptor: STDIN_FILENO, name: name, failing: .invalidScenario, limit: limit)
    }
}
