import Wire

/// Takes secrets out of text: values that came from the environment, and tokens and keys in URLs
/// and headers.
package struct Redactor: Hashable, Sendable {
    /// What stands in place of a secret.
    package static let mask = "[redacted]"
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
        SecretScanner(Redactor.redactUserInfo(redactValues(Array(text.utf8)))).masked
    }

    /// A header's line (`Name: value`) without secrets; the whole value goes where the name speaks of a credential.
    package func redact(header line: String) -> String {
        guard let colon = line.firstIndex(of: ":"), SecretNames.contain(String(line[..<colon]), in: .header)
        else { return redact(line) }
        return "\(redact(String(line[..<colon]))): \(Redactor.mask)"
    }

    /// Lines of headers without secrets.
    package func redact(headers lines: String) -> String {
        lines.split(separator: "\r\n", omittingEmptySubsequences: false).map { part in
            part.split(separator: "\n", omittingEmptySubsequences: false)
                .map { redact(header: String($0)) }.joined(separator: "\n")
        }
        .joined(separator: "\r\n")
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

    private static func isWord(_ bytes: [UInt8], _ index: Int) -> Bool {
        guard bytes.indices.contains(index) else { return false }
        let byte = bytes[index]
        return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
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
