import Reporting
import Scenario
import Wire

/// The report of several runs of one scenario, and its files.
struct LabOutput {
    var report: LabReport
    let folder: RunFolder
    let console: RunConsole
    /// Room for the last word, whatever the runs fill the disk with meanwhile.
    private let reserve: DiskReserve
    /// Whether each run says by itself why it did not pass.
    private let runsSpeak: Bool

    /// What a run adds to the report, roughly and rather more.
    private static let bytesPerCell = 16 << 10

    /// - Parameters:
    ///   - cells: How many runs are still to be played, for whose figures room is kept.
    ///   - runsSpeak: Whether each run says by itself why it did not pass.
    init(report: LabReport, folder: RunFolder, console: RunConsole, cells: Int, runsSpeak: Bool = false) {
        self.report = report
        self.folder = folder
        self.console = console
        self.runsSpeak = runsSpeak
        // A quarter of a small disk: the runs keep half of what is left, each for its own report.
        let wanted = LabOutput.bytesPerCell * min(cells, DiskReserve.limit / LabOutput.bytesPerCell)
        reserve = DiskReserve(in: folder.path, bytes: wanted, share: 0.25)
    }

    /// Where a run of them is kept.
    func path(variant: String, seed: UInt64) -> String {
        folder.file(LabOutput.place(variant: variant, seed: seed))
    }

    /// The same in the folder of all.
    ///
    /// - Parameter seed: A number, or its decimal digits.
    static func place(variant: String, seed: some CustomStringConvertible) -> String {
        "variants/\(variant)/seeds/\(seed)"
    }

    /// Writes what is known so far, for whoever finds it after a sudden end.
    func writePartial() throws(CommandFailure) {
        try write(partial)
    }

    /// Writes what was known when a failure ended it.
    func writePartial(endedBy failure: CommandFailure) {
        var told = partial
        (told.exitCode, told.verdict) = (failure.code.rawValue, .failed)
        reserve.release()
        // A disk that others fill may have taken even what was kept.
        try? write(told)
    }

    private var partial: LabReport {
        var partial = report
        partial.isPartial = true
        partial.judge()
        return partial
    }

    private func write(_ partial: LabReport) throws(CommandFailure) {
        try OutputFile.write(LabJSON.write(partial), to: folder.file("report.partial.json"), isDurable: false)
    }

    /// Adds a run.
    mutating func add(_ cell: LabReport.Cell, of variant: String) {
        guard let index = report.variants.firstIndex(where: { $0.name == variant }) else { return }
        report.variants[index].cells.append(cell)
    }

    /// Judges what came together, writes it, and shows it.
    ///
    /// - Parameters:
    ///   - isWhole: Whether every run is there.
    ///   - reportsPart: Whether what is not whole has a report in full all the same, which says so.
    mutating func finish(
        isWhole: Bool, reportsPart: Bool = false
    ) throws(CommandFailure) -> CommandStatus {
        report.isPartial = !isWhole
        report.judge()
        reserve.release()
        let hasReport = isWhole || reportsPart
        if hasReport { try LabFiles.write(report, to: folder) } else { try writePartial() }
        return show(hasReport ? "report.html" : "report.partial.json")
    }

    /// Says what came out.
    ///
    /// - Parameter file: Where to read on, in the folder.
    /// - Returns: the code to exit with.
    func show(_ file: String) -> CommandStatus {
        let (finished, comparisons) = (report, report.comparisons)
        console.end(json: { LabJSON.write(finished) }, quietly: unsaid) { colored in
            LabText.render(finished, comparisons: comparisons, color: colored, width: console.summaryWidth)
                + "report: \(folder.file(file))\n"
        }
        return CommandStatus(rawValue: report.exitCode) ?? .internalError
    }

    /// Why it did not pass, where nobody has said so yet.
    private var unsaid: String? {
        let hasFailures = report.variants.contains { $0.cells.contains { $0.exitCode != 0 } }
        let isSaid = runsSpeak && (hasFailures || report.unfinished != nil)
        guard report.verdict != .passed, !isSaid else { return nil }
        var told = report
        if told.missingParts != nil {
            // Whoever joined the parts has said which are not there.
            guard hasFailures else { return nil }
            told.isPartial = false
        }
        return told.failure
    }

    /// A command line without some options and their values.
    ///
    /// - Parameters:
    ///   - options: With one value each.
    ///   - pairs: With two values each.
    static func words(_ command: [String], without options: [String], pairs: [String] = []) -> [String] {
        var words: [String] = []
        var skipped = 0
        for word in command {
            if skipped > 0 {
                skipped -= 1
            } else if options.contains(word) {
                skipped = 1
            } else if pairs.contains(word) {
                skipped = 2
            } else if word != "--json", !options.contains(where: { word.hasPrefix($0 + "=") }) {
                words.append(word)
            }
        }
        return words
    }
}

/// The files of a run of variants.
enum LabFiles {
    /// Writes the report first: everything else can be made from it.
    static func write(_ report: LabReport, to folder: RunFolder) throws(CommandFailure) {
        try OutputFile.write(LabJSON.write(report), to: folder.file("report.json"))
        folder.remove("report.partial.json")
        let comparisons = report.comparisons
        try OutputFile.write(
            LabMarkdown.render(report, comparisons: comparisons), to: folder.file("summary.md"))
        try OutputFile.write(
            ComparisonHTML.write(report, comparisons: comparisons), to: folder.file("report.html"))
    }
}

extension LabReport {
    /// Why it did not pass, as a line that stands in the place of the summary; `nil` if it passed.
    var failure: String? { verdict == .passed ? nil : "\(verdict.rawValue): \(LabText.verdict(self))" }
}

extension JSONNode {
    /// A scenario as what its runs have in common: each has a seed of its own.
    var withoutSeed: JSONNode { JSONNode(.object((members ?? []).filter { $0.key != "seed" })) }
}
