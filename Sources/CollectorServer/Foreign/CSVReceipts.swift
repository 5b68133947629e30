import CollectorModel

/// Rows as CSV (RFC 4180) with a header line.
enum CSVReceipts {
    static func read(
        _ bytes: UnsafeRawBufferPointer, path: String, into sink: inout ReceiptsSink
    ) throws {
        var reader = CSVReader(bytes)
        do {
            let header = try reader.next()?.map { String(decoding: $0.trimmed, as: UTF8.self) } ?? []
            func columnIndices(of columns: [String]) -> [Int?] {
                columns.map { column in header.firstIndex { $0.lowercased() == column } }
            }
            let ids = columnIndices(of: ForeignReceipts.columns)
            let times = columnIndices(of: ForeignReceipts.timeColumns)
            guard ids.contains(where: { $0 != nil }) else {
                throw ForeignReceiptsError.noColumn(
                    path: path, found: "the header \(header.joined(separator: ", "))")
            }
            while let fields = try reader.next() {
                let line = reader.rowLine
                guard fields.count == header.count else {
                    throw CSVError(
                        line: line,
                        found:
                            "\(fields.count) \(fields.count == 1 ? "field" : "fields"), the header has \(header.count)"
                    )
                }
                let row = ReceiptRow(
                    values: ids.map { $0.map { fields[$0].trimmed } },
                    times: times.map { $0.map { fields[$0].trimmed } })
                guard sink.take(row) else {
                    throw CSVError(
                        line: line, found: sink.timeProblem ?? row.payloadProblem ?? "a row without an id")
                }
            }
        } catch let error as CSVError {
            throw ForeignReceiptsError.badLine(path: path, line: error.line, found: error.found)
        }
    }
}

extension [UInt8] {
    /// Without blanks at its ends, which many put behind their commas.
    fileprivate var trimmed: [UInt8] {
        withUnsafeBytes { text in
            let inner = text.trimmed { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            return inner.count == count ? self : Array(inner)
        }
    }
}

/// What is wrong with a CSV text, and in which line (from 1).
struct CSVError: Error, Equatable {
    var line: Int
    var found: String
}

/// Walks the rows of a CSV text by RFC 4180: fields may be quoted, quotes in them are doubled, and quoted
/// fields may contain commas and line breaks. Lines end with CR LF or LF, and the last may end with the CR of a
/// pair that was cut. Empty lines are no rows.
struct CSVReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var line = 1
    /// The line in which the latest row began.
    private(set) var rowLine = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The fields of the next row; `nil` at the end.
    mutating func next() throws -> [[UInt8]]? {
        skipEmptyLines()
        guard position < bytes.count else { return nil }
        rowLine = line
        var fields: [[UInt8]] = []
        while true {
            fields.append(try field())
            guard position < bytes.count else { return fields }
            if bytes[position] == UInt8(ascii: ",") {
                position += 1
                continue
            }
            endLine()
            return fields
        }
    }

    private mutating func skipEmptyLines() {
        while position < bytes.count, bytes[position] != UInt8(ascii: ","), isAtFieldEnd { endLine() }
    }

    /// Goes past the end of a line.
    private mutating func endLine() {
        if bytes[position] == 0x0D { position += 1 }
        position += 1
        line += 1
    }

    /// The next field; stops before its comma, line end or the text's end.
    private mutating func field() throws -> [UInt8] {
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return try quotedField() }
        var field: [UInt8] = []
        while position < bytes.count, !isAtFieldEnd {
            guard bytes[position] != UInt8(ascii: "\"") else {
                throw CSVError(line: line, found: "a quote inside an unquoted field")
            }
            field.append(bytes[position])
            position += 1
        }
        return field
    }

    private mutating func quotedField() throws -> [UInt8] {
        let start = line
        var field: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\"") else {
                if byte == 0x0A { line += 1 }
                field.append(byte)
                continue
            }
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                field.append(byte)
                position += 1
                continue
            }
            guard position >= bytes.count || isAtFieldEnd else {
                throw CSVError(line: line, found: "text after a closing quote")
            }
            return field
        }
        throw CSVError(line: start, found: "a quoted field without its end")
    }

    private var isAtFieldEnd: Bool {
        switch bytes[position] {
        case UInt8(ascii: ","), 0x0A: true
        case 0x0D: position + 1 == bytes.count || bytes[position + 1] == 0x0A
        default: false
        }
    }
}
