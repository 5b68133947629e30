import Wire

/// Reads captures: HTTP archives (HAR 1.2), and texts of curl commands.
package enum CaptureReader {
    /// The most bytes of a capture.
    package static let sizeLimit = 256 << 20

    /// Reads a capture of either kind, told by its first character.
    ///
    /// - Returns: The requests in their order; at least one.
    /// - Throws: ``CaptureProblem`` at the first place that cannot be read.
    package static func read(_ bytes: [UInt8]) throws(CaptureProblem) -> [CapturedRequest] {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let first = text.first { $0 > 0x20 }
        guard let first else {
            throw CaptureProblem("", found: "an empty file", allowed: "a HAR file, or curl commands")
        }
        let requests =
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            ? try HARReader.read(text) : try CurlReader.read(text)
        guard !requests.isEmpty else {
            throw CaptureProblem("", found: "no request", allowed: "a capture of at least one request")
        }
        return requests
    }
}
