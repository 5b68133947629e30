#if PLANTED
    import ArgumentParser
    import Exploration
    import Foundation
    import Timebase
    import Wire

    extension Planted: ExpressibleByArgument {}

    /// Puts one bug after the other in force and says how soon it is found.
    struct PlantedBugs: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "planted",
            abstract: "Says how soon each built-in bug is found, and by which invariant.",
            discussion: """
                A world counts only if every invariant holds in it without the bug. A bug that is not found within its budget \
                of worlds fails the run. Each bug is played in a process of its own: one that ends it has been found, too.
                """)

        @Option(help: "Only this bug, and in this process.")
        var plant: Planted?

        @Option(help: "The seed of the first world.")
        var seed: UInt64 = 1

        @Option(help: "The folder for the scenarios that find them.")
        var corpus = ".build/planted/corpus"

        func run() throws {
            if let plant {
                CrashReport.install()
                guard try isFound(plant) else { throw ExitCode.failure }
                return
            }
            Console.print("| Bug | Budget | Found after | CPU | By |")
            Console.print("| --- | --- | --- | --- | --- |")
            var missed = 0
            for bug in Planted.allCases {
                if try !isFoundByProcess(bug) { missed += 1 }
            }
            if missed > 0 { throw ExitCode.failure }
        }

        /// Plays worlds with a bug in a process of its own, until it is found or has ended the process.
        private func isFoundByProcess(_ bug: Planted) throws -> Bool {
            let (status, output) = try Self.explore([
                "planted", "--plant", bug.rawValue, "--seed", "\(seed)", "--corpus", corpus,
            ])
            guard let death = CrashReport.seed(in: output) else {
                Console.print(output.trimmingCharacters(in: .newlines))
                return status == 0
            }
            let isSound = try Self.explore(["--only-seed", "\(death)"]).status == 0
            let found = isSound ? "\(death - seed + 1)" : "NOT FOUND"
            Console.print(
                "| \(bug.rawValue) | \(bug.budget) | \(found) | | the process died in world \(death) |")
            return isSound
        }

        /// Runs this program.
        ///
        /// - Returns: Its exit code, or the number of the signal that ended it, and what it printed.
        private static func explore(_ arguments: [String]) throws -> (status: Int32, output: String) {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = arguments
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }

        private func isFound(_ bug: Planted) throws -> Bool {
            let begin = Clock.cpuSeconds
            for number in 1...bug.budget {
                let seed = seed + number - 1
                let finding = play(seed, with: bug)
                guard let violation = finding.violations.first, let scenario = finding.scenario,
                    play(seed, with: nil).violations.isEmpty
                else { continue }
                let seconds = Int((Clock.cpuSeconds - begin).rounded())
                Console.print(
                    "| \(bug.rawValue) | \(bug.budget) | \(number) | \(seconds) s | `\(violation.invariant)`: "
                        + "\(violation.text) |")
                _ = try Corpus.write(scenario, seed: seed, violation, in: "\(corpus)/\(bug.rawValue)")
                return true
            }
            Console.print("| \(bug.rawValue) | \(bug.budget) | NOT FOUND | | |")
            return false
        }

        private func play(_ seed: UInt64, with bug: Planted?) -> Explorer.Finding {
            Planted.bug = bug
            CrashReport.begin(seed, job: 0)
            defer { CrashReport.end(job: 0) }
            return Explorer().explore(seed: seed)
        }
    }
#endif
