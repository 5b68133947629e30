import CollectorModel
import Wire

/// What an input of the collector's target is, by its first character: the body of an upload in one of the systems'
/// forms, or what lies deeper in such a body; what is missing around it the target makes.
enum CollectorInput {
    struct Upload {
        var form: UploadForm
        var body: [UInt8]
    }

    /// The characters of a system's forms, in their order: the corpus is written in these. A further form, whose system
    /// may stand anywhere among the others, has the next one that is free.
    private static let letters = [
        "sensors": "f", "growing": "gplsxoiq", "trackingsdk": "t", "kit": "m", "codeless": "c",
        "declared": "ABCDE",
    ]

    private static let formModes: [(Character, UploadForm)] = {
        var free = "FGHIJKLMNOPQRSTUVWXYZ0123456789"[...]
        return CollectorSystem.allCases.flatMap { system in
            var own = letters[system.rawValue, default: ""][...]
            return system.uploadForms.compactMap { form in
                (own.popFirst() ?? free.popFirst()).map { ($0, form) }
            }
        }
    }()

    /// Parts of bodies.
    private enum Part: Character, CaseIterable {
        /// SensorsAnalytics: what is in the form's base64, and the JSON in its gzip.
        case packed = "z"
        case json = "j"
        /// Kit: the archive in the form, and the one log in that.
        case archive = "k"
        case log = "r"

        func upload(_ rest: [UInt8]) -> Upload? {
            let system: CollectorSystem =
                switch self {
                case .packed, .json: .sensors
                case .archive, .log: .kit
                }
            guard let form = system.uploadForms.first else { return nil }
            let body =
                switch self {
                case .packed: CollectorInput.form(of: rest, isPacked: true)
                case .json: CollectorInput.form(of: rest, isPacked: false)
                case .archive: CollectorInput.multipart(rest, for: form)
                case .log: CollectorInput.multipart(CollectorInput.archive(of: rest), for: form)
                }
            return Upload(form: form, body: body)
        }
    }

    static let modes = String(formModes.map(\.0) + Part.allCases.map(\.rawValue))

    /// The upload that an input stands for; one that says nothing of itself is in the first form.
    static func upload(of input: [UInt8]) -> Upload? {
        let mode = input.first.map { Character(UnicodeScalar($0)) }
        let rest = Array(input.dropFirst())
        if let mode, let part = Part(rawValue: mode) { return part.upload(rest) }
        let form = formModes.first { $0.0 == mode }?.1 ?? CollectorSystem.allCases.first?.uploadForms.first
        return form.map { Upload(form: $0, body: rest) }
    }

    private static func multipart(_ archive: [UInt8], for form: UploadForm) -> [UInt8] {
        var content = WireBuffer()
        content.append(contentsOf: archive)
        var body = WireBuffer()
        guard
            let boundary = try? MultipartBoundary(
                contentType: CollectedHeaders(lines: form.headerLines)[.contentType])
        else { return archive }
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
