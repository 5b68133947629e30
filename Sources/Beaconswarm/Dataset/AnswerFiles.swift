import Generation
import Wire

/// The files of the answers.
enum AnswerFiles {
    static let schema = "beaconswarm.answers/1"

    /// What is written of a dataset's answers, by name: they, their queries, and the page that tells of them.
    ///
    /// - Parameter patterns: As of ``json(_:zone:fingerprint:patterns:)``.
    static func all(of page: DatasetPage, patterns: JSONNode) -> [(name: String, bytes: [UInt8])] {
        let answers = page.answers
        let told = json(
            answers, zone: page.options.zone, fingerprint: page.fingerprint, patterns: patterns)
        return [
            ("answers.json", told), ("answers.sql", Array(sql(answers).utf8)),
            ("README.md", Array(page.text.utf8)),
        ]
    }

    /// `answers.json`.
    /// - Parameters:
    ///   - fingerprint: The sum over all events with their fates.
    ///   - patterns: What the scenario planted, as a JSON array.
    static func json(
        _ answers: [Answer], zone: String, fingerprint: UInt64, patterns: JSONNode
    ) -> [UInt8] {
        var output = WireBuffer("{\n  \"schema\": \"\(schema)\",\n  \"zone\": ")
        output.appendJSONString(zone)
        output.append(",\n  \"fingerprint\": ")
        output.appendJSONString(ReportBuilder.hexadecimal(fingerprint))
        output.append(",\n  \"patterns\": [")
        for (index, pattern) in (patterns.elements ?? []).enumerated() {
            output.append((index == 0 ? "\n    " : ",\n    ") + pattern.compactText)
        }
        output.append((patterns.elements ?? []).isEmpty ? "],\n" : "\n  ],\n")
        output.append("  \"answers\": {")
        for (index, answer) in answers.enumerated() {
            output.append(index == 0 ? "\n    " : ",\n    ")
            output.appendJSONString(answer.name)
            output.append(": {\n      \"question\": ")
            output.appendJSONString(answer.question)
            output.append(",\n      \"columns\": ")
            append(answer.columns.map { .text($0) }, to: &output)
            output.append(",\n      \"rows\": [")
            for (row, values) in answer.rows.enumerated() {
                output.append(row == 0 ? "\n        " : ",\n        ")
                append(values, to: &output)
            }
            output.append(answer.rows.isEmpty ? "]\n    }" : "\n      ]\n    }")
        }
        output.append("\n  }\n}\n")
        return output.bytes
    }

    private static func append(_ values: [Answer.Value], to output: inout WireBuffer) {
        output.append("[")
        for (index, value) in values.enumerated() {
            if index > 0 { output.append(", ") }
            value.append(to: &output)
        }
        output.append("]")
    }

    /// `answers.sql`: a comment with the name before each query.
    static func sql(_ answers: [Answer]) -> String {
        let head = """
            -- The questions of answers.json as SQL for SQLite, DuckDB, PostgreSQL and ClickHouse.
            -- A row of events counts once if it is the first that its event became: truth.row_id.
            -- Where an outer join finds nothing, ClickHouse has 0 or an empty text, others NULL: both are asked for.

            """
        return answers.reduce(into: head) { text, answer in
            // A name of an event may be of several lines, a comment is of one.
            let question = answer.question.split(whereSeparator: \.isNewline).joined(separator: " ")
            text += "\n-- name: \(answer.name)\n-- \(question)\n\(answer.sql);\n"
        }
    }
}
