/// Why bytes are not a compressed block that may be decoded.
package enum BlockError: Error, Equatable, CustomStringConvertible {
    /// Ends within what begins at this offset.
    case truncated(offset: Int)
    /// Breaks a rule of the format in what begins at this offset.
    case corrupt(offset: Int)
    /// Decodes to more bytes than the limit.
    case tooLarge(limit: Int)

    package var description: String {
        switch self {
        case .truncated(let offset): "the block ends within what begins at byte \(offset)"
        case .corrupt(let offset): "the block is corrupt at byte \(offset)"
        case .tooLarge(let limit): "the block decodes to more than the \(limit) bytes that are allowed"
        }
    }
}
