// MARK: - Answers that come as fields and data (RFC 9113, 8)

/// On HTTP/2 the frames say where an answer's head and body end. What its fields mean is the same.
extension ResponseParser {
    /// Counts bytes of the answer's frames.
    mutating func noteReceived(_ count: Int) { received += count }

    /// A block of fields begins: the head, another one after a head of 1xx, or the trailers.
    mutating func beginBlock(endsStream: Bool) {
        switch state {
        case .statusLine: break
        case .bodyToClose where endsStream, .fixedBody where endsStream: state = .trailers
        default: refuse(.blockLate)
        }
    }

    /// Takes a field of the block. Fields that HTTP/2 knows no use for are not tolerated (RFC 9113, 8.2).
    mutating func takeField(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        switch state {
        case .statusLine: takeStatus(name, value)
        case .fields:
            if let broken = ResponseParser.breach(of: name, value) { return refuse(broken) }
            if keepsSample, status >= 200 {
                keepHead(name, end: 0x3A)
                keepHead(value, end: 0x0A)
            }
            read(name, value)
        case .trailers: if let broken = ResponseParser.breach(of: name, value) { refuse(broken) }
        default: break
        }
    }

    /// `:status` comes first, and there is no other pseudo-field in answers (RFC 9113, 8.3.2).
    private mutating func takeStatus(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard ResponseParser.equal(name, ":status") else { return refuse(.noStatus) }
        guard value.count == 3, let code = ResponseParser.decimal(value), code >= 100 else {
            return refuse(.badStatus)
        }
        guard code != 101 else { return refuse(.switching) }
        status = UInt16(code)
        state = .fields
    }

    /// The block ends.
    mutating func endBlock() {
        switch state {
        case .fields where status < 200:
            forgetHead()
            state = .statusLine
        case .fields:
            remaining = length ?? 0
            state = length == nil ? .bodyToClose : .fixedBody
        case .trailers: break
        default: refuse(.noStatus)
        }
    }

    /// Takes the content of a DATA frame, which may be empty.
    mutating func takeData(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .bodyToClose: keep(bytes)
        case .fixedBody where bytes.count <= remaining:
            remaining -= bytes.count
            keep(bytes)
        case .fixedBody: refuse(.moreData)
        default: refuse(.dataEarly)
        }
    }

    /// The answer's last frame was read. One that is shorter than it says is none (RFC 9113, 8.1.1), except where there is
    /// no body by rule: 204 and 304.
    mutating func endStream() {
        let hasBody = status != 204 && status != 304
        switch state {
        case .trailers where remaining == 0 || !hasBody, .bodyToClose,
            .fixedBody where remaining == 0 || !hasBody:
            complete()
        case .trailers, .fixedBody: refuse(.lessData)
        default: refuse(.endsEarly)
        }
    }

    /// Why a field is none that may stand in an answer, in its head or in its trailers (RFC 9113, 8.2.1).
    private static func breach(
        of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> AnswerBreach? {
        if let broken = breach(ofName: name) { return broken }
        if hasLineEnd(value) { return .fieldValue }
        guard let first = value.first, let last = value.last else { return nil }
        return isBlank(first) || isBlank(last) ? .paddedValue : nil
    }

    /// Why a name is none that may stand there: in lower case, and nothing of one connection alone.
    private static func breach(ofName name: UnsafeRawBufferPointer) -> AnswerBreach? {
        if name.first == 0x3A { return .pseudoField }
        guard ResponseParser.isName(name) else { return .fieldName }
        if name.contains(where: { (0x41...0x5A).contains($0) }) { return .upperCase }
        let isOfConnection =
            switch name.count {
            case 7: equal(name, "upgrade")
            case 10: equal(name, "connection") || equal(name, "keep-alive")
            case 16: equal(name, "proxy-connection")
            case 17: equal(name, "transfer-encoding")
            default: false
            }
        return isOfConnection ? .connectionField : nil
    }

    private static func hasLineEnd(_ value: UnsafeRawBufferPointer) -> Bool {
        hasControl(value) || offset(of: 0x0A, in: value) != nil
    }
}
