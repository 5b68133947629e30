import Accounting
import DeviceSDK
import Reporting
import Timebase
import Wire

/// What is to be explained.
public struct ExplainOptions: Sendable {
    /// The run's folder.
    public var run: String
    /// The id of an event, `<device>-<sequence>`; `nil` for a device.
    public var event: String?
    /// The number of a device; `nil` for an event.
    public var device: Int?
    /// Whether each upload and each event of the device is told.
    public var all = false
    /// The run's file of events, where it is not where the run wrote it.
    public var events: String?
    /// The variant, of several simulations.
    public var variant: String?
    /// The seed, of several simulations; decimal.
    public var seed: String?
    /// JSON on standard output.
    public var json = false

    /// Asks about a run.
    public init(run: String) { self.run = run }
}

extension Beaconswarm {
    /// Tells the life of an event, or of a device, of a finished run. A simulation is played again for it.
    ///
    /// - Returns: ``CommandStatus/internalError`` where what is told differs from what the run kept.
    /// - Throws: ``CommandFailure`` with code 64 if there is no such run, event or device; with 104 if the run was played by
    ///   another version, or if its scenario was changed.
    public static func explain(_ options: ExplainOptions) async throws -> CommandStatus {
        try FileName.check(options.run, of: "the run")
        try FileName.check(options.events, of: "--events")
        let folder = try ExplainedFolder.find(options)
        let run = try ExplainedRun(folder)
        switch (options.event, options.device) {
        case (let text?, nil):
            let id = try run.event(text)
            return try EventExplanation(id, in: run, options).tell()
        case (nil, let number?):
            return try DeviceExplanation(run.device(number), in: run, options).tell()
        case (let text?, let number?):
            throw CommandFailure(
                .usage,
                "\(text) and --device \(number): name one of them, an event, <device>-<sequence>, or a device"
            )
        case (nil, nil):
            throw CommandFailure(.usage, "name an event, <device>-<sequence>, or a device with --device N")
        }
    }
}

/// Finds the one run that is meant among several simulations.
enum ExplainedFolder {
    static func find(_ options: ExplainOptions) throws(CommandFailure) -> String {
        var folder = options.run
        if RunReader.namesFile(folder) {
            // What is wrong with the file says more than what its folder lacks.
            if try RunReader.lab(folder) == nil { _ = try RunReader.read(folder) }
            let parts = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            folder = parts.isEmpty ? "." : parts.joined(separator: "/")
        }
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        guard let lab = try RunReader.lab(folder) else {
            for (option, value) in [("--variant", options.variant), ("--seed", options.seed)]
            where value != nil {
                throw CommandFailure(.usage, "\(option): \(folder) holds one simulation")
            }
            return folder
        }
        let variant = try choose(options.variant, "--variant", among: lab.variants.map(\.name), folder)
        let seed = try choose(options.seed, "--seed", among: lab.seeds.map(String.init), folder)
        let cell = "\(folder)/\(LabOutput.place(variant: variant, seed: seed))"
        guard OutputFile.exists(cell) else {
            throw CommandFailure(.usage, "\(folder) keeps no folder of that simulation: \(cell) is not there")
        }
        return cell
    }

    private static func choose(
        _ given: String?, _ option: String, among names: [String], _ folder: String
    ) throws(CommandFailure) -> String {
        if given == nil, names.count == 1 { return names[0] }
        let known = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        guard let given else {
            throw CommandFailure(
                .usage, "\(folder) holds several simulations: name one with \(option) (\(known))")
        }
        guard names.contains(given) else {
            throw CommandFailure(.usage, "\(option) \(given): not one of \(folder); allowed: \(known)")
        }
        return given
    }
}
