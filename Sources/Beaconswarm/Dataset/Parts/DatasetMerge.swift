import Datasets
import DeviceSDK
import Files
import Generation
import Reporting
import Scenario

/// Joins the parts of a dataset: the files of all in one folder, and the answers about the whole.
///
/// Rows stay as they are, in the files of their parts, whose names are those of no other part; a database gets the rows of
/// all. So nothing is computed anew but the answers, from the sums that the parts kept.
struct DatasetMerge {
    let options: MergeOptions
    let control: MergeControl

    /// The folders of a dataset's parts among those that a user names: unfinished ones too, and whole datasets; none where
    /// no folder has any.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a folder that adds nothing to those of the others, has parts of a
    ///   run, or may not be read.
    static func found(in folders: [String]) throws(CommandFailure) -> [String] {
        var parts: [[String]] = []
        for folder in folders { parts.append(try candidates(in: folder)) }
        guard let first = parts.firstIndex(where: { !$0.isEmpty }) else { return [] }
        for (folder, inside) in zip(folders, parts) {
            guard OutputFile.exists(folder) else {
                throw CommandFailure(.usage, "\(folder): there is no such folder")
            }
            if try PartFolder.isAny(in: folder) {
                throw CommandFailure(
                    .usage,
                    "\(folder): parts of a run are in it, and those of a dataset in \(folders[first]); nothing was written"
                )
            }
            if inside.isEmpty { throw CommandFailure(.usage, "\(folder): no part of a dataset is in it") }
        }
        return parts.flatMap { $0 }
    }

    private static func candidates(in folder: String) throws(CommandFailure) -> [String] {
        let inside = try PartFolder.names(in: folder).filter { $0.hasPrefix("part-") }.map {
            "\(folder)/\($0)"
        }
        for part in inside { _ = try PartFolder.names(in: part) }
        return ([folder] + inside).filter(isPart)
    }

    private static func isPart(_ folder: String) -> Bool {
        [DatasetPart.stateName, PartJournal.name, DatasetOutput.successName].contains { has($0, folder) }
    }

    private static func isWhole(_ folder: String) -> Bool {
        has(DatasetOutput.successName, folder) && has(DatasetPart.stateName, folder)
    }

    private static func has(_ name: String, _ folder: String) -> Bool {
        OutputFile.exists("\(folder)/\(name)")
    }

    /// - Throws: ``CommandFailure``: 64 for parts of different datasets, one that is there twice, and
    ///   files that were changed; 96 where a part is missing; 105 where it was interrupted. Nothing is written then, or
    ///   the failure says that the folder is unfinished.
    func run(_ folders: [String]) throws(CommandFailure) -> CommandStatus {
        for (option, isGiven) in [("--events", options.events != nil), ("--json", options.json)] where isGiven
        {
            throw CommandFailure(.usage, "\(option): is for the parts of a run, not of a dataset")
        }
        guard !OutputFile.exists(options.out) else {
            throw CommandFailure(
                .usage, "the folder \(options.out) exists already; name another with --out")
        }
        let parts = try parts(in: folders)
        let first = parts[0].state
        let scenario = try KeptScenario.read(
            "\(parts[0].folder)/\(DatasetPart.scenarioName)", sha256: first.identity.scenarioSHA256,
            variables: first.identity.sum.variables, as: first.reference)
        let plans = DatasetPlans(
            scenario.document, sizes: nil, tagsEvents: first.identity.tagsEvents, threads: 1, cut: nil)
        try checkMissing(parts, in: folders, plans)
        let sum = try DatasetSum(parts, scenario, plans)
        let paths = try paths(of: parts)
        var own = RunOptions(source: ScenarioSource(path: parts[0].folder))
        own.quiet = options.quiet
        let console = RunConsole(own)
        try control.begin(console)
        let isWhole: Bool
        do throws(FileFailure) {
            isWhole = try write(parts, paths, sum, scenario, console)
        } catch {
            throw unfinished(.internalError, "\(error)")
        }
        guard isWhole else { throw unfinished(.interrupted, "interrupted") }
        console.say(
            "\(options.out): \(sum.rows[0]) rows of events, \(sum.rows[1]) of truth, in \(parts.count) parts")
        return .success
    }

