/// Where the live engine's parser wants to differ from NIO's decoder, and why.
///
/// Each holds in one direction only and asks for its reason in the bytes; where both take an answer, its status never may
/// differ, and its body only if it was packed. Anything else that the fuzzer finds is a fault of one of the two.
enum ParserDifference: CaseIterable {
    // Refused, though NIO's decoder takes it.

    /// 101 answers an upgrade that was never asked for (RFC 9110, 15.2.2), and below 100 there is no status
    /// (RFC 9110, 15).
    case statusOutOfPlace
    /// HTTP/0.9 and HTTP/2.0 are no versions of this syntax (RFC 9112, 2.3).
    case otherVersion
    /// A CR within a line, or NUL anywhere in it (RFC 9112, 2.2; RFC 9110, 5.5).
    case controlInLine
    /// A length of 2^63 and more: RFC 9112, 6.3 and 7.1 ask for care with what overflows; NIO counts to 2^64.
    case lengthOutOfRange

    /// A length without digits is no length, and nothing tells where the answer ends (RFC 9112, 6.3).
    case emptyLength

    // Taken otherwise.

    /// A body that is wanted is unpacked, and refused where it is not what its `Content-Encoding` says (RFC 9110, 8.4); NIO
    /// gives it as it came.
    case packedBody
    /// White space around a value is no part of it, a tab too (RFC 9110, 5.5): such a `chunked` is chunked, such a
    /// `close` closes, and such a length is one.
    case tabBehindWord
    /// A comma that no element follows counts for nothing (RFC 9110, 5.6.1.2): `chunked,` is chunked, and `,` is no coding;
    /// NIO's decoder reads both to the close.
    case emptyCoding
    /// `close` counts whatever stands beside it (RFC 9112, 9.3); of an answer of HTTP/1.0 NIO asks for `keep-alive` alone.
    case closeBesideKeepAlive
    /// `Proxy-Connection` is no field of HTTP (RFC 9112, C.2.2 tells where it comes from); NIO reads it as `Connection`.
    case proxyConnection

    // Taken, though NIO's decoder refuses it.

    /// A field that goes on in the next line: the fold counts as spaces (RFC 9112, 5.2).
    case foldedField
    /// A bare LF ends a line (RFC 9112, 2.2 allows it).
    case bareLineFeed
    /// Lengths that are equal count as one (RFC 9110, 8.6), and chunks go before a length (RFC 9112, 6.3), after which
    /// the connection is not used again.
    case severalLengths
    /// Names and values of fields are not looked at further than it takes to find the three that matter.
    case fieldNotInspected
    /// What stands behind a chunk's size, and the trailer, say nothing that is used (RFC 9112, 7.1.1 and 7.1.2).
    case chunkExtensionOrTrailer
    /// What an interim answer says of the connection, by a field or by being one of HTTP/1.0, is not looked at: the final
    /// one does (RFC 9110, 15.2).
    case closeBeforeFinal
    /// Nothing was said of an upgrade in the request, so an answer's `Upgrade` says nothing (RFC 9110, 7.8).
    case upgradeIgnored

    func explains(
        _ input: [UInt8], own: ParserTarget.Outcome, reference: ParserTarget.Outcome
    ) -> Bool {
        let lines = AnswerLines(input)
        switch self {
        case .statusOutOfPlace: return own.end == .malformed && (own.status == 101 || own.status < 100)
        case .otherVersion: return own.end == .malformed && lines.hasOtherVersion
        case .controlInLine: return own.end == .malformed && lines.hasControl
        case .foldedField: return reference.end == .malformed && lines.hasFold
        case .lengthOutOfRange: return own.end == .malformed && lines.hasLongNumber
        case .emptyLength: return own.end == .malformed && lines.hasEmptyLength
        case .packedBody: return lines.isPacked && (own.end == .malformed || own.body != reference.body)
        case .tabBehindWord:
            // Chunks that are read as such may be wrong ones.
            return lines.hasTabBehindWord && (own.end != .malformed || lines.isChunked)
        case .emptyCoding: return lines.hasEmptyCoding
        case .closeBesideKeepAlive:
            return !own.keepsAlive && reference.keepsAlive && own.body == reference.body
                && lines.saysClose && lines.saysKeepAlive
        case .proxyConnection:
            return own.keepsAlive != reference.keepsAlive && own.body == reference.body
                && lines.hasProxyConnection
        case .bareLineFeed: return reference.end == .malformed && lines.hasBareLineFeed
        case .severalLengths: return reference.end == .malformed && lines.lengthFields > 1
        case .fieldNotInspected: return reference.end == .malformed && lines.hasOddField
        case .chunkExtensionOrTrailer: return reference.end == .malformed && lines.isChunked
        case .closeBeforeFinal:
            return reference.end == .malformed && lines.statusLines > 1
                && (lines.saysClose || lines.hasProxyConnection || lines.hasOldVersion)
        case .upgradeIgnored: return own.end != .malformed && lines.hasUpgrade
        }
    }
}

