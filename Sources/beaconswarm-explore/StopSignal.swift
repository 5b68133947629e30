import Glibc
import Synchronization

/// Ctrl-C and SIGTERM: the first asks the swarm to end after the worlds, or the run of the program, that are being
/// played, the second ends it at once.
enum StopSignal {
    private static let count = Atomic<Int>(0)

    static var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

    /// Listens from now on.
    static func install() {
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                guard StopSignal.count.add(1, ordering: .relaxed).oldValue == 0 else { _exit(128 + number) }
                StopSignal.tell()
            }
        }
    }

    /// Within a signal handler: nothing but `write`.
    private static func tell() {
        let text: StaticString = "explore: interrupted; it ends after what is being played now\n"
        _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
