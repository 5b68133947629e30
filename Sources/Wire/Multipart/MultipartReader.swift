/// One part of a form; valid as long as the body's memory is.
package struct MultipartPart {
    /// The form field's name.
    package let name: String
    /// The file's name as it came, for which nothing may be concluded; `nil` for a plain field.
    package let filename: String?
    /// The part's own Content-Type as it came, which need not be a valid one.
    package let contentType: String?
    /// The bytes between the headers and the delimiter, in place.
    package let content: UnsafeRawBufferPointer
}

/// Walks the parts of a multipart/form-data body (RFC 7578 over RFC 2046, section 5.1) without
/// copying their content.
///
/// ```swift
/// var form = MultipartReader(body, boundary: try MultipartBoundary(contentType: header))
/// while let part = try form.next() {
///     if part.name == "file" { … }
/// }
/// ```
///
/// What is before the first delimiter and after the closing one is skipped, as the RFC has it. A body
/// that ends without a closing delimiter is an error. O(body) over all parts.
package struct MultipartReader {
    /// The most parts that a body may have.
    package let partLimit: Int
    /// The most bytes of one part's headers.
    package let headerLimit: Int

    private let body: UnsafeRawBufferPointer
    /// Line end, two dashes and the boundary.
    private let delimiter: [UInt8]
    private var partCount = 0
    /// Where the next part's headers begin; `nil` before the first delimiter.
    private var position: Int?
    private var isAtEnd = false

    /// Makes a walk over a body, whose memory must outlive the walk and its parts.
    package init(
        _ body: UnsafeRawBufferPointer, boundary: MultipartBoundary, partLimit: Int = 16,
        headerLimit: Int = 4096
    ) {
        self.body = body
        self.partLimit = partLimit
        self.headerLimit = headerLimit
        delimiter = Array("\r\n--\(boundary.text)".utf8)
    }

    /// The next part, or `nil` after the closing delimiter.
    ///
    /// - Throws: ``MultipartError``. The walk is over then.
    package mutating func next() throws(MultipartError) -> MultipartPart? {
        if position == nil { try skipPreamble() }
        guard !isAtEnd, let start = position else { return nil }
        partCount += 1
        guard partCount <= partLimit else { throw .tooManyParts(limit: partLimit) }
        let headers = try PartHeaders(of: body, at: start, limit: headerLimit)
        // An empty content may share its line end with the headers' last one.
        guard let end = delimiterOffset(from: headers.end - 2) else { throw .truncated(offset: start) }
        let content = min(headers.end, end)..<end
        try passDelimiter(at: end)
        guard let name = headers.name else { throw .missingName(offset: start) }
        return MultipartPart(
            name: name, filename: headers.filename, contentType: headers.contentType,
            content: UnsafeRawBufferPointer(rebasing: body[content]))
    }

    private mutating func skipPreamble() throws(MultipartError) {
        // The first delimiter may lack its line end, at the body's beginning.
        if body.count >= delimiter.count - 2, body[..<(delimiter.count - 2)].elementsEqual(delimiter[2...]) {
            try passDelimiter(at: -2)
        } else if let offset = delimiterOffset(from: 0) {
            try passDelimiter(at: offset)
        } else {
            throw .noDelimiter
        }
    }

    /// Where the next delimiter begins. A line end is nowhere else in it: each byte is compared twice
    /// at most.
    private func delimiterOffset(from start: Int) -> Int? {
        var offset = start
        while offset <= body.count - delimiter.count {
            if body[offset] == delimiter[0],
                body[offset..<offset + delimiter.count].elementsEqual(delimiter)
            {
                return offset
            }
            offset += 1
        }
        return nil
    }

    /// Goes to what follows a delimiter: the next part, or the end.
    private mutating func passDelimiter(at offset: Int) throws(MultipartError) {
        var end = offset + delimiter.count
        if body[end...].starts(with: "--".utf8) {
            isAtEnd = true
            end += 2
        }
        while end < body.count, body[end] == 0x20 || body[end] == 0x09 { end += 1 }
        position = end + 2
        // The closing line may end with the body.
        if isAtEnd && end == body.count { return }
        guard body[end...].starts(with: "\r\n".utf8) else {
            throw end == body.count
                ? .truncated(offset: max(offset, 0)) : .malformedDelimiter(offset: max(offset + 2, 0))
        }
    }
}

/// The headers of one part.
private struct PartHeaders {
    private(set) var name: String?
    private(set) var filename: String?
    private(set) var contentType: String?
    /// Where the content begins.
    private(set) var end: Int

    init(of body: UnsafeRawBufferPointer, at start: Int, limit: Int) throws(MultipartError) {
        end = start
        while true {
            let line = try Self.line(of: body, at: end, start: start, limit: limit)
            let lineStart = end
            end = line.upperBound + 2
            if line.isEmpty { return }
            try read(UnsafeRawBufferPointer(rebasing: body[line]), at: lineStart)
        }
    }

    /// The line that begins at an offset, without its end.
    private static func line(
        of body: UnsafeRawBufferPointer, at offset: Int, start: Int, limit: Int
    ) throws(MultipartError) -> Range<Int> {
        var end = offset
        while end - start <= limit {
            guard end <= body.count - 2 else { throw .truncated(offset: start) }
            if body[end] == 0x0D, body[end + 1] == 0x0A { return offset..<end }
            end += 1
        }
        throw .headersTooLong(limit: limit, offset: start)
    }

    private mutating func read(_ line: UnsafeRawBufferPointer, at offset: Int) throws(MultipartError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(\.isToken)
        else { throw .malformedHeader(offset: offset) }
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
        switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
        case "content-disposition": try readDisposition(value, at: offset)
        case "content-type":
            guard let text = String(validating: value.drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self),
                contentType == nil
            else { throw .malformedHeader(offset: offset) }
            contentType = text
        case "content-transfer-encoding":
            guard let encoding = HeaderValue(value)?.value else { throw .malformedHeader(offset: offset) }
            guard ["7bit", "8bit", "binary"].contains(encoding) else {
                throw .unsupportedEncoding(encoding, offset: offset)
            }
        default: break
        }
    }

    private mutating func readDisposition(
        _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(MultipartError) {
        guard let value = HeaderValue(bytes), name == nil,
            Set(value.parameters.map(\.name)).count == value.parameters.count
        else { throw .malformedHeader(offset: offset) }
        guard value.value == "form-data" else { return }
        name = value.parameters.first { $0.name == "name" }?.value
        filename = value.parameters.first { $0.name == "filename" }?.value
    }
}
