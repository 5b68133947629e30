import Reporting
import Scenario

extension RepeatRunner.Work {
    /// Reads the scenario, and what is to be done with it.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for options that have no meaning here, 104 for a wrong scenario.
    init(_ options: RunOptions) throws(CommandFailure) {
        try RepeatRunner.Work.check(options)
        content = try options.source.read()
        base = try LoadedScenario(options.source, content: content)
        seeds = try SeedRange.seeds(
            options.repeats ?? RunOptions.defaultRepeats, from: base.document.seed, option: "--repeat")
        sides =
            options.rivals.isEmpty
            ? [RepeatRunner.Side(name: base.document.variant ?? VariantName.base)]
            : zip(["a", "b"], options.rivals).map { RepeatRunner.Side(name: $0, target: $1) }
    }

    /// The most runs of one command.
    private static let limit = 10_000

    private static func check(_ options: RunOptions) throws(CommandFailure) {
        if let count = options.repeats, !(1...limit).contains(count) {
            throw CommandFailure(.usage, "--repeat \(count): allowed is a whole number from 1 to \(limit)")
        }
        if !options.rivals.isEmpty {
            guard options.rivals.count == 2 else {
                let found = options.rivals.joined(separator: " ")
                throw CommandFailure(
                    .usage,
                    "--ab \(found): takes two targets; the scenario stands before it, or after another option"
                )
            }
            if options.source.target != nil {
                throw CommandFailure(.usage, "--target and --ab: both say where events go")
            }
        }
        for option in [
            ("--events", options.events), ("--keep-stores", options.keepStores), ("--store", options.store),
            ("--receipts", options.receipts.first), ("--shard", options.shard), ("--at", options.at),
        ] where option.1 != nil {
            throw CommandFailure(
                .usage, "\(option.0): is for one run, and has no meaning with --repeat or --ab")
        }
    }
}
