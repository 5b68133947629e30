import Wire

/// Reads the uploads of KitAnalysisOfUserBehavior: a form with a zip archive of daily logs.
final class KitDecoder: UploadDecoder {
    /// What an archive may ask for: a log for each day of some years, and more rows than anybody makes by
    /// hand. As JSON the rows of all logs have at most ``JSONBatch/textLimit`` bytes.
    static let limits = ZipLimits(entries: 1000, nameBytes: 255, totalBytes: 16 << 20, ratio: 200)

    private let batch = JSONBatch()
    private let zip = ZipDecoder(limits: KitDecoder.limits)
    private var reader = KitReader()
    private var content = WireBuffer()
    /// The rows as a JSON list.
    private var text = WireBuffer()
    private var broken: [UndecodableReason] = []

    func open(_ request: CollectedRequest) -> UploadEnvelope {
        text.removeAll()
        broken.removeAll()
        guard let archive = KitDecoder.file(of: request) else { return .refused(.multipart) }
        do throws(ZipError) {
            let entries = try zip.entries(of: archive)
            text.append(UInt8(ascii: "["))
            for entry in entries {
                guard read(entry, of: archive) else { return .refused(.tooLarge) }
            }
            text.append(UInt8(ascii: "]"))
            return .opened
        } catch {
            switch error {
            case .tooManyEntries, .tooLarge, .suspiciousRatio, .nameTooLong: return .refused(.tooLarge)
            default: return .refused(.zip)
            }
        }
    }

    /// The content of the form's part `file`.
    private static func file(of request: CollectedRequest) -> UnsafeRawBufferPointer? {
        guard let boundary = try? MultipartBoundary(contentType: request.headers[.contentType]) else {
            return nil
        }
        var form = MultipartReader(request.body, boundary: boundary)
        while let part = try? form.next() {
            if part.name == "file" { return part.content }
        }
        return nil
    }

    /// Appends the rows of one log.
    ///
    /// - Returns: `false` if the text becomes longer than it may be.
    private func read(_ entry: ZipEntry, of archive: UnsafeRawBufferPointer) -> Bool {
        content.removeAll()
        do {
            try zip.decode(entry, of: archive, into: &content)
        } catch {
            broken.append(.zip)
            return true
        }
        return content.withUnsafeBytes { read($0, named: entry.name) }
    }

    private func read(_ content: UnsafeRawBufferPointer, named name: String) -> Bool {
        var log = KitLog(name: name, content: content)
        while let line = log.next() {
            guard let row = KitRow(line.bytes) else {
                broken.append(.row)
                continue
            }
            text.appendJSONComma()
            row.append(to: &text, log: name, line: line.number, device: log.device)
            guard text.count <= JSONBatch.textLimit else { return false }
        }
        return true
    }

    /// Logs one after the other: the bytes of each one's name and content, each after their number in eight bytes.
    func open(plain: UnsafeRawBufferPointer, isMessages: Bool) -> UploadEnvelope {
        text.removeAll()
        broken.removeAll()
        text.append(UInt8(ascii: "["))
        var rest = plain[...]
        func next() -> UnsafeRawBufferPointer {
            let count = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: Int.self)
            let bytes = rest.dropFirst(8).prefix(count)
            rest = rest[bytes.endIndex...]
            return UnsafeRawBufferPointer(rebasing: bytes)
        }
        var (logs, size) = (0, 0)
        while rest.count >= 16 {
            let name = String(decoding: next(), as: UTF8.self)
            let content = next()
            (logs, size) = (logs + 1, size + content.count)
            guard logs <= KitDecoder.limits.entries, size <= KitDecoder.limits.totalBytes,
                read(content, named: name)
            else { return .refused(.tooLarge) }
        }
        text.append(UInt8(ascii: "]"))
        return .opened
    }

    var textCapacity: Int { content.capacity + text.capacity }

    func forEachElement(_ body: (UploadElement) -> Void) {
        text.withUnsafeBytes { text in
            batch.forEachElement(of: text) { element in
                guard case .value(let value, let text) = element else { return body(.undecodable(.json)) }
                body(reader.read(value, text: text))
            }
        }
        for reason in broken { body(.undecodable(reason)) }
    }
}
