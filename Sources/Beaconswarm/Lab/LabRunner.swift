import Rendering
import Reporting
import Scenario
import Timebase
import Wire

/// Plays variants of a scenario over seeds in virtual time, and writes what they come to.
struct LabRunner {
    let options: RunOptions
    /// The scenario's file, read once.
    let content: [UInt8]
    let base: LoadedScenario
    /// In the order of the scenario.
    let variants: [String]
    let seeds: [UInt64]
    /// Which of the simulations are played, by their number; `nil` for all.
    var part: PartNumber?
    let console: RunConsole
    let interruption: Interruption

    /// One simulation.
    struct Cell: Sendable {
        var variant: String
        var seed: UInt64
    }

    /// All variants of a seed before the next seed: what is broken off can still be compared.
    private var cells: [Cell] {
        let all = seeds.flatMap { seed in variants.map { Cell(variant: $0, seed: seed) } }
        guard let part else { return all }
        return all.indices.filter { $0 % part.count == part.index }.map { all[$0] }
    }

    private var bodies: Bodies { options.bodies ?? (variants.count * seeds.count > 1 ? .measure : .encode) }
    private var threads: Int { options.threads ?? Host.cores }

    func run() throws(CommandFailure) -> CommandStatus {
        for option in [("--events", options.events), ("--keep-stores", options.keepStores)]
        where option.1 != nil {
            throw CommandFailure(
                .usage,
                "\(option.0): is for one simulation; name one with --variant and --seed, without --seeds")
        }
        let documents = try documents()
        let played = Set(cells.map(\.variant))
        try Room.checkMemory(
            of: zip(variants, documents).filter { played.contains($0.0) }.map(\.1), seeds: seeds.count,
            sideBySide: max(1, min(threads, cells.count)))
        // From the first file on it is a comparison, which an interrupt ends with a report.
        interruption.begin {}
        interruption.onRequest { [console] in console.dropping() }
        let folder = try makeFolder()
        options.watch?.keep(in: folder.path)
        var output = LabOutput(report: blank(documents), folder: folder, console: console, cells: cells.count)
        introduce(output.report)
        try output.writePartial()
        let results = try play(into: output)
        interruption.onRequestFromNowOn { [console] in console.writing() }
        for (cell, result) in zip(cells, results) {
            if let result { output.add(result, of: cell.variant) }
        }
        output.report.bodies = bodies.rawValue
        let isWhole = !results.contains { $0 == nil }
        guard let part, isWhole else {
            let status = try output.finish(isWhole: isWhole)
            console.watch?.take(.lab(output.report))
            return status
        }
        try write(part, of: output.report, to: folder)
        console.say(
            "part \(part.text) is in \(folder.path); join all parts with: beaconswarm merge "
                + "\(Escaping.shell(options.out ?? "")) --out DIR")
        return .success
    }

    /// Says what is going to happen, and what to beware of.
    private func introduce(_ report: LabReport) {
        console.say(
            "beaconswarm \(Beaconswarm.version): \(base.reference.name), \(part.map { "part \($0.text), " } ?? "")"
                + "\(cells.count.of("simulation")): "
                + "\(variants.joined(separator: ", ")) over \(seeds.count == 1 ? "seed" : "\(seeds.count) seeds from") \(seeds[0])"
        )
        console.warn(report.warnings)
    }

    private func write(
        _ part: PartNumber, of report: LabReport, to folder: RunFolder
    ) throws(CommandFailure) {
        let command = options.command.map(base.document.redact)
        try LabPart(number: part, sum: base.document.sum, command: command, report: report)
            .write(to: folder)
        folder.remove("report.partial.json")
    }

    private func makeFolder() throws(CommandFailure) -> RunFolder {
        if let part {
            guard !options.json else {
                throw CommandFailure(.usage, "--json: a part has no report; beaconswarm merge makes it")
            }
            return RunFolder(existing: try PartFolder.claim(part, in: PartFolder.meeting(of: options)).path)
        }
        let path =
            options.out
            ?? RunFolder.defaultPath(scenario: base.reference.name, mode: .virtual, at: Host.now)
        return try RunFolder(creating: path)
    }

    private func play(into output: LabOutput) throws(CommandFailure) -> [LabReport.Cell?] {
        let cells = cells
        let progress = CellProgress(count: cells.count, console: console)
        let pool = CellPool(interruption: interruption, progress: progress)
        let board = CellBoard(output.report, watch: console.watch) { .lab($0) }
        do throws(CommandFailure) {
            return try pool.run(cells.count, threads: threads) { [self] index, control, note in
                let cell = cells[index]
                let result = try play(cell, into: output, control, note)
                if let result, let variant = variants.firstIndex(of: cell.variant) {
                    board.add(result, to: variant)
                }
                return result
            }
        } catch {
            var partial = output
            partial.report = board.report
            partial.writePartial(endedBy: error)
            throw error
        }
    }

    private func play(
        _ cell: Cell, into output: LabOutput, _ control: CellControl,
        _ note: @escaping @Sendable (Double) -> Void
    ) throws(CommandFailure) -> LabReport.Cell? {
        let scenario = try scenario(of: cell)
        var own = options
        let path = output.path(variant: cell.variant, seed: cell.seed)
        own.out = path
        own.json = false
        own.bodies = bodies
        own.command = command(of: cell)
        var runner = VirtualRunner(scenario: scenario, options: own, console: .mute, interruption: control)
        runner.onProgress = note
        let folder = RunFolder(existing: path)
        do throws(CommandFailure) {
            let status = try runner.runCell()
            if status == .interrupted {
                folder.delete()
                return nil
            }
            return try RunReader.cell(path).cell
        } catch {
            folder.delete()
            throw error
        }
    }

    func scenario(of cell: Cell) throws(CommandFailure) -> LoadedScenario {
        var source = options.source
        source.variant = cell.variant
        source.seed = String(cell.seed)
        source.checksVariants = false
        return try LoadedScenario(source, content: content)
    }

    /// What repeats the simulation alone.
    private func command(of cell: Cell) -> [String] {
        let words = LabOutput.words(
            options.command,
            without: ["--seeds", "--seed", "--variant", "--threads", "--shard", "--out", "--bodies"])
        guard !words.isEmpty else { return [] }
        return words + ["--variant", cell.variant, "--seed", String(cell.seed), "--bodies", bodies.rawValue]
    }

    /// The scenario of each variant.
    private func documents() throws(CommandFailure) -> [ScenarioDocument] {
        try variants.map { name throws(CommandFailure) in
            name == VariantName.base
                ? base.document : try scenario(of: Cell(variant: name, seed: base.document.seed)).document
        }
    }

    /// The report without any cell.
    private func blank(_ documents: [ScenarioDocument]) -> LabReport {
        let own = base.document.resolved.withoutSeed
        var report = LabReport(
            toolVersion: Beaconswarm.version, scenario: base.reference, mode: .virtual, seeds: seeds,
            variants: zip(variants, documents).map { name, document in
                LabReport.Variant(
                    name: name,
                    changes: ScenarioDifference.variantChanges(from: own, to: document.resolved.withoutSeed))
            })
        report.resolved = own
        report.warnings = warnings(documents) + undoneWarnings(report, documents)
        return report
    }

    /// What the variants' scenarios have to say, each once.
    private func warnings(_ documents: [ScenarioDocument]) -> [String] {
        var warnings = SeriesWarnings(of: base.document, calling: "variant")
        for (name, document) in zip(variants, documents) { warnings.add(of: document, as: name) }
        return warnings.lines
    }
}
