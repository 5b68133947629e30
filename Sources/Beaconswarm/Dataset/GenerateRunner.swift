import Datasets
import DeviceSDK
import Files
import Generation
import Reporting
import Scenario
import Timebase
import VirtualEngine
import Wire

/// Makes a dataset: plays the devices on some threads, merges what arrives, and writes the truth in the end.
final class GenerateRunner {
    private let options: GenerateOptions
    private let scenario: LoadedScenario
    private let layout: DatasetLayout
    private let settings: DatasetSettings
    private let part: PartNumber
    private let console: RunConsole
    private let interruption: Interruption
    private let began = Host.monotonic
    /// When the devices began to be played.
    private var playBegan = Host.monotonic
    /// Where the dataset ends before its scenario does.
    private var ending: DatasetPage.Cut?
    /// Of the scenario's uploads; events are counted without making their bytes.
    private lazy var sizes = UploadSizes(
        of: scenario.document, for: options.rows == nil ? .encode : .measure)

    init(
        _ options: GenerateOptions, scenario: LoadedScenario, console: RunConsole,
        interruption: Interruption
    ) throws(CommandFailure) {
        try FileName.check(options.out, of: "--out")
        (part, self.options) = try options.placed()
        self.scenario = scenario
        self.console = console
        self.interruption = interruption
        layout = try self.options.layout()
        settings = DatasetSettings(self.options, scenario, layout)
    }

    /// - Returns: success, interrupted, or an invalid run: the machine's disk failed the devices' files too often.
    /// - Throws: ``CommandFailure``: what is there then is not to be used, and may be gone on with.
    func run() throws(CommandFailure) -> CommandStatus {
        let folder = DatasetFolder(options, settings)
        try folder.check()
        guard part == .whole || !plans(cut: nil).isShared else { throw PartRunner.shared }
        try checkColumns()
        // Where it ends after some rows, or when its user ends it, little of the fleet's time may be played.
        if options.rows == nil && !options.follows {
            try Room.checkMemory(ofDataset: scenario.document, part: options.shard == nil ? nil : part)
        }
        console.warn(of: scenario.document)
        console.watch?.keep(in: options.out)
        let stores = try RunStores(ofSimulated: scenario)
        defer {
            console.warn(stores.warnings)
            stores.removeIfTemporary()
        }
        interruption.begin()
        let cut = options.rows.flatMap {
            CaptureCount.instant(
                ofCapture: $0, in: scenario.document, sizes: sizes, tagsEvents: options.tagsEvents, stores)
        }
        if let rows = options.rows {
            ending = cut.map { .rows(rows, at: $0) }
            if cut == nil {
                console.warn(
                    "--rows \(rows): the scenario captures fewer; the dataset is of all that it captures")
            }
        }
        let lock = try folder.take()
        defer { withExtendedLifetime(lock) {} }
        do throws(FileFailure) {
            guard options.follows else { return try write(plans(cut: cut), stores) }
            return try writeStream(cut: cut, stores)
        } catch {
            // A folder of something else is not unfinished.
            if error.action == DatasetOutput.goingOn { throw CommandFailure(.usage, "\(error)") }
            throw CommandFailure(
                .internalError,
                "\(error); \(options.out) is unfinished (no \(DatasetOutput.successName)): \(remedy)")
        }
    }

    /// SQLite has room for 2,000 columns, as it is built everywhere; a row of ours tells 65,535 fields apart.
    private func checkColumns() throws(CommandFailure) {
        let limit = layout.formats.contains(.sqlite) ? 2000 : 65_000
        // Nothing is played for this, so no sizes are fitted.
        let plans = DatasetPlans(
            scenario.document, sizes: nil, part: part.share, tagsEvents: options.tagsEvents, threads: 1,
            cut: nil)
        let count = EventTable(plans, keepsIDs: options.tagsEvents).schema.columns.count
        guard count > limit else { return }
        throw CommandFailure(
            .usage,
            "events would have \(count) columns, of which one is of each property of the apps; allowed are \(limit)"
                + (limit == 2000 ? " with --format sqlite" : ""))
    }

    /// What may be done with an unfinished folder. Nothing goes on with a stream: when it ended is not known any more.
    private var remedy: String {
        options.follows ? "remove it" : "--resume goes on with it, or remove it"
    }

    private func plans(cut: Instant?) -> DatasetPlans {
        DatasetPlans(
            scenario.document, sizes: sizes.fitted, part: part.share, tagsEvents: options.tagsEvents,
            threads: options.threads ?? Host.cores, cut: cut)
    }

