import Files
import Testing
import Timebase
import Wire

@testable import Datasets

/// What every format must hold to, besides giving the rows back to other programs (`test_datasets.py`).
@Suite("Writers of datasets")
struct DatasetConformanceTests {
    static let formats = DatasetFormat.all.filter { $0 != .sqlite && !$0.isDigest }

    @Test("The same rows give the same bytes, however they are cut", arguments: formats)
    func cuts(_ format: DatasetFormat) throws {
        let batch = SampleTable.batch(rows: 4000, seed: 7)
        var contents: [[UInt8]] = []
        for step in [1, 999, 4000] {
            let sink = MemorySink()
            let writer = makeWriter(format, into: sink)
            for start in stride(from: 0, to: 4000, by: step) {
                try writer.write(batch, rows: start..<min(4000, start + step))
            }
            #expect(!sink.isFinished)
            try writer.finish()
            #expect(sink.isFinished)
            contents.append(sink.bytes)
        }
        #expect(contents[0] == contents[1] && contents[1] == contents[2])
        #expect(contents[0].count > 1000)
    }

    @Test("A table without rows is a file of its format", arguments: formats)
    func empty(_ format: DatasetFormat) throws {
        let sink = MemorySink()
        try makeWriter(format, into: sink).finish()
        #expect(sink.isFinished)
        let head = CSV.head(of: SampleTable.schema)
        switch format {
        case .ndjson(.none): #expect(sink.bytes.isEmpty)
        case .csv(.none): #expect(sink.bytes == head)
        case .ndjson(.gzip), .csv(.gzip):
            var text = WireBuffer()
            try sink.bytes.withUnsafeBytes { try GzipDecoder(limit: 1 << 20).decompress($0, into: &text) }
            #expect(text.bytes == (format == .csv(.gzip) ? head : []))
        case .ndjson(.zstd), .csv(.zstd): #expect(sink.bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]))
        case .ndjson(.digest), .csv(.digest): Issue.record("a digest has a test of its own")
        case .parquet, .sqlite:
            #expect(sink.bytes.starts(with: Array("PAR1".utf8)) && sink.bytes.suffix(4) == Array("PAR1".utf8))
        }
    }

    @Test(
        "A digest is one line, that of the text, and as large as the text until then",
        arguments: [
            (DatasetFormat.ndjson(.digest), DatasetFormat.ndjson(.none)), (.csv(.digest), .csv(.none)),
        ])
    func digest(_ format: DatasetFormat, of text: DatasetFormat) throws {
        for rows in [0, 1, 4000] {
            let batch = SampleTable.batch(rows: 4000, seed: 7)
            let (digest, whole) = (MemorySink(), MemorySink())
            let writers = [makeWriter(format, into: digest), makeWriter(text, into: whole)]
            for writer in writers { try writer.write(batch, rows: 0..<rows) }
            #expect(writers[0].size == writers[1].size && digest.bytes.isEmpty)
            for writer in writers { try writer.finish() }
            #expect(digest.isFinished)
            #expect(
                String(decoding: digest.bytes, as: UTF8.self)
                    == "\(SHA256.hexadecimal(of: whole.bytes))  rows\n")
        }
    }

    @Test("What the sink refuses is told, and the end is not reached", arguments: formats)
    func refusal(_ format: DatasetFormat) {
        let batch = SampleTable.batch(rows: 4000, seed: 7)
        let sink = MemorySink()
        sink.limit = 3000
        let writer = makeWriter(format, into: sink)
        #expect(throws: FileFailure("write", "memory", reason: "No space left on device")) {
            for _ in 0..<20 { try writer.write(batch, rows: 0..<batch.count) }
            try writer.finish()
        }
        #expect(!sink.isFinished)
    }

    @Test("Rows that are written do not stay in memory", arguments: formats)
    func release(_ format: DatasetFormat) throws {
        let batch = SampleTable.batch(rows: 4000, seed: 7)
        let sink = MemorySink()
        let writer = makeWriter(format, into: sink)
        for _ in 0..<20 { try writer.write(batch, rows: 0..<batch.count) }
        // A block of text, or a row group.
        #expect(sink.size > 0 && writer.size - sink.size < 600_000)
    }
}

