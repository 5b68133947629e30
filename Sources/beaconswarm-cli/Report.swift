import ArgumentParser
import Beaconswarm

struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Renders a finished or interrupted run, or a capacity search, again.",
        discussion: """
            Reads report.json, or the report.partial.json of an interrupted run, and writes to standard output. \
            In the folder of a capacity search it reads capacity.json (html, md, csv or json). Of a run with variants \
            it shows them side by side (html, md or json).
            """
    )

    @Argument(
        help: "The folder of a run or a search, or its report.json or capacity.json.",
        completion: .file(extensions: ["json"]))
    var run: String

    @Option(
        help: ArgumentHelp(
            "html, md, csv, junit, prometheus, json or hgrm; default: the terminal's summary.",
            valueName: "FORMAT"), completion: .list(Beaconswarm.reportFormats))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "Whose distribution hgrm prints: http_req_duration (default), http_req_service, event_freshness.",
            valueName: "NAME"), completion: .list(Beaconswarm.reportMetrics))
    var metric: String?

    @OptionGroup var color: ColorOption

    mutating func run() async throws {
        let (run, format, metric, color) = (run, format, metric, color.isAllowed)
        try await finish { try Beaconswarm.report(run, format: format, metric: metric, color: color) }
    }
}
