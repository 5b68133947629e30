import Wire

/// What a captured body holds, with what was taken off it.
struct CapturedBody {
    /// What a text is made of JSON by.
    enum Packing: Hashable {
        case plain, base64, gzipBase64

        /// The body in a form's field.
        var placeholder: String {
            switch self {
            case .plain: "{{body}}"
            case .base64: "{{body|base64}}"
            case .gzipBase64: "{{body|gzip|base64}}"
            }
        }
    }

    /// The JSON; of lines, a list of them.
    private(set) var json: JSONNode
    private(set) var isGzip = false
    private(set) var isLines = false
    /// The form's field that held it.
    private(set) var field: String?
    /// How the field held it.
    private(set) var packing = Packing.plain
    /// All fields of the form, in order.
    private(set) var form: [CapturedRequest.Field] = []

    /// The JSON where others of its route have lines: an object by itself is a body with one line.
    var lines: JSONNode { json.members == nil ? json : .list([json]) }

    private static let limit = 64 << 20

    /// - Returns: `nil` for what holds no JSON of objects.
    init?(_ request: CapturedRequest) {
        var bytes = request.body
        isGzip = CapturedBody.unpack(&bytes)
        // Archives keep packed bodies as base64 or lose them; what says gzip and is text was unpacked by the archive.
        if let encoding = request.header("content-encoding"), encoding.lowercased() == "gzip" {
            isGzip = true
        }
        if !CapturedBody.isJSON(bytes), let decoded = CapturedBody.base64(bytes) {
            bytes = decoded
            if CapturedBody.unpack(&bytes) { isGzip = true }
        }
        if !CapturedBody.isJSON(bytes) {
            guard let fields = FormFields.read(bytes), let found = CapturedBody.field(among: fields) else {
                return nil
            }
            (field, packing, form) = (found.name, found.packing, fields)
            bytes = found.json
        }
        if let whole = try? JSONReader.readStrictly(bytes), !whole.isPlain {
            json = whole
            return
        }
        let lines = bytes.split(separator: 0x0A).map { line in try? JSONReader.readStrictly(Array(line)) }
        guard lines.count > 1, lines.allSatisfy({ $0?.members != nil }) else { return nil }
        json = .list(lines.compactMap { $0 })
        isLines = true
    }

    /// The field of a form that holds JSON: of several, the first that has events, in a list rather than one by itself.
    private static func field(
        among fields: [CapturedRequest.Field]
    ) -> (name: String, json: [UInt8], packing: Packing)? {
        let found = fields.compactMap { field in
            opened(Array(field.value.utf8)).map { (name: field.name, json: $0.json, packing: $0.packing) }
        }
        guard found.count > 1 else { return found.first }
        let ranks = found.map { field in
            (try? JSONReader.readStrictly(field.json)).map { EventList.rank(of: $0) } ?? 0
        }
        return zip(found, ranks).first { $1 == ranks.max() }?.0
    }

    private static func opened(_ text: [UInt8]) -> (json: [UInt8], packing: Packing)? {
        if isJSON(text) { return (text, .plain) }
        guard var decoded = base64(text) else { return nil }
        let isPacked = unpack(&decoded)
        return isJSON(decoded) ? (decoded, isPacked ? .gzipBase64 : .base64) : nil
    }

    /// The JSON that a text holds, and how; `nil` for any other value.
    static func json(in node: JSONNode) -> (json: JSONNode, packing: Packing)? {
        guard let text = node.string, let found = opened(Array(text.utf8)),
            let json = try? JSONReader.readStrictly(found.json)
        else { return nil }
        return (json, found.packing)
    }

    /// What some texts hold, and how a template writes it; `nil` unless all of them hold JSON in one way that there is.
    static func texts(_ values: [JSONNode]) -> (encoding: String, inner: [JSONNode])? {
        let found = values.compactMap { json(in: $0) }
        guard let packing = found.first?.packing, packing != .gzipBase64, found.count == values.count,
            found.allSatisfy({ $0.packing == packing })
        else { return nil }
        return (packing == .plain ? "jsonText" : "base64url", found.map { $0.json })
    }

    static func base64(_ text: [UInt8]) -> [UInt8]? {
        guard text.count >= 8 else { return nil }
        var decoded = WireBuffer()
        return text.withUnsafeBytes { Base64.decodeLeniently($0, into: &decoded) } ? decoded.bytes : nil
    }

    /// Unpacks gzip in place; `false` for what is none.
    private static func unpack(_ bytes: inout [UInt8]) -> Bool {
        guard GzipDecoder.isGzip(bytes) else { return false }
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

extension JSONNode {
    /// The JSON that a text holds, where a template can write such a text; `nil` for any other value.
    var jsonOfText: JSONNode? { CapturedBody.texts([self])?.inner.first }
}
