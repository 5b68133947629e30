import Wire

/// Takes secrets out of text: values that came from the environment, and tokens and keys in URLs
/// and headers.
package struct Redactor: Hashable, Sendable {
    /// What stands in place of a secret.
    package static let mask = SecretScanner.mask
    /// From how many bytes on a secret is one within a word too, and so is the beginning of one at a cut.
    private static let leastBytes = 4
    /// The longest first.
    private let secrets: [SecretSpelling]

    package init(secrets: [String]) {
        self.secrets = Set(secrets).filter { !$0.isEmpty }
            .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }.map(SecretSpelling.init)
    }

    /// The text without secrets. A secret of fewer than four bytes is only taken out where it
    /// stands as a word of its own: "1" must not blacken every number.
    ///
    /// - Complexity: O(length · secrets).
    package func redact(_ text: String) -> String { redact(text, mayBeCut: false) }

    /// A text without secrets that was cut somewhere, perhaps within a secret: its end is taken out too where a secret
    /// begins with it, from four bytes on.
    ///
    /// - Complexity: O(length · secrets).
    package func redact(sample text: String) -> String { redact(text, mayBeCut: true) }

    private func redact(_ text: String, mayBeCut: Bool) -> String {
        let plain = redactValues(Array(text.utf8), mayBeCut: mayBeCut)
        return SecretScanner.masking(plain)
    }

    /// A header's line (`Name: value`) without secrets; the whole value goes where the name speaks of a credential.
    package func redact(header line: String) -> String { redact(header: line, mayBeCut: false) }

    private func redact(header line: String, mayBeCut: Bool) -> String {
        guard let colon = line.firstIndex(of: ":"), SecretNames.contain(String(line[..<colon]), in: .header)
        else { return redact(line, mayBeCut: mayBeCut) }
        return "\(redact(String(line[..<colon]))): \(Redactor.mask)"
    }

    /// Lines of headers without secrets, the last of which may have been cut, as in ``redact(sample:)``.
    package func redact(headers lines: String) -> String {
        lines.split(separator: "\r\n", omittingEmptySubsequences: false).map { part in
            part.split(separator: "\n", omittingEmptySubsequences: false)
                .map { redact(header: String($0), mayBeCut: $0.endIndex == lines.endIndex) }
                .joined(separator: "\n")
        }
        .joined(separator: "\r\n")
    }

    /// Whether there are secrets to take out.
    package var hasSecrets: Bool { !secrets.isEmpty }

    /// Names and data without secrets: words such as `token=` are no reason to mask what follows them there.
    ///
    /// - Complexity: O(length · secrets).
    package func redactSecrets(_ bytes: [UInt8]) -> [UInt8] { redactValues(bytes) }

    /// A name without secrets.
    package func redactSecrets(_ text: String) -> String {
        String(decoding: redactValues(Array(text.utf8)), as: UTF8.self)
    }

    private func redactValues(_ bytes: [UInt8], mayBeCut: Bool = false) -> [UInt8] {
        guard !secrets.isEmpty else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if mayBeCut, beginsSecret(bytes, from: index) {
                result += Array(Redactor.mask.utf8)
                index = bytes.count
            } else if let end = endOfSecret(in: bytes, from: index) {
                result += Array(Redactor.mask.utf8)
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private func endOfSecret(in bytes: [UInt8], from index: Int) -> Int? {
        for secret in secrets {
            guard let end = secret.end(in: bytes, from: index) else { continue }
            if secret.byteCount >= Redactor.leastBytes { return end }
            if !Redactor.isWord(bytes, index - 1), !Redactor.isWord(bytes, end) { return end }
        }
        return nil
    }

    /// Whether all that follows an index is the beginning of a secret, and not too little to say so.
    private func beginsSecret(_ bytes: [UInt8], from index: Int) -> Bool {
        secrets.contains { $0.isCut(bytes, from: index, leastBytes: Redactor.leastBytes) }
    }

    private static func isWord(_ bytes: [UInt8], _ index: Int) -> Bool {
        guard bytes.indices.contains(index) else { return false }
        let byte = bytes[index]
        return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
    }
}
