import Wire

/// A JSON object on a line.
enum NDJSON: TextForm {
    static let rowEnd: StaticString = "}\n"
    static let absent: StaticString = "null"
    static let omitsAbsent = true
    static let timeQuote: StaticString = "\""

    static func head(of schema: TableSchema) -> [UInt8] { [] }

    static func prefix(of column: Int, in schema: TableSchema) -> [UInt8] {
        (column == 0 ? Array("{".utf8) : Array(",".utf8))
            + JSONFragment(name: schema.columns[column].name).bytes
    }

    static func append(text: UnsafeRawBufferPointer, to buffer: inout WireBuffer) {
        // What is escaped at once needs room for an escape of each byte.
        guard text.count <= 1 << 16 else { return buffer.appendJSONString(utf8: text) }
        buffer.append(UInt8(ascii: "\""))
        let taken = appendPlainly(text, to: &buffer)
        buffer.appendJSONEscaped(utf8: UnsafeRawBufferPointer(rebasing: text[taken...]))
        buffer.append(UInt8(ascii: "\""))
    }

    /// Appends a text whose only escapes are those of quotes and backslashes, as a text of JSON has them, without a look
    /// at the buffer for each.
    ///
    /// - Returns: how many bytes of it were taken: what follows has a control character, or is shorter than eight bytes.
    private static func appendPlainly(
        _ text: UnsafeRawBufferPointer, to buffer: inout WireBuffer
    ) -> Int {
        var taken = 0
        let backslash = UInt8(ascii: "\\")
        buffer.append(upTo: text.count * 2 + 8) { memory in
            let copied = MarkedCopy.copy(text, to: memory, mark: backslash) { word in
                guard MarkedCopy.marks(MarkedCopy.printable(in: word)) == 0 else { return nil }
                return MarkedCopy.marks(
                    MarkedCopy.others(than: UInt8(ascii: "\""), in: word)
                        & MarkedCopy.others(than: backslash, in: word))
            }
            taken = copied.taken
            return copied.written
        }
        return taken
    }
}

/// A record of RFC 4180.
enum CSV: TextForm {
    static let rowEnd: StaticString = "\r\n"
    static let absent: StaticString = ""
    static let omitsAbsent = false
    static let timeQuote: StaticString = ""

    static func head(of schema: TableSchema) -> [UInt8] {
        var buffer = WireBuffer()
        for (index, column) in schema.columns.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            var name = column.name
            name.withUTF8 { append(text: UnsafeRawBufferPointer($0), to: &buffer) }
        }
        buffer.append("\r\n")
        return buffer.bytes
    }

    static func prefix(of column: Int, in schema: TableSchema) -> [UInt8] {
        column == 0 ? [] : Array(",".utf8)
    }

    static func append(text: UnsafeRawBufferPointer, to buffer: inout WireBuffer) {
        guard mustQuote(text) else {
            buffer.append(contentsOf: text)
            return
        }
        let quote = UInt8(ascii: "\"")
        buffer.append(quote)
        buffer.append(upTo: 2 * text.count + 8) { memory in
            let copied = MarkedCopy.copy(text, to: memory, mark: quote) { word in
                MarkedCopy.marks(MarkedCopy.others(than: quote, in: word))
            }
            var output = memory + copied.written
            for byte in text[copied.taken...] {
                if byte == quote {
                    output.storeBytes(of: quote, as: UInt8.self)
                    output += 1
                }
                output.storeBytes(of: byte, as: UInt8.self)
                output += 1
            }
            return output - memory
        }
        buffer.append(quote)
    }

    /// Whether a text would be read as something else without quotes: what RFC 4180 names, the empty text, which is
    /// not a missing one, and spaces at an end, which some readers cut off.
    private static func mustQuote(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = text.first, let last = text.last, first != UInt8(ascii: " "),
            last != UInt8(ascii: " ")
        else { return true }
        var index = 0
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Eight bytes a step: the marks are those of the zero bytes of x in `(x - 0x01…) & ~x & 0x80…`, of which
        // only the lowest is exact; that there is one is exact, too.
        while index &+ 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ ones &* 0x22
            let commas = word ^ ones &* 0x2C
            let feeds = word ^ ones &* 0x0A
            let returns = word ^ ones &* 0x0D
            let marks =
                (quotes &- ones) & ~quotes | (commas &- ones) & ~commas
                | (feeds &- ones) & ~feeds | (returns &- ones) & ~returns
            if marks & (ones &* 0x80) != 0 { return true }
            index &+= 8
        }
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
            default: index &+= 1
            }
        }
        return false
    }
}
