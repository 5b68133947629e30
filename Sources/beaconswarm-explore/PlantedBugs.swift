#if PLANTED
    import ArgumentParser
    import Exploration
    import Timebase
    import Wire

    extension Planted: ExpressibleByArgument {}

    /// Puts one bug after the other in force and says how soon it is found.
    struct PlantedBugs: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "planted",
            abstract: "Says how soon each built-in bug is found, and by which invariant.")

        @Option(help: "Worlds that may go by until a bug is found.")
        var budget: UInt64 = 2000

        @Option(help: "The seed of the first world.")
        var seed: UInt64 = 1

        @Option(help: "The folder for the shrunk scenarios.")
        var corpus = ".build/planted/corpus"

        func run() throws {
            var missed: [Planted] = []
            for bug in Planted.allCases {
                if bug.isLive {
                    Console.print("planted: \(bug.rawValue): takes sockets or a collector's process")
                    continue
                }
                Planted.bug = bug
                if try !isFound(bug) { missed.append(bug) }
            }
            if !missed.isEmpty { throw ExitCode.failure }
        }

        private func isFound(_ bug: Planted) throws -> Bool {
            CrashReport.install()
            let begin = Clock.cpuSeconds
            let explorer = Explorer()
            for number in 0..<budget {
                CrashReport.begin(seed + number, job: 0)
                let finding = explorer.explore(seed: seed + number)
                CrashReport.end(job: 0)
                guard let violation = finding.violations.first, let scenario = finding.scenario else {
                    continue
                }
                let seconds = (Clock.cpuSeconds - begin).rounded()
                Console.print(
                    "planted: \(bug.rawValue): found after \(number + 1) worlds and \(Int(seconds)) s of CPU by "
                        + "\(violation.invariant): \(violation.text)")
                _ = try Corpus.write(
                    scenario, seed: seed + number, violation, in: "\(corpus)/\(bug.rawValue)")
                return true
            }
            Console.print("planted: \(bug.rawValue): NOT FOUND in \(budget) worlds")
            return false
        }
    }
#endif
