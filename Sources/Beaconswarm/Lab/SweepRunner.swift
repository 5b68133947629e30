import Rendering
import Reporting
import Scenario
import Timebase
import Wire

/// Plays a grid of simulations, and draws what it shows. What was played is kept at once, so that a sweep that was
/// broken off goes on where it was.
struct SweepRunner {
    let options: SweepOptions
    let content: [UInt8]
    let base: LoadedScenario
    let axes: [SweepReport.Axis]
    let seeds: [UInt64]
    let cost: Figure
    let freshness: Figure
    let console: RunConsole
    let interruption: Interruption
    /// The axes as everybody may see them: without secrets. All that is written has these.
    var shownAxes: [SweepReport.Axis]
    /// Of each point: the name of its population, if it has one alone.
    var onlyPopulations: [String?] = []
    /// What there is to beware of, in the scenario itself and in points, without secrets.
    var warnings: [String] = []

    init(
        options: SweepOptions, content: [UInt8], base: LoadedScenario, axes: [SweepReport.Axis],
        seeds: [UInt64], cost: Figure, freshness: Figure, console: RunConsole, interruption: Interruption
    ) {
        self.options = options
        self.content = content
        self.base = base
        self.axes = axes
        shownAxes = axes
        self.seeds = seeds
        self.cost = cost
        self.freshness = freshness
        self.console = console
        self.interruption = interruption
    }

    /// What tells that a folder holds a sweep that has not ended, and which.
    private static let manifest = "sweep.partial.json"
    private static let result = "sweep.json"

    var grid: [[String]] { SweepReport.grid(axes) }

    /// A simulation: a point of the grid with a seed. All points of a seed come before the next seed.
    private struct Cell {
        var point: Int
        var seed: UInt64
        /// Below the sweep's folder.
        var file: String { "cells/\(point + 1)-\(seed).json" }
    }

    private var cells: [Cell] {
        seeds.flatMap { seed in grid.indices.map { Cell(point: $0, seed: seed) } }
    }

    func run() throws(CommandFailure) -> CommandStatus {
        var checked = self
        try checked.checkPoints()
        return try checked.playAll()
    }

    private func playAll() throws(CommandFailure) -> CommandStatus {
        let folder = try openFolder()
        console.watch?.keep(in: folder.path)
        // What the machine's disk spoiled is played again: there may be room now.
        let kept = cells.map { cell in read(cell, in: folder).flatMap { $0.verdict == .invalid ? nil : $0 } }
        let done = kept.count { $0 != nil }
        console.say(
            "beaconswarm \(Beaconswarm.version): \(base.reference.name), \(grid.count.of("point")), "
                + "\(cells.count.of("simulation"))" + (done > 0 ? ", \(done) of them played already" : ""))
        console.warn(warnings)
        interruption.begin {}
        interruption.onRequest { [console] in console.dropping() }
        let results = try play(kept, in: folder)
        interruption.onRequestFromNowOn { [console] in console.writing() }
        guard !results.contains(where: { $0 == nil }) else {
            console.status("")
            console.say("the sweep is not over; go on with the same command and --out \(folder.path)")
            return .interrupted
        }
        return try finish(results.compactMap { $0 }, in: folder)
    }

    func scenario(_ point: [String], seed: UInt64) throws(CommandFailure) -> LoadedScenario {
        var source = options.run.source
        source.varied = assignments(point)
        source.seed = String(seed)
        source.checksVariants = false
        return try LoadedScenario(source, content: content)
    }

    /// What a point changes, as it is typed.
    func assignments(_ point: [String]) -> [String] { zip(axes, point).map { "\($0.path)=\($1)" } }

    var threads: Int { options.run.threads ?? Host.cores }
    private var bodies: Bodies { options.run.bodies ?? .measure }

    // MARK: The folder

    /// What makes a sweep this one: the scenario, what overrides it, the grid, the seeds, and the program.
    private var identity: [UInt8] {
        let node = JSONNode.object([
            ("schema", .text(SweepJSON.schema)), ("partial", .bool(true)),
            ("tool", .text(Beaconswarm.version)), ("sha256", .text(base.reference.sha256)),
            ("overrides", .texts(base.reference.overrides)), ("sum", .text(base.document.sum)),
            ("axes", .object(shownAxes.map { ($0.path, .texts($0.values)) })),
            (
                "values_sha256",
                .text(SHA256.hexadecimal(of: axes.flatMap(\.values).flatMap { Array($0.utf8) + [0] }))
            ),
            ("seeds", .list(seeds.map { .int($0) })), ("bodies", .text(bodies.rawValue)),
        ])
        return Array((node.prettyText() + "\n").utf8)
    }

