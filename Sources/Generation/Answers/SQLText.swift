extension String {
    /// The text as an expression that SQLite, DuckDB, PostgreSQL and ClickHouse take for the same.
    ///
    /// A backslash is a character to all but ClickHouse, where it takes away the meaning of what follows. Two of them
    /// are at least one everywhere, of which the first is taken.
    var sqlLiteral: String {
        var literal = "'"
        // Not by characters: a quote with an accent on it is one, and ends a literal all the same.
        for scalar in unicodeScalars {
            switch scalar {
            case "'": literal += "''"
            case "\\": literal += "' || substr('\\\\', 1, 1) || '"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "'"
    }
}

extension [String] {
    /// Whether a column holds one of these texts, of which there is at least one.
    func sqlCondition(on column: String) -> String {
        count == 1 ? "\(column) = \(sqlList)" : "\(column) IN (\(sqlList))"
    }

    /// The texts as literals, with commas between.
    var sqlList: String { map(\.sqlLiteral).joined(separator: ", ") }
}