@Suite("Batches of rows")
struct TableBatchTests {
    @Test("Numbers that are not finite are missing values")
    func notFinite() {
        let schema = TableSchema(name: "t", columns: [TableColumn("x", .double, isNullable: true)])
        var batch = TableBatch(schema, capacity: 4)
        for value in [Double.nan, .infinity, 1.5, -.infinity] {
            batch.put(value)
            batch.endRow()
        }
        let sink = MemorySink()
        let writer = TextWriter.ndjson(schema, into: sink)
        #expect(throws: Never.self) {
            try writer.write(batch, rows: 0..<4)
            try writer.finish()
        }
        #expect(
            String(decoding: sink.bytes, as: UTF8.self)
                == "{\"x\":null}\n{\"x\":null}\n{\"x\":1.5}\n{\"x\":null}\n")
    }

    @Test("Lines of JSON but the first leave out what has no value")
    func omitted() throws {
        let schema = TableSchema(
            name: "t",
            columns: [
                TableColumn("a", .int64, isNullable: true), TableColumn("b", .string, isNullable: true),
                TableColumn("c", .bool, isNullable: true),
            ])
        var batch = TableBatch(schema)
        for row in 0..<3 {
            batch.putNull()
            if row == 1 { batch.put("x") } else { batch.putNull() }
            batch.putNull()
            batch.endRow()
        }
        let sink = MemorySink()
        let writer = TextWriter.ndjson(schema, into: sink)
        // However they are cut.
        for row in 0..<3 { try writer.write(batch, rows: row..<row + 1) }
        try writer.finish()
        #expect(
            String(decoding: sink.bytes, as: UTF8.self)
                == #"{"a":null,"b":null,"c":null}"# + "\n" + #"{"a":null,"b":"x"}"# + "\n" + #"{"a":null}"#
                + "\n")
    }

    @Test("Times are rounded down to the column's unit, and written as RFC 3339")
    func times() throws {
        let schema = TableSchema(
            name: "t", columns: [TableColumn("ms", .timestampMillis), TableColumn("us", .timestampMicros)])
        var batch = TableBatch(schema)
        var stream = RandomStream(key: 3)
        var expected = ""
        for _ in 0..<200 {
            let instant = Instant(nanoseconds: Int64(bitPattern: stream.next()) / 2)
            batch.put(instant)
            batch.put(instant)
            batch.endRow()
            let micros = instant.nanoseconds - (((instant.nanoseconds % 1000) + 1000) % 1000)
            let rest = String(((micros / 1000 % 1000) + 1000) % 1000 + 1000).dropFirst()
            expected += "\(instant.text),\(instant.text.dropLast())\(rest)Z\r\n"
        }
        let sink = MemorySink()
        let writer = TextWriter.csv(schema, into: sink)
        try writer.write(batch, rows: 0..<200)
        try writer.finish()
        #expect(String(decoding: sink.bytes, as: UTF8.self) == "ms,us\r\n" + expected)
    }

    @Test("A batch that was emptied is as a new one")
    func reuse() throws {
        var batch = SampleTable.batch(rows: 300, seed: 1)
        let fresh = SampleTable.batch(rows: 3, seed: 2)
        batch.removeAll()
        let schema = TableSchema(name: "t", columns: [TableColumn("a", .string)])
        var texts = TableBatch(schema, capacity: 2)
        for text in [
            "short", "a text that is longer than what there is room for, twice over: 商品详情页", "x", "",
        ] {
            texts.put(text)
            texts.endRow()
            if texts.isFull {
                #expect(String(decoding: texts.columns[0].bytes(1), as: UTF8.self) == text)
                texts.removeAll()
            }
        }
        #expect(batch.count == 0 && fresh.count == 3)
    }
}