    /// Whether the dataset is to be left as it is. The first signal ends a stream, whose dataset is then written.
    private var isInterrupted: Bool { options.follows ? interruption.isRepeated : interruption.isRequested }

    /// Sends rows, and writes the dataset of those that were sent.
    private func writeStream(cut: Instant?, _ stores: RunStores) throws(FileFailure) -> CommandStatus {
        let stream = DatasetStream(options: options, console: console, interruption: interruption)
        let disk = DiskWatch(stores)
        let (end, uploads) = try stream.send(plans(cut: cut), stores)
        if let reason = disk.reason(uploads: uploads) { return invalid(reason) }
        switch end {
        case .all: return try write(plans(cut: cut), stores)
        case .last(let instant):
            ending = .stream(at: instant)
            return try write(plans(cut: instant), stores)
        case .nothing:
            try stream.removeFolder()
            return .success
        }
    }

    private func write(_ plans: DatasetPlans, _ stores: RunStores) throws(FileFailure) -> CommandStatus {
        let table = EventTable(plans, keepsIDs: options.tagsEvents)
        let tables =
            [DatasetTable(table.schema, partitionedBy: "received_at")]
            + TruthTables.all.map { DatasetTable($0) }
        let output = try DatasetOutput(
            options.out, tables: tables, layout: layout, identity: settings.identity,
            settings: settings.all, isResuming: options.resumes)
        let disk = DiskWatch(stores)
        var isWhole = false
        // Who goes on with it plays on a sound disk, and would keep rows of this one.
        defer { if !isWhole, disk.hasFailed { try? output.discard() } }
        let status = try write(plans, table, tables.map(\.schema), to: output, stores, disk)
        isWhole = status == .success
        return status
    }

    private func write(
        _ plans: DatasetPlans, _ table: EventTable, _ schemas: [TableSchema], to output: DatasetOutput,
        _ stores: RunStores, _ disk: DiskWatch
    ) throws(FileFailure) -> CommandStatus {
        let answers = AnswerKey(DatasetFacts(plans))
        let play = try DatasetPlay(
            plans, fields: table.fields, folder: options.out, start: plans.configuration.schedule.start,
            keepsUnsent: options.raw)
        let shape = DatasetShape(plans)
        let sink = TableSink(table.schema, number: 0, of: output)
        let copies = try BucketSpool<CopyRecord>(
            "\(options.out)/_copies.partial", buckets: plans.buckets.count)
        let raw = try rawLines()
        let arrivals = ArrivalWriter(
            table, plans, into: sink, copies: copies, answers: answers, raw: raw)
        playBegan = Host.monotonic
        play.begin(stores.fleetFactory)
        try writeRows(of: play, arrivals, output)
        if isInterrupted { return interrupted() }
        if let reason = disk.reason(uploads: play.uploads) { return invalid(reason) }
        try sink.flush()
        let patterns = PatternKey(scenario.document.patterns, answers.facts, plans)
        try writeTruth(plans, play, copies, to: output, answers, shape, patterns, raw)
        if isInterrupted { return interrupted() }
        try raw?.finish()
        let result = Answers(answers.facts, answers.totals, rows: arrivals.rows).all
        let planted = PatternAnswers(key: patterns, events: table.schema)
        let report = shape.report(
            scenario, names: plans.names, rows: output.rows[0], captured: output.rows[1],
            sampler: arrivals.sample.figures(of: table))
        try GrowingFile.write(DatasetHTML.write(report), to: "\(options.out)/report.html")
        if options.shard != nil {
            try output.endFiles()
            try writePart(output.rows, arrivals, answers, patterns, shape)
        }
        // A whole dataset has no files of its making beside it, wherever the process ends.
        play.removeFiles()
        copies.remove()
        try finish(output, schemas, result, planted, arrivals, answers.totals.fingerprint)
        return .success
    }

    /// Where events' own JSON goes, where it is asked for.
    private func rawLines() throws(FileFailure) -> RawLines? {
        guard options.raw else { return nil }
        return RawLines(into: try FileSink("\(options.out)/\(RawLines.fileName)"))
    }

    private func writeRows(
        of play: DatasetPlay, _ arrivals: ArrivalWriter, _ output: DatasetOutput
    ) throws(FileFailure) {
        defer { play.end() }
        try play.forEachRow { row throws(FileFailure) in
            try arrivals.write(row)
            return arrivals.rows % 1024 != 0 || self.look(play, arrivals, output)
        }
    }

