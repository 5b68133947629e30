import Accounting
import Wire

/// Reads the uploads of GrowingIO's clients: XOR or AES, then LZ4 or Snappy, then JSON or Protocol Buffers.
///
/// Rules: growingio-sdk-ios-autotracker 3.2.1 and 4.11.0 (`GrowingEventRequestAdapter.m`,
/// `GrowingEventRequest{Compression,Encryption}Adapter.m`), growingio-sdk-ios-saas (`GrowingBaseModel.m`) for
/// the second protocol, and the Python client 1.0.5.
final class GrowingDecoder: UploadDecoder {
    private let ciphers: GrowingCiphers
    private let batch = JSONBatch()
    private var decrypted = WireBuffer()
    private var unpacked = WireBuffer()
    private var messages = MessageList()
    private var reader = GrowingReader()
    private var isItems = false
    /// The text to walk: ``unpacked`` or that of ``messages``.
    private var isMessages = false

    /// Makes a decoder.
    ///
    /// - Parameter ciphers: Encryptions beside its own.
    init(ciphers: GrowingCiphers = GrowingCiphers()) { self.ciphers = ciphers }

    func open(_ request: CollectedRequest) -> UploadEnvelope {
        isItems = GrowingPath(request.path)?.kind == .items
        let reason = decode(request)
        return reason.map { .refused($0) } ?? .opened
    }

    func keysAlone(of request: CollectedRequest) -> ContiguousArray<EventKey>? {
        guard let codecs = GrowingCodecs(request.headers, foreign: ciphers), codecs.isProtobuf,
            GrowingPath(request.path)?.kind != .items, unpack(request, codecs) == nil
        else { return nil }
        return unpacked.withUnsafeBytes { GrowingMessages.keys(in: $0) }
    }

    /// Takes off encryption and compression.
    ///
    /// - Returns: What is wrong, or `nil`.
    private func decode(_ request: CollectedRequest) -> UndecodableReason? {
        guard let codecs = GrowingCodecs(request.headers, foreign: ciphers) else { return .unknownEncoding }
        if let reason = unpack(request, codecs) { return reason }
        isMessages = codecs.isProtobuf
        return isMessages ? readMessages() : nil
    }

    private func unpack(_ request: CollectedRequest, _ codecs: GrowingCodecs) -> UndecodableReason? {
        guard codecs.encryption != .none else { return decompress(request.body, codecs) }
        guard let stm = queryValue("stm", in: request.query).flatMap({ UInt64($0) }) else {
            return .missingKey
        }
        let factor = UInt8(truncatingIfNeeded: stm)
        decrypted.removeAll()
        if codecs.encryption == .xor {
            decrypted.append(contentsOf: request.body, xor: factor)
        } else {
            guard let bytes = decrypt(Array(request.body), codecs.encryption, factor: factor) else {
                return .encrypted
            }
            decrypted.append(contentsOf: bytes)
        }
        return decrypted.withUnsafeBytes { decompress($0, codecs) }
    }

    private func decrypt(
        _ body: [UInt8], _ encryption: GrowingCodecs.Encryption, factor: UInt8
    ) -> [UInt8]? {
        if case .foreign(let codec) = encryption { return ciphers[codec]?(body, factor) }
        let vector = [UInt8](repeating: factor, count: AES128.blockSize)
        return GrowingDecoder.cipher.decryptCBC(body, vector: vector)
    }

    /// The key that simulated devices have unless their scenario gives them another, which the collector
    /// cannot know.
    private static let cipher = AES128(key: Array("beaconswarm-aes1".utf8))

    private func decompress(_ body: UnsafeRawBufferPointer, _ codecs: GrowingCodecs) -> UndecodableReason? {
        unpacked.removeAll()
        let limit = codecs.isProtobuf ? MessageList.messageLimit : JSONBatch.textLimit
        do {
            switch codecs.compression {
            case .none:
                guard body.count <= limit else { return .tooLarge }
                unpacked.append(contentsOf: body)
            case .snappy: try SnappyBlock.decode(body, limit: limit, into: &unpacked)
            case .lz4: try LZ4Block.decode(body, limit: limit, into: &unpacked)
            }
        } catch {
            if case .tooLarge = error { return .tooLarge }
            return .block
        }
        return nil
    }

    private func readMessages() -> UndecodableReason? {
        let isRead = unpacked.withUnsafeBytes { message in
            isItems
                ? messages.read(message, field: GrowingMessages.items, as: GrowingMessages.item)
                : messages.read(message, field: GrowingMessages.events, as: GrowingMessages.event)
        }
        return isRead ? nil : .tooLarge
    }

    func open(plain: UnsafeRawBufferPointer, isMessages: Bool) -> UploadEnvelope {
        guard plain.count <= JSONBatch.textLimit else { return .refused(.tooLarge) }
        isItems = false
        unpacked.removeAll()
        unpacked.append(contentsOf: plain)
        self.isMessages = isMessages
        return (isMessages ? readMessages() : nil).map { .refused($0) } ?? .opened
    }

    var textCapacity: Int { decrypted.capacity + unpacked.capacity + messages.text.capacity }

    func forEachElement(_ body: (UploadElement) -> Void) {
        let text = isMessages ? messages.text : unpacked
        reader.begin()
        text.withUnsafeBytes { text in
            batch.forEachElement(of: text) { element in
                guard case .value(let value, let text) = element else { return body(.undecodable(.json)) }
                reader.read(value, text: text, isItem: isItems, body)
            }
        }
        guard isMessages else { return }
        for _ in 0..<messages.broken { body(.undecodable(.protobuf)) }
    }
}

/// What a request's headers say of its body.
struct GrowingCodecs: Equatable {
    enum Compression: Equatable {
        case none
        /// A raw block; Android and Python.
        case snappy
        /// A raw block; iOS.
        case lz4
    }

    var compression: Compression
    enum Encryption: Equatable {
        case none
        /// With the lowest byte of the URL's `stm`.
        case xor
        /// AES-128 in CBC mode, PKCS #7, that byte sixteen times as the vector: none of GrowingIO's own, but
        /// what a simulated app puts in its place.
        case aes
        /// An app's own, by its codec.
        case foreign(String)
    }

    var encryption: Encryption
    var isProtobuf: Bool

    /// Reads the headers; `nil` for a codec that does not exist.
    ///
    /// The second protocol is always LZ4 and XOR, under `application/octet-stream`; the advertising module
    /// leaves the codecs' headers out.
    init?(_ headers: borrowing CollectedHeaders, foreign: GrowingCiphers = GrowingCiphers()) {
        let type = headers[.contentType].lowercased()
        let isProtobuf = ["application/protobuf", "application/x-protobuf"].contains { type.hasPrefix($0) }
        var compression: Compression
        switch headers[.compressCodec] {
        case "", "0": compression = .none
        case "2": compression = .snappy
        case "3": compression = .lz4
        default: return nil
        }
        var encryption: Encryption
        switch headers[.cryptCodec] {
        case let codec where foreign[codec] != nil: encryption = .foreign(codec)
        case "", "0": encryption = .none
        case "1": encryption = .xor
        case "2": encryption = .aes
        default: return nil
        }
        if type.hasPrefix("application/octet-stream"), headers[.compressCodec].isEmpty,
            headers[.cryptCodec].isEmpty
        {
            (compression, encryption) = (.lz4, .xor)
        }
        (self.compression, self.encryption, self.isProtobuf) = (compression, encryption, isProtobuf)
    }
}
