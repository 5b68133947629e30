import ArgumentParser
import Fuzzing
import Glibc

/// Tries readers of foreign bytes with bytes that nobody would write.
///
/// `make fuzz` builds it with a sanitizer and lets libFuzzer choose the inputs by coverage; a plain build
/// replays the corpora and changes them by a seed.
@main
struct BeaconswarmFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beaconswarm-fuzz",
        abstract: "Tries readers of foreign bytes with bytes that nobody would write.",
        discussion: "Targets: \(FuzzTargets.names.joined(separator: ", ")).")

    @Argument(help: "The target; all of them if it is missing.")
    var target: String?

    @Option(help: "The folder that holds a folder of inputs for each target.")
    var corpora = "Tests/Fuzz"

    @Option(help: "The seed of the changes; a random one if it is missing.")
    var seed: UInt64?

    @Option(help: "Up to which number to try changed inputs, for each target.")
    var runs = 2000

    @Option(help: "Begin with the changed input of this number: a run that was broken off goes on.")
    var from = 0

    @Option(help: "Stop each target after so many seconds, whatever --runs says.")
    var seconds: Int?

    @Option(help: "Try these files alone.")
    var input: [String] = []

    @Option(help: "The folder for inputs that break something.")
    var artifacts = ".build/fuzz-findings"

    @Option(help: "Seconds of processor time that one input may take, 1 to 86400.")
    var timeout: UInt32 = 10

    @Option(help: "Megabytes of memory that the process may have.")
    var memory: UInt = 3072

    static func main() {
        #if LIBFUZZER
            CoverageGuided.run()
        #else
            main(nil)
        #endif
    }

    func validate() throws {
        if let target, FuzzTargets.named(target) == nil {
            throw ValidationError(
                "no target \(target); there are \(FuzzTargets.names.joined(separator: ", "))")
        }
        if !(1...86400).contains(timeout) {
            throw ValidationError("--timeout \(timeout): must lie between 1 and 86400")
        }
        if from < 0 || from > runs {
            throw ValidationError("--from \(from): must lie between 0 and --runs \(runs)")
        }
        if !input.isEmpty, target == nil { throw ValidationError("--input needs a target") }
    }

    func run() throws {
        try Folder.make(artifacts)
        limitMemory()
        let seed = seed ?? UInt64.random(in: 1...UInt64(UInt32.max))
        if input.isEmpty { report("seed \(seed)") }
        for type in FuzzTargets.all where target == nil || type.name == target { try run(type, seed: seed) }
    }

    private func run(_ type: any FuzzTarget.Type, seed: UInt64) throws {
        let corpus =
            try input.isEmpty
            ? Folder.files(in: "\(corpora)/\(type.name)") : input.map { try Folder.read($0) }
        CrashRecord.begin(target: type.name, artifacts: artifacts, timeout: timeout)
        let start = MonotonicSeconds.now()
        do {
            let run = try SeededRun(of: type, corpus: corpus)
            try run.replay(willTry: CrashRecord.note)
            let next = input.isEmpty ? try mutate(run, of: type, seed: seed, since: start) : from
            CrashRecord.end()
            let time = String((10 * (MonotonicSeconds.now() - start)).rounded() / 10)
            report(
                "\(type.name): \(corpus.count) inputs and \(next - from) changed ones in \(time) s, nothing found"
            )
        } catch let failure as SeededRun.Failure {
            CrashRecord.end()
            report("\(type.name): \(failure.finding)")
            CrashRecord.keep(failure.input)
            throw ExitCode.failure
        }
    }

    /// Tries changed inputs, and says each minute how many.
    ///
    /// - Returns: the number of the next.
    private func mutate(
        _ run: SeededRun, of type: any FuzzTarget.Type, seed: UInt64, since start: Double
    ) throws -> Int {
        var told = start
        return try run.mutate(
            seed: seed, from: from,
            while: { number in
                let now = MonotonicSeconds.now()
                if now - told >= 60 {
                    told = now
                    report("\(type.name): \(number) of \(runs), \(Int(now - start)) s, nothing so far")
                }
                return number < runs && now - start < Double(seconds ?? .max)
            }, willTry: CrashRecord.note)
    }

    /// An input that asks for memory without bound is to end here, not to take the machine with it.
    private func limitMemory() {
        var limit = rlimit(rlim_cur: memory << 20, rlim_max: memory << 20)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    private func report(_ line: String) {
        let text = "fuzz: \(line)\n"
        _ = write(STDOUT_FILENO, text, text.utf8.count)
    }
}

/// The monotonic clock.
enum MonotonicSeconds {
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
