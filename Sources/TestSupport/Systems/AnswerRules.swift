import CollectorModel

/// What each system makes of each answer, by the rules that are written down in its fixture: a line for each version,
/// with a cell for each column of ``SystemMatrix``.
///
/// ```text
/// version   | healthy 204 302 400 403 404 413 429 500 503 | 201 204 413 | none late reset portal
/// 4.9.1     | D       T   L   L   S   S   L   L   S   S   | D   D   G   | S2   S2   S     T
/// ```
///
/// D delivered, T taken for delivered, S stalled, K stuck, L lost, G given up yet held; 2 duplicated.
package enum AnswerRules {
    /// The words of each cell, by the row's name, in the order of ``SystemMatrix/columns``.
    package static let words: [String: [[SystemMatrix.Word]]] = Dictionary(
        uniqueKeysWithValues: SystemFixtures.all.flatMap { system in
            system.fixture.answers.split(separator: "\n").map { line -> (String, [[SystemMatrix.Word]]) in
                let parts = line.split(separator: "|")
                let version = parts[0].split(separator: " ").joined(separator: " ")
                let cells = parts.dropFirst().joined(separator: " ").split(separator: " ")
                return ("\(system.fixture.system.rawValue) \(version)", cells.map(decoded))
            }
        })

    private static func decoded(_ code: Substring) -> [SystemMatrix.Word] {
        let fates: [Character: SystemMatrix.Word] = [
            "D": .delivered, "T": .takenForDelivered, "S": .stalled, "K": .stuck, "L": .lost, "G": .givenUp,
            "2": .duplicated,
        ]
        return code.compactMap { fates[$0] }
    }

    /// A batch that is tried until an answer lets it go is stored once more with each of the tries before, each of
    /// which fails with 30 %: 0.3 + 0.3² + … = 0.3 / 0.7 copies.
    private static let copiesOfTries = 0.3 / 0.7

    /// What a share of failures costs a system in a version.
    package static func expectation(
        _ row: SystemMatrix.Row, _ disturbance: SystemCosts.Disturbance
    ) -> SystemCosts.Expectation {
        var expected = SystemCosts.Expectation()
        if disturbance == .lostReplies { expected.copies = copiesOfTries }
        if disturbance == .portal { expected.takenForDelivered = 0.3 }
        row.fixture.expect(&expected, of: row.version, under: disturbance)
        return expected
    }
}
