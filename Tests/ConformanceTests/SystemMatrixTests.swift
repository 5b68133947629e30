import Foundation
import TestSupport
import Testing

/// The page that says what each system makes of each answer.
///
/// `BEACONSWARM_WRITE_MATRIX=1 swift test --filter SystemMatrixTests` writes its tables anew: the first from the rules,
/// the second from what is played.
private enum Page {
    static let url = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Beaconswarm/Documentation.docc/Answers.md")

    /// Compares a table with the page's, or puts it there.
    static func demand(_ name: String, _ table: String) throws {
        let text = try String(contentsOf: url, encoding: .utf8)
        let begin = try #require(text.range(of: "<!-- \(name) -->\n"))
        let end = try #require(text.range(of: "<!-- end of the \(name) -->"))
        if ProcessInfo.processInfo.environment["BEACONSWARM_WRITE_MATRIX"] != nil {
            let renewed = text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: table)
            try renewed.write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[begin.upperBound..<end.lowerBound]) == table)
        }
    }

    static func table(_ titles: [String], _ rows: [(name: String, cells: [String])]) -> String {
        var text = "| | " + titles.joined(separator: " | ") + " |\n"
        text += "|---|" + titles.map { _ in "---|" }.joined() + "\n"
        for row in rows { text += "| \(row.name) | \(row.cells.joined(separator: " | ")) |\n" }
        return text
    }
}

@Suite("Every system under every answer")
struct SystemMatrixTests {
    @Test("does what is published of it, and keeps its books", arguments: SystemMatrix.rows)
    func rules(row: SystemMatrix.Row) throws {
        let expected = try #require(AnswerRules.words["\(row)"], "no rules are written down for \(row)")
        try #require(expected.count == SystemMatrix.columns.count)
        for (column, words) in zip(SystemMatrix.columns, expected) {
            let cell = try SystemMatrix.cell(row, column)
            #expect(cell.words == words, "\(row), \(column.title)")
            #expect(
                cell.problems.isEmpty, "\(row), \(column.title): \(cell.problems.joined(separator: "\n"))")
        }
    }

    @Test("is in the documentation as the rules have it")
    func page() throws {
        let rows = try SystemMatrix.rows.map { row in
            let words = try #require(AnswerRules.words["\(row)"])
            return (name: "\(row)", cells: words.map { $0.map(\.rawValue).joined(separator: ", ") })
        }
        #expect(Set(AnswerRules.words.keys) == Set(SystemMatrix.rows.map { "\($0)" }))
        try Page.demand("matrix", Page.table(SystemMatrix.columns.map(\.title), rows))
    }
}

@Suite("What a share of failures costs")
struct SystemCostTests {
    /// Of draws for some hundred batches.
    private static let tolerance = 0.07

    /// As the page says it: rounded, nothing below half a percent.
    private static func text(_ cost: SystemCosts.Cost) -> String {
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
        var parts: [String] = []
        if cost.lost >= 0.005 { parts.append("\(percent(cost.lost)) lost") }
        if cost.takenForDelivered >= 0.005 {
            parts.append("\(percent(cost.takenForDelivered)) taken for delivered")
        }
        if cost.kept >= 0.005 { parts.append("\(percent(cost.kept)) kept") }
        if cost.copies >= 0.005 { parts.append("\(String(format: "%.2f", cost.copies)) copies") }
        return parts.isEmpty ? "–" : parts.joined(separator: ", ")
    }

    /// Plays it, and holds it against the rules.
    ///
    /// - Returns: the page's words for it.
    private static func judged(
        _ row: SystemMatrix.Row, _ disturbance: SystemCosts.Disturbance
    ) throws -> String {
        let cost = try SystemCosts.cost(row, disturbance)
        let expected = AnswerRules.expectation(row, disturbance)
        let label: Comment = "\(row), \(disturbance.rawValue)"
        for (found, wanted) in [
            (cost.lost, expected.lost), (cost.takenForDelivered, expected.takenForDelivered),
            (cost.copies, expected.copies),
        ] {
            guard let wanted else { continue }
            if wanted == 0 { #expect(found == 0, label) }
            #expect(abs(found - wanted) <= Self.tolerance, label)
        }
        // Some never come again after their first half.
        if let kept = expected.kept { #expect(abs(cost.kept - kept) <= Self.tolerance, label) }
        #expect(cost.problems.isEmpty, "\(label): \(cost.problems.joined(separator: "\n"))")
        return text(cost)
    }

    @Test("is what the rules let expect, and what the documentation says")
    func costs() async throws {
        let cells = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for (index, row) in SystemMatrix.rows.enumerated() {
                group.addTask {
                    (index, try SystemCosts.Disturbance.allCases.map { try Self.judged(row, $0) })
                }
            }
            var found: [Int: [String]] = [:]
            for try await (index, own) in group { found[index] = own }
            return found
        }
        let rows = SystemMatrix.rows.enumerated().map { index, row in
            (name: "\(row)", cells: cells[index] ?? [])
        }
        try Page.demand("costs", Page.table(SystemCosts.Disturbance.allCases.map(\.rawValue), rows))
    }

    @Test("comes from clearing what was not sent, where the rules alone tell no number")
    func clearing() throws {
        let tracking = try #require(SystemMatrix.rows.first { $0.system == "trackingsdk" })
        let kit = try #require(SystemMatrix.rows.first { $0.system == "kit" })
        for (row, disturbance) in [
            (tracking, SystemCosts.Disturbance.slowAndUnavailable), (kit, .slowMidnight),
        ] {
            #expect(try SystemCosts.cost(row, disturbance).lost > 0.01, "\(row)")
            #expect(try SystemCosts.cost(row, disturbance, sdk: #""clear": "sent-only""#).lost == 0, "\(row)")
        }
    }
}
