import Glibc
import Synchronization

/// Standard output for results, standard error for everything said along the way.
public enum Console {
    /// A line on standard error.
    public static func error(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// Text on standard output, as it is.
    public static func output(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Bytes on standard output, as they are.
    static func output(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Text on standard error, as it is: status lines that rewrite themselves.
    static func status(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Why a result did not get to standard output, such as "No space left on device"; `nil` if all did. A reader
    /// that went away is no failure.
    public static var outputFailure: String? {
        let code = outputError.load(ordering: .relaxed)
        return code == 0 ? nil : String(cString: strerror(code))
    }

    private static let outputError = Atomic<Int32>(0)

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8), to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        let outcome = bytes.withUnsafeBytes { GivenDescriptor.write($0, to: descriptor) }
        // What was to be said is lost, the run is not.
        if descriptor == STDOUT_FILENO, outcome.error != 0, outcome.error != EPIPE {
            outputError.store(outcome.error, ordering: .relaxed)
        }
    }
}
