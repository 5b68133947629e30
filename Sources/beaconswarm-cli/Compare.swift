import ArgumentParser
import Beaconswarm

struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Holds two policies side by side, and fails if the candidate is worse.",
        discussion: """
            BASE and CANDIDATE are each a run's folder, its report.json, a committed baseline.json, or a variant of a \
            run with variants: RUN/variants/NAME. Of such a run alone, base is meant; without a variant of that name, as \
            after run --ab, the first.

              beaconswarm compare RUN                       the only other variant of RUN against its base
              beaconswarm compare RUN --candidate NAME      that variant against base
              beaconswarm compare RUN/variants/a RUN/variants/b
              beaconswarm compare baseline.json RUN

            Differences are candidate minus base, seed by seed over the seeds that both have, with the 95 % interval of \
            the paired t test. A figure is worse (or better) if its interval excludes 0 and the mean difference exceeds \
            --min-effect; the same if its whole interval lies within that; otherwise it cannot be told.

            Without --gate, it fails (99) if events_lost, event_freshness.p(95) or freshness_within_1h is worse. A gate \
            fails if the mean passes its limit; where the interval spans the limit it cannot be told, which passes \
            unless --strict is given. A single pair has no interval, and fails by its gates alone.

            What shares no seed, and live runs of two commands, are compared by Welch's t test, in which a single run on \
            a side has no interval either.

            The scenarios may differ in populations.*.{sdk,system,version}, name, description, thresholds and seed; \
            any other difference is refused (104) unless --allow-different is given.
            """)

    @Argument(
        help: "What the candidate is held against; of a run with variants alone, both.",
        completion: .file(extensions: ["json"]))
    var base: String

    @Argument(help: "What is judged.", completion: .file(extensions: ["json"]))
    var candidate: String?

    @Option(
        name: .customLong("base"),
        help: ArgumentHelp(
            "Which variant of BASE is meant; default: base, or the first if none is called so.",
            valueName: "NAME"))
    var baseVariant: String?

    @Option(
        name: .customLong("candidate"),
        help: ArgumentHelp(
            "Which variant of CANDIDATE is meant; default as of --base. Of BASE alone, the only other one.",
            valueName: "NAME"))
    var candidateVariant: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A condition in the place of the default ones: METRIC, one of < <= > >=, and base, base+X, base-X, base*X or "
                + "a number; such as 'events_lost<=base+0.0005' or 'event_freshness.p(95)<=base*1.1'. Repeatable.",
            valueName: "EXPR"))
    var gate: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "The least difference that matters: a share of the base's mean, or of a rate the difference itself; default: "
                + "0.02, of rates 0.001 (0.1 points). Repeatable.", valueName: "METRIC=X"))
    var minEffect: [String] = []

    @Flag(help: "Fails too where it cannot be told whether a gate holds.")
    var strict = false

    @Flag(help: "Compares scenarios that differ in more than their policies.")
    var allowDifferent = false

    @Option(
        help: ArgumentHelp(
            "html, md (for a pull request), junit or json; default: the terminal's summary.",
            valueName: "FORMAT"), completion: .list(CompareOptions.formats))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "Writes compare.html, compare.md, compare.json and junit.xml too; the folder must not exist.",
            valueName: "DIR"), completion: .directory)
    var out: String?

    @Flag(help: "Prints the comparison's JSON on standard output, as --format json does.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: "Prints nothing on standard output, but for what --json or --format asks for.")
    var quiet = false

    @OptionGroup var color: ColorOption

    mutating func run() async throws {
        var options = CompareOptions(base: base, candidate: candidate)
        options.baseVariant = baseVariant
        options.candidateVariant = candidateVariant
        options.gates = gate
        options.leastEffects = minEffect
        options.isStrict = strict
        options.allowsDifferent = allowDifferent
        options.format = json ? "json" : format
        options.out = out
        // A form that was asked for by its name is wanted: an empty file would be taken for it.
        options.quiet = quiet && !json && format == nil
        options.color = color.isAllowed
        let chosen = options
        try await finish { try Beaconswarm.compare(chosen) }
    }
}
