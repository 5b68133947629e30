import Datasets
import Files
import Foundation
import Timebase

/// The writers of datasets alone, fed prepared rows of an events-like table of 20 columns; one core.
enum TableFigures {
    /// The formats of which more is asked than that they are written.
    private static let goals = [
        "ndjson": "≥ 1 M", "csv": "≥ 1 M", "parquet": "≥ 0.5 M", "sqlite": "≥ 0.15 M",
    ]
    private static let formats = DatasetFormat.all.map(\.description)

    static func measure(_ rounds: Rounds, isQuick: Bool) async -> [Figure] {
        guard let program = Bundle.main.executablePath else { return [] }
        var figures: [Figure] = []
        for format in formats {
            let rows = format.contains(".g") ? 1_000_000 : isQuick ? 1_000_000 : 4_000_000
            var bytes = ""
            figures.append(
                await rounds.figure(
                    "dataset, rows written", format, unit: "rows/s", goal: goals[format] ?? ""
                ) { _ in
                    let said = Programs.run(program, ["table", format, "\(rows)"])?.output ?? ""
                    bytes = said.split(separator: " ").last.map(String.init) ?? ""
                    return Double(said.split(separator: " ").first ?? "") ?? 0
                })
            figures[figures.count - 1].note =
                "\(bytes.trimmingCharacters(in: .whitespacesAndNewlines)) bytes a row"
        }
        for format in formats where !format.contains(".g") && !format.hasPrefix("csv.") {
            for rows in isQuick ? [1_000_000] : [1_000_000, 10_000_000] {
                figures.append(memory(program, format, rows: rows))
            }
        }
        return figures
    }

    private static func memory(_ program: String, _ format: String, rows: Int) -> Figure {
        let said = Programs.run(program, ["table", format, "\(rows)"])?.output.split(separator: " ") ?? []
        guard said.count == 3, let bytes = Double(said[1]) else {
            return .skip("dataset, memory", format, because: "the process failed")
        }
        let figure = Figure(
            group: "dataset, memory", name: "\(format), 10^\(String(rows).count - 1) rows", unit: "10⁶ bytes",
            values: [bytes / 1e6], goal: "flat", note: "peak beyond the prepared rows")
        Output.note(figure.line)
        return figure
    }

    /// Writes rows, and says how many a second, how many bytes of memory that took at most, and how many bytes a row
    /// has in the end. Text and Parquet go nowhere; a database is a file that is removed.
    static func write(_ name: String, rows: Int) -> String {
        let table = PreparedTable()
        let before = Machine.residentBytes
        let begin = Machine.seconds
        do {
            let size = try write(name, table, rows: rows)
            let seconds = Machine.seconds - begin
            let memory = max(0, Machine.peakResidentBytes - before)
            return "\(Double(rows) / seconds) \(memory) \(Double(size) / Double(rows))"
        } catch {
            return "\(error)"
        }
    }

    private static func write(_ name: String, _ table: PreparedTable, rows: Int) throws -> Int {
        let path =
            NSTemporaryDirectory() + "beaconswarm-table-\(ProcessInfo.processInfo.processIdentifier).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let sink = Nowhere()
        guard let format = DatasetFormat(name) else { return 0 }
        let file = format.makeWriter(of: PreparedTable.schema, into: sink, named: "rows.\(name)")
        let database = file == nil ? try SQLiteFile(path, tables: [PreparedTable.schema]) : nil
        guard let writer = try file ?? database?.writer(of: PreparedTable.schema) else { return 0 }
        try table.feed(writer, rows: rows)
        try writer.finish()
        try database?.finish()
        return database == nil ? sink.size : Folder.size(of: path) ?? 0
    }
}

/// Takes bytes and counts them.
private final class Nowhere: ByteSink {
    private(set) var size = 0
    var isPacking: Bool { false }
    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) { size += bytes.count }
    func finish() throws(FileFailure) {}
}

