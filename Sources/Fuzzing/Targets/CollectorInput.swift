import Wire

/// What an input of the collector's target is, by its first character: whose upload, and how much of it the rest
/// is; what is missing around it the target makes.
enum CollectorInput: Character, CaseIterable {
    /// SensorsAnalytics: the whole form, what is in its base64, the JSON in its gzip.
    case form = "f"
    case packed = "z"
    case json = "j"
    /// GrowingIO: JSON, a list of messages, an LZ4 block, a Snappy block, an LZ4 block that was encrypted; a
    /// list of the second protocol, a list of items, a list of items' messages.
    case growing = "g"
    case growingMessages = "p"
    case growingLZ4 = "l"
    case growingSnappy = "s"
    case growingEncrypted = "x"
    case growingShort = "o"
    case growingItems = "i"
    case growingItemMessages = "q"
    case tracking = "t"
    /// Kit: the whole form, the archive in it, the one log in that.
    case kitForm = "m"
    case kitArchive = "k"
    case kitLog = "r"
    case codeless = "c"

    struct Upload {
        var path: String
        var headerLines = ""
        var body: [UInt8]
    }

    /// The upload that an input stands for; one that says nothing of itself is a form.
    static func upload(of input: [UInt8]) -> Upload {
        let mode = input.first.flatMap { CollectorInput(rawValue: Character(UnicodeScalar($0))) }
        return (mode ?? .form).upload(Array(input.dropFirst()))
    }

    private func upload(_ rest: [UInt8]) -> Upload {
        switch self {
        case .form: Upload(path: "/sa", body: rest)
        case .packed: Upload(path: "/sa", body: CollectorInput.form(of: rest, isPacked: true))
        case .json: Upload(path: "/sa", body: CollectorInput.form(of: rest, isPacked: false))
        case .growing: growing(rest)
        case .growingMessages: growing(rest, type: "application/protobuf")
        case .growingLZ4: growing(rest, codecs: "X-Compress-Codec: 3\r\n")
        case .growingSnappy: growing(rest, codecs: "X-Compress-Codec: 2\r\n")
        case .growingEncrypted: growing(rest, codecs: "X-Compress-Codec: 3\r\nX-Crypt-Codec: 1\r\n")
        case .growingShort: growing(rest, path: "/v3/p/ios/other")
        case .growingItems: growing(rest, path: "/projects/p/collect/item")
        case .growingItemMessages:
            growing(rest, path: "/projects/p/collect/item", type: "application/protobuf")
        case .tracking: Upload(path: "/tracking/events", headerLines: "X-API-Key: k\r\n", body: rest)
        case .kitForm: kit(rest)
        case .kitArchive: kit(CollectorInput.multipart(rest))
        case .kitLog: kit(CollectorInput.multipart(CollectorInput.archive(of: rest)))
        case .codeless: Upload(path: "/codeless/v1/events", headerLines: "X-Events-Id: e\r\n", body: rest)
        }
    }

    private func growing(
        _ body: [UInt8], path: String = "/v3/projects/p/collect", type: String = "application/json",
        codecs: String = ""
    ) -> Upload {
        Upload(path: path, headerLines: "Content-Type: \(type)\r\n\(codecs)", body: body)
    }

    private func kit(_ body: [UInt8]) -> Upload {
        Upload(
            path: "/uploadIosLogfiles.do1",
            headerLines: "Content-Type: \(CollectorInput.boundary.contentType)\r\n", body: body)
    }

    private static let boundary = MultipartBoundary(1, 2)

    private static func multipart(_ archive: [UInt8]) -> [UInt8] {
        var content = WireBuffer()
        content.append(contentsOf: archive)
        var body = WireBuffer()
        body.appendMultipartFile(
            name: "file", filename: "a.zip", contentType: "zip", content: content, boundary: boundary)
        return body.bytes
    }

    private static func archive(of log: [UInt8]) -> [UInt8] {
        var content = WireBuffer()
        content.append(contentsOf: log)
        var archive = WireBuffer()
        // The one name is a good one.
        try? ZipEncoder(level: 1).encode(
            [ZipFile(name: "a.log", modified: .earliest, content: content)], into: &archive)
        return archive.bytes
    }

    private static func form(of content: [UInt8], isPacked: Bool) -> [UInt8] {
        var packed = WireBuffer()
        if isPacked {
            packed.append(contentsOf: content)
        } else {
            content.withUnsafeBytes { GzipEncoder(level: 1).compress($0, into: &packed) }
        }
        var text = WireBuffer()
        Base64.encode(packed, into: &text)
        var form = WireBuffer("gzip=1&crc=\(JavaHash.hash(text))&data_list=")
        PercentEncoding.sensorsModern.encode(text, into: &form)
        return form.bytes
    }
}
