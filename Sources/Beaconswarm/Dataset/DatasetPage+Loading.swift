import Datasets
import Generation

// How to load a dataset: each format with the tools that read it as it is. What they say of columns is in a file of its own.
extension DatasetPage {
    var loading: String {
        let digests = formats.filter(\.isDigest).map(\.description)
        // Those of a text once, plain or packed.
        let told = Dictionary(formats.filter { !$0.isDigest }.map(words), uniquingKeysWith: { one, _ in one })
        let parts = told.sorted { $0.key < $1.key }.map(\.value)
        let loading = parts.isEmpty ? "" : "## Loading\n\n" + parts.joined(separator: "\n")
        return ([loading] + digests.map(checking)).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// How tables are loaded from a format, and where that stands among the others.
    private func words(for format: DatasetFormat) -> (Int, String) {
        switch format {
        case .parquet: (0, parquet)
        case .csv: (1, csv)
        case .ndjson: (2, ndjson)
        case .sqlite: (3, sqlite)
        }
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
    func path(_ table: String, _ suffix: String) -> String {
        guard isCut else { return "\(table).\(suffix)" }
        guard options.partition != "none", table == EventTable.name else {
            return !isInFolders ? "\(table).\(suffix)" : "\(table)/*.\(suffix)"
        }
        return "\(table)/**/*.\(suffix)"
    }

    private static func block(_ head: String, _ language: String, _ lines: [String]) -> String {
        "\(head):\n\n```\(language)\n\(lines.joined(separator: "\n"))\n```\n"
    }

    private static func part(_ title: String, _ blocks: [String]) -> String {
        "### \(title)\n\n" + blocks.joined(separator: "\n")
    }

    private var parquet: String {
        let views = schemas.map { "CREATE VIEW \($0.name) AS SELECT * FROM '\(path($0.name, "parquet"))';" }
        return DatasetPage.part(
            "Parquet",
            [
                DatasetPage.block("DuckDB", "sql", views),
                DatasetPage.block(
                    "ClickHouse (`clickhouse local`, or PyPI's `chdb`)", "sql",
                    schemas.map { clickHouse($0, "'\(path($0.name, "parquet"))'") }),
                DatasetPage.block("pandas", "python", pandasParquet),
            ])
    }

    /// The first of the chosen formats that begin so: a folder may have the same rows plain and packed.
    private func suffix(_ prefix: String) -> String {
        formats.filter { !$0.isDigest }.map(\.description).first { $0.hasPrefix(prefix) } ?? prefix
    }

    private var csv: String {
        let suffix = suffix("csv")
        let options = "header = true, quote = '\"', escape = '\"', allow_quoted_nulls = false"
        let unpacked = suffix == "csv" ? "" : " (unpack the files before)"
        return DatasetPage.part(
            "CSV",
            [
                "SQLite's `.import` and pandas cannot tell an empty text from none: in columns that may have none (`?`), it "
                    + "becomes NULL there.\n",
                DatasetPage.block("DuckDB", "sql", schemas.map { duckDB($0, "read_csv", suffix, options) }),
                DatasetPage.block("PostgreSQL\(unpacked)", "sql", schemas.flatMap(postgres)),
                DatasetPage.block("ClickHouse", "sql", clickHouse("CSVWithNames", suffix)),
                DatasetPage.block("SQLite\(unpacked)", "sql", schemas.flatMap(sqliteImport)),
                DatasetPage.block(
                    pandasName(suffix), "python", pandasText(suffix, DatasetPage.readCSV, filled: true)),
            ])
    }

    private var ndjson: String {
        let suffix = suffix("ndjson")
        let lines = schemas.map { duckDB($0, "read_json", suffix, "format = 'newline_delimited'") }
        return DatasetPage.part(
            "NDJSON",
            [
                DatasetPage.block("DuckDB", "sql", lines),
                DatasetPage.block("ClickHouse", "sql", clickHouse("JSONEachRow", suffix)),
                DatasetPage.block(pandasName(suffix), "python", pandasText(suffix, DatasetPage.readJSON)),
            ])
    }

    private var sqlite: String {
        DatasetPage.part(
            "SQLite",
            [
                "`sqlite3 \(DatasetOutput.databaseName)` has all tables, with indices. Times are milliseconds since 1970.\n",
                DatasetPage.block("pandas", "python", pandasDatabase),
            ])
    }

    /// What packed files need beside pandas.
    private func pandasName(_ suffix: String) -> String {
        suffix.hasSuffix(".zst") ? "pandas (with PyPI's `zstandard`)" : "pandas"
    }
}
