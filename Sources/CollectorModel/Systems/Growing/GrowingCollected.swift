import Wire

/// GrowingIO.
struct GrowingCollected: PathSystem {
    static let system = CollectorSystem.growing
    static let headers: [CollectedHeader] = [.contentType, .compressCodec, .cryptCodec]

    /// JSON, messages, LZ4, Snappy, LZ4 under XOR; the second protocol; items as JSON and as messages.
    static let uploadForms = [
        form(), form(type: "protobuf"), form("X-Compress-Codec: 3\r\n"), form("X-Compress-Codec: 2\r\n"),
        form("X-Compress-Codec: 3\r\nX-Crypt-Codec: 1\r\n"), form(path: "/v3/p/ios/other"),
        form(path: "/projects/p/collect/item"), form(path: "/projects/p/collect/item", type: "protobuf"),
    ]

    private static func form(
        _ codecs: String = "", path: String = "/v3/projects/p/collect", type: String = "json"
    ) -> UploadForm {
        UploadForm(path, headerLines: "Content-Type: application/\(type)\r\n\(codecs)")
    }

    let decoder: GrowingDecoder

    init(_ plan: CollectorPlan) { decoder = GrowingDecoder(ciphers: plan.growingCiphers) }

    static func takesUploads(at path: String) -> Bool { GrowingPath(path) != nil }
    func makeKeyReader() -> GrowingReader { GrowingReader() }
}

extension CollectedHeader {
    /// How the body is compressed.
    package static let compressCodec = CollectedHeader("x-compress-codec")
    /// How the body is encrypted.
    package static let cryptCodec = CollectedHeader("x-crypt-codec")
}
