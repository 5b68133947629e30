import Wire

/// What lies around the events of a SensorsAnalytics upload: form, checksum, base64, gzip.
///
/// Rules: sa-sdk-ios v1.10.17 `SensorsAnalyticsSDK.m` and v4.9.1 `SAEventFlush.m` write it,
/// sa-sdk-java's `TestServlet.java` reads it. `crc` is the Java hash of the decoded field value, which is
/// the base64 text.
struct SensorsEnvelope {
    /// The JSON text, or why there is none.
    enum Content {
        case json(WireBuffer, wasPacked: Bool)
        /// Encrypted events that the collector has no key for: so many, as far as can be told.
        case encrypted(events: UInt64)
        case undecodable(UndecodableReason)
    }

    var content: Content
    /// Whether a checksum was there and did not fit.
    var hasWrongChecksum = false
}

/// Opens envelopes; holds the buffers that are used again and again.
final class SensorsEnvelopeReader {
    private let gzip: GzipDecoder
    /// For the envelopes of encrypted events only: events have the decoder's parser.
    private let parser: JSONParser
    private var field = WireBuffer()
    private var packed = WireBuffer()
    private var text = WireBuffer()

    /// - Parameter limit: The most bytes of JSON that one request may hold.
    init(limit: Int) {
        gzip = GzipDecoder(limit: limit)
        parser = JSONParser(byteLimit: limit)
    }

    /// The gzip stream of the envelope that was opened last; valid until the next.
    var unpacked: UnsafeRawBufferPointer { packed.withUnsafeBytes { $0 } }

    var textCapacity: Int { field.capacity + packed.capacity + text.capacity }

    /// Opens the envelope of a request's body.
    func open(_ body: UnsafeRawBufferPointer) -> SensorsEnvelope {
        guard let form = try? SensorsForm(body), let list = form.list ?? form.single else {
            return SensorsEnvelope(content: .undecodable(.form))
        }
        field.removeAll()
        guard (try? list.appendValue(to: &field)) != nil else {
            return SensorsEnvelope(content: .undecodable(.form))
        }
        let isWrong = form.checksum.map { $0.integer != Int64(JavaHash.hash(field)) } ?? false
        let encoding = form.encoding.map(\.integer) ?? 0
        return SensorsEnvelope(content: content(encoding: encoding), hasWrongChecksum: isWrong)
    }

    /// Decodes the field's value by the number in `gzip`.
    private func content(encoding: Int64?) -> SensorsEnvelope.Content {
        switch encoding {
        case 0: base64Content()
        case 1: gzipContent()
        case 9, 13: .encrypted(events: encryptedCount())
        default: .undecodable(.unknownEncoding)
        }
    }

    private func base64Content() -> SensorsEnvelope.Content {
        guard unpack() else { return .undecodable(.base64) }
        guard packed.count <= gzip.limit else { return .undecodable(.tooLarge) }
        return .json(packed, wasPacked: false)
    }

    private func gzipContent() -> SensorsEnvelope.Content {
        guard unpack() else { return .undecodable(.base64) }
        text.removeAll()
        let packed = packed
        do {
            try packed.withUnsafeBytes { bytes throws(GzipError) in
                try gzip.decompress(bytes, into: &text)
            }
        } catch .tooLarge {
            return .undecodable(.tooLarge)
        } catch {
            return .undecodable(.gzip)
        }
        return .json(text, wasPacked: true)
    }

    private func unpack() -> Bool {
        packed.removeAll()
        let field = field
        return field.withUnsafeBytes { Base64.decode($0, into: &packed) }
    }

    /// The number of encrypted events: one per payload of each envelope with a list of them
    /// (`gzip=9`), and one for everything whose content cannot be told (`gzip=13` has one payload for
    /// the whole batch). At least one per request.
    private func encryptedCount() -> UInt64 {
        let field = field
        let count = try? field.withUnsafeBytes { bytes in
            try parser.withParsed(bytes) { root in
                root.elements.reduce(UInt64(0)) { sum, envelope in
                    sum + UInt64(max(1, envelope["payloads"]?.count ?? 1))
                }
            }
        }
        return max(1, count ?? 1)
    }
}

/// The fields of an upload that matter; the first of each name counts.
private struct SensorsForm {
    var list: FormField?
    var single: FormField?
    var checksum: FormField?
    var encoding: FormField?

    init(_ body: UnsafeRawBufferPointer) throws(FormError) {
        var form = FormDecoder(body)
        while let field = try form.next() {
            if field.isNamed("data_list") {
                list = list ?? field
            } else if field.isNamed("data") {
                single = single ?? field
            } else if field.isNamed("crc") {
                checksum = checksum ?? field
            } else if field.isNamed("gzip") {
                encoding = encoding ?? field
            }
        }
    }
}
