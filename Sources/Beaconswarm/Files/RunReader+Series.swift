import Reporting

extension RunReader {
    /// The file that a series keeps from its start on.
    static let partialName = "report.partial.json"

    /// A series that broke off, with all runs of it that are whole in its folder: whatever ended it may have left no time
    /// to write down what they came to.
    ///
    /// - Parameter file: The series' own, of which only ``partialName`` may lack runs.
    static func gathered(_ lab: LabReport, from file: String) -> LabReport {
        var parts = file.split(separator: "/", omittingEmptySubsequences: false)
        guard lab.isPartial, parts.removeLast() == partialName else { return lab }
        let folder = parts.isEmpty ? "." : parts.joined(separator: "/")
        var series = lab
        for (index, variant) in lab.variants.enumerated() {
            for seed in lab.seeds where variant.cell(seed) == nil {
                let path = "\(folder)/\(LabOutput.place(variant: variant.name, seed: seed))"
                guard OutputFile.exists("\(path)/report.json"), let run = try? cell(path),
                    run.cell.seed == seed, !run.report.isInterrupted
                else { continue }
                series.variants[index].insert(run.cell)
            }
        }
        series.judge()
        // A failure of the series itself stays its verdict.
        if VerdictRules.weight(of: lab.exitCode) > VerdictRules.weight(of: series.exitCode) {
            (series.exitCode, series.verdict) = (lab.exitCode, lab.verdict)
        }
        return series
    }
}
