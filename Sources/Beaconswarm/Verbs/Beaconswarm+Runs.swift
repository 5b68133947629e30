import Glibc
import Rendering
import Reporting

/// Options of `runs`.
public struct RunsOptions: Sendable {
    /// The folder that is looked through.
    public var folder = RunsOptions.defaultFolder
    /// The page to be written; `nil` for a list on standard output.
    public var html: String?
    /// What is told of each run, such as `event_freshness.p(95)`; empty for ``defaultMetrics``.
    public var metrics: [String] = []
    /// Colours where the output is a terminal.
    public var color = true

    /// Where runs go of which nobody says where.
    public static let defaultFolder = "reports"
    /// The default of ``metrics``, separated by commas.
    public static let defaultMetrics = RunHistory.defaultFigures.joined(separator: ", ")

    /// Makes options with every default.
    public init() {}
}

extension Beaconswarm {
    /// Lists the runs of a folder and of those below it, or writes a page of their trends.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a folder or metric that does not exist, or a page's name that another
    ///   file has; 70 for a page that cannot be written.
    public static func runs(_ options: RunsOptions) throws -> CommandStatus {
        try FileName.check(options.folder, of: "DIR")
        try FileName.check(options.html, of: "--html")
        let names = options.metrics.isEmpty ? RunHistory.defaultFigures : options.metrics
        var figures: [Figure] = []
        for name in names {
            do throws(ThresholdError) {
                figures.append(try Figure.parse(name))
            } catch {
                throw CommandFailure(.usage, "--metric \(name): \(error)")
            }
        }
        var folder = options.folder
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        try check(folder: folder, page: options.html)
        let found = RunFinder(in: folder, page: options.html)
        for failure in found.failures { Console.error("left out: \(Escaping.line(failure))") }
        let cells = found.entries.compactMap(\.cell)
        if !cells.isEmpty { tellMissing(figures, in: FigureTags(of: cells)) }
        var history = RunHistory(folder: folder, entries: found.entries, figures: figures)
        guard let page = options.html else {
            let colored = options.color && Host.outputIsTerminal && Host.allowsColor
            Console.output(RunHistoryText.render(history, color: colored))
            return .success
        }
        history.folder = ownName(of: folder)
        try OutputFile.write(
            RunHistoryHTML.write(history, toolVersion: version), to: page, isDurable: false)
        Console.error("\(found.entries.count.of("run")): \(page)")
        return .success
    }

    /// What a page calls a folder: as the user does, or by its own name where the user's is none.
    private static func ownName(of folder: String) -> String {
        guard let last = folder.split(separator: "/").last, last.allSatisfy({ $0 == "." }),
            let path = realpath(folder, nil)
        else { return folder }
        defer { free(path) }
        let whole = String(cString: path)
        return whole.split(separator: "/").last.map(String.init) ?? whole
    }

    /// Runs without a population or an entry show no figure of it; a name that none of them has may be a slip.
    private static func tellMissing(_ figures: [Figure], in known: FigureTags) {
        for figure in figures {
            guard let error = figure.missingTag(in: known) else { continue }
            Console.error("--metric \(figure.name): no run has it: \(error)")
        }
    }

    private static func check(folder: String, page: String?) throws(CommandFailure) {
        guard OutputFile.isFolder(folder) else {
            throw CommandFailure(
                .usage, "\(folder): there is no such folder; runs lie in reports, or where --out said")
        }
        guard let page, OutputFile.exists(page) else { return }
        // A page that is made anew after each run takes the place of the last one, and of nothing else.
        let bytes = try OutputFile.read(page, failing: .usage)
        guard String(decoding: bytes.suffix(200), as: UTF8.self).contains(RunHistoryHTML.mark) else {
            throw CommandFailure(
                .usage, "--html \(page) exists already, and is no page of runs; name another file")
        }
    }
}
