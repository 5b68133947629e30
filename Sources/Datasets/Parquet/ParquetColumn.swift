import Wire

/// One column of a Parquet file: encodes values into pages, and keeps the packed pages of a row group.
///
/// A chunk begins with a dictionary. It is given up when the first page shows that it would not save anything, and no
/// longer used when it is full: pages from then on have the values themselves.
struct ParquetColumn: ~Copyable {
    /// What the file's end says of a column chunk.
    struct Chunk {
        var type: ColumnType
        var name: String
        var encodings: [Int32]
        var values: Int64
        var unpackedSize: Int64
        var packedSize: Int64
        var dataOffset: Int64
        var dictionaryOffset: Int64?
        var statistics: ColumnStatistics
    }

    private let column: TableColumn
    private let options: ParquetOptions
    private let packer: PagePacker

    private var dictionary = ValueDictionary()
    /// Whether values of the page that is being made go through the dictionary.
    private var usesDictionary: Bool
    private var hasDictionary = false
    private var hasPlain = false
    private var statistics: ColumnStatistics

    // The page that is being made.
    private var rows = 0
    private var absent = 0
    private var levels: RawNumbers
    /// Numbers in the dictionary, or truth values.
    private var numbers: RawNumbers
    /// Values that do not go through the dictionary.
    private var plain = RawBytes(capacity: 1 << 12)

    // The column chunk that is being made.
    private var levelBits = WireBuffer()
    private var page = WireBuffer()
    private var pages = WireBuffer()
    private var unpackedSize = 0
    private var values: Int64 = 0

    init(_ column: TableColumn, _ options: ParquetOptions, _ packer: PagePacker) {
        self.column = column
        self.options = options
        self.packer = packer
        usesDictionary = column.type != .bool
        statistics = ColumnStatistics(column.type)
        levels = RawNumbers(capacity: column.isNullable ? options.pageRows + ParquetWriter.step : 0)
        numbers = RawNumbers(capacity: options.pageRows + ParquetWriter.step)
    }

    /// About the bytes of the chunk so far.
    var size: Int { pages.count + plain.count + numbers.count + dictionary.page.count }

    /// Takes values.
    ///
    /// - Parameter endsStep: Whether a page may end behind them.
    mutating func append(_ values: TableBatch.Storage, _ range: Range<Int>, endsStep: Bool) {
        switch column.type {
        case .string: appendTexts(values, range)
        case .bool: appendBools(values, range)
        case .int64, .double, .timestampMillis, .timestampMicros: appendWords(values, range)
        }
        rows += range.count
        if endsStep, rows >= options.pageRows || plain.count >= options.pageBytes { endPage() }
    }

    /// Notes which rows have values.
    @inline(__always)
    private mutating func note(_ values: TableBatch.Storage, _ row: Int) -> Bool {
        guard column.isNullable else { return true }
        let isThere = !values.isAbsent[row]
        levels.append(isThere ? 1 : 0)
        if !isThere { absent += 1 }
        return isThere
    }

    private mutating func appendBools(_ values: TableBatch.Storage, _ range: Range<Int>) {
        for row in range where note(values, row) {
            numbers.append(UInt32(truncatingIfNeeded: values.words[row]))
            statistics.note(values.words[row])
        }
    }

    private mutating func appendWords(_ values: TableBatch.Storage, _ range: Range<Int>) {
        let isDouble = column.type == .double
        for row in range where note(values, row) {
            let word = values.words[row]
            if usesDictionary {
                let known = dictionary.count
                if let number = dictionary.number(of: UInt64(bitPattern: word)) {
                    numbers.append(number)
                    // What is in the dictionary has been noted.
                    if dictionary.count == known { continue }
                } else {
                    leaveDictionary()
                }
            }
            if isDouble { statistics.note(double: word) } else { statistics.note(word) }
            if !usesDictionary { plain.append(word: UInt64(bitPattern: word)) }
        }
    }

    private mutating func appendTexts(_ values: TableBatch.Storage, _ range: Range<Int>) {
        for row in range where note(values, row) {
            let text = values.bytes(row)
            if usesDictionary {
                let known = dictionary.count
                if let number = dictionary.number(of: text) {
                    numbers.append(number)
                    if dictionary.count == known { continue }
                } else {
                    leaveDictionary()
                }
            }
            statistics.note(text)
            if !usesDictionary { plain.append(prefixed: text) }
        }
    }

    /// Goes on without the dictionary; the values of this page leave it.
    private mutating func leaveDictionary() {
        usesDictionary = false
        dictionary.append(numbers.values, isText: column.type == .string, to: &plain)
        numbers.removeAll()
    }

