import Measurement

/// What the tags of figures may name: populations, and entries of the timeline.
package struct FigureTags: Sendable {
    package var populations: Set<String> = []
    package var entries: Set<String> = []

    /// Knows no name yet.
    package init() {}

    /// What any of some runs has.
    package init(of cells: [LabReport.Cell]) {
        for cell in cells {
            populations.formUnion(cell.populations.map(\.name))
            if let only = cell.onlyPopulation { populations.insert(only) }
            entries.formUnion(cell.entries.map(\.name))
        }
    }
}

extension Figure {
    /// What is wrong with the population or the entry of the timeline that the figure is of: none of the runs has it.
    /// `nil` if one has, or the figure is of all.
    package func missingTag(in known: FigureTags) -> ThresholdError? {
        guard case .metric(let threshold) = source else { return nil }
        guard let wanted = threshold.entry ?? threshold.population else { return nil }
        let isEntry = threshold.entry != nil
        let names = isEntry ? known.entries : known.populations
        guard !names.contains(wanted) else { return nil }
        let sorted = names.sorted()
        let none = isEntry ? "there is none" : "none is known by a name"
        return ThresholdError(
            found: wanted,
            allowed: "the name of \(isEntry ? "an entry of the timeline" : "a population"): "
                + (sorted.isEmpty ? none : sorted.joined(separator: ", ")),
            nearest: NearestNames.of(wanted, in: sorted))
    }

    /// The metrics that a threshold speaks of: the fleet's, or those of a population or of an entry of the timeline.
    static func metrics(of threshold: Threshold, in cell: LabReport.Cell) -> [Metric]? {
        if let entry = threshold.entry { return cell.entries.first { $0.name == entry }?.metrics }
        guard let population = threshold.population, population != cell.onlyPopulation else {
            return cell.metrics
        }
        return cell.populations.first { $0.name == population }?.metrics
    }
}