    private func unfinished(_ code: CommandStatus, _ reason: String) -> CommandFailure {
        RunFolder(existing: options.out).deleteIfEmpty()
        let advice = "\(options.out) is unfinished (no \(DatasetOutput.successName)): remove it"
        return CommandFailure(code, OutputFile.exists(options.out) ? "\(reason); \(advice)" : reason)
    }

    typealias Part = (folder: String, state: DatasetPart)

    /// Those that are whole, in order, each once.
    private func parts(in folders: [String]) throws(CommandFailure) -> [Part] {
        var parts: [Part] = []
        for folder in folders
        where DatasetMerge.has(DatasetOutput.successName, folder) && !DatasetMerge.isWhole(folder) {
            throw CommandFailure(
                .usage,
                "\(folder): a whole dataset and no part of one: there is nothing to merge; nothing was written"
            )
        }
        for folder in folders where DatasetMerge.isWhole(folder) {
            let state = try DatasetPart(of: folder)
            if let first = parts.first, let difference = state.identity.difference(from: first.state.identity)
            {
                throw CommandFailure(
                    .usage,
                    "\(folder) is no part of the dataset that \(first.folder) is of: \(difference); nothing was written"
                )
            }
            if let other = parts.first(where: { $0.state.number == state.number }) {
                throw CommandFailure(
                    .usage, PartFolder.twice(state.number, other.folder, folder))
            }
            parts.append((folder, state))
        }
        guard !parts.isEmpty else {
            throw CommandFailure(
                .usage,
                "\(folders[0]): the part is not whole (no \(DatasetOutput.successName)): make it again; it goes on"
            )
        }
        return parts.sorted { $0.state.number < $1.state.number }
    }

    /// Refuses a dataset with holes, and tells how to fill them.
    private func checkMissing(
        _ parts: [Part], in folders: [String], _ plans: DatasetPlans
    ) throws(CommandFailure) {
        let first = parts[0].state
        let there = Set(parts.map(\.state.number))
        let missing = (0..<first.identity.count).map { PartNumber(index: $0, count: first.identity.count) }
            .filter { !there.contains($0) }
        guard !missing.isEmpty else { return }
        let populations = zip(plans.names, plans.populations).map { ($0, $1.firstDevice, $1.deviceCount) }
        let shown = PartSet.listed(missing.map { "\($0.text)\(PartSet.devices(of: $0, populations))" })
        let broken = folders.filter { !DatasetMerge.isWhole($0) }.prefix(3)
        let unfinished = broken.isEmpty ? "" : " (unfinished: \(broken.joined(separator: ", ")))"
        throw CommandFailure(
            .invalidRun,
            "\(parts.count) of \(first.identity.count) parts of the dataset are there; missing "
                + "\(missing.count == 1 ? "is" : "are") \(shown)\(unfinished). Nothing was "
                + "written: make "
                + PartSet.remedy(
                    first.command, missing: missing, in: PartFolder.shared(byPart: parts[0].folder)))
    }

    /// The files of each part's tables; all of them are there as they were written.
    private func paths(of parts: [Part]) throws(CommandFailure) -> [[String]] {
        var paths: [[String]] = []
        for part in parts {
            do throws(FileFailure) {
                paths.append(try PartJournal.paths(in: part.folder))
            } catch {
                throw CommandFailure(.usage, "\(error); nothing was written")
            }
            try part.state.sums.check(in: part.folder)
        }
        return paths
    }