/// Rows like those of a shop's events, as many as a row group of Parquet has, which are written again and again.
private final class PreparedTable {
    static let schema = TableSchema(
        name: "events",
        columns: [
            TableColumn("row_id", .int64), TableColumn("id", .string), TableColumn("copy", .int64),
            TableColumn("system", .string), TableColumn("device", .int64),
            TableColumn("user", .string, isNullable: true),
            TableColumn("session", .string), TableColumn("type", .string), TableColumn("name", .string),
            TableColumn("captured_at", .timestampMillis), TableColumn("received_at", .timestampMillis),
            TableColumn("attempt", .int64), TableColumn("batch", .int64), TableColumn("app_version", .string),
            TableColumn("model", .string), TableColumn("network", .string),
            TableColumn("screen", .string, isNullable: true), TableColumn("price", .double, isNullable: true),
            TableColumn("is_first_day", .bool), TableColumn("duration", .double, isNullable: true),
        ], indices: [["captured_at"], ["device"]])
    private static let batchRows = 2048
    private static let batchCount = 64

    private let batches: UnsafeMutablePointer<TableBatch>

    init() {
        batches = .allocate(capacity: PreparedTable.batchCount)
        var stream = RandomStream(key: 1)
        var row: Int64 = 0
        for index in 0..<PreparedTable.batchCount {
            var batch = TableBatch(PreparedTable.schema, capacity: PreparedTable.batchRows)
            while !batch.isFull {
                PreparedTable.put(row, &stream, into: &batch)
                row += 1
            }
            (batches + index).initialize(to: batch)
        }
    }

    deinit {
        batches.deinitialize(count: PreparedTable.batchCount)
        batches.deallocate()
    }

    func feed(_ writer: any DatasetWriter, rows: Int) throws(FileFailure) {
        var left = rows
        var index = 0
        while left > 0 {
            let count = min(left, PreparedTable.batchRows)
            try writer.write(batches[index % PreparedTable.batchCount], rows: 0..<count)
            left -= count
            index += 1
        }
    }

    private static let names = [
        "浏览商品", "加入购物车", "支付订单", "$AppViewScreen", "$AppClick", "$AppStart", "$AppEnd", "搜索",
    ]
    private static let screens = [
        "HomeViewController", "商品详情页", "CartViewController", "CheckoutViewController",
    ]
    private static let models = ["iPhone15,2", "iPhone14,5", "iPhone12,1", "iPad13,4"]

    private static func put(_ row: Int64, _ stream: inout RandomStream, into batch: inout TableBatch) {
        let device = Int64(stream.below(5000))
        let captured = 1_767_571_200_000 + row * 60 + Int64(stream.below(50_000))
        batch.put(row)
        batch.put("\(device)-\(row / 17)")
        batch.put(stream.chance(0.02) ? 1 : 0 as Int64)
        batch.put("sensors")
        batch.put(device)
        if stream.chance(0.4) { batch.putNull() } else { batch.put("user-\(device * 7919 % 100_000)") }
        batch.put("\(device)-\(row / 400)")
        batch.put("track")
        batch.put(names[Int(stream.below(8))])
        batch.put(captured)
        batch.put(captured + 900 + Int64(stream.below(20_000)))
        batch.put(Int64(stream.chance(0.1) ? 2 : 1))
        batch.put(row / 50)
        batch.put(stream.chance(0.8) ? "8.31.0" : "8.30.2")
        batch.put(models[Int(stream.below(4))])
        batch.put(stream.chance(0.7) ? "wifi" : "4g")
        if stream.chance(0.2) { batch.putNull() } else { batch.put(screens[Int(stream.below(4))]) }
        if stream.chance(0.8) { batch.putNull() } else { batch.put(Double(stream.below(100_000)) / 100) }
        batch.put(stream.chance(0.1))
        if stream.chance(0.5) { batch.putNull() } else { batch.put(Double(stream.below(600_000)) / 1000) }
        batch.endRow()
    }
}
