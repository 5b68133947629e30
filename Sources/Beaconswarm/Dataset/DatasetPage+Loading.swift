import Datasets

// How to load a dataset.
extension DatasetPage {
    var loading: String {
        let loadable = formats.filter { !$0.isDigest }.map(\.description)
        let digests = formats.filter(\.isDigest).map(\.description)
        let parts = [
            loadable.contains("parquet") ? parquet : nil,
            loadable.contains { $0.hasPrefix("csv") } ? csv : nil,
            loadable.contains { $0.hasPrefix("ndjson") } ? ndjson : nil,
            loadable.contains("sqlite") ? sqlite : nil,
        ].compactMap(\.self)
        let loading = parts.isEmpty ? "" : "## Loading\n\n" + parts.joined(separator: "\n")
        return ([loading] + digests.map(checking)).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var formats: [DatasetFormat] {
        options.formats.flatMap { $0.split(separator: ",") }.compactMap { DatasetFormat(String($0)) }
    }

    private func checking(_ digest: String) -> String {
        // The names in the files are from their own folders on.
        let check =
            path("events", digest).contains("/")
            ? "find events -name '*.\(digest)' -execdir sha256sum -c {} +" : "sha256sum -c events.\(digest)"
        return """
            ## Checking \(digest)

            These files hold no rows, only the SHA-256 of the files that would. Copied into a folder where the same dataset \
            lies with its rows, `\(check)` tells whether the rows of `events` are the same.

            """
    }

    private var isCut: Bool { options.partition != "none" || isInFolders }
    private var isInFolders: Bool { options.split != nil || options.shard != nil || parts != nil }

    /// The pattern of a table's files.
    private func path(_ table: String, _ suffix: String) -> String {
        guard isCut else { return "\(table).\(suffix)" }
        guard options.partition != "none", table == EventTable.name else {
            return !isInFolders ? "\(table).\(suffix)" : "\(table)/*.\(suffix)"
        }
        return "\(table)/**/*.\(suffix)"
    }

    private var parquet: String {
        return """
            DuckDB and pandas:

            ```sql
            \(schemas.map { "CREATE VIEW \($0.name) AS SELECT * FROM '\(path($0.name, "parquet"))';" }
            .joined(separator: "\n"))
            ```

            ```python
            import glob
            import pandas
            \([EventTable.name, "truth"].map(pandas).joined(separator: "\n"))
            ```

            ClickHouse (`clickhouse local`, or PyPI's `chdb`):

            ```sql
            \(schemas.map(clickHouse).joined(separator: "\n"))
            ```

            """
    }

    /// By its files, since a folder may have some of other formats, too.
    private func pandas(_ table: String) -> String {
        let files = "sorted(glob.glob(\"\(path(table, "parquet"))\", recursive=True))"
        return "\(table) = pandas.concat(map(pandas.read_parquet, \(files)), ignore_index=True)"
    }

    private func clickHouse(_ schema: TableSchema) -> String {
        let order = schema.indices.last?.joined(separator: ", ") ?? ""
        return "CREATE TABLE \(schema.name) ENGINE = MergeTree ORDER BY (\(order)) "
            + "AS SELECT * FROM file('\(path(schema.name, "parquet"))');"
    }

    private func suffix(_ prefix: String) -> String {
        formats.filter { !$0.isDigest }.map(\.description).first { $0.hasPrefix(prefix) } ?? prefix
    }

    private var csv: String {
        let tables = schemas.map { schema in
            let columns = schema.columns.map { "\($0.name) \(DatasetPage.postgres($0.type))" }
            return """
                CREATE TABLE \(schema.name) (\(columns.joined(separator: ", ")));
                \\copy \(schema.name) FROM \(DatasetPage.postgres(path(schema.name, "csv")))
                """
        }
        return """
            PostgreSQL (unpack what is packed):

            ```sql
            \(tables.joined(separator: "\n"))
            ```

            DuckDB:

            ```sql
            \(schemas.map { duckDB($0, "read_csv", "csv", "header = true, quote = '\"', escape = '\"', allow_quoted_nulls = false") }
                .joined(separator: "\n"))
            ```

            """
    }

    /// What psql copies from: a file, or all of a folder without their heads.
    private static func postgres(_ path: String) -> String {
        guard path.contains("*") else { return "'\(path)' WITH (FORMAT csv, HEADER)" }
        let folder = path.prefix { $0 != "/" }
        return "PROGRAM 'find \(folder) -name \"*.csv\" -exec tail -q -n +2 {} +' WITH (FORMAT csv)"
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

    private var ndjson: String {
        """
        DuckDB:

        ```sql
        \(schemas.map { duckDB($0, "read_json", "ndjson", "format = 'newline_delimited'") }.joined(separator: "\n"))
        ```

        """
    }

    /// A table with its types: a reader that infers them from the first rows takes a column without values there for one that
    /// has none at all.
    private func duckDB(_ schema: TableSchema, _ reader: String, _ format: String, _ options: String)
        -> String
    {
        let columns = schema.columns.map { "\($0.name): '\(DatasetPage.duckDB($0.type))'" }
        return
            "CREATE TABLE \(schema.name) AS SELECT * FROM \(reader)('\(path(schema.name, suffix(format)))', "
            + "\(options), columns = {\(columns.joined(separator: ", "))});"
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

    private var sqlite: String {
        """
        SQLite: `sqlite3 \(DatasetOutput.databaseName)` has all tables, with indices.

        """
    }
}
