import Measurement
import Rendering

/// A comparison as a comment of a pull request.
package enum ComparisonMarkdown {
    package static func render(_ comparison: Comparison) -> [UInt8] {
        let mark = comparison.exitCode == 0 ? "✅" : "❌"
        let base = Escaping.markdown(comparison.base.label)
        let candidate = Escaping.markdown(comparison.candidate.label)
        var text = "## \(mark) \(base) → \(candidate)\n\n"
        text += "What differs" + (comparison.differences.isEmpty ? ": nothing.\n\n" : ":\n\n")
        for line in ComparisonText.lines(comparison.differences) { text += "- \(Escaping.markdown(line))\n" }
        if !comparison.differences.isEmpty { text += "\n" }
        text += "**\(Escaping.markdown(ComparisonText.verdict(comparison)))**\n\n"
        text += gates(comparison)
        let rows = ComparisonText.shown(comparison)
        let telling = rows.filter { $0.word != .same }
        text += table(telling.isEmpty ? Array(rows.prefix(8)) : telling)
        let rest = telling.isEmpty ? Array(rows.dropFirst(8)) : rows.filter { $0.word == .same }
        if !rest.isEmpty {
            let same =
                rest.count == 1 ? "1 figure that is the same" : "\(rest.count) figures that are the same"
            text += "<details><summary>\(telling.isEmpty ? "and " : "")\(same)</summary>\n\n"
            text += table(rest) + "</details>\n\n"
        }
        for warning in comparison.warnings { text += "> ⚠️ \(Escaping.markdown(warning))\n\n" }
        text +=
            "<sub>\(ComparisonText.held(comparison)). \(Escaping.markdown(comparison.method)) beaconswarm "
        text += "\(Escaping.markdown(comparison.candidate.toolVersion))</sub>\n"
        return Array(text.utf8)
    }

    private static func gates(_ comparison: Comparison) -> String {
        let lines = comparison.gates.map { gate -> String in
            let mark =
                switch gate.outcome {
                case .holds: "✅"
                case .fails: "❌"
                case .cannotTell: "❔"
                }
            return "- \(mark) \(Escaping.markdown(gate.reason))\n"
        }
        return lines.isEmpty ? "" : lines.joined() + "\n"
    }

    private static func table(_ rows: [Comparison.Row]) -> String {
        guard !rows.isEmpty else { return "" }
        var text =
            "| figure | base | candidate | difference | 95 % | |\n| --- | ---: | ---: | ---: | ---: | --- |\n"
        for row in rows {
            let relative = ComparisonText.relative(row)
            let difference = row.difference.map { ComparisonText.signed($0.mean, row.figure) } ?? ""
            let cells = [
                row.figure.name, ComparisonText.value(row.base, row.figure),
                ComparisonText.value(row.candidate, row.figure),
                difference + (relative.isEmpty ? "" : " (\(relative))"), ComparisonText.interval(row),
            ]
            let word =
                ["worse", "better"].contains(row.word.rawValue)
                ? "**\(row.word.rawValue)**" : row.word.rawValue
            let seeds = row.shortfall.map { ", \($0)" } ?? ""
            text += "| " + (cells.map(Escaping.markdown) + [word + seeds]).joined(separator: " | ") + " |\n"
        }
        return text + "\n"
    }
}
