package import Files
import Wire

/// How rows become text.
protocol TextForm {
    /// What a file begins with.
    static func head(of schema: TableSchema) -> [UInt8]
    /// What stands before a column's value.
    static func prefix(of column: Int, in schema: TableSchema) -> [UInt8]
    static var rowEnd: StaticString { get }
    static var absent: StaticString { get }
    /// Whether a file's rows, but for the first, leave out columns without a value; never their first column.
    static var omitsAbsent: Bool { get }
    /// What stands before and after a time.
    static var timeQuote: StaticString { get }
    static func append(text: UnsafeRawBufferPointer, to buffer: inout WireBuffer)
}

/// Writes rows as lines of text; blocks of about ``blockSize`` bytes are handed on.
package final class TextWriter: DatasetWriter {
    /// The least bytes that are handed on at a time, but for the last: so much text is in memory.
    static let blockSize = 1 << 19

    private let sink: any ByteSink
    private let body: any TextBody

    init(_ body: any TextBody, into sink: any ByteSink) {
        self.body = body
        self.sink = sink
    }

    /// A line of JSON for each row, `{"name":value,…}`: columns in order, times as text. The first line has them all, with
    /// `null` where there is no value, so that readers learn them; further lines leave out what has no value, but for
    /// the first column.
    package static func ndjson(_ schema: TableSchema, into sink: any ByteSink) -> TextWriter {
        TextWriter(FormBody<NDJSON>(schema), into: sink)
    }

    /// RFC 4180 with a header: CRLF ends a row, a text is quoted where it has to be. Nothing at all is a missing value,
    /// the empty text is `""`.
    package static func csv(_ schema: TableSchema, into sink: any ByteSink) -> TextWriter {
        TextWriter(FormBody<CSV>(schema), into: sink)
    }

    /// What is not packed yet does not count: nobody knows how little it will be.
    package var size: Int { sink.size + (sink.isPacking ? 0 : body.buffer.count) }

    package func write(_ batch: borrowing TableBatch, rows: Range<Int>) throws(FileFailure) {
        batch.complete()
        var row = rows.lowerBound
        while row < rows.upperBound {
            row = body.append(batch, rows: row..<rows.upperBound)
            if body.buffer.count >= TextWriter.blockSize { try flush() }
        }
    }

    package func finish() throws(FileFailure) {
        try flush()
        try sink.finish()
    }

    /// Hands on what is in memory, however little it is.
    package func flush() throws(FileFailure) {
        guard !body.buffer.isEmpty else { return }
        try body.buffer.withUnsafeBytes { bytes throws(FileFailure) in try sink.write(bytes) }
        body.buffer.removeAll()
    }
}

/// The text that is not handed on yet.
protocol TextBody: AnyObject {
    var buffer: WireBuffer { get set }
    /// Appends rows until there are none left or a block is full.
    ///
    /// - Returns: The row to go on with.
    func append(_ batch: borrowing TableBatch, rows: Range<Int>) -> Int
}

/// Text of one form. A class for each, so that the loop over the values knows the form.
private final class FormBody<Form: TextForm>: TextBody {
    var buffer = WireBuffer(capacity: TextWriter.blockSize + (1 << 16))
    /// For each column what stands before its value, and the day of its last time. Memory of our own: an array would be
    /// counted as used and as unused again for every value.
    private let columns: UnsafeMutablePointer<(prefix: UnsafeRawBufferPointer, time: TimeText)>
    private let count: Int
    /// Whether the next row is the file's first.
    private var isFirst = true

    init(_ schema: TableSchema) {
        count = schema.columns.count
        columns = .allocate(capacity: count)
        for index in 0..<count {
            let prefix = Form.prefix(of: index, in: schema)
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: prefix.count, alignment: 1)
            memory.copyBytes(from: prefix)
            (columns + index).initialize(to: (UnsafeRawBufferPointer(memory), TimeText()))
        }
        buffer.append(contentsOf: Form.head(of: schema))
    }

    deinit {
        for index in 0..<count { columns[index].prefix.deallocate() }
        columns.deallocate()
    }

    func append(_ batch: borrowing TableBatch, rows: Range<Int>) -> Int {
        // Out of the object for the loop, where each access would be checked.
        var buffer = WireBuffer()
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        let (columns, values, count) = (columns, batch.columns, batch.columnCount)
        for row in rows {
            let omits = Form.omitsAbsent && !isFirst
            isFirst = false
            for column in 0..<count {
                if omits, column > 0, values[column].isAbsent[row] { continue }
                buffer.append(contentsOf: columns[column].prefix)
                Self.append(values + column, row, time: &columns[column].time, to: &buffer)
            }
            buffer.append(Form.rowEnd)
            if buffer.count >= TextWriter.blockSize { return row + 1 }
        }
        return rows.upperBound
    }

    @inline(__always)
    private static func append(
        _ values: UnsafeMutablePointer<TableBatch.Storage>, _ row: Int, time: inout TimeText,
        to buffer: inout WireBuffer
    ) {
        if values.pointee.isAbsent[row] {
            buffer.append(Form.absent)
            return
        }
        let word = values.pointee.words[row]
        switch values.pointee.type {
        case .int64: buffer.appendDecimal(word)
        case .double: buffer.appendDecimal(Double(bitPattern: UInt64(bitPattern: word)))
        case .bool: buffer.appendJSON(word != 0)
        case .string: Form.append(text: values.pointee.bytes(row), to: &buffer)
        case .timestampMillis, .timestampMicros:
            buffer.append(Form.timeQuote)
            time.append(word, of: values.pointee.type, to: &buffer)
            buffer.append(Form.timeQuote)
        }
    }
}
