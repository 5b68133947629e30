import CollectorServer
import Glibc
import NIOCore
import Timebase

/// The machine and the process that a run happened on.
enum Host {
    static var name: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Cores that this process may use.
    static var cores: Int {
        System.coreCount
    }

    static var memoryBytes: UInt64 {
        UInt64(max(0, sysconf(Int32(_SC_PHYS_PAGES)))) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
    }

    static var operatingSystem: String {
        var info = utsname()
        guard uname(&info) == 0 else { return "Linux" }
        func text<Value>(_ field: Value) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(info.sysname)) \(text(info.release)) \(text(info.machine))"
    }

    /// The wall clock.
    static var now: Instant { Instant(nanoseconds: SystemClock.nanoseconds(of: CLOCK_REALTIME)) }

    /// A clock that only goes forward, from an arbitrary beginning.
    static var monotonic: Interval { Interval(nanoseconds: SystemClock.nanoseconds(of: CLOCK_MONOTONIC)) }

    /// CPU time of the thread that asks.
    static var threadTime: Interval {
        Interval(nanoseconds: SystemClock.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID))
    }

    /// Whether standard error is a terminal that can write over a line: no pipe, and not `TERM=dumb`.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

    /// Whether standard output is a terminal.
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether a terminal would show control sequences as text: `TERM` is `dumb`, or not set at all.
    private static var isDumb: Bool { environment("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true }

    /// Whether a terminal may get colours: `NO_COLOR` is not set (or empty), and the terminal knows them.
    static var allowsColor: Bool { environment("NO_COLOR").map(\.isEmpty) ?? true && !isDumb }

    /// Columns for what is written to standard error.
    static var terminalWidth: Int { columns(of: STDERR_FILENO) }

    /// Columns for what is written to standard output.
    static var outputWidth: Int { columns(of: STDOUT_FILENO) }

    /// Columns of a terminal; 80 for a pipe or a file, which have none, unless `COLUMNS` says otherwise.
    private static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        let wanted = environment("COLUMNS").flatMap { Int($0) } ?? 0
        return wanted > 0 ? min(wanted, 1000) : 80
    }

    /// The value of an environment variable.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// All environment variables.
    static var environment: [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
            entry = entry.advanced(by: 1)
        }
        return result
    }
}
