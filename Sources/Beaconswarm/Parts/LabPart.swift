import Reporting
import Wire

/// The part of several simulations that one process played: every N-th of them, from the I-th on.
///
/// Its file is written last, so an attempt without one did not finish. The first line tells the part, the sum
/// of the scenario, and that of the rest: the command line, and the report with the cells of this part alone.
struct LabPart: Sendable {
    static let fileName = "simulations.json"
    private static let head = "beaconswarm.simulations/3"

    let number: PartNumber
    /// What the report does not tell of the scenario: ``ScenarioDocument/sum``.
    let sum: String
    /// With which it was played.
    let command: [String]
    let report: LabReport

    init(number: PartNumber, sum: String, command: [String], report: LabReport) {
        (self.number, self.sum, self.command, self.report) = (number, sum, command, report)
    }

    func write(to folder: RunFolder) throws(CommandFailure) {
        let body = Array("\(JSONNode.texts(command).compactText)\n".utf8) + LabJSON.write(report)
        let first = "\(LabPart.head) \(number.text) \(sum) \(SHA256.hexadecimal(of: body))\n"
        try OutputFile.write(Array(first.utf8) + body, to: folder.file(LabPart.fileName))
    }

    /// Reads the file of an attempt.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a file that is cut, was changed, or is none.
    init(of folder: PartFolder) throws(CommandFailure) {
        let path = folder.file(LabPart.fileName)
        let bytes = try OutputFile.read(path, failing: .usage)
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 4, words[0] == LabPart.head else {
            throw CommandFailure(.usage, "\(path): not a part of several simulations of this version")
        }
        let body = Array(bytes[end...].dropFirst())
        guard SHA256.hexadecimal(of: body) == words[3] else {
            throw CommandFailure(
                .usage,
                "\(path): the file is cut or was changed: its sum is another; delete \(folder.path) and play the part "
                    + "again")
        }
        let line = Array(body.prefix { $0 != UInt8(ascii: "\n") })
        command = (try? JSONReader.readStrictly(line))?.elements?.compactMap(\.string) ?? []
        do {
            report = try LabJSON.read(Array(body.dropFirst(line.count + 1)))
        } catch {
            throw CommandFailure(.usage, "\(path): \(error)")
        }
        number = try PartNumber(words[1])
        sum = words[2]
    }
}

/// Joins parts of several simulations: each simulation is whole in one of them.
struct LabMerge {
    let options: MergeOptions
    let control: MergeControl

    func run(_ folders: [PartFolder]) throws(CommandFailure) -> CommandStatus {
        if options.events != nil {
            throw CommandFailure(.usage, "--events: is for the parts of one simulation")
        }
        var parts: [(folder: PartFolder, part: LabPart)] = []
        for folder in folders { parts.append((folder, try LabPart(of: folder))) }
        var report = LabMerge.blank(parts[0].part.report)
        let identity = LabJSON.write(report)
        for (index, (folder, part)) in parts.enumerated() {
            if let other = parts[..<index].first(where: { $0.part.number == part.number }) {
                try PartFolder.checkOnce(part.number, other.folder, folder)
            }
            guard LabJSON.write(LabMerge.blank(part.report)) == identity, part.sum == parts[0].part.sum,
                part.number.count == parts[0].part.number.count
            else {
                throw CommandFailure(
                    .usage,
                    "\(folder.path) is not of the simulations that \(parts[0].folder.path) is of: another "
                        + "scenario, other variables or files of it, seeds, options, number of parts or "
                        + "version; nothing was written")
            }
            try add(part.report, to: &report, from: folder)
        }
        return try finish(report, like: parts[0].part, in: folders[0].shared)
    }

    /// The report without its cells.
    private static func blank(_ report: LabReport) -> LabReport {
        var blank = report
        blank.isPartial = false
        // Some of them are of the machine's own variables.
        blank.warnings = []
        (blank.verdict, blank.exitCode) = (.passed, 0)
        for index in blank.variants.indices { blank.variants[index].cells = [] }
        return blank
    }

    private func add(
        _ part: LabReport, to report: inout LabReport, from folder: PartFolder
    ) throws(CommandFailure) {
        for text in part.warnings where !report.warnings.contains(text) { report.warnings.append(text) }
        for (index, variant) in part.variants.enumerated() {
            for cell in variant.cells {
                if let known = report.variants[index].cell(cell.seed) {
                    guard known.fingerprint == cell.fingerprint else {
                        throw CommandFailure(
                            .usage,
                            "\(folder.path): \(variant.name) of seed \(cell.seed) is there twice, and not the same; nothing "
                                + "was written")
                    }
                } else {
                    report.variants[index].cells.append(cell)
                }
            }
        }
    }

    /// - Parameters:
    ///   - part: Any of them.
    ///   - shared: The folder in which they are.
    private func finish(
        _ joined: LabReport, like part: LabPart, in shared: String?
    ) throws(CommandFailure) -> CommandStatus {
        var report = joined
        for index in report.variants.indices { report.variants[index].cells.sort { $0.seed < $1.seed } }
        report.missingParts = LabMerge.missingText(of: report, like: part, in: shared)
        report.isPartial = report.missingParts != nil
        report.judge()
        if report.isPartial, VerdictRules.weight(of: report.exitCode) <= VerdictRules.weight(of: 105) {
            (report.verdict, report.exitCode) = (.invalid, CommandStatus.invalidRun.rawValue)
        }
        var own = RunOptions(source: ScenarioSource(path: ""))
        (own.json, own.quiet, own.color) = (options.json, options.quiet, options.color)
        let console = RunConsole(own)
        try control.finish(console)
        let folder = try RunFolder(creating: options.out)
        do throws(CommandFailure) {
            try LabFiles.write(report, to: folder)
        } catch {
            folder.deleteIfEmpty()
            throw error
        }
        console.warn(report.warnings)
        if let missing = report.missingParts { console.warn(missing) }
        return LabOutput(report: report, folder: folder, console: console, cells: 0).show("report.html")
    }

    /// Which parts are missing, and how to play them; `nil` if no simulation is.
    private static func missingText(
        of report: LabReport, like part: LabPart, in shared: String?
    ) -> String? {
        let missing = missing(in: report, parts: part.number.count)
        guard !missing.isEmpty else { return nil }
        let played = report.variants.reduce(0) { $0 + $1.cells.count }
        let all = report.variants.count * report.seeds.count
        let what = missing.count == 1 ? "Missing is part" : "Missing are parts"
        return "\(what) \(PartSet.listed(missing.map(\.text))): \(played) of \(all) simulations are there. "
            + "Play " + PartSet.remedy(part.command, missing: missing, in: shared)
    }

    /// Parts of which a simulation is missing.
    private static func missing(in report: LabReport, parts: Int) -> [PartNumber] {
        var missing: Set<PartNumber> = []
        for (row, seed) in report.seeds.enumerated() {
            for (index, variant) in report.variants.enumerated() where variant.cell(seed) == nil {
                missing.insert(
                    PartNumber(index: (row * report.variants.count + index) % parts, count: parts))
            }
        }
        return missing.sorted()
    }
}
