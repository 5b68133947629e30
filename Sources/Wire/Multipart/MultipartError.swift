/// Why a body is not multipart/form-data that may be read. Offsets are the body's.
package enum MultipartError: Error, Equatable, CustomStringConvertible {
    /// The Content-Type header is of another type.
    case wrongContentType(String)
    /// The Content-Type header has no boundary, or more than one.
    case missingBoundary(String)
    /// Not 1 to 70 of the characters that a boundary may have, or a space at its end.
    case invalidBoundary(String)
    /// No line begins with the boundary.
    case noDelimiter
    /// The line of a delimiter goes on after it.
    case malformedDelimiter(offset: Int)
    /// The body ends before the part that begins at this offset does.
    case truncated(offset: Int)
    /// A part's headers are longer than the limit, in bytes.
    case headersTooLong(limit: Int, offset: Int)
    /// A line of a part's headers that is none, or has parameters that break the rules.
    case malformedHeader(offset: Int)
    /// A part without `Content-Disposition: form-data` and a name in it.
    case missingName(offset: Int)
    /// A part with a Content-Transfer-Encoding that changes its bytes.
    case unsupportedEncoding(String, offset: Int)
    case tooManyParts(limit: Int)

    package var description: String {
        switch self {
        case .wrongContentType(let found):
            "content type \(found.debugDescription) in place of multipart/form-data"
        case .missingBoundary(let found): "content type \(found.debugDescription) has not one boundary"
        case .invalidBoundary(let found):
            "boundary \(found.debugDescription); allowed are 1 to 70 characters of RFC 2046, 5.1.1"
        case .noDelimiter: "no line begins with the boundary"
        case .malformedDelimiter(let offset): "the line at byte \(offset) goes on after the boundary"
        case .truncated(let offset): "the body ends before the part at byte \(offset) does"
        case .headersTooLong(let limit, let offset):
            "the part at byte \(offset) has more than the \(limit) bytes of headers that are allowed"
        case .malformedHeader(let offset): "the header line at byte \(offset) is malformed"
        case .missingName(let offset): "the part at byte \(offset) has no form-data name"
        case .unsupportedEncoding(let found, let offset):
            "the part at byte \(offset) has transfer encoding \(found.debugDescription); "
                + "allowed are 7bit, 8bit and binary"
        case .tooManyParts(let limit): "more than the \(limit) parts that are allowed"
        }
    }
}
