package import Wire

/// A question to a dataset, its answer from the truth, and the query that gives the same.
package struct Answer {
    package enum Value: Hashable {
        case number(Int64)
        case text(ExactText)
        /// Rounded to four decimals.
        case share(Double)
        case none
    }

    package var name: String
    package var question: String
    package var columns: [String]
    package var rows: [[Value]]
    /// For SQLite, DuckDB, PostgreSQL and ClickHouse alike.
    package var sql: String
}

extension Answer.Value {
    static func count(_ number: Int) -> Answer.Value { .number(Int64(number)) }

    package static func text(_ text: String?) -> Answer.Value {
        guard let text else { return .none }
        return .text(ExactText(text))
    }

    /// Writes it as JSON.
    package func append(to output: inout WireBuffer) {
        switch self {
        case .number(let number): output.appendDecimal(number)
        case .text(let text): output.appendJSONString(text.text)
        case .share(let share): output.appendDecimal(share)
        case .none: output.append("null")
        }
    }
}