/// What stands in the lines of an input, body or not: the reasons that a difference may have.
struct AnswerLines {
    private(set) var hasOtherVersion = false
    /// HTTP/1.0, whose connections close unless something is said.
    private(set) var hasOldVersion = false
    private(set) var hasControl = false
    private(set) var hasFold = false
    private(set) var hasBareLineFeed = false
    private(set) var hasOddField = false
    private(set) var hasUpgrade = false
    private(set) var hasProxyConnection = false
    /// Sixteen digits in a row, hexadecimal ones included.
    private(set) var hasLongNumber = false
    private(set) var isChunked = false
    private(set) var hasEmptyLength = false
    private(set) var hasTabBehindWord = false
    /// Whether a field says how a body is packed.
    private(set) var isPacked = false
    private static let codings = ["gzip", "deflate", "br", "zstd", "compress"]
    /// Whether a list of codings ends with a comma.
    private(set) var hasEmptyCoding = false
    private(set) var saysClose = false
    private(set) var saysKeepAlive = false
    private(set) var statusLines = 0
    /// Fields that say how long the body is.
    private(set) var lengthFields = 0

    init(_ input: [UInt8]) {
        for part in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let isEnded = part.endIndex < input.endIndex
            if isEnded, part.last != 0x0D { hasBareLineFeed = true }
            read(Array(part.last == 0x0D ? part.dropLast() : part))
        }
    }

    private mutating func read(_ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self).lowercased()
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20) }
        if line.split(whereSeparator: { !isDigit($0) }).contains(where: { $0.count >= 16 }) {
            hasLongNumber = true
        }
        if line.contains(0) || line.contains(0x0D) { hasControl = true }
        if text.hasPrefix("http/") { statusLines += 1 }
        if text.hasPrefix("http/1.0") { hasOldVersion = true }
        if text.hasPrefix("http/"), !text.hasPrefix("http/1.0"), !text.hasPrefix("http/1.1") {
            hasOtherVersion = true
        }
        if line.first == 0x20 || line.first == 0x09 { hasFold = true }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        if text.hasPrefix("content-length") || text.hasPrefix("transfer-encoding") { lengthFields += 1 }
        let value = line[(colon + 1)...]
        let fields = ["content-length", "transfer-encoding", "connection"]
        if fields.contains(where: text.hasPrefix), value.contains(0x09) { hasTabBehindWord = true }
        if text.hasPrefix("content-length"), value.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            hasEmptyLength = true
        }
        if text.hasPrefix("transfer-encoding") {
            if text.contains("chunked") { isChunked = true }
            if value.last(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: ",") { hasEmptyCoding = true }
        }
        if text.hasPrefix("connection") {
            if text.contains("close") { saysClose = true }
            if text.contains("keep-alive") { saysKeepAlive = true }
        }
        if text.hasPrefix("content-encoding") && AnswerLines.codings.contains(where: text.contains) {
            isPacked = true
        }
        if text.hasPrefix("proxy-connection") { hasProxyConnection = true }
        if text.hasPrefix("upgrade") || text.contains("upgrade") { hasUpgrade = true }
        let isToken = line[..<colon].allSatisfy(AnswerLines.isTokenCharacter)
        let isPlain = line[colon...].allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        if !isToken || !isPlain { hasOddField = true }
    }

    /// RFC 9110, 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
        }
    }
}
