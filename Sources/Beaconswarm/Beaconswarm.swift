import CBuildStamp
import Rendering

/// Beaconswarm simulates thousands of mobile tracking SDKs, each with its complete pipeline, against a
/// real collector on a real clock or against a modelled world in virtual time, and reports where every
/// event went.
///
/// The command-line tool is a thin layer over the functions of this type; an embedding program calls
/// them directly.
public enum Beaconswarm {
    /// The version of the tool, as reports name it.
    public static let version = "0.1.0"

    /// The commit that the tool was built from, with `-modified` behind it if its sources differed from that; `nil`
    /// where nobody said, as in a build without git.
    public static let commit = text(beaconswarm_build_commit())

    /// Version, commit and the commit's day (UTC), as `--version` prints them.
    public static var versionLine: String {
        let day = text(beaconswarm_build_date()).map { ", \($0)" } ?? ""
        return "\(version) (commit \(commit ?? "unknown")\(day))"
    }

    private static func text(_ pointer: UnsafePointer<CChar>) -> String? {
        let text = String(cString: pointer)
        return text.isEmpty ? nil : text
    }
}

/// How a command ended, as the process tells its caller.
public enum CommandStatus: Int32, Sendable {
    /// Done, every threshold held.
    case success = 0
    /// Wrong usage, an output that exists already, or a target that nobody said may be loaded.
    case usage = 64
    /// The target could not be reached before the run began.
    case unreachable = 69
    /// Something went wrong inside, or results could not be written.
    case internalError = 70
    /// The ledger does not balance, acknowledged events are missing at the collector, or it holds events that no device
    /// made.
    case unaccounted = 95
    /// A run that says nothing: the generator of a live run could not keep its own schedule or passed the rate that it
    /// may have, any run or dataset failed by itself in more than 1 % of its uploads, or a part of it is missing.
    case invalidRun = 96
    /// A threshold failed, a comparison found a regression, no upload of a live run had success, or the guard ended it.
    case thresholdFailed = 99
    /// The scenario or the configuration is invalid.
    case invalidScenario = 104
    /// A signal, or the cancellation of its task, ended it before its time.
    case interrupted = 105
}

/// A command that could not do its work, with the sentence to print and the code to exit with.
public struct CommandFailure: Error, Sendable {
    /// The code to exit with.
    public var code: CommandStatus
    /// What went wrong, where, what was found and what is allowed.
    public var message: String

    /// Makes a failure.
    public init(_ code: CommandStatus, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message for whoever gave these arguments: it begins with the environment variable instead of the option
    /// where that is where the value came from. What it quotes of files is harmless on a terminal.
    public func message(forArguments arguments: [String]) -> String {
        Escaping.lines(EnvironmentVariables.naming(message, arguments: arguments))
    }
}
