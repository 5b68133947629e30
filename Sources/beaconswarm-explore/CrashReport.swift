import Glibc
import Synchronization

/// Says which worlds were being played when the process died of a trap, or of ``Watchdog``: nothing else would name
/// their seeds.
enum CrashReport {
    /// Jobs whose worlds are kept.
    private static let limit = 64
    /// Seeds by job, and whether one is there; never freed, since a signal may come at any time.
    nonisolated(unsafe) private static let seeds = UnsafeMutablePointer<UInt64>.allocate(capacity: limit)
    nonisolated(unsafe) private static let present = UnsafeMutablePointer<Bool>.allocate(capacity: limit)

    static func install() {
        Watchdog.install()
        seeds.initialize(repeating: 0, count: limit)
        present.initialize(repeating: false, count: limit)
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            signal(number) { number in
                CrashReport.tell()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// A world begins on this thread, which plays it to its end.
    static func begin(_ seed: UInt64, job: Int) {
        Watchdog.begin(seed, job: job)
        guard job < limit else { return }
        seeds[job] = seed
        present[job] = true
    }

    static func end(job: Int) {
        Watchdog.end(job: job)
        if job < limit { present[job] = false }
    }

    /// The first world that a report names among other lines; `nil` where there is none.
    static func seed(in output: String) -> UInt64? {
        guard let report = output.firstRange(of: "\(opening)") else { return nil }
        return UInt64(output[report.upperBound...].prefix { $0.isNumber })
    }

    private static let opening: StaticString = "explore: died in world "

    /// Within a signal handler: nothing but `write`.
    private static func tell() {
        for job in 0..<limit where present[job] {
            put("\n")
            put(opening)
            putNumber(seeds[job])
            put("; again: .build/release/beaconswarm-explore --only-seed ")
            putNumber(seeds[job])
            put("\n")
        }
    }

    private static func put(_ text: StaticString) {
        _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static func putNumber(_ number: UInt64) {
        var divisor: UInt64 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            var digit = UInt8(48 + number / divisor % 10)
            _ = write(STDOUT_FILENO, &digit, 1)
            divisor /= 10
        }
    }
}