    /// Makes the sweep's folder, or opens that of the same sweep that was broken off.
    private func openFolder() throws(CommandFailure) -> RunFolder {
        let path =
            options.run.out
            ?? RunFolder.defaultPath(scenario: base.reference.name, kind: "sweep", at: Host.now)
        let manifest = "\(path)/\(SweepRunner.manifest)"
        if OutputFile.exists(manifest) {
            guard try OutputFile.read(manifest, failing: .usage) == identity else {
                throw CommandFailure(
                    .usage,
                    "\(path) holds another sweep that was broken off (scenario, its variables or files, options, --vary, --seeds, --bodies or "
                        + "version differ); name another folder with --out")
            }
            return RunFolder(existing: path)
        }
        let folder = try RunFolder(creating: path)
        // The folder of the cells first: a manifest without it could not go on.
        let cells = try RunFolder(creating: folder.file("cells"))
        do throws(CommandFailure) {
            try OutputFile.write(identity, to: manifest)
        } catch {
            // Without it the folder would only be in the way of the next try.
            cells.delete()
            folder.delete()
            throw error
        }
        return folder
    }

    /// A cell that was played before; `nil` if it was not, or cannot be read.
    private func read(_ cell: Cell, in folder: RunFolder) -> LabReport.Cell? {
        guard let bytes = try? OutputFile.read(folder.file(cell.file), failing: .usage),
            var read = try? LabJSON.readCell(bytes), read.seed == cell.seed
        else { return nil }
        read.onlyPopulation = onlyPopulations[cell.point]
        return read
    }

    // MARK: Playing

    private func play(
        _ kept: [LabReport.Cell?], in folder: RunFolder
    ) throws(CommandFailure) -> [LabReport.Cell?] {
        let missing = kept.indices.filter { kept[$0] == nil }
        let cells = cells
        let grid = grid
        let board = CellBoard(lab(kept), watch: console.watch) { [self] in .sweep(sweep($0)) }
        let progress = CellProgress(count: missing.count, console: console)
        let pool = CellPool(interruption: interruption, progress: progress)
        let played = try pool.run(missing.count, threads: threads) { [self] index, control, note in
            let cell = cells[missing[index]]
            let runner = CellRunner(
                scenario: try scenario(grid[cell.point], seed: cell.seed), bodies: bodies,
                control: control, onProgress: note)
            guard let report = try runner.run() else { return LabReport.Cell?.none }
            let result = LabReport.Cell(report)
            try OutputFile.write(LabJSON.write(result), to: folder.file(cell.file), isDurable: false)
            // As it is read back, so that a sweep that went on is the same as one that did not stop.
            let kept = read(cell, in: folder)
            if let kept { board.add(kept, to: cell.point) }
            return kept
        }
        var results = kept
        for (index, cell) in zip(missing, played) { results[index] = cell }
        return results
    }

    // MARK: The result

    /// The points with what was played of each so far.
    private func lab(_ results: [LabReport.Cell?]) -> LabReport {
        var variants: [LabReport.Variant] = []
        for point in SweepReport.grid(shownAxes) {
            let changes = zip(shownAxes, point).map { axis, value in
                LabReport.Change(pointer: axis.path, value: .text(value))
            }
            variants.append(
                LabReport.Variant(name: SweepReport.name(point, of: shownAxes), changes: changes))
        }
        for (cell, result) in zip(cells, results) {
            if let result { variants[cell.point].cells.append(result) }
        }
        var lab = LabReport(
            toolVersion: Beaconswarm.version, scenario: base.reference, mode: .virtual, seeds: seeds,
            variants: variants)
        lab.resolved = base.document.resolved.withoutSeed
        lab.bodies = bodies.rawValue
        lab.warnings = warnings
        return lab
    }

    private func sweep(_ lab: LabReport) -> SweepReport {
        SweepReport(axes: shownAxes, lab: lab, cost: cost, freshness: freshness)
    }

    /// Writes what came out: all of it or, where there is no room, nothing. Then the sweep is not over, and the same
    /// command goes on with what was played.
    private func write(_ sweep: SweepReport, to folder: RunFolder) throws(CommandFailure) {
        let files = [
            (SweepRunner.result, SweepJSON.write(sweep)), ("sweep.csv", SweepCSV.write(sweep)),
            ("sweep.html", SweepHTML.write(sweep)),
        ]
        do throws(CommandFailure) {
            for (name, bytes) in files { try OutputFile.write(bytes, to: folder.file(name)) }
        } catch {
            for (name, _) in files { folder.remove(name) }
            throw error
        }
        folder.remove(SweepRunner.manifest)
    }

    private func finish(
        _ results: [LabReport.Cell], in folder: RunFolder
    ) throws(CommandFailure) -> CommandStatus {
        var lab = lab(results)
        lab.judge()
        let sweep = sweep(lab)
        console.watch?.take(.sweep(sweep))
        try write(sweep, to: folder)
        console.end(json: { SweepJSON.write(sweep) }, quietly: lab.failure) { colored in
            SweepText.render(sweep, color: colored, width: console.summaryWidth)
                + "sweep: \(folder.file("sweep.html"))\n"
        }
        return CommandStatus(rawValue: lab.exitCode) ?? .internalError
    }
}
