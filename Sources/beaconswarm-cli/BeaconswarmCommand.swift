import ArgumentParser
import Beaconswarm

@main
enum Program {
    static func main() async {
        ProcessStart.prepare()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let problem = BeaconswarmCommand.verbProblem(of: arguments) {
            Console.error("error: \(problem)")
            BeaconswarmCommand.exit(withError: ExitCode(CommandStatus.usage.rawValue))
        }
        if let script = CompletionScript.asked(by: arguments) { await print(script) }
        await BeaconswarmCommand.main(WatchOptions.completed(arguments))
    }

    /// Prints a script, and ends.
    private static func print(_ script: String) async -> Never {
        do {
            try await BeaconswarmCommand().finish {
                Console.output(script + "\n")
                return .success
            }
            BeaconswarmCommand.exit()
        } catch {
            BeaconswarmCommand.exit(withError: error)
        }
    }
}

struct BeaconswarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beaconswarm",
        abstract: "Plays thousands of tracking SDKs against a collector and accounts for every event.",
        discussion: """
            A scenario (JSON) says which SDKs are simulated, on how many devices, what their users do, and what \
            goes wrong. Some come with the program, and have names in the place of a file. Start with:

              beaconswarm run smoke
              beaconswarm new

            Exit codes:

              0    done, every threshold held
              64   wrong usage, an output that already exists, or a target that
                   is not yours
              69   target unreachable
              70   internal error, or results that cannot be written
              95   the ledger does not balance, or acknowledged events are missing
              96   the generator could not keep its own schedule, had no sockets or
                   disk, or passed --max-rate; a part is missing in a merge
              99   a threshold failed, compare found a regression, a live run
                   delivered nothing, or the guard ended it
              104  invalid scenario
              105  interrupted

            Variables of the environment stand for options of the same names, which win over them: BEACONSWARM_SEED, \
            _DEVICES, _DURATION, _TARGET, _VARIANT and _SET; of run, simulate, sweep and capacity, where they have the \
            option, also _OUT, _EVENTS, _RECEIPTS, _STORE, _KEEP_STORES, _MAX_RATE, _TARGETS, _THREADS, _SEEDS, \
            _BODIES, _UI, _OTLP, _SCRAPE and _SCRAPE_ONLY; of generate also _THREADS, _UI and _OTLP; of collect _STORE.
            """,
        version: Beaconswarm.versionLine,
        subcommands: [
            New.self, Examples.self,
            Run.self, Simulate.self, Generate.self, Merge.self, Compare.self, Sweep.self, Collect.self,
            Audit.self,
            Sample.self,
            Report.self,
            Validate.self,
            Schema.self, Capacity.self, Explain.self, Import.self, Runs.self,
        ])
}

extension ParsableCommand {
    /// Runs a command of the library and ends the process with its exit code; failures go to
    /// standard error as one message.
    func finish(_ body: () async throws -> CommandStatus) async throws {
        do {
            let code = try await body()
            if let reason = Console.outputFailure {
                Console.error("error: cannot write to standard output: \(reason)")
                if code == .success { throw ExitCode(CommandStatus.internalError.rawValue) }
            }
            if code != .success { throw ExitCode(code.rawValue) }
        } catch let failure as CommandFailure {
            Console.error("error: \(failure.message(forArguments: CommandLine.arguments))")
            throw ExitCode(failure.code.rawValue)
        } catch let code as ExitCode {
            throw code
        } catch {
            Console.error("error: \(Beaconswarm.words(for: error))")
            throw ExitCode(CommandStatus.internalError.rawValue)
        }
    }
}
