import Datasets

// What tools are told to load tables with. Wherever a reader would infer types from the first rows, it is given them: it would
// take a column without values there for one that has none at all.
extension DatasetPage {
    private static func list(_ columns: [TableColumn], _ text: (TableColumn) -> String) -> String {
        columns.map(text).joined(separator: ", ")
    }

    // MARK: DuckDB

    func duckDB(_ schema: TableSchema, _ reader: String, _ suffix: String, _ options: String) -> String {
        let columns = DatasetPage.list(schema.columns) { "\($0.name): '\(DatasetPage.duckDB($0.type))'" }
        return "CREATE TABLE \(schema.name) AS SELECT * FROM \(reader)('\(path(schema.name, suffix))', "
            + "\(options), columns = {\(columns)});"
    }

    private static func duckDB(_ type: ColumnType) -> String {
        switch type {
        case .int64: "BIGINT"
        case .double: "DOUBLE"
        case .bool: "BOOLEAN"
        case .string: "VARCHAR"
        case .timestampMillis, .timestampMicros: "TIMESTAMPTZ"
        }
    }

    // MARK: PostgreSQL

    func postgres(_ schema: TableSchema) -> [String] {
        let columns = DatasetPage.list(schema.columns) { "\($0.name) \(DatasetPage.postgres($0.type))" }
        let path = path(schema.name, "csv")
        let source =
            DatasetPage.rows(path).map { "PROGRAM '\($0)' WITH (FORMAT csv)" }
            ?? "'\(path)' WITH (FORMAT csv, HEADER)"
        return ["CREATE TABLE \(schema.name) (\(columns));", "\\copy \(schema.name) FROM \(source)"]
    }

    /// The command that prints all of a folder's files without their heads; `nil` for a file.
    private static func rows(_ path: String) -> String? {
        guard path.contains("*") else { return nil }
        return "find \(path.prefix { $0 != "/" }) -name \"*.csv\" -exec tail -q -n +2 {} +"
    }

    private static func postgres(_ type: ColumnType) -> String {
        switch type {
        case .int64: "bigint"
        case .double: "double precision"
        case .bool: "boolean"
        case .string: "text"
        case .timestampMillis, .timestampMicros: "timestamptz"
        }
    }

    // MARK: SQLite

