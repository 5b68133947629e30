import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ScenarioSource {
    /// Whether the scenario comes from standard input.
    var isStandardInput: Bool { StandardInput.isMeant(by: path) }

    /// What messages call the scenario.
    var name: String { isStandardInput ? StandardInput.name : path }

    /// The scenario that comes with the program and is meant: a bare name, such as `smoke`, where no such file is. A
    /// folder of that name is no such file.
    private var shipped: ShippedScenario? {
        OutputFile.isFile(path) ? nil : ShippedScenario.named(path)
    }

    /// What somebody may have meant whose file cannot be read: a name of a scenario that comes with the program.
    private var hint: String {
        guard !OutputFile.exists(path) else { return "" }
        let names = ShippedScenario.all.map(\.name)
        let meant =
            ShippedScenario.meant(by: path)?.name ?? Beaconswarm.nearestName(to: path, among: names)
        return meant.map { "; did you mean \($0), which comes with the program?" } ?? ""
    }

    /// Reads the scenario whole, but no further than a scenario may go; where no file has its name, the one of that
    /// name that comes with the program. Standard input can be read once.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for a file that cannot be read or is too large.
    func read() throws(CommandFailure) -> [UInt8] {
        let limit = JSONReader.sizeLimit
        guard isStandardInput else {
            try FileName.check(path, of: "the scenario")
            if let shipped { return Array(shipped.text.utf8) }
            do throws(CommandFailure) {
                return try OutputFile.read(
                    path, failing: .invalidScenario, limit: limit, mayBePipe: true)
            } catch {
                throw CommandFailure(error.code, error.message + hint)
            }
        }
        return try StandardInput.read("the scenario", failing: .invalidScenario, limit: limit)
    }
}
