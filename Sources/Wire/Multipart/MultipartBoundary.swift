/// What parts the parts of a multipart body from each other (RFC 2046, section 5.1.1).
package struct MultipartBoundary: Sendable, Equatable {
    /// The boundary without the dashes in front of it.
    package let text: String

    /// The boundary that AFNetworking 3 makes of two random numbers: `Boundary+%08X%08X`.
    package init(_ first: UInt32, _ second: UInt32) {
        var buffer = WireBuffer("Boundary+")
        for number in [first, second] {
            for shift in stride(from: UInt32(28), through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: number >> shift & 15)
                buffer.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10))
            }
        }
        text = buffer.text
    }

    /// The boundary that a Content-Type header of multipart/form-data names.
    ///
    /// - Throws: ``MultipartError/wrongContentType(_:)``, ``MultipartError/missingBoundary(_:)`` or
    ///   ``MultipartError/invalidBoundary(_:)``.
    package init(contentType header: String) throws(MultipartError) {
        let value: HeaderValue? = Array(header.utf8).withUnsafeBytes { HeaderValue($0) }
        guard let value, value.value == "multipart/form-data" else { throw .wrongContentType(header) }
        let boundaries = value.parameters.filter { $0.name == "boundary" }
        guard boundaries.count == 1, let boundary = boundaries.first?.value else {
            throw .missingBoundary(header)
        }
        guard Self.isValid(boundary) else { throw .invalidBoundary(boundary) }
        text = boundary
    }

    /// The value of the request's Content-Type header, as AFNetworking 3 writes it: without quotes.
    package var contentType: String { "multipart/form-data; boundary=\(text)" }

    private static func isValid(_ boundary: String) -> Bool {
        let marks = Array("'()+_,-./:=? ".utf8)
        return (1...70).contains(boundary.utf8.count) && boundary.utf8.last != UInt8(ascii: " ")
            && boundary.utf8.allSatisfy { $0.isASCIILetterOrDigit || marks.contains($0) }
    }
}

extension UInt8 {
    var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