    /// Nothing is an empty text in what is imported, and truth values are words.
    func sqliteImport(_ schema: TableSchema) -> [String] {
        let columns = DatasetPage.list(schema.columns) { "\($0.name) \(DatasetPage.sqlite($0.type))" }
        let path = path(schema.name, "csv")
        let source =
            DatasetPage.rows(path).map { "\"|\($0.replacing("\"", with: "'"))\"" } ?? "--skip 1 \(path)"
        let changed = schema.columns.filter { $0.isNullable || $0.type == .bool }
        let changes = DatasetPage.list(changed) { column in
            let value = column.isNullable ? "nullif(\(column.name), '')" : column.name
            return "\(column.name) = \(value)\(column.type == .bool ? " = 'true'" : "")"
        }
        return [
            "CREATE TABLE \(schema.name) (\(columns));", ".import --csv \(source) \(schema.name)",
        ] + (changed.isEmpty ? [] : ["UPDATE \(schema.name) SET \(changes);"])
    }

    private static func sqlite(_ type: ColumnType) -> String {
        switch type {
        case .int64, .bool: "INTEGER"
        case .double: "REAL"
        case .string, .timestampMillis, .timestampMicros: "TEXT"
        }
    }

    // MARK: ClickHouse

    func clickHouse(_ format: String, _ suffix: String) -> [String] {
        // Otherwise it takes the text \N for none.
        let ofCSV = format == "CSVWithNames" ? ["SET format_csv_null_representation = '';"] : []
        return ["SET date_time_input_format = 'best_effort';"] + ofCSV
            + schemas.map { schema in
                let columns = DatasetPage.list(schema.columns) { column in
                    let type = DatasetPage.clickHouse(column.type)
                    return "\(column.name) " + (column.isNullable ? "Nullable(\(type))" : type)
                }
                return clickHouse(schema, "'\(path(schema.name, suffix))', '\(format)', '\(columns)'")
            }
    }

    /// - Parameter file: The arguments of its table function.
    func clickHouse(_ schema: TableSchema, _ file: String) -> String {
        let order = schema.indices.last?.joined(separator: ", ") ?? ""
        return "CREATE TABLE \(schema.name) ENGINE = MergeTree ORDER BY (\(order)) "
            + "AS SELECT * FROM file(\(file));"
    }

    /// In a text in quotes.
    private static func clickHouse(_ type: ColumnType) -> String {
        switch type {
        case .int64: "Int64"
        case .double: "Float64"
        case .bool: "Bool"
        case .string: "String"
        case .timestampMillis: "DateTime64(3, ''UTC'')"
        case .timestampMicros: "DateTime64(6, ''UTC'')"
        }
    }

    // MARK: pandas

    static let readCSV =
        "read_csv(file, dtype=types, keep_default_na=False, na_values=[\"\"], "
        + "float_precision=\"round_trip\")"
    // Left to itself it takes any column whose name ends in _time for one of times, truth values among them.
    static let readJSON =
        "read_json(file, lines=True, dtype=types, convert_dates=False, precise_float=True).astype(types)"

    /// By its files, since a folder may have some of other formats, too.
    var pandasParquet: [String] {
        DatasetPage.pandasFunction("pattern", "read_parquet(file)", "    return rows")
            + schemas.map { "\($0.name) = table(\"\(path($0.name, "parquet"))\")" }
    }

    /// - Parameter filled: Whether the reader takes an empty text for a missing one: in columns where none is missing, it is
    ///   put back.
    func pandasText(_ suffix: String, _ reader: String, filled: Bool = false) -> [String] {
        // Times are read when all files are there: a column without a value in one of them would become one of objects.
        DatasetPage.pandasFunction(
            "pattern, times, types" + (filled ? ", texts" : ""), reader,
            (filled ? "    rows = rows.fillna({text: \"\" for text in texts})\n" : "")
                + "    return rows.assign(**{time: pandas.to_datetime(rows[time], utc=True) for time in times})"
        )
            + schemas.map { schema in
                let types = schema.columns.compactMap { column in
                    DatasetPage.pandas(column.type).map { "\"\(column.name)\": \"\($0)\"" }
                }
                return "\(schema.name) = table(\"\(path(schema.name, suffix))\", "
                    + "[\(DatasetPage.times(of: schema))], {\(types.joined(separator: ", "))}"
                    + (filled ? ", [\(DatasetPage.texts(of: schema))])" : ")")
            }
    }

    /// As floating point numbers, which hold milliseconds exactly: pandas 2 gives rows without a value the time of others.
    var pandasDatabase: [String] {
        [
            "import sqlite3", "import pandas", "",
            "database = sqlite3.connect(\"\(DatasetOutput.databaseName)\")", "", "def table(name, times):",
            "    rows = pandas.read_sql(f\"SELECT * FROM {name}\", database, dtype_backend=\"numpy_nullable\")",
            "    return rows.assign(**{time: pandas.to_datetime(rows[time].astype(\"float64\"), unit=\"ms\", "
                + "utc=True) for time in times})", "",
        ] + schemas.map { "\($0.name) = table(\"\($0.name)\", [\(DatasetPage.times(of: $0))])" }
    }

    private static func pandasFunction(_ parameters: String, _ reader: String, _ end: String) -> [String] {
        [
            "import glob", "import pandas", "", "def table(\(parameters)):",
            "    files = sorted(glob.glob(pattern, recursive=True))",
            "    rows = pandas.concat([pandas.\(reader) for file in files], ignore_index=True)",
            end, "",
        ]
    }

    private static func times(of schema: TableSchema) -> String {
        list(schema.columns.filter { pandas($0.type) == nil }) { "\"\($0.name)\"" }
    }

    private static func texts(of schema: TableSchema) -> String {
        list(schema.columns.filter { $0.type == .string && !$0.isNullable }) { "\"\($0.name)\"" }
    }

    /// `nil` for times, which are parsed.
    private static func pandas(_ type: ColumnType) -> String? {
        switch type {
        case .int64: "Int64"
        case .double: "Float64"
        case .bool: "boolean"
        case .string: "string"
        case .timestampMillis, .timestampMicros: nil
        }
    }
}
