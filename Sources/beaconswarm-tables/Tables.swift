import Datasets
import Files
import Foundation
import Wire

/// Writes tables that a test hands it, in every format of datasets, so that other programs can read them back.
///
/// `beaconswarm-tables TABLES.json DIR`: the file has the tables with their rows, and the layout of the dataset. See
/// ``TableDescription`` and ``DatasetDescription``.
@main
struct Tables {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let path = arguments.first, let folder = arguments.last else {
            fail("usage: beaconswarm-tables TABLES.json DIR", code: 64)
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            fail("cannot read \(path)", code: 64)
        }
        do {
            let description = try DatasetDescription(JSONReader.readStrictly(Array(data)))
            try description.write(to: folder)
        } catch {
            fail("\(error)", code: error is FileFailure ? 70 : 64)
        }
    }

    private static func fail(_ text: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(code)
    }
}

/// Something in the file that is not as it should be.
struct Mistake: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// `{"tables": […], "formats": ["csv.gz", …], "partition": "hour", "zone": "Asia/Shanghai", "split": 1000000,
/// "parquet": {"compression": "snappy", "rowGroupRows": 1000, "pageRows": 100, "metadata": {…}}, "identity": "…",
/// "resume": true}`.
struct DatasetDescription {
    private let tables: [TableDescription]
    private var layout: DatasetLayout
    private let identity: String
    private let isResuming: Bool

    init(_ node: JSONNode) throws {
        tables = try (node["tables"]?.elements ?? []).map(TableDescription.init)
        let names = (node["formats"]?.elements ?? []).compactMap(\.string)
        layout = DatasetLayout(
            try names.map { name in
                guard let format = DatasetFormat(name) else {
                    throw Mistake("no format \(name); there are \(DatasetFormat.all)")
                }
                return format
            })
        if let name = node["partition"]?.string, let partition = Partition(rawValue: name) {
            layout.partition = partition
        }
        if let name = node["zone"]?.string {
            guard let zone = ZoneOffsets(name: name) else { throw Mistake("no zone \(name)") }
            layout.zone = zone
        }
        layout.split = node["split"]?.digits.flatMap { Int($0) }
        if let parquet = node["parquet"] { DatasetDescription.read(parquet, into: &layout.parquet) }
        identity = node["identity"]?.string ?? ""
        isResuming = node["resume"]?.content == .bool(true)
    }

    private static func read(_ node: JSONNode, into options: inout ParquetOptions) {
        if let name = node["compression"]?.string, let one = ParquetOptions.Compression(rawValue: name) {
            options.compression = one
        }
        if let rows = node["rowGroupRows"]?.digits.flatMap({ Int($0) }) { options.rowGroupRows = rows }
        if let rows = node["pageRows"]?.digits.flatMap({ Int($0) }) { options.pageRows = rows }
        options.metadata = (node["metadata"]?.members ?? []).map { ($0.key, $0.value.string ?? "") }
    }

    func write(to folder: String) throws {
        let output = try DatasetOutput(
            folder, tables: tables.map(\.table), layout: layout, identity: identity, isResuming: isResuming)
        for (index, table) in tables.enumerated() { try table.write(to: output, as: index) }
        try output.finish()
    }
}

/// `{"name": "events", "columns": [{"name": "id", "type": "int64", "nullable": true, "doc": "…"}], "indices": [["id"]],
/// "partitionedBy": "at", "rows": [[1], [null]], "times": 1000, "batch": 2048}`: the rows so many times over, in batches
/// of a size.
struct TableDescription {
    let table: DatasetTable
    private let rows: [[JSONNode]]
    private let times: Int
    private let batch: Int

    init(_ node: JSONNode) throws {
        let columns = try (node["columns"]?.elements ?? []).map { column in
            guard let name = column["name"]?.string, let type = column["type"]?.string,
                let type = ColumnType(rawValue: type)
            else { throw Mistake("a column has a name and a type, one of \(ColumnType.allCases)") }
            return TableColumn(
                name, type, isNullable: column["nullable"]?.content == .bool(true),
                doc: column["doc"]?.string ?? "")
        }
        let indices = (node["indices"]?.elements ?? []).map { ($0.elements ?? []).compactMap(\.string) }
        let schema = TableSchema(name: node["name"]?.string ?? "rows", columns: columns, indices: indices)
        table = DatasetTable(schema, partitionedBy: node["partitionedBy"]?.string)
        rows = (node["rows"]?.elements ?? []).map { $0.elements ?? [] }
        times = node["times"]?.digits.flatMap { Int($0) } ?? 1
        batch = node["batch"]?.digits.flatMap { Int($0) } ?? 2048
    }

    func write(to output: DatasetOutput, as number: Int) throws {
        var batch = TableBatch(table.schema, capacity: batch)
        for _ in 0..<times {
            for row in rows {
                for (value, column) in zip(row, table.schema.columns) { try put(value, column, &batch) }
                batch.endRow()
                if batch.isFull {
                    try output.write(batch, table: number)
                    batch.removeAll()
                }
            }
        }
        try output.write(batch, table: number)
    }

    private func put(_ value: JSONNode, _ column: TableColumn, _ batch: inout TableBatch) throws {
        switch (column.type, value.content) {
        case (_, .null): batch.putNull()
        case (.bool, .bool(let value)): batch.put(value)
        case (.string, .string(let text)): batch.put(text)
        case (.double, .number(let digits)):
            guard let number = Double(digits) else { throw Mistake("no number: \(digits)") }
            batch.put(number)
        case (.int64, .number(let digits)), (.timestampMillis, .number(let digits)),
            (.timestampMicros, .number(let digits)):
            guard let number = Int64(digits) else { throw Mistake("no number: \(digits)") }
            batch.put(number)
        default: throw Mistake("no \(column.type): \(value.summary)")
        }
    }
}
