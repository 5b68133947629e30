import Glibc
import Synchronization

/// Ends the process where a world takes far more CPU time than any does: a hang is told like a trap, with the world's
/// seed, instead of never.
///
/// CPU time and not time: how busy the machine is makes no difference.
enum Watchdog {
    /// Of a world, in seconds; the longest that is known takes a few.
    static let limit = 180.0

    private struct World {
        var seed: UInt64
        var clock: clockid_t
        var begin: Double
    }

    /// By job.
    private static let worlds = Mutex<[Int: World]>([:])

    /// Begins to look, every five seconds, for as long as the process lives.
    static func install() {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { _ in
                while true {
                    sleep(5)
                    Watchdog.look()
                }
            }, nil)
        precondition(code == 0, "no thread for the watchdog: error \(code)")
        pthread_detach(thread)
    }

    static func begin(_ seed: UInt64, job: Int) {
        var clock = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return }
        let world = World(seed: seed, clock: clock, begin: Clock.seconds(clock))
        worlds.withLock { $0[job] = world }
    }

    static func end(job: Int) { worlds.withLock { $0[job] = nil } }

    private static func look() {
        let slow = worlds.withLock { worlds in
            worlds.values.first { Clock.seconds($0.clock) - $0.begin > limit }
        }
        guard let slow else { return }
        Console.print("explore: world \(slow.seed) took more than \(Int(limit)) s of CPU time")
        // Tells which worlds were being played.
        abort()
    }
}
