import Foundation

/// The machine that is measured on: whether it is idle, and what else ran during a measurement.
enum Machine {
    /// The load average of the last minute above which the machine is not idle.
    static let idleLoad = 0.6
    /// The share of the machine's time that others may take during a round before it is discarded.
    static let disturbanceLimit = 0.08

    /// A clock that only goes forward, in seconds.
    static var seconds: Double { read(CLOCK_MONOTONIC) }
    /// The CPU time of this process, in seconds.
    static var processSeconds: Double { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// The CPU time of all children that have ended, in seconds.
    static var childSeconds: Double {
        var usage = rusage()
        // RUSAGE_CHILDREN, which comes over as another type than the function takes.
        getrusage(-1, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static var loadAverage: Double {
        var loads = [0.0]
        return getloadavg(&loads, 1) == 1 ? loads[0] : 0
    }

    /// The memory of this process that is in use, in bytes.
    static var residentBytes: Int {
        let fields = file("/proc/self/statm").split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }

    /// The most memory that this process had in use at a time, in bytes.
    static var peakResidentBytes: Int {
        let line = file("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    static var model: String {
        let line = file("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":").last.map(String.init) ?? "unknown processor"
        return name.trimmingCharacters(in: .whitespaces)
    }

    static func file(_ path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Waits until the machine is idle.
    ///
    /// - Returns: `false` if it was not within the limit.
    static func waitUntilIdle(minutes: Double) async -> Bool {
        let end = seconds + minutes * 60
        var saidSo = false
        while loadAverage > idleLoad {
            guard seconds < end else { return false }
            if !saidSo {
                Output.note(
                    "waiting for an idle machine (load average \(loadAverage), wanted \(idleLoad), "
                        + "\(Int(minutes)) min at most)")
                saidSo = true
            }
            try? await Task.sleep(for: .seconds(2))
        }
        return true
    }

    /// Waits, half a minute at most, until nobody else computes: a second in which the processors did less
    /// than a twentieth of what they could.
    static func waitUntilQuiet() async {
        for _ in 0..<30 {
            let before = Times.now()
            try? await Task.sleep(for: .seconds(1))
            let after = Times.now()
            if after.busy + after.stolen - before.busy - before.stolen < 0.05 * (after.total - before.total) {
                return
            }
        }
    }

    /// Time that processors spent, in seconds over all of them since the machine started.
    struct Times {
        var busy: Double
        var stolen: Double
        var total: Double

        static func now() -> Times {
            let line = Machine.file("/proc/stat").split(separator: "\n").first ?? ""
            let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
            guard ticks.count >= 8 else { return Times(busy: 0, stolen: 0, total: 0) }
            let scale = 1 / Double(sysconf(Int32(_SC_CLK_TCK)))
            let idle = ticks[3] + ticks[4]
            let total = ticks[0..<8].reduce(0, +)
            return Times(
                busy: (total - idle - ticks[7]) * scale, stolen: ticks[7] * scale, total: total * scale)
        }
    }

    /// The share of the machine's time that went to others while `body` ran: stolen by the host,
    /// or used by processes that are neither this one, nor its children that ended meanwhile, nor the
    /// living ones, whose time `body` tells.
    static func disturbance<Result>(
        of body: () async throws -> (result: Result, childSeconds: Double)
    ) async rethrows -> (result: Result, share: Double) {
        let before = Times.now()
        let ownBefore = processSeconds + childSeconds
        let (result, living) = try await body()
        let after = Times.now()
        let total = after.total - before.total
        guard total > 0 else { return (result, 0) }
        let own = processSeconds + childSeconds - ownBefore + living
        let others = after.busy - before.busy - own
        return (result, max(0, others + after.stolen - before.stolen) / total)
    }
}
