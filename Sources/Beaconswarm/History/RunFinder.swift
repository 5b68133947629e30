import Files
import Glibc
import Reporting
import Timebase

/// Finds the runs of a folder.
struct RunFinder {
    /// How deep runs may lie: folders of folders, but nothing that a run has in itself.
    private static let depthLimit = 4
    /// By what a run's folder is known.
    private static let names = [
        "report.json", "report.partial.json", "capacity.json", "capacity.partial.json",
    ]

    /// What was found.
    private(set) var entries: [RunHistory.Entry] = []
    /// What looks like a run and cannot be read, in words.
    private(set) var failures: [String] = []
    private let links: RelativePath?

    /// - Parameter page: The file from which runs are linked to; `nil` for no links.
    init(in folder: String, page: String?) {
        links = page.map(RelativePath.init)
        look(in: folder, depth: 0)
    }

    private mutating func look(in folder: String, depth: Int) {
        let names = Folder.names(in: folder).sorted()
        if names.contains(where: RunFinder.names.contains) { return add(folder) }
        guard depth < RunFinder.depthLimit else { return }
        for name in names where !name.hasPrefix(".") && RunFinder.isFolder("\(folder)/\(name)") {
            look(in: folder == "." ? name : "\(folder)/\(name)", depth: depth + 1)
        }
    }

    /// Whether a folder is there; no link to one, which could lead in a circle.
    private static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    private mutating func add(_ folder: String) {
        do throws(CommandFailure) {
            var entry: RunHistory.Entry
            var page = "report.html"
            switch try RunReader.readResult(folder) {
            case .run(let report): entry = try RunFinder.entry(report, of: folder)
            case .lab(let lab): entry = RunFinder.entry(lab, of: folder)
            case .search(let search):
                entry = RunFinder.entry(search, of: folder)
                page = "capacity.html"
            }
            page = "\(folder)/\(page)"
            if OutputFile.exists(page) { entry.link = links?.text(to: page) }
            entries.append(entry)
        } catch {
            failures.append(error.message)
        }
    }

    private static func entry(_ report: Report, of folder: String) throws(CommandFailure) -> RunHistory.Entry
    {
        var entry = RunHistory.Entry(
            path: folder, kind: report.mode == .live ? .live : .virtual, scenario: report.scenario,
            at: report.startedAt, verdict: report.verdict, exitCode: report.exitCode,
            isPartial: report.isPartial, toolVersion: report.toolVersion)
        entry.commit = report.run.commit ?? report.run.toolCommit
        entry.cell = LabReport.Cell(report)
        // What broke off has no place beside what is whole.
        if !report.isPartial, !report.isInterrupted {
            entry.side = try ComparedSide.read(folder, variant: nil, option: "BASE")
        }
        return entry
    }

    private static func entry(_ lab: LabReport, of folder: String) -> RunHistory.Entry {
        // A series that was broken off has a report in the end, and a verdict; only one that was killed has none.
        RunHistory.Entry(
            path: folder, kind: .variants, scenario: lab.scenario, at: written(folder),
            verdict: lab.verdict, exitCode: lab.exitCode,
            isPartial: lab.isPartial && !OutputFile.exists("\(folder)/report.json"),
            toolVersion: lab.toolVersion)
    }

    private static func entry(_ search: CapacityReport, of folder: String) -> RunHistory.Entry {
        var entry = RunHistory.Entry(
            path: folder, kind: .capacity, scenario: search.scenario, at: search.startedAt,
            verdict: VerdictRules.verdict(of: search.exitCode), exitCode: search.exitCode,
            isPartial: !OutputFile.exists("\(folder)/capacity.json"), toolVersion: search.toolVersion)
        entry.commit = search.run.commit ?? search.run.toolCommit
        return entry
    }

    /// When a folder's report was written: one of several simulations tells no time.
    private static func written(_ folder: String) -> Instant {
        var info = stat()
        for name in names where stat("\(folder)/\(name)", &info) == 0 {
            return Instant(clampingSeconds: Int64(info.st_mtim.tv_sec))
        }
        return Instant(milliseconds: 0)
    }
}