    /// - Returns: Whether all is there; not if it was interrupted.
    private func write(
        _ parts: [Part], _ paths: [[String]], _ sum: DatasetSum, _ scenario: LoadedScenario,
        _ console: RunConsole
    ) throws(FileFailure) -> Bool {
        try Folder.make(options.out)
        let hasDatabase = sum.formats.contains(DatasetFormat.sqlite.description)
        let database =
            hasDatabase
            ? try SQLiteFile("\(options.out)/\(DatasetOutput.databaseName)", tables: sum.schemas) : nil
        for (part, paths) in zip(parts, paths) {
            for path in paths {
                if control.isRequested { return false }
                try Folder.link("\(part.folder)/\(path)", as: "\(options.out)/\(path)")
            }
            if part.state.identity.hasRaw {
                try Folder.link(
                    "\(part.folder)/\(RawLines.fileName)",
                    as: "\(options.out)/raw/\(part.state.number.folderName).ndjson")
            }
            if control.isRequested { return false }
            try database?.append(from: "\(part.folder)/\(DatasetOutput.databaseName)")
        }
        // From here on all is joined, and it comes to its end.
        do { try control.finish(console) } catch { return false }
        try database?.finish()
        for (name, bytes) in sum.files(scenario, first: parts[0].state, out: options.out) {
            try GrowingFile.write(bytes, to: "\(options.out)/\(name)")
        }
        try FileSink("\(options.out)/\(DatasetOutput.successName)").finish()
        return true
    }
}

/// What the parts of a dataset come to together.
struct DatasetSum {
    let formats: [String]
    let schemas: [TableSchema]
    /// Of each table.
    private(set) var rows: [Int]
    private var unknownRows: Int64 = 0
    private let facts: DatasetFacts
    private var totals: AnswerTotals
    private let patterns: PatternKey
    private let table: EventTable
    private let shape: DatasetShape
    private var sample = RowSample()

    /// - Throws: ``CommandFailure`` with code 64 for a part whose sums are not about this scenario.
    init(
        _ parts: [DatasetMerge.Part], _ scenario: LoadedScenario, _ plans: DatasetPlans
    ) throws(CommandFailure) {
        let facts = DatasetFacts(plans)
        self.facts = facts
        formats = parts[0].state.identity.formats
        table = EventTable(plans, keepsIDs: plans.tagsEvents)
        shape = DatasetShape(plans)
        schemas = [table.schema] + TruthTables.all
        totals = AnswerTotals(facts)
        patterns = PatternKey(scenario.document.patterns, facts, plans)
        rows = schemas.map { _ in 0 }
        for (folder, state) in parts { try add(state, of: folder) }
    }

    private mutating func add(_ state: DatasetPart, of folder: String) throws(CommandFailure) {
        let counters = patterns.counters
        guard state.totals.hasShape(of: totals), state.rows.count == rows.count,
            state.patterns.count == counters.count, state.shape.count == shape.populations.count,
            zip(counters, state.patterns).allSatisfy({ $0.add($1) })
        else {
            throw CommandFailure(
                .usage, "\(folder)/\(DatasetPart.stateName): its sums are not about the part's scenario")
        }
        totals.merge(state.totals)
        shape.merge(state.shape)
        sample.merge(state.sample)
        unknownRows += state.unknownRows
        for table in rows.indices { rows[table] += state.rows[table] }
    }

    /// The files that are about the whole, by name.
    func files(
        _ scenario: LoadedScenario, first: DatasetPart, out: String
    ) -> [(name: String, bytes: [UInt8])] {
        let document = scenario.document
        let planted = PatternAnswers(key: patterns, events: schemas[0])
        let answers = Answers(facts, totals, rows: Int64(rows[0])).all + planted.answers
        let told = planted.json(
            start: document.simulatedStart, redact: { document.redact($0) })
        var options = GenerateOptions(source: ScenarioSource(path: out), out: out)
        let identity = first.identity
        (options.formats, options.partition, options.zone) = (formats, identity.partition, identity.zone)
        options.split = identity.split.isEmpty ? nil : identity.split
        var page = DatasetPage(
            scenario: scenario, options: options, schemas: schemas, rows: rows, answers: answers,
            unknownRows: unknownRows, fingerprint: totals.fingerprint)
        let report = shape.report(
            scenario, names: patterns.names, rows: rows[0], captured: rows[1],
            sampler: sample.figures(of: table))
        page.parts = (identity.count, PartSet.command(first.command, playing: "I/\(identity.count)"))
        return AnswerFiles.all(of: page, patterns: told) + [("report.html", DatasetHTML.write(report))]
    }
}
