/// In what a dataset is written. A further format is told here: its name, its place among all, and its writer.
package enum DatasetFormat: Hashable, Sendable, CustomStringConvertible {
    case ndjson(TextPacking)
    case csv(TextPacking)
    case parquet
    case sqlite

    /// All there are, by name.
    package static let all: [DatasetFormat] =
        TextPacking.allCases.map(DatasetFormat.ndjson) + TextPacking.allCases.map(DatasetFormat.csv)
        + [.parquet, .sqlite]

    /// Reads a name, such as `ndjson.gz`.
    package init?(_ name: String) {
        guard let format = DatasetFormat.all.first(where: { $0.description == name }) else { return nil }
        self = format
    }

    /// What the names of its files end in, behind a dot.
    package var description: String {
        switch self {
        case .ndjson(let packing): "ndjson\(packing.suffix)"
        case .csv(let packing): "csv\(packing.suffix)"
        case .parquet: "parquet"
        case .sqlite: "sqlite"
        }
    }
}

extension DatasetFormat {
    /// Whether its files have no rows, only what tells the files of the rows from others.
    package var isDigest: Bool { self == .ndjson(.digest) || self == .csv(.digest) }

    /// The writer of one file of a table; `nil` for a database, which has all tables in its one file (``SQLiteFile``).
    ///
    /// - Parameters:
    ///   - sink: Where the file's bytes go.
    ///   - name: The file's name: a digest says of which text it is.
    package func makeWriter(
        of schema: TableSchema, into sink: any ByteSink, named name: String,
        _ parquet: ParquetOptions = ParquetOptions()
    ) -> (any DatasetWriter)? {
        func packed(_ packing: TextPacking) -> any ByteSink {
            let suffix = packing.suffix
            return packing.sink(
                into: sink, named: name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name)
        }
        return switch self {
        case .ndjson(let packing): TextWriter.ndjson(schema, into: packed(packing))
        case .csv(let packing): TextWriter.csv(schema, into: packed(packing))
        case .parquet: ParquetWriter(schema, parquet, into: sink)
        case .sqlite: nil
        }
    }
}

/// How a dataset lies in its folder.
package struct DatasetLayout: Sendable {
    package var formats: [DatasetFormat]
    package var partition = Partition.none
    /// Whose days and hours they are.
    package var zone = ZoneOffsets.utc
    /// The size in bytes at which a part ends: with the first multiple of ``PartSequence/step`` rows that reaches it,
    /// as far as is known then. Packed text is known in blocks of half a megabyte of text, and Parquet's pages before
    /// they are packed, so parts of packed text are somewhat larger, and of Parquet smaller.
    package var split: Int?
    /// What the names of files begin with, where the dataset is a part of a larger one: so that all parts fit into one folder.
    package var label: String?
    package var parquet = ParquetOptions()

    package init(_ formats: [DatasetFormat]) { self.formats = formats }
}

/// A table of a dataset.
package struct DatasetTable: Sendable {
    package let schema: TableSchema
    /// The number of the column by whose time the table is partitioned; `nil` keeps it whole.
    package let partitionColumn: Int?

    /// - Precondition: The column has times and is not nullable.
    package init(_ schema: TableSchema, partitionedBy name: String? = nil) {
        self.schema = schema
        partitionColumn = name.map { name in
            guard let index = schema.columns.firstIndex(where: { $0.name == name }),
                schema.columns[index].type.unitsPerSecond != nil, !schema.columns[index].isNullable
            else { preconditionFailure("a table is partitioned by a time that each row has") }
            return index
        }
    }
}
