/// The forms in which a search is written, by the names that runs have for theirs.
package enum CapacityFormats {
    /// Those of a run that make sense of a search: it has no distributions and no verdict of its own to be a test case.
    package static let names = ["html", "md", "csv", "json"]

    /// The whole file; `nil` for a form that a search does not have.
    package static func render(_ report: CapacityReport, as format: String) -> [UInt8]? {
        switch format {
        case "html": CapacityHTML.write(report)
        case "md": CapacityMarkdown.write(report)
        case "csv": CapacityCSV.write(report)
        case "json": CapacityJSON.write(report)
        default: nil
        }
    }
}