    // MARK: - Pages

    private mutating func endPage() {
        guard rows > 0 else { return }
        if usesDictionary, !hasDictionary, !dictionarySaves { leaveDictionary() }
        page.removeAll()
        if column.isNullable { appendLevels() }
        let encoding: Int32
        if column.type == .bool {
            encoding = Parquet.Encoding.plain
            RunLengths.appendBits(numbers.values, to: &page)
            hasPlain = true
        } else if usesDictionary {
            encoding = Parquet.Encoding.dictionary
            let width = RunLengths.width(upTo: dictionary.count - 1)
            page.append(UInt8(width))
            RunLengths.append(numbers.values, width: width, to: &page)
            hasDictionary = true
        } else {
            encoding = Parquet.Encoding.plain
            // A page of nothing else is packed where it lies.
            if column.isNullable { page.append(contentsOf: plain.bytes) }
            hasPlain = true
        }
        let isAlone = !column.isNullable && encoding == Parquet.Encoding.plain && column.type != .bool
        if isAlone {
            pack(plain.bytes, encoding)
        } else {
            let page = page
            page.withUnsafeBytes { pack($0, encoding) }
        }
        statistics.noteAbsent(absent)
        values += Int64(rows)
        beginPage()
    }

    private mutating func pack(_ bytes: UnsafeRawBufferPointer, _ encoding: Int32) {
        let count = Int32(rows)
        unpackedSize += packer.append(bytes, kind: Parquet.Page.data, to: &pages) { header in
            header.field(5) { data in
                data.field(1, int32: count)
                data.field(2, int32: encoding)
                data.field(3, int32: Parquet.Encoding.runLengths)
                data.field(4, int32: Parquet.Encoding.runLengths)
            }
        }
    }

    private mutating func beginPage() {
        rows = 0
        absent = 0
        levels.removeAll()
        numbers.removeAll()
        plain.removeAll()
    }

    /// Which rows have a value (definition levels), behind their size.
    private mutating func appendLevels() {
        levelBits.removeAll()
        RunLengths.append(levels.values, width: 1, to: &levelBits)
        withUnsafeBytes(of: UInt32(levelBits.count).littleEndian) { page.append(contentsOf: $0) }
        page.append(contentsOf: levelBits)
    }

    /// Whether the first page is smaller with its dictionary than without.
    private var dictionarySaves: Bool {
        guard dictionary.count > 0 else { return false }
        let indices = numbers.count * RunLengths.width(upTo: dictionary.count - 1) / 8
        var unpacked = 0
        if column.type == .string {
            // Nothing is known of the texts' sizes but those in the dictionary: taken as all alike.
            unpacked = dictionary.page.count / dictionary.count * numbers.count
        } else {
            unpacked = numbers.count * 8
        }
        return dictionary.page.count + indices < unpacked
    }

    // MARK: - Column chunks

    /// Ends the column chunk and hands its bytes over.
    ///
    /// - Parameter offset: Where in the file it will begin.
    mutating func endChunk(at offset: Int, into output: inout WireBuffer) -> Chunk {
        endPage()
        output.removeAll()
        if hasDictionary {
            let count = Int32(dictionary.count)
            unpackedSize += packer.append(
                dictionary.page, kind: Parquet.Page.dictionary, to: &output
            ) { header in
                header.field(7) { page in
                    page.field(1, int32: count)
                    page.field(2, int32: Parquet.Encoding.plain)
                }
            }
        }
        let dataOffset = offset + output.count
        output.append(contentsOf: pages)
        // The dictionary's own page is PLAIN.
        var encodings = hasPlain || hasDictionary ? [Parquet.Encoding.plain] : []
        encodings.append(Parquet.Encoding.runLengths)
        if hasDictionary { encodings.append(Parquet.Encoding.dictionary) }
        let chunk = Chunk(
            type: column.type, name: column.name, encodings: encodings, values: values,
            unpackedSize: Int64(unpackedSize), packedSize: Int64(output.count), dataOffset: Int64(dataOffset),
            dictionaryOffset: hasDictionary ? Int64(offset) : nil, statistics: statistics)
        beginChunk()
        return chunk
    }

    private mutating func beginChunk() {
        dictionary.removeAll()
        usesDictionary = column.type != .bool
        hasDictionary = false
        hasPlain = false
        statistics.removeAll()
        pages.removeAll()
        unpackedSize = 0
        values = 0
    }
}
