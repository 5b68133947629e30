import Reporting
import Scenario
import Wire

// MARK: - What is checked before anything is played

extension SweepRunner {
    /// Reads every point of the grid: a value that cannot be, a figure of a population or an entry that no point has,
    /// or what does not fit into the memory, is found before anything is played.
    mutating func checkPoints() throws(CommandFailure) {
        var known = FigureTags()
        var points: [String: [String]] = [:]
        var shown = [[String: String]](repeating: [:], count: axes.count)
        var found: [[String]] = []
        var documents: [ScenarioDocument] = []
        for point in grid {
            let document = try scenario(point, seed: base.document.seed).document
            for (axis, value) in point.enumerated() where shown[axis][value] == nil {
                shown[axis][value] = SweepAxes.shown(value, of: axes[axis].path, document.redact)
            }
            // What is a secret is masked there, and tells no points apart.
            let isTold = point.indices.allSatisfy { shown[$0][point[$0]] == point[$0] }
            let sum = SHA256.hexadecimal(of: Array(document.resolved.compactText.utf8))
            if isTold, let same = points.updateValue(point, forKey: sum) { throw sameScenario(same, point) }
            if onlyPopulations.isEmpty { try checkAxes(document.overrides) }
            let names = document.publicNames
            onlyPopulations.append(names.count == 1 ? names[0] : nil)
            known.populations.formUnion(names)
            known.entries.formUnion(document.entryNames)
            found.append(document.warnings.map(\.placedText))
            documents.append(document)
        }
        shownAxes = axes.indices.map { SweepAxes.toldApart(axes[$0], as: shown[$0]) }
        warnings = told(found)
        for (option, figure) in [("--cost", cost), ("--freshness", freshness)] {
            guard let error = figure.missingTag(in: known) else { continue }
            throw CommandFailure(.usage, "\(option) \(figure.name): \(error)")
        }
        try Room.checkMemory(of: documents, seeds: seeds.count, sideBySide: threads)
    }

    /// Each warning once, with the first point that has it unless the scenario itself does.
    ///
    /// - Parameter found: Of each point.
    private func told(_ found: [[String]]) -> [String] {
        // The scenario itself is not played: what it alone has concerns nobody.
        let own = base.document.warnings.map(\.placedText)
        var warnings = SeriesWarnings(calling: "point")
        warnings.addOwn(own.filter { text in found.contains { $0.contains(text) } })
        for (point, texts) in zip(SweepReport.grid(shownAxes), found) {
            warnings.add(texts, of: SweepReport.name(point, of: shownAxes))
        }
        return warnings.lines
    }

    /// Two points that another option, such as `--devices`, has made one.
    private func sameScenario(_ one: [String], _ other: [String]) -> CommandFailure {
        let (one, other) = (
            assignments(one).joined(separator: " "), assignments(other).joined(separator: " ")
        )
        return CommandFailure(
            .usage,
            "--vary: \(one) and \(other) give the same scenario; another option, such as --devices or "
                + "--duration, decides what they change")
    }

    /// Refuses axes of which one undoes the other: the same place by a name and by an index, or what it lies in.
    private func checkAxes(_ overrides: [ScenarioOverride]) throws(CommandFailure) {
        let places = overrides.filter { $0.origin == "--vary" }.map(\.path)
        guard places.count == axes.count else { return }
        for (later, place) in places.enumerated() {
            let undone = places[..<later].firstIndex { $0 == place || $0.hasPrefix("\(place)/") }
            guard let undone else { continue }
            throw CommandFailure(
                .usage,
                "--vary \(axes[later].path): changes what --vary \(axes[undone].path) changes; name all its values at once"
            )
        }
    }
}
