import Exploration
import Glibc
import Synchronization
import Wire

/// A run of the swarm: one seed after the other, until the time is over or something is found.
struct Session {
    let first: UInt64
    let minutes: Double?
    let worlds: Int?
    let jobs: Int
    let corpus: String
    let shrinks: Bool
    /// Whether worlds are played, and not only drawn.
    let plays: Bool
    private let explorer = Explorer()
    private var coverage = Coverage()
    private var cut = 0
    private var events = 0
    private var failures = 0
    private var compared = 0
    private var joined = 0

    /// Worlds that are played before anybody looks at the clock.
    private static let block = 32
    /// From so many worlds on, what was never drawn is a defect of the generator.
    private static let sufficient = 5000
    /// Failures after which it is no use to go on.
    private static let failureLimit = 5

    init(
        first: UInt64, minutes: Double?, worlds: Int?, jobs: Int, corpus: String, shrinks: Bool, plays: Bool
    ) {
        self.first = first
        self.minutes = minutes
        self.worlds = worlds
        self.jobs = jobs
        self.corpus = corpus
        self.shrinks = shrinks
        self.plays = plays
    }

    /// Plays the worlds.
    ///
    /// - Returns: whether all invariants held.
    mutating func run() async throws -> Bool {
        CrashReport.install()
        StopSignal.install()
        Console.print("explore: seed \(first)")
        let begin = Clock.seconds(CLOCK_MONOTONIC)
        var next = first
        while !isOver(next, since: begin), failures < Session.failureLimit {
            let left = worlds.map { UInt64($0) - (next - first) } ?? .max
            let findings = await play(next..<next + min(left, UInt64(Session.block * jobs)))
            for finding in findings {
                try await take(finding)
                if plays, Session.runsProgram(finding), !StopSignal.isRequested {
                    try await compareFiles(finding)
                }
            }
            next += UInt64(findings.count)
        }
        return conclude(next, since: begin)
    }

    private func isOver(_ next: UInt64, since begin: Double) -> Bool {
        if StopSignal.isRequested { return true }
        if let worlds, next - first >= UInt64(worlds) { return true }
        guard let minutes else { return worlds == nil && next - first >= 1000 }
        return Clock.seconds(CLOCK_MONOTONIC) - begin >= minutes * 60
    }

    /// Plays a block of worlds, ``jobs`` at a time.
    ///
    /// - Returns: What was found in them, in order; after a signal, in those before the first that was left out.
    private func play(_ seeds: Range<UInt64>) async -> [Explorer.Finding] {
        let (explorer, plays) = (explorer, plays)
        // Some worlds take a hundred times as long as others: whoever is done takes the next.
        let line = SeedLine(seeds)
        return await withTaskGroup(of: [Explorer.Finding].self) { group in
            for job in 0..<jobs {
                group.addTask { @concurrent in
                    var part: [Explorer.Finding] = []
                    while !StopSignal.isRequested, let seed = line.next() {
                        CrashReport.begin(seed, job: job)
                        defer { CrashReport.end(job: job) }
                        part.append(plays ? explorer.explore(seed: seed) : explorer.draw(seed: seed))
                    }
                    return part
                }
            }
            var findings: [Explorer.Finding] = []
            for await part in group { findings += part }
            findings.sort { $0.seed < $1.seed }
            let whole = zip(seeds, findings).prefix { $0 == $1.seed }
            return whole.map(\.1)
        }
    }

    /// Of which worlds whole runs of the program are compared to the byte, with each other and with parts: they take the most time, and without
    /// end in a world that had to be cut short.
    static func runsProgram(_ finding: Explorer.Finding) -> Bool { finding.seed % 50 == 0 && !finding.wasCut }

    private mutating func compareFiles(_ finding: Explorer.Finding) async throws {
        guard let scenario = finding.scenario else { return }
        let (violations, inParts) = await ProgramRuns.judgement(of: scenario)
        // After a signal, not all of its runs were played.
        if StopSignal.isRequested { return }
        compared += 1
        joined += inParts ? 1 : 0
        guard let violation = violations.first else { return }
        try await fail(finding, violation, scenario) { candidate in
            let found = await ProgramRuns.judgement(of: candidate).violations
            return !StopSignal.isRequested && found.contains { $0.invariant == violation.invariant }
        }
    }

    private mutating func take(_ finding: Explorer.Finding) async throws {
        coverage.merge(finding.coverage)
        events += finding.events
        cut += finding.wasCut ? 1 : 0
        guard let violation = finding.violations.first else { return }
        let explorer = explorer
        try await fail(finding, violation, finding.scenario) { candidate in
            explorer.violations(of: candidate, seed: finding.seed)?.contains {
                $0.invariant == violation.invariant
            } ?? false
        }
    }

    /// Tells of a failure, and makes its scenario smaller as long as it fails.
    private mutating func fail(
        _ finding: Explorer.Finding, _ violation: Violation, _ scenario: JSONNode?,
        stillFails: @escaping (JSONNode) async -> Bool
    ) async throws {
        failures += 1
        Console.print("explore: world \(finding.seed) breaks \(violation.invariant): \(violation.text)")
        Console.print("explore: again: .build/release/beaconswarm-explore --only-seed \(finding.seed)")
        guard shrinks, let scenario else { return }
        let explorer = explorer
        let odd = explorer.warningCount(of: scenario) ?? 0
        var shrinker = Shrinker(isOver: { StopSignal.isRequested }) { candidate in
            // A smaller world of another kind: what the loader warns of may well break something of its own.
            guard let warned = explorer.warningCount(of: candidate), warned <= odd else { return false }
            return await stillFails(candidate)
        }
        let small = await shrinker.shrunk(scenario)
        let path = try Corpus.write(small, seed: finding.seed, violation, in: corpus)
        Console.print(
            "explore: shrunk in \(shrinker.tried) worlds to \(path); again: "
                + ".build/release/beaconswarm-explore --scenario \(path)")
    }

    private func conclude(_ next: UInt64, since begin: Double) -> Bool {
        let played = next - first
        let cpu = Clock.cpuSeconds
        let wall = Clock.seconds(CLOCK_MONOTONIC) - begin
        Console.print(coverage.table)
        let perWorld = Int(cpu / Double(max(1, played)) * 1e6)
        Console.print(
            "explore: \(played) worlds\(plays ? "" : " drawn and not played"), \(events) events, \(cut) worlds cut short, \(compared) compared to the byte, \(joined) of them "
                + "with their parts, "
                + "\(failures) failures; "
                + "\(Int(wall)) s, \(perWorld) µs of CPU a world; the next seed is \(next)")
        let missing = coverage.missing
        // A short run has not had the time to draw everything: its length says no more than a number.
        let isLong = played >= Session.sufficient || !plays
        Console.print(
            "explore: never drawn (\(missing.count))"
                + (missing.isEmpty ? "" : isLong ? ": " + missing.joined(separator: ", ") : " so far"))
        return failures == 0 && (missing.isEmpty || !isLong)
    }
}

/// Seeds whose worlds several play, each of them once.
private final class SeedLine: Sendable {
    private let left: Mutex<Range<UInt64>>

    init(_ seeds: Range<UInt64>) { left = Mutex(seeds) }

    func next() -> UInt64? { left.withLock { $0.popFirst() } }
}

/// Clocks of the machine.
enum Clock {
    /// Processor time of the process.
    static var cpuSeconds: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
