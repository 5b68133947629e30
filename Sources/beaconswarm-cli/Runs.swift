import ArgumentParser
import Beaconswarm

struct Runs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the runs of a folder, or writes a page of their trends.",
        discussion: """
            The page has, for each scenario, its metrics over the runs, each run's commit, where verdicts changed, links to \
            the runs' own pages, and any two of the latest runs side by side. It needs no network, and may be made anew in \
            its place after each run.

              beaconswarm runs reports --html reports/index.html --metric events_lost --metric 'http_reqs'

            A run's commit is that of what was tested, if the environment said it when the run began (BEACONSWARM_COMMIT, \
            or a CI's own GITHUB_SHA, CI_COMMIT_SHA or GIT_COMMIT), else that of the tool.
            """)

    @Argument(help: "The folder that is looked through, with those in it.", completion: .directory)
    var folder = RunsOptions.defaultFolder

    @Option(
        help: ArgumentHelp("Writes one page, instead of a list.", valueName: "FILE"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "What is told of each run, such as events_lost or http_req_duration.p(95). Repeatable; default: "
                + "\(RunsOptions.defaultMetrics).",
            valueName: "METRIC"))
    var metric: [String] = []

    @OptionGroup var color: ColorOption

    mutating func run() async throws {
        var options = RunsOptions()
        options.folder = folder
        options.html = html
        options.metrics = metric
        options.color = color.isAllowed
        let chosen = options
        try await finish { try Beaconswarm.runs(chosen) }
    }
}
