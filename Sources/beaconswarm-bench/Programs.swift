import Foundation

/// Programs that are measured beside this one, or serve it.
enum Programs {
    /// What a program did from its start to its end.
    struct Performance {
        /// Both outputs.
        var output: String
        /// CPU time in user and kernel mode, in seconds.
        var cpuSeconds: Double
        /// The most memory that was resident, in bytes.
        var peakBytes: Int
        var elapsed: Double
        var status: Int32
    }

    /// The first line that a command writes, to either output.
    static func firstLine(_ path: String, _ arguments: [String]) -> String {
        let text = run(path, arguments)?.output ?? ""
        return text.split(separator: "\n").first.map(String.init) ?? "unknown version"
    }

    /// Runs a command to its end, and looks at its memory ten times a second; `nil` if it cannot be
    /// started.
    ///
    /// The peak is read from `/proc`, not from `rusage`: that one counts the parent's pages which a
    /// child has before it becomes another program.
    static func run(_ path: String, _ arguments: [String]) -> Performance? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        let begin = Machine.seconds
        let before = Machine.childSeconds
        guard (try? process.run()) != nil else { return nil }
        let watch = MemoryWatch(process.processIdentifier)
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Performance(
            output: String(decoding: data, as: UTF8.self), cpuSeconds: Machine.childSeconds - before,
            peakBytes: watch.stop(), elapsed: Machine.seconds - begin, status: process.terminationStatus)
    }

    /// The path of a program, or `nil`. Looked for in the folder of `BENCH_TOOLS` first.
    static func find(_ name: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let path = environment["PATH"] ?? ""
        let folders =
            [environment["BENCH_TOOLS"] ?? ""] + path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.filter { !$0.isEmpty }.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The CPU time of a process and its living children, in seconds.
    static func cpuSeconds(of process: Int32) -> Double {
        let scale = 1 / Double(sysconf(Int32(_SC_CLK_TCK)))
        let children = Machine.file("/proc/\(process)/task/\(process)/children")
            .split(separator: " ").compactMap { Int32($0) }
        let line = Machine.file("/proc/\(process)/stat")
        let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
        let own = fields.count > 12 ? ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) * scale : 0
        return children.reduce(own) { $0 + cpuSeconds(of: $1) }
    }

    /// The most memory that a living process has had resident, in bytes.
    static func peakBytes(of process: Int32) -> Int {
        let line = Machine.file("/proc/\(process)/status").split(separator: "\n")
            .first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
        return (kilobytes.flatMap { Int($0) } ?? 0) * 1024
    }

    /// Looks at a process's peak again and again, since it is gone with the process.
    private final class MemoryWatch: @unchecked Sendable {
        // SAFETY: `peak` and `isDone` are touched under the lock only.
        private let lock = NSLock()
        private var peak = 0
        private var isDone = false

        init(_ process: Int32) {
            Thread.detachNewThread { [self] in
                while !lock.withLock({ isDone }) {
                    let value = Programs.peakBytes(of: process)
                    lock.withLock { peak = max(peak, value) }
                    usleep(100_000)
                }
            }
        }

        func stop() -> Int {
            lock.withLock {
                isDone = true
                return peak
            }
        }
    }
}
