// MARK: - The lines of a head and of chunks

extension ResponseParser {
    /// `HTTP/1.1 200 OK`; the reason may be missing with its space.
    mutating func readStatusLine(_ line: UnsafeRawBufferPointer) {
        if line.isEmpty { return }
        guard line.count >= 12, line.count == 12 || line[12] == 0x20,
            ResponseParser.begins(line, with: "HTTP/1."),
            line[7] == 0x30 || line[7] == 0x31, line[8] == 0x20, !ResponseParser.hasControl(line),
            let value = ResponseParser.decimal(UnsafeRawBufferPointer(rebasing: line[9..<12]))
        else { return refuse(.statusLine) }
        isVersion10 = line[7] == 0x30
        keepsAlive = !isVersion10
        status = UInt16(value)
        guard value >= 100 else { return refuse(.lowStatus) }
        guard value != 101 else { return refuse(.upgrade) }
        state = .fields
    }

    mutating func readField(_ line: UnsafeRawBufferPointer) {
        if keepsSample && status >= 200 { keepHead(line, end: 0x0A) }
        guard let colon = ResponseParser.offset(of: 0x3A, in: line) else { return refuse(.noColon) }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        guard ResponseParser.isName(name) else { return refuse(.fieldName) }
        guard !ResponseParser.hasControl(line) else { return refuse(.fieldValue) }
        let value = ResponseParser.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        read(name, value)
    }

    /// Keeps a part of the head, and what ends it.
    mutating func keepHead(_ bytes: UnsafeRawBufferPointer, end: UInt8) {
        sampleHead.append(contentsOf: bytes.prefix(ResponseParser.sampleLimit - sampleHead.count))
        if sampleHead.count < ResponseParser.sampleLimit { sampleHead.append(end) }
    }

    /// Acts on a field that a client has to know.
    mutating func read(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where keepsDate && ResponseParser.equal(name, "date"): date = RetryAfter.date(value)
        case 10 where ResponseParser.equal(name, "connection"): readConnection(value)
        case 11 where ResponseParser.equal(name, "retry-after"): retryAfter = RetryAfter(value)
        case 12 where keepsBody && ResponseParser.equal(name, "content-type"):
            contentType = String(decoding: value, as: UTF8.self)
        case 14 where ResponseParser.equal(name, "content-length"): readLength(value)
        case 16 where keepsBody && ResponseParser.equal(name, "content-encoding"): readPacking(value)
        case 17 where ResponseParser.equal(name, "transfer-encoding"):
            hasTransferEncoding = true
            let last = ResponseParser.lastElement(of: value)
            // A list without an element names no coding, and says nothing of the body (RFC 9110, 5.6.1).
            if last.isEmpty { return }
            hasCoding = true
            isChunked = ResponseParser.equal(last, "chunked")
        default: break
        }
    }

    private mutating func readConnection(_ value: UnsafeRawBufferPointer) {
        ResponseParser.forEachElement(of: value) { element in
            if ResponseParser.equal(element, "close") { saysClose = true }
            if ResponseParser.equal(element, "keep-alive") { keepsAlive = true }
        }
    }

    /// What is packed several times over is not unpacked.
    private mutating func readPacking(_ value: UnsafeRawBufferPointer) {
        ResponseParser.forEachElement(of: value) { element in
            guard let next = BodyPacking(named: element) else { return }
            packing = packing == .none ? next : .foreign
        }
    }

    /// A length is digits only; a second one must say the same (RFC 9112, 6.3).
    private mutating func readLength(_ value: UnsafeRawBufferPointer) {
        guard let number = ResponseParser.decimal(value), (length ?? number) == number else {
            return refuse(.length)
        }
        length = number
    }

    /// Decides how long the body is (RFC 9112, 6.3).
    mutating func endHead() {
        if status < 200 {
            forgetHead()
            state = .statusLine
            return
        }
        if saysClose { keepsAlive = false }
        if status == 204 || status == 304 {
            state = .complete
        } else if isChunked {
            // Both a length and chunks: the chunks count, and the connection is not to be trusted.
            if length != nil || isVersion10 { keepsAlive = false }
            state = .chunkSize
        } else if let length, !hasCoding {
            if hasTransferEncoding { keepsAlive = false }
            remaining = length
            state = length == 0 ? .complete : .fixedBody
        } else {
            keepsAlive = false
            state = .bodyToClose
        }
    }

    mutating func readChunkSize(_ line: UnsafeRawBufferPointer) {
        guard let size = ResponseParser.chunkSize(line) else { return refuse(.chunkSize) }
        remaining = size
        state = size == 0 ? .trailers : .chunkData
    }
}
