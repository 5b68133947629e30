import Scenario
import Wire

/// Finds secrets in what bytes pack: in gzip, in base64 of either alphabet, in percent-encoding, and in any of them
/// within another. There a secret cannot be masked by itself.
struct PackedSecrets {
    /// How many packings are taken off, one within the other; what is packed more often counts as a secret.
    private static let depthLimit = 8
    /// The most bytes that gzip may unpack to; what is more counts as a secret.
    private static let unpackedLimit = 64 << 20
    /// From how many characters on a word may be base64.
    private static let leastCharacters = 8

    let redactor: Redactor

    /// Whether something that bytes pack holds a secret, or cannot be unpacked. What stands in them as it is does not
    /// count.
    func areIn(_ bytes: [UInt8]) -> Bool { areIn(bytes, depth: 0) }

    private func areIn(_ bytes: [UInt8], depth: Int) -> Bool {
        guard redactor.hasSecrets else { return false }
        guard depth < PackedSecrets.depthLimit else { return true }
        if GzipDecoder.isGzip(bytes) {
            guard let unpacked = PackedSecrets.unpacked(bytes) else { return true }
            return hold(unpacked, depth)
        }
        if let plain = PackedSecrets.percentDecoded(bytes), hold(plain, depth) { return true }
        return PackedSecrets.words(of: bytes).contains { word in
            guard let plain = PackedSecrets.base64Decoded(word) else { return false }
            return hold(plain, depth)
        }
    }

    private func hold(_ bytes: [UInt8], _ depth: Int) -> Bool {
        redactor.redactSecrets(bytes) != bytes || areIn(bytes, depth: depth + 1)
    }

    private static func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
        var output = WireBuffer()
        let decoder = GzipDecoder(limit: unpackedLimit)
        guard (try? bytes.withUnsafeBytes({ try decoder.decompress($0, into: &output) })) != nil else {
            return nil
        }
        return output.bytes
    }

    /// `nil` where there is nothing to decode.
    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "%")) else { return nil }
        var output = WireBuffer()
        let malformed = bytes.withUnsafeBytes { PercentEncoding.decodeForm($0, into: &output) }
        return malformed == nil ? output.bytes : nil
    }

    /// All that may be base64.
    private static func words(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split { byte in
            let isLetter = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            return !isLetter && !"+/-_".utf8.contains(byte)
        }
        .filter { $0.count >= leastCharacters }
    }

    /// What a word is in base64; `nil` where that is neither text nor gzip: most words have a meaning in base64 too.
    private static func base64Decoded(_ word: ArraySlice<UInt8>) -> [UInt8]? {
        var output = WireBuffer()
        guard word.withUnsafeBytes({ Base64.decodeLeniently($0, into: &output) }) else { return nil }
        let bytes = output.bytes
        let isText =
            bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
            && String(validating: bytes, as: UTF8.self) != nil
        return isText || GzipDecoder.isGzip(bytes) ? bytes : nil
    }
}
