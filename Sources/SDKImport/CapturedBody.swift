import Wire

/// What a captured body holds, with what was taken off it.
struct CapturedBody {
    /// The JSON; of lines, a list of them.
    var json: JSONNode
    var isGzip = false
    var isLines = false
    /// The form's field that held it.
    var field: String?
    /// Whether it was in base64.
    var isBase64 = false

    private static let limit = 64 << 20

    /// - Returns: `nil` for what holds no JSON of objects.
    init?(_ request: CapturedRequest) {
        var bytes = request.body
        var (isGzip, isBase64) = (CapturedBody.unpack(&bytes), false)
        // Archives keep packed bodies as base64 or lose them; what says gzip and is text was unpacked by the archive.
        if let encoding = request.header("content-encoding"), encoding.lowercased() == "gzip" {
            isGzip = true
        }
        if !CapturedBody.isJSON(bytes), let decoded = CapturedBody.base64(bytes) {
            bytes = decoded
            isGzip = CapturedBody.unpack(&bytes) || isGzip
        }
        var field: String?
        if !CapturedBody.isJSON(bytes) {
            guard let fields = FormFields.read(bytes),
                let found = fields.first(where: { CapturedBody.inner(Array($0.value.utf8)) != nil }),
                let inner = CapturedBody.inner(Array(found.value.utf8))
            else { return nil }
            field = found.name
            isBase64 = !CapturedBody.isJSON(Array(found.value.utf8))
            bytes = inner
        }
        if let whole = try? JSONReader.readStrictly(bytes), !whole.isPlain {
            self.init(json: whole, isGzip: isGzip, isLines: false, field: field, isBase64: isBase64)
            return
        }
        let lines = bytes.split(separator: 0x0A).map { line in try? JSONReader.readStrictly(Array(line)) }
        guard lines.count > 1, lines.allSatisfy({ $0?.members != nil }) else { return nil }
        self.init(
            json: .list(lines.compactMap { $0 }), isGzip: isGzip, isLines: true, field: field,
            isBase64: isBase64)
    }

    private init(json: JSONNode, isGzip: Bool, isLines: Bool, field: String?, isBase64: Bool) {
        (self.json, self.isGzip, self.isLines) = (json, isGzip, isLines)
        (self.field, self.isBase64) = (field, isBase64)
    }

    /// A text's JSON, as it is or in base64; `nil` if it is none.
    static func inner(_ text: [UInt8]) -> [UInt8]? {
        if isJSON(text) { return text }
        guard var decoded = base64(text) else { return nil }
        _ = unpack(&decoded)
        return isJSON(decoded) ? decoded : nil
    }

    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        guard text.count >= 8 else { return nil }
        var decoded = WireBuffer()
        return text.withUnsafeBytes { Base64.decodeLeniently($0, into: &decoded) } ? decoded.bytes : nil
    }

    /// Unpacks gzip in place; `false` for what is none.
    private static func unpack(_ bytes: inout [UInt8]) -> Bool {
        guard bytes.starts(with: [0x1F, 0x8B]) else { return false }
        var unpacked = WireBuffer()
        guard
            (try? bytes.withUnsafeBytes { try GzipDecoder(limit: limit).decompress($0, into: &unpacked) })
                != nil
        else { return false }
        bytes = unpacked.bytes
        return true
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
