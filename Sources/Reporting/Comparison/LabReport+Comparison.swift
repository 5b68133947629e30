import Rendering
import Wire

extension LabReport {
    /// One of the variants, to be compared.
    ///
    /// - Parameters:
    ///   - label: What messages call it; by default its name.
    ///   - run: The same for all sides of this report.
    /// - Returns: `nil` if there is no such variant.
    package func side(_ name: String, label: String? = nil, run: String) -> Comparison.Side? {
        guard let variant = variants.first(where: { $0.name == name }) else { return nil }
        var side = Comparison.Side(
            label: label ?? name, variant: name, toolVersion: toolVersion, scenario: scenario,
            resolved: resolved == .null ? .null : ScenarioDifference.apply(variant.changes, to: resolved),
            mode: mode, bodies: bodies, cells: variant.cells, run: run)
        side.target = variant.target
        return side
    }

    /// What the others are held against where nobody says: `base`, or the first where there is none of that name.
    package var baseName: String {
        variants.contains { $0.name == "base" } ? "base" : variants.first?.name ?? "base"
    }

    /// Where a variant changes more than the policy of the base: other users, or another world.
    func foreignChanges(of name: String) -> [String] {
        guard let base = side(baseName, run: ""), let variant = side(name, run: "") else { return [] }
        return ScenarioDifference.between(base, variant).foreign
    }

    /// Each variant against the base, as far as there are runs of both.
    package var comparisons: [Comparison] {
        guard let base = side(baseName, run: ""), !base.cells.isEmpty else { return [] }
        return variants.filter { $0.name != baseName && !$0.cells.isEmpty }.compactMap { variant in
            side(variant.name, run: "").map {
                Comparison(base: base, candidate: $0, request: ComparisonRequest())
            }
        }
    }
}

/// Several simulations as a comment of a pull request.
package enum LabMarkdown {
    package static func render(_ report: LabReport, comparisons: [Comparison]) -> [UInt8] {
        var text = "# \(Escaping.markdown(report.scenario.name)): \(report.verdict.rawValue)\n\n"
        text +=
            "**\(Escaping.markdown(LabText.verdict(report)))**\n\n\(Escaping.markdown(LabText.sentence(report)))\n\n"
        let header = ["figure"] + report.variants.map(\.name)
        text += "| " + header.map(Escaping.markdown).joined(separator: " | ") + " |\n"
        text += "| --- |" + report.variants.map { _ in " ---: |" }.joined() + "\n"
        for row in LabText.rows(report) {
            text += "| " + row.map(Escaping.markdown).joined(separator: " | ") + " |\n"
        }
        text += "\n"
        if !report.warnings.isEmpty { text += "## Warnings\n\n" + MarkdownWriter.list(report.warnings) }
        for comparison in comparisons {
            text += String(decoding: ComparisonMarkdown.render(comparison), as: UTF8.self)
        }
        return Array(text.utf8)
    }
}
