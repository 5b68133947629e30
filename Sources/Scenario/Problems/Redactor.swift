/// Takes secrets out of text: values that came from the environment, and tokens and keys in URLs
/// and headers.
package struct Redactor: Hashable, Sendable {
    /// What stands in place of a secret.
    package static let mask = "[redacted]"
    /// Names of query parameters and headers whose values are secret, in lower case.
    static let secretNames = [
        "token", "access_token", "auth_token", "apikey", "api_key", "api-key", "x-api-key", "x-auth-token",
        "secret",
        "password", "passwd", "authorization", "proxy-authorization", "cookie", "set-cookie", "signature",
        "key",
    ]
    /// Those of them that take the rest of the line, not one word.
    private static let lineNames = ["authorization", "proxy-authorization", "cookie", "set-cookie"]

    /// Secrets in all the spellings that text may show them in, the longest first.
    private let spellings: [[UInt8]]

    package init(secrets: [String]) {
        var all: [[UInt8]] = []
        for secret in secrets where !secret.isEmpty {
            let quoted = JSONNode.quoted(secret).dropFirst().dropLast()
            for spelling in [secret, Redactor.percentEncoded(secret), String(quoted)] {
                let bytes = Array(spelling.utf8)
                if !all.contains(bytes) { all.append(bytes) }
            }
        }
        spellings = all.sorted { ($1.count, $0.description) < ($0.count, $1.description) }
    }

    /// The text without secrets. A secret of fewer than four bytes is only taken out where it
    /// stands as a word of its own: "1" must not blacken every number.
    ///
    /// - Complexity: O(length · secrets).
    package func redact(_ text: String) -> String {
        Redactor.redactNamed(Redactor.redactUserInfo(redactValues(Array(text.utf8))))
    }

    /// Whether there are secrets to take out.
    package var hasSecrets: Bool { !spellings.isEmpty }

    /// Names and data without secrets: words such as `token=` are no reason to mask what follows them there.
    ///
    /// - Complexity: O(length · secrets).
    package func redactSecrets(_ bytes: [UInt8]) -> [UInt8] { redactValues(bytes) }

    /// A name without secrets.
    package func redactSecrets(_ text: String) -> String {
        String(decoding: redactValues(Array(text.utf8)), as: UTF8.self)
    }

    /// Whether the values of a header or query parameter are secret by its name.
    ///
    /// Every name that speaks of a credential counts, so that `X-Custom-Token` or `X-Session` do: a
    /// harmless value masked costs less than a secret shown.
    static func isSecret(name: String) -> Bool {
        let name = name.lowercased()
        let words = ["token", "key", "auth", "secret", "session", "cookie", "sign", "passw", "credential"]
        return words.contains { name.contains($0) }
    }

    private func redactValues(_ bytes: [UInt8]) -> [UInt8] {
        guard !spellings.isEmpty else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...]
            let hit = spellings.first { secret in
                rest.starts(with: secret)
                    && (secret.count >= 4
                        || !Redactor.isWord(bytes, index - 1)
                            && !Redactor.isWord(bytes, index + secret.count))
            }
            if let hit {
                result += Array(Redactor.mask.utf8)
                index += hit.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Masks what stands between `://` and `@` in a URL's authority: user names and passwords.
    private static func redactUserInfo(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("://".utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index...].starts(with: mark) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += mark
            index += mark.count
            let end = bytes[index...].firstIndex { Array("/?# \"'\r\n\t".utf8).contains($0) } ?? bytes.count
            guard let at = bytes[index..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            result += Array(mask.utf8)
            index = at
        }
        return result
    }

    /// Masks `name=value`, `name: value` and `"name": "value"` for every secret name.
    private static func redactNamed(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard !isNamePart(bytes, index - 1), isNamePart(bytes, index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            var end = index
            while isNamePart(bytes, end) { end += 1 }
            let name = String(decoding: bytes[index..<end], as: UTF8.self).lowercased()
            result += bytes[index..<end]
            index = end
            guard secretNames.contains(name), let start = valueStart(bytes, after: end),
                name != "key" || bytes[start - 1] == UInt8(ascii: "=")
            else { continue }
            let valueEnd = valueEnd(bytes, from: start, wholeLine: lineNames.contains(name))
            guard valueEnd > start else { continue }
            result += bytes[end..<start]
            result += Array(mask.utf8)
            index = valueEnd
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Skips `=`, or `:` with blanks and quotes around it.
    private static func valueStart(_ bytes: [UInt8], after end: Int) -> Int? {
        var index = end
        if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
            index += 1
            return index < bytes.count && bytes[index] == UInt8(ascii: "\"") ? index + 1 : index
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return nil }
        index += 1
        while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
        if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { index += 1 }
        return index
    }

    private static func valueEnd(_ bytes: [UInt8], from start: Int, wholeLine: Bool) -> Int {
        let ends = wholeLine ? Array("\"\r\n".utf8) : Array("\"'& \r\n\t<>;,#)".utf8)
        return bytes[start...].firstIndex { ends.contains($0) } ?? bytes.count
    }

    private static func isWord(_ bytes: [UInt8], _ index: Int) -> Bool {
        guard bytes.indices.contains(index) else { return false }
        let byte = bytes[index]
        return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
    }

    private static func isNamePart(_ bytes: [UInt8], _ index: Int) -> Bool {
        isWord(bytes, index) || bytes.indices.contains(index) && [0x2D, 0x5F].contains(bytes[index])
    }

    private static func percentEncoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if isWord([byte], 0), byte < 0x80 {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else if Array("-._~".utf8).contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}
