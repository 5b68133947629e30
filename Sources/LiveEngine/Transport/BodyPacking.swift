import Wire

/// How an answer's body was made smaller, as its `Content-Encoding` says (RFC 9110, 8.4).
enum BodyPacking: UInt8 {
    case none, gzip, deflate
    /// In a way that is not read, or in several.
    case foreign

    /// `nil` for a name that packs nothing: `identity`, or what servers write there by mistake (`utf-8`). Such a body is taken
    /// as it is, as phones take it.
    init?(named name: UnsafeRawBufferPointer) {
        if ResponseParser.equal(name, "gzip") || ResponseParser.equal(name, "x-gzip") {
            self = .gzip
        } else if ResponseParser.equal(name, "deflate") {
            self = .deflate
        } else if BodyPacking.foreignNames.contains(where: { ResponseParser.equal(name, $0) }) {
            self = .foreign
        } else {
            return nil
        }
    }

    private static let foreignNames: [StaticString] = ["br", "zstd", "compress", "x-compress"]
}

extension ResponseParser {
    /// The answer's last byte was read: a body that is wanted is unpacked, as phones do it for an SDK, which does not learn
    /// that it was packed.
    mutating func complete() {
        state = .complete
        guard packing != .none, keepsBody, !body.isEmpty else { return }
        guard packing != .foreign else {
            // A phone reads it, and its SDK sees the status: only of a success does it need the body.
            guard status / 100 != 2 else { return refuse(.foreignPacking) }
            body = []
            return
        }
        var unpacked = WireBuffer()
        do {
            try body.withUnsafeBytes { packed in
                // Made for each answer: one for each connection would be 40 kB that hardly any needs.
                if packing == .gzip {
                    try GzipDecoder(limit: ResponseParser.bodyLimit).decompress(packed, into: &unpacked)
                } else {
                    try ZlibDecoder(limit: ResponseParser.bodyLimit).decompress(packed, into: &unpacked)
                }
            }
        } catch GzipError.tooLarge {
            return refuse(.tooLong)
        } catch {
            return refuse(.packing)
        }
        body = unpacked.bytes
        if keepsSample { sampleBody = Array(body.prefix(ResponseParser.sampleLimit)) }
    }
}