    private func interrupted() -> CommandStatus {
        console.status("")
        console.warn(
            "\(options.out) is unfinished: \(options.follows ? remedy : "--resume goes on with it")")
        return .interrupted
    }

    private func invalid(_ reason: String) -> CommandStatus {
        console.status("")
        console.warn(
            "\(reason) \(options.out) is unfinished (no \(DatasetOutput.successName)): "
                + (options.follows ? "remove it" : "--resume makes all of it anew, or remove it"))
        return .invalidRun
    }

    private func writeTruth(
        _ plans: DatasetPlans, _ play: DatasetPlay, _ copies: BucketSpool<CopyRecord>,
        to output: DatasetOutput, _ answers: AnswerKey, _ shape: DatasetShape,
        _ patterns: PatternKey, _ raw: RawLines?
    ) throws(FileFailure) {
        let truth = TruthWriter(
            plans, labels: answers.facts.labels, zone: layout.zone, to: output, first: 1, answers: answers,
            shape: shape, patterns: patterns, raw: raw)
        try truth.writeAll(of: play, copies: copies, until: { self.isInterrupted }) { share in
            console.progress(share: share) { "writing the truth, \(Int(share * 100)) %" }
        }
    }

    /// Writes what joins the part with the others, once its files are whole.
    private func writePart(
        _ rows: [Int], _ arrivals: ArrivalWriter, _ answers: AnswerKey, _ patterns: PatternKey,
        _ shape: DatasetShape
    ) throws(FileFailure) {
        let resolved = scenario.resolvedBytes
        try GrowingFile.write(resolved, to: "\(options.out)/\(DatasetPart.scenarioName)")
        let document = scenario.document
        let state = DatasetPart(
            identity: DatasetPart.Identity(
                toolVersion: Beaconswarm.version, scenarioSHA256: SHA256.hexadecimal(of: resolved),
                sum: ScenarioSum(document), seed: document.seed, count: part.count,
                formats: layout.formats.map(\.description), partition: options.partition, zone: options.zone,
                split: options.split ?? "", tagsEvents: options.tagsEvents, hasRaw: options.raw),
            number: part, reference: scenario.reference,
            command: GenerateOptions.begins(options.command).map { document.redact($0) },
            rows: rows, unknownRows: arrivals.unknown, totals: answers.totals,
            patterns: patterns.counters.map(\.totals), shape: shape.populations, sample: arrivals.sample,
            sums: try FileSums(
                of: [DatasetPart.scenarioName, RawLines.fileName, DatasetOutput.databaseName], in: options.out
            ))
        try state.write(to: options.out)
    }

    /// Says how far it is.
    ///
    /// - Returns: Whether to go on. Once the players are told to stop, what they still hand over is no longer in order:
    ///   no row of it may reach a part.
    private func look(_ play: DatasetPlay, _ arrivals: ArrivalWriter, _ output: DatasetOutput) -> Bool {
        if isInterrupted { return false }
        let (rows, rawBytes) = (arrivals.rows, arrivals.rawBytes)
        let length = play.length.fractionalSeconds
        let share = min(1, max(0, (play.now - play.start).fractionalSeconds / max(length, 1e-9)))
        console.progress(share: share) {
            DatasetProgress.line(
                share: share, rows: rows, bytes: output.size + rawBytes, elapsed: Host.monotonic - playBegan)
        }
        return true
    }

    private func finish(
        _ output: DatasetOutput, _ schemas: [TableSchema], _ common: [Answer], _ planted: PatternAnswers,
        _ arrivals: ArrivalWriter, _ fingerprint: UInt64
    ) throws(FileFailure) {
        let document = scenario.document
        let answers = common + planted.answers
        let patterns = planted.json(
            start: document.simulatedStart, redact: { document.redact($0) })
        let page = DatasetPage(
            scenario: scenario, options: options, schemas: schemas, rows: output.rows, answers: answers,
            unknownRows: arrivals.unknown, fingerprint: fingerprint, cut: ending)
        for (name, bytes) in AnswerFiles.all(of: page, patterns: patterns) {
            try GrowingFile.write(bytes, to: "\(options.out)/\(name)")
        }
        try output.finish()
        console.status("")
        let seconds = max((Host.monotonic - began).fractionalSeconds, 1e-9)
        let rawBytes = arrivals.rawBytes
        console.say(
            "\(options.out): \(output.rows[0]) rows of events, \(output.rows[1]) of truth, "
                + "\(DatasetProgress.size(output.size + rawBytes)), \(Int(Double(output.rows[0]) / seconds)) rows of events/s"
        )
    }
}
