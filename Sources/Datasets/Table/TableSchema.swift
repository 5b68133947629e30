/// What a column holds. The same values come out of every format.
package enum ColumnType: String, Hashable, Sendable, CaseIterable {
    case int64
    /// Always finite: JSON and SQLite know no other numbers.
    case double
    case bool
    /// Valid UTF-8.
    case string
    /// A point in time in UTC: milliseconds since 1970.
    case timestampMillis
    /// A point in time in UTC: microseconds since 1970.
    case timestampMicros

    /// How many of its units a second has; `nil` for what is no time.
    package var unitsPerSecond: Int64? {
        switch self {
        case .timestampMillis: 1000
        case .timestampMicros: 1_000_000
        case .int64, .double, .bool, .string: nil
        }
    }
}

/// A column of a table.
package struct TableColumn: Hashable, Sendable {
    package var name: String
    package var type: ColumnType
    /// Whether a row may be without a value.
    package var isNullable: Bool
    /// What it means, for whoever reads the table: kept in formats that have a place for it.
    package var doc: String

    package init(_ name: String, _ type: ColumnType, isNullable: Bool = false, doc: String = "") {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.doc = doc
    }
}

/// A table: its name, its columns in order, and what it is looked up by.
package struct TableSchema: Hashable, Sendable {
    package let name: String
    package let columns: [TableColumn]
    /// Names of columns, for formats that have indices: one is made of each list.
    package let indices: [[String]]

    /// - Precondition: There are columns, no two share a name (SQL knows no case), and indices name columns.
    package init(name: String, columns: [TableColumn], indices: [[String]] = []) {
        precondition(!columns.isEmpty, "a table has columns")
        precondition(Set(columns.map { $0.name.lowercased() }).count == columns.count, "names are unique")
        let names = Set(columns.map(\.name))
        precondition(indices.allSatisfy { !$0.isEmpty && names.isSuperset(of: $0) }, "indices name columns")
        self.name = name
        self.columns = columns
        self.indices = indices
    }
}
