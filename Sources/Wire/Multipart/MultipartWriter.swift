extension WireBuffer {
    /// Appends a multipart/form-data body (RFC 7578) with one file in it, byte for byte as
    /// AFNetworking 3's `appendPartWithFileURL:name:fileName:mimeType:error:` makes it.
    ///
    /// Quotes and line ends in the names become `%22`, `%0D` and `%0A`, as browsers write them (WHATWG,
    /// "Multipart form data"); AFNetworking writes them as they are, and such a body cannot be read.
    ///
    /// - Parameters:
    ///   - name: The form field's name.
    ///   - filename: The file's name.
    ///   - contentType: The part's own header, as the app gives it; without line ends.
    ///   - content: The file's bytes; the boundary must not be among them, of which two random numbers
    ///     make sure.
    ///   - boundary: What the request's Content-Type header names.
    package mutating func appendMultipartFile(
        name: String, filename: String, contentType: String, content: borrowing WireBuffer,
        boundary: MultipartBoundary
    ) {
        precondition(!contentType.utf8.contains { $0 == 0x0D || $0 == 0x0A }, "a header is one line")
        append("--")
        append(boundary.text)
        append("\r\nContent-Disposition: form-data; name=\"")
        appendMultipartName(name)
        append("\"; filename=\"")
        appendMultipartName(filename)
        append("\"\r\nContent-Type: ")
        append(contentType)
        append("\r\n\r\n")
        append(contentsOf: content)
        append("\r\n--")
        append(boundary.text)
        append("--\r\n")
    }

    private mutating func appendMultipartName(_ name: String) {
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("%22")
            case 0x0D: append("%0D")
            case 0x0A: append("%0A")
            default: append(byte)
            }
        }
    }
}
